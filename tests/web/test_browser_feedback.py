"""Findings, lines of a change and learnings, judged by real clicks while another run goes on."""

import os
import re
import subprocess
import sys
import time

import pytest
from playwright.sync_api import expect

from acceptance.conftest import QUICK
from setpoint.model.events.people import CommentAdded, FindingDismissed, FixApplied, FixRewritten
from setpoint.model.learning import LearningKind, Proposal, Trust
from setpoint.wiring.memory import memory_of
from setpoint.wiring.project import open_project
from web.browsing import SLOW_MS, assert_usable, in_a_browser, picture, tab_to
from web.reviewed import DOCSTRING, NAMES, make_reviewed, teach

pytestmark = in_a_browser
SLOW = '\n[agent.slow]\ncommand = ["sleep", "300"]\n'


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory):
    repository, trace = make_reviewed(tmp_path_factory.mktemp("feedback") / "shop")
    repository.write("setpoint.toml", (repository.root / "setpoint.toml").read_text() + SLOW)
    return repository, trace


@pytest.fixture(scope="module")
def project(reviewed):
    made = open_project(reviewed[0].root)
    yield made
    made.store.close()


@pytest.fixture(scope="module")
def learnt(project):
    return teach(project)


@pytest.fixture(scope="module", autouse=True)
def going_on(project, learnt):
    """Another process drives a run of this project all the while."""
    assert learnt
    words = [sys.executable, "-m", "setpoint", "run", "take a long time", "--agent", "slow"]
    environment = {**os.environ, **QUICK}
    driving = subprocess.Popen(
        words, cwd=project.root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    yield driving
    assert driving.poll() is None, "it was to go on until the end"
    driving.terminate()
    driving.wait(30)


@pytest.fixture(scope="module")
def trace(reviewed):
    return reviewed[1]


def said(project, trace, kind):
    return [each.body for each in project.log.replay(trace) if isinstance(each.body, kind)]


def article(page, finding):
    return page.locator("article.finding", has_text=finding["message"])


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_the_pages_can_be_used_by_everybody_and_on_a_small_screen(page, trace, learnt):
    change = f"/runs/{trace}/diff/1"
    pages = [f"/runs/{trace}", change, f"{change}?view=beside", "/learnings", f"/learnings/{learnt[2]}"]
    assert_usable(page, [*pages, "/learnings/alike"])


def test_a_finding_is_dismissed_with_the_time_it_took(page, project, trace):
    page.goto(f"/runs/{trace}")
    found = article(page, NAMES)
    found.locator("summary").click()
    found.get_by_label("This objection is wrong, because").fill(
        "they are what the rules of arithmetic call them"
    )
    found.get_by_role("button", name="Dismiss").click()
    expect(found).to_contain_text(re.compile("Ada dismissed it.*: they are what the rules"))
    expect(found.get_by_role("button", name="Dismiss")).to_have_count(0)
    (body,) = said(project, trace, FindingDismissed)
    assert 0 < body.considered_s < 60

    found.locator("summary").click()
    found.get_by_role("button", name="Let it count again").click()
    expect(found).to_contain_text("Ada took the dismissal back: it counts again")


def test_what_one_types_stays_while_the_page_is_brought_up_to_date(page, project, trace):
    page.goto(f"/runs/{trace}")
    found = article(page, DOCSTRING)
    found.locator("summary").click()
    why = found.get_by_label("This objection is wrong, because")
    why.press_sequentially("not n")
    body = CommentAdded(file="calc.py", line=1, text="from another terminal", by="Eve")
    project.log.append(trace, "feedback:comment:calc.py:1:elsewhere", [body])
    expect(page.locator("ol.log")).to_contain_text("from another terminal")
    page.keyboard.type("eeded")
    expect(why).to_have_value("not needed")
    expect(found.locator("textarea.lines")).to_be_visible()


def test_a_suggested_fix_is_shown_taken_and_measured(page, project, trace):
    page.goto(f"/runs/{trace}")
    found = article(page, DOCSTRING)
    found.locator("summary").click()
    expect(found.locator("tr.added")).to_contain_text('"""Add two numbers."""')
    picture(page, "fix")
    found.get_by_role("button", name="Apply this fix").click()
    expect(page.get_by_text("Trying the fix:")).to_be_visible()
    expect(found).to_contain_text("Ada took its fix: kept, on setpoint/", timeout=SLOW_MS)
    expect(page.get_by_text("Trying the fix:")).to_have_count(0)
    found.locator("summary").click()
    expect(found.get_by_text("The fix was tried;")).to_be_visible()
    expect(found.get_by_role("button", name="Apply this fix")).to_have_count(0)
    (body,) = said(project, trace, FixApplied)
    assert body.kept
    assert set(body.states.values()) <= {"pass", "skipped"}


def test_a_fix_that_makes_it_worse_is_not_delivered(page, project, trace):
    page.goto(f"/runs/{trace}")
    found = article(page, {"message": "add should subtract"})
    found.locator("summary").click()
    own = found.locator("textarea.lines")
    expect(own).to_have_value(re.compile("return a - b"))
    own.fill(own.input_value().replace("a - b", "a * b"))
    found.get_by_role("button", name="Try my version").click()
    expect(found).to_contain_text("Ada wrote another fix: not kept, ", timeout=SLOW_MS)
    (body,) = said(project, trace, FixRewritten)
    assert "+    return a * b" in body.written
    assert (body.kept, body.branch) == (False, "")


def test_a_person_mends_it_their_own_way(page, project, trace):
    page.goto(f"/runs/{trace}")
    found = article(page, {"message": "add should subtract"})
    found.locator("summary").click()
    own = found.locator("textarea.lines")
    own.fill('def add(a, b):\n    """Give the sum."""\n    return b + a')
    found.get_by_role("button", name="Try my version").click()
    expect(found).to_contain_text("Ada wrote another fix: kept, on setpoint/", timeout=SLOW_MS)
    assert said(project, trace, FixRewritten)[-1].kept


def late(route):
    time.sleep(0.5)
    route.continue_()


def test_nothing_can_be_clicked_before_it_works(page, trace):
    page.route("**/static/**/*.js", late)
    page.goto(f"/runs/{trace}/diff/1", wait_until="commit")
    page.get_by_role("button", name="Comment on line 2").click()
    page.keyboard.type("is every key heard?")
    expect(page.get_by_label("What do you say to")).to_have_value("is every key heard?")


def test_a_line_of_a_change_is_commented_on_by_mouse_and_keyboard(page, project, trace):
    page.goto(f"/runs/{trace}")
    page.get_by_role("link", name="diff of iteration 1").click()
    expect(page.locator("tr.added em")).to_have_text("+")
    page.get_by_role("button", name="Comment on line 2").click()
    page.keyboard.type("what of floats?")
    picture(page, "change")
    page.keyboard.type(" and of <b>fractions</b>?")
    page.get_by_role("button", name="Comment", exact=True).click()
    remark = page.locator("tr.added + tr.remark")
    expect(remark).to_contain_text("what of floats? and of <b>fractions</b>?")
    expect(page.locator("#comments")).to_contain_text(re.compile(r"\d comments? on this run"))
    page.get_by_role("link", name="Side by side").click()
    page.wait_for_url(re.compile("view=beside"))
    expect(page.locator("tr.remark").last).to_contain_text("what of floats? and of <b>fractions</b>?")
    first = page.get_by_role("button", name="Comment on line 1")
    first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Comment on line 2")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.keyboard.type("left alone")
    page.keyboard.press("Escape")
    expect(first).to_be_focused()
    expect(page.locator("tr.writing")).to_have_count(0)
    page.keyboard.press("Enter")
    page.keyboard.type("why these names?")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("tr.remark", has_text="why these names?")).to_be_visible()
    expect(first).to_be_focused()
    texts = [(each.line, each.text) for each in said(project, trace, CommentAdded) if each.by == "Ada"]
    assert texts == [(2, "what of floats? and of <b>fractions</b>?"), (1, "why these names?")]


def test_learnings_are_looked_through_and_judged(page, project, learnt):
    page.goto("/")
    page.get_by_role("link", name="Learnings").click()
    row = page.get_by_role("row").filter(has_text="Totals are rounded once")
    expect(row).to_contain_text("candidate")
    row.get_by_role("button", name="Approve: Totals").click()
    expect(row).to_contain_text("active")
    page.get_by_label("Search by words").fill("cache between")
    page.get_by_label("Kind").select_option("procedural")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("Totals are rounded once")).to_have_count(0)
    page.get_by_role("link", name="Clear the cache of prices between tests").click()
    page.get_by_label("Reason, for the record").fill("seen twice")
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("main .mark").first).to_have_text("active")
    expect(page.get_by_role("region", name="Evidence").last).to_contain_text("seen twice")
    page.get_by_text("Merge it into another").click()
    page.get_by_role("radio", name="after tests").check()
    page.get_by_role("button", name="Merge").click()
    expect(page.get_by_text("Replaced by:")).to_be_visible()
    old, new = memory_of(project).standings(learnt[:2])
    assert f"superseded:{learnt[1]}" in {each.source for each in old.evidence}
    assert not {each.source for each in new.evidence if "seen twice" in each.note}, (
        "that was said of the other"
    )


def taught(project, *titles):
    """Let a stranger teach what nothing else here is about."""
    told = {
        "body": "By the shop's rule.",
        "kind": LearningKind.SEMANTIC,
        "trust": Trust.EXTERNAL,
        "by": "Eve",
    }
    return memory_of(project).learn(
        [Proposal(title=title, context=title, source=f"pack:{title[-9:]}", **told) for title in titles]
    )


def test_a_learning_is_rejected_by_keyboard_alone(page, project):
    taught(project, "Invoices leave by pigeon")
    page.goto("/learnings")
    row = page.get_by_role("row").filter(has_text="Invoices leave by pigeon")
    tab_to(page, row.get_by_role("button", name="Reject: Invoices"))
    page.keyboard.press("Enter")
    expect(row.get_by_role("button")).to_have_count(0)
    tab_to(page, row.get_by_role("link"))
    page.keyboard.press("Enter")
    expect(page.locator("main .mark").first).to_have_text("retired")
    expect(page.get_by_role("region", name="Evidence").last).to_contain_text("rejected")


def test_of_two_that_are_alike_one_is_kept_until_it_is_retired(page, project):
    titles = ("Orders are closed at midnight each day", "Orders are closed at midnight every day")
    one, other = taught(project, *titles)
    page.goto("/learnings")
    page.get_by_role("link", name="Possible duplicates").click()
    alike = page.locator("article.card", has_text=titles[0])
    alike.get_by_role("button", name=f": {titles[0]}").click()
    expect(alike.locator(".said")).to_contain_text("takes its place")
    page.goto(f"/learnings/{other}")
    page.get_by_role("link", name=one).click()
    page.get_by_label("Reason, for the record").fill("the shop is closed")
    page.get_by_role("button", name="Retire", exact=True).click()
    expect(page.locator("main .mark").first).to_have_text("retired")
    expect(page.get_by_role("region", name="Evidence").last).to_contain_text("the shop is closed")


def test_learnings_are_narrowed_down_for_a_picture(page):
    page.goto("/learnings?kind=semantic")
    expect(page.get_by_role("row").filter(has_text="procedural")).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="Prices are in cents")).to_be_visible()
    picture(page, "learnings")


def test_all_of_one_source_is_retired_and_an_open_page_shows_it(page, project, learnt, chromium, link, state):
    page.goto("/learnings?status=retired&source=pack:team.jsonl")
    expect(page.locator("#live")).to_contain_text("No learnings match.")
    context = chromium.new_context(storage_state=state, base_url=link.partition("/login")[0])
    other = context.new_page()
    other.goto(f"/learnings/{learnt[3]}")
    other.on("dialog", lambda dialog: dialog.accept())
    other.get_by_role("button", name="Retire all 2 from its source").click()
    expect(other.locator("main .mark").first).to_have_text("retired")
    context.close()
    expect(page.get_by_role("row").filter(has_text="pack:team.jsonl")).to_have_count(2)


def test_the_other_run_went_on_all_the_while(page):
    page.goto("/")
    row = page.get_by_role("row").filter(has_text="take a long time")
    expect(row).to_contain_text("running", timeout=SLOW_MS)
