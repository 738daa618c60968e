"""The first page: what needs a person comes first; lists are searched, filtered, grouped and paged."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from model.examples import ORDER, OUTCOME
from setpoint.app.runs.launcher import RunTerms
from setpoint.app.views.home import age
from setpoint.history.event_log import SqlEventLog
from setpoint.model.ending import Ending
from setpoint.model.events.run import RunFinished, RunStarted
from setpoint.model.ids import StoryId, TraceId
from web.conftest import ASKING, HOSTILE, VERIFIED

ROW = re.compile(r'data-row="([^"]+)"')
BROKE, CUT = TraceId("run-0broke"), TraceId("run-0cut")


def record(project, trace, ending=None, *, days=0, title="Totals must be right"):
    at = datetime.now(UTC) - timedelta(days=days)
    log = SqlEventLog(project.store, now=lambda: at)
    story = ORDER.story.model_copy(update={"id": StoryId(f"story-{trace}"), "title": title})
    order = ORDER.model_copy(
        update={"trace_id": trace, "started_at": at, "story": story, "root": str(project.root)}
    )
    log.append(trace, "start", [RunStarted(order=order, workdir="/copy")])
    if ending:
        outcome = OUTCOME.model_copy(update={"trace_id": trace, "ending": ending})
        log.append(trace, "end", [RunFinished(outcome=outcome)])


@pytest.fixture(scope="module", autouse=True)
def more(project):
    record(project, BROKE, Ending.BROKEN_AGENT, days=200, title="Add an index page")
    record(project, CUT, days=100, title="Print the receipt")
    for number in range(60):
        record(
            project, TraceId(f"run-1old{number:03}"), Ending.CANCELLED, days=300 + number, title="Old work"
        )


def rows(page):
    return ROW.findall(page.text)


def test_what_needs_a_person_comes_first_whatever_its_age(browser):
    page = browser.get("/")
    needs, _, done = page.text.partition('id="runs"')
    assert ROW.findall(needs) == [ASKING, CUT, BROKE]
    assert "Answer: " in needs
    assert f'hx-post="/runs/{CUT}/resume"' in needs
    assert f'href="/?again={BROKE}"' in needs
    assert "7 of 7 iterations are used up" in needs
    assert {VERIFIED, HOSTILE} <= set(ROW.findall(done))
    assert not {ASKING, CUT} & set(ROW.findall(done)), "only what is done is listed below"
    assert "<title>(3) Home" in page.text
    assert '<span class="count" title="3 need you">3</span>' in page.text


def test_every_page_carries_the_counts(browser):
    for path in ("/board", "/metrics", "/learnings", "/production", f"/runs/{VERIFIED}", "/nothing"):
        assert "<title>(3) " in browser.get(path).text, path


def test_runs_are_found_by_title_id_state_and_time(browser):
    assert rows(browser.get("/", params={"words": "INDEX"})) == [BROKE]
    assert rows(browser.get("/", params={"words": "0cut"})) == [CUT]
    assert rows(browser.get("/", params={"state": "interrupted"})) == [CUT]
    assert rows(browser.get("/", params={"state": "waiting"})) == [ASKING]
    assert rows(browser.get("/", params={"state": "broken_agent"})) == [BROKE]
    assert not {BROKE, ASKING} & set(rows(browser.get("/", params={"days": 7, "state": "verified"})))
    assert rows(browser.get("/", params={"words": "100%_"})) == []
    assert "No run matches" in browser.get("/", params={"words": "100%_"}).text
    assert browser.get("/", params={"state": "odd"}).status_code == 422


def test_a_long_list_has_pages_that_keep_what_was_asked(browser):
    first = browser.get("/", params={"words": "old work", "group": "day"})
    assert len(rows(first)) == 50
    further = re.search(r'href="(/\?[^"]*before=[^"]*)">older runs', first.text)[1].replace("&amp;", "&")
    second = browser.get(further)
    assert len(rows(second)) == 10
    assert not set(rows(first)) & set(rows(second))
    assert "older runs" not in second.text
    assert len(re.findall("<h3>", second.text)) == 10, "one group for each day"


def test_the_form_is_filled_in_from_a_run_that_broke(browser):
    page = browser.get("/", params={"again": BROKE}).text
    assert re.search(r'name="wish"[^>]* value="Add an index page"', page)
    assert re.search(r'name="agent"[^>]* value="[^"]+"', page)
    assert '<details id="start" open>' in page


def test_the_terms_of_a_run_become_options():
    told = RunTerms(agent="claude", max_cost_usd=Decimal("2.5"), max_iterations=3, acceptance="a -q\n\n b\n")
    assert told.flags == (
        "--agent=claude",
        "--max-cost=2.5",
        "--max-iterations=3",
        "--accept=a -q",
        "--accept=b",
    )
    assert RunTerms(agent="a,b").flags == ("--agents=a,b",)
    assert RunTerms().flags == ()


def test_terms_that_cannot_hold_start_nothing(browser, app):
    for wrong in ({"max_cost_usd": "-1"}, {"max_iterations": "11"}, {"max_iterations": "no"}):
        assert browser.post("/runs", data={"wish": "x", **wrong}).status_code == 422
    assert "say what you want" in browser.post("/runs", data={"wish": "  "}).text
    assert app.state.desk.launcher.working == []


def test_doctor_says_what_is_missing(browser):
    page = browser.get("/doctor").text
    assert "What a run needs here" in page
    assert "repository" in page


def test_the_age_of_something_has_one_unit():
    now = datetime.now(UTC)
    told = [age(now - timedelta(seconds=s)) for s in (5, 300, 2 * 3600 + 5, 47 * 3600, 49 * 3600)]
    assert told == ["now", "5m", "2h", "47h", "2d"]
    assert age(datetime(2020, 1, 5, tzinfo=UTC)) == "Jan 2020"
