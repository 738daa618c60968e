"""Every page and every action in a real browser, before a server that was started as a user starts it."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect

from acceptance.conftest import BUG, TESTS
from checks.conftest import git, write
from model.examples import HALT, ORDER, OUTCOME
from setpoint.app.project.access_keys import make_key
from setpoint.app.views.export import write_run_page
from setpoint.app.views.metrics import write_metrics_page
from setpoint.history.event_log import SqlEventLog
from setpoint.model.ending import Ending
from setpoint.model.events.people import FindingDismissed
from setpoint.model.events.run import GateAnswered, RunFinished, RunStarted
from setpoint.model.gate import Via
from setpoint.model.ids import TraceId
from web.browsing import SLOW_MS, assert_usable, in_a_browser, open_form, opened_answer, picture, tab_to
from web.conftest import ASKING, HOSTILE, VERIFIED, make_project

PAGES = [
    "/",
    "/?words=totals&group=day&days=30",
    f"/?again={VERIFIED}",
    "/doctor",
    "/learnings",
    "/production",
    "/gates",
    "/board",
    "/login",
    "/metrics?days=30",
    f"/runs/{VERIFIED}",
    f"/runs/{ASKING}",
    f"/runs/{HOSTILE}",
    "/nothing",
]
SLOW = '[agents]\nmaker = "slow"\n[agent.slow]\ncommand = ["sleep", "300"]\n'

pytestmark = in_a_browser


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    place = tmp_path_factory.mktemp("browser") / "shop"
    write(place, {"calc.py": BUG, "test_calc.py": TESTS, "setpoint.toml": '[agents]\nmaker = "mechanic"\n'})
    made = make_project(place)
    for days in range(1, 12):
        _finished(made, days)
    yield made
    made.store.close()


def _finished(project, days):
    """Record a run that ended so many days ago."""
    at = datetime.now(UTC) - timedelta(days=days)
    log, trace = SqlEventLog(project.store, now=lambda: at), TraceId(f"run-0day{days:02}")
    order = ORDER.model_copy(update={"trace_id": trace, "started_at": at})
    ending = Ending.STOPPED if days % 3 == 0 else Ending.VERIFIED
    reason = HALT.reason if ending is Ending.STOPPED else OUTCOME.reason
    outcome = OUTCOME.model_copy(update={"ending": ending, "reason": reason, "iterations": 1 + days % 4})
    log.append(trace, "all", [RunStarted(order=order, workdir="/copy"), RunFinished(outcome=outcome)])


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_every_page_can_be_used_by_everybody_and_on_a_small_screen(page):
    assert_usable(page, PAGES)


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_what_is_sent_to_others_can_be_read_by_everybody_and_on_a_small_screen(page, project, tmp_path):
    run, metrics = tmp_path / "run.html", tmp_path / "metrics.html"
    write_run_page(project, VERIFIED, run)
    write_metrics_page(project, metrics)
    assert_usable(page, [run.as_uri(), metrics.as_uri()])


def test_the_keyboard_is_enough(page):
    page.goto("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    tab_to(page, page.locator("#start > summary"))
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("a wish by keyboard")
    expect(page.get_by_label("Request (a sentence)")).to_have_value("a wish by keyboard")


def test_what_another_process_records_appears_by_itself(page, project):
    page.goto("/")
    expect(page.locator(f"a[href='/runs/{VERIFIED}']")).to_be_visible()
    trace = TraceId("run-4elsewhere")
    project.log.append(
        trace,
        "start",
        [RunStarted(order=ORDER.model_copy(update={"trace_id": trace}), workdir=str(project.root))],
    )
    row = page.locator(f"[data-row={trace}]")
    expect(row).to_contain_text("interrupted")
    project.log.append(trace, "end", [RunFinished(outcome=OUTCOME)])
    expect(row).to_contain_text("verified")
    picture(page, "runs")


def test_a_run_tells_its_story(page):
    page.goto("/")
    page.locator(f"a[href='/runs/{VERIFIED}']").click()
    expect(page.get_by_role("heading", name="Totals must be right")).to_be_visible()
    for name in ("Gates and checks", "Change", "Findings", "Failing tests"):
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    expect(page.get_by_text("the total is rounded twice").first).to_be_attached()
    picture(page, "run")
    red = page.locator("details[id^=findings-]").first
    red.locator("summary").click()
    expect(red).to_contain_text("failing test")
    page.get_by_role("row", name="tests").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="tests")).to_be_visible()
    page.go_back()
    with page.expect_download() as download:
        page.get_by_role("link", name="Report as one file").click()
    assert "IMPLEMENTATION_VERIFIED" in Path(download.value.path()).read_text("utf-8")


def test_a_finding_is_dismissed_by_keyboard_alone(page, project):
    page.goto(f"/runs/{VERIFIED}")
    found = page.locator("article.finding", has_text="the total is rounded twice")
    tab_to(page, found.locator("summary"))
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(found.get_by_label("This objection is wrong, because")).to_be_focused()
    page.keyboard.type("it is meant so")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(found).to_contain_text(re.compile("dismissed it.*: it is meant so"))
    (body,) = [e.body for e in project.log.replay(VERIFIED) if isinstance(e.body, FindingDismissed)]
    assert body.reason == "it is meant so"


def test_the_metrics_are_drawn_for_every_window(page):
    page.goto("/metrics")
    page.get_by_role("link", name="30 days", exact=True).click()
    expect(page.get_by_role("link", name="30 days", exact=True)).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("heading", name="Runs that end verified", exact=True)).to_be_visible()
    tile = page.locator("article", has=page.get_by_role("heading", name="Runs that end verified", exact=True))
    expect(tile.locator("canvas")).to_be_visible()
    picture(page, "metrics")
    page.locator("#about-success_rate summary").click()
    expect(page.locator("#about-success_rate")).to_contain_text("Finished runs that ended verified")
    page.locator("#unmeasured summary").click()
    expect(page.locator("#unmeasured")).to_contain_text("agents tell what a try costs")


def test_a_question_is_answered_and_leaves_every_page(page, project):
    page.goto("/gates")
    picture(page, "questions")
    answer = opened_answer(page.locator("section.question"), "cancel")
    answer.get_by_label("Reason, for the record").fill("<b>enough</b>")
    answer.get_by_role("checkbox", name="Continue the run at once").uncheck()
    answer.get_by_role("button", name="Answer: cancel").click()
    expect(page.get_by_text("No run waits for a person.")).to_be_visible()
    (given,) = [
        each.body.answer for each in project.log.replay(ASKING) if isinstance(each.body, GateAnswered)
    ]
    assert (given.via, given.by, given.reason) == (Via.WEB, "Ada", "<b>enough</b>")


def test_a_run_is_begun_followed_and_looked_at(page, project):
    page.goto("/")
    open_form(page).fill("make the failing tests pass")
    page.get_by_role("button", name="Start the run").click()
    row = page.get_by_role("row").filter(has_text="make the failing tests pass")
    expect(row).to_contain_text("running", timeout=SLOW_MS)
    row.get_by_role("rowheader").get_by_role("link").click()
    expect(page.locator("main .mark").first).to_have_text("verified", timeout=SLOW_MS)
    page.get_by_role("link", name="All that was changed").click()
    expect(page.locator("tr.added")).to_contain_text("return a + b")
    expect(page.locator("tr.gone")).to_contain_text("return a - b")
    assert git(project.root, "branch", "--list", "setpoint/*")


def test_a_story_of_the_board_is_worked_on(page, project):
    write(project.state, {"stories/adding.md": "# Adding must add\n\nThe failing tests are to pass.\n"})
    page.goto("/board")
    card = page.locator("article.card", has_text="Adding must add")
    expect(card).to_be_visible()
    picture(page, "board")
    card.get_by_role("button", name="Start: Adding must add").click()
    expect(card.get_by_role("link")).to_be_visible(timeout=SLOW_MS)
    card.get_by_role("link").click()
    expect(page.locator("main .mark").first).to_have_text("verified", timeout=SLOW_MS)
    page.get_by_role("link", name="Board").click()
    done = page.get_by_role("region", name=re.compile("^done"))
    expect(done.locator("article", has_text="Adding must add")).to_be_visible()


def test_a_token_lets_a_browser_in(chromium, link, project):
    context = chromium.new_context(base_url=link.partition("/login")[0])
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_contain_text("is not valid")
    page.get_by_label("Token").fill(make_key(project, "read"))
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Done")).to_be_visible()
    expect(page.get_by_text("Start a run")).to_have_count(0)
    context.close()


def test_a_run_is_ended_while_it_works(page, project):
    write(project.root, {"setpoint.toml": SLOW})
    page.goto("/")
    open_form(page).fill("take a long time")
    page.get_by_role("button", name="Start the run").click()
    row = page.get_by_role("row").filter(has_text="take a long time")
    expect(row).to_contain_text("running", timeout=SLOW_MS)
    row.get_by_role("rowheader").get_by_role("link").click()
    expect(page.locator("ol.log")).to_contain_text("implement", timeout=SLOW_MS)
    page.get_by_text("Stop …").click()
    page.get_by_label("Why").fill("not wanted any more")
    page.get_by_role("button", name="End it").click()
    expect(page.locator("main .mark").first).to_have_text("cancelled", timeout=SLOW_MS)
    expect(page.locator("ol.log")).to_contain_text("not wanted any more")


def test_a_wish_that_cannot_be_begun_says_why(page, project):
    write(project.root, {"setpoint.toml": "[agents]\nmaker = 7\n"})
    page.goto("/")
    open_form(page).fill("anything")
    page.get_by_role("button", name="Start the run").click()
    expect(page.locator("#begin .said")).to_contain_text("agents.maker", timeout=SLOW_MS)
    write(project.root, {"setpoint.toml": '[agents]\nmaker = "mechanic"\n'})


def test_logging_out_leaves_nothing_behind(page):
    page.goto("/")
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url(re.compile(r"/login$"))
    page.goto("/")
    page.wait_for_url(re.compile(r"/login$"))
