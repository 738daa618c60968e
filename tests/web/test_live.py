"""A page carries the mark of the state that it shows, and its stream says which one there is."""

import re

import pytest

from setpoint.app.people.learnings import find_learning, judge_learning
from setpoint.model.learning import EvidenceKind
from setpoint.web import api_learnings
from setpoint.web.live import Streams, watch_mark
from setpoint.web.page_state import mark_of
from web.conftest import ASKING, VERIFIED
from web.reviewed import teach

PAGES = {
    "/": "runs",
    "/gates": "gates",
    "/board": "board",
    "/learnings": "learnings",
    "/production": "production",
    f"/runs/{VERIFIED}": VERIFIED,
    f"/runs/{ASKING}": ASKING,
}
STREAM = re.compile(r'sse-connect="/live/([^"]+)"')
SHOWN = re.compile(r'<div id="live" data-mark="(\w{16})"')


async def test_a_stream_says_what_there_is_at_each_look_and_ends_with_the_server():
    marks, streams = iter(["a", "a", "b"]), Streams()

    def mark():
        found = next(marks, None)
        if found is None:
            streams.closing.set()
        return found or "b"

    heard = [said async for said in watch_mark(mark, streams, every_s=0.0)]
    assert heard == [f"event: mark\ndata: {each}\n\n" for each in "aabb"]
    assert streams.count == 0


@pytest.mark.parametrize("path", PAGES)
def test_a_page_shows_the_mark_of_its_own_stream(browser, app, path):
    page = browser.get(path).text
    assert STREAM.findall(page) == [PAGES[path]]
    assert SHOWN.findall(page) == [mark_of(app.state.desk, PAGES[path])], "else it is fetched again and again"


def test_a_learning_that_changes_while_its_page_is_made_leaves_the_page_behind(
    browser, project, app, monkeypatch
):
    known = find_learning(project, teach(project)[0])
    path, read = f"/learnings/{known.learning.id}", find_learning

    def overtaken(project, which):
        found = read(project, which)
        judge_learning(project, found.learning.id, EvidenceKind.APPROVED)
        return found

    assert SHOWN.findall(browser.get(path).text) == [mark_of(app.state.desk, "learnings")]
    monkeypatch.setattr(api_learnings, "find_learning", overtaken)
    assert SHOWN.findall(browser.get(path).text) != [mark_of(app.state.desk, "learnings")]


def test_a_question_that_is_answered_leaves_the_page_behind(browser, app):
    before = SHOWN.findall(browser.get("/gates").text)
    answered = browser.post(f"/gates/{ASKING}", data={"choice": "cancel", "gate": ""})
    assert answered.status_code == 200, answered.text
    assert before != [mark_of(app.state.desk, "gates")]
    assert SHOWN.findall(browser.get("/gates").text) == [mark_of(app.state.desk, "gates")]
