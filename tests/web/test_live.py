"""A page carries the mark of the state that it shows, and its stream says which one there is."""

import asyncio
import re
import time
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import httpx
import pytest
from fastapi import HTTPException

from model.examples import ORDER
from setpoint.app.people.learnings import find_learning, judge_learning
from setpoint.app.runs.board import story_folder
from setpoint.app.views.live.changes import project_changes
from setpoint.app.views.run_page import run_mark
from setpoint.errors import RecordedDataError
from setpoint.history.queries import newest_seq
from setpoint.model.events.live import HintGiven
from setpoint.model.events.run import RunStarted
from setpoint.model.ids import TraceId
from setpoint.model.learning import EvidenceKind
from setpoint.web import api_learnings, home_page, live
from setpoint.web.access import Scope
from setpoint.web.live import Feed, MarkStream
from setpoint.web.page_state import mark_of
from system.files.test_changes import holder
from web.conftest import ASKING, HERE, VERIFIED
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


class Heard:
    """Streams of a feed of their own, as a server would send them."""

    def __init__(self, project):
        self.makes, self.changes = 0, project_changes(project)
        self.feed = Feed(self.changes)

    @asynccontextmanager
    async def stream(self, what, make):
        """Gives what the stream says, a message at each call."""
        messages, gone = asyncio.Queue(), asyncio.Event()

        async def receive():
            await gone.wait()
            return {"type": "http.disconnect"}

        def counted():
            self.makes += 1
            return make()

        async def said():
            message = {}
            while not message.get("body"):
                heard = asyncio.ensure_future(messages.get())
                await asyncio.wait((heard, sending), timeout=60, return_when=asyncio.FIRST_COMPLETED)
                message = heard.result() if heard.done() else await sending
            return message["body"].decode().removeprefix("event: mark\ndata: ").strip()

        answer = MarkStream(self.feed, what, counted)
        sending = asyncio.create_task(answer({"type": "http"}, receive, messages.put))
        try:
            yield said
        finally:
            gone.set()
            await sending


@pytest.fixture
def heard(project):
    return Heard(project)


async def until(true):
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 - what is waited for tells nobody
            await asyncio.sleep(0.01)


async def changed(said, before):
    """Hear until the mark is another one."""
    while (mark := await said()) == before:
        pass
    return mark


def append(project, key):
    project.log.append(ASKING, key, [HintGiven(text="x", by="Ada")])


async def test_a_commit_is_said_to_every_stream_and_made_into_a_mark_once(heard, project, monkeypatch):
    monkeypatch.setattr(live, "REST_S", 600.0)
    seq = partial(newest_seq, project.store, ASKING)
    async with AsyncExitStack() as stack:
        streams = [
            await stack.enter_async_context(heard.stream("run", lambda: f"seq {seq()}")) for _ in range(20)
        ]
        first = f"seq {seq()}"
        assert {await said() for said in streams} == {first}
        before = heard.makes
        append(project, f"hint-{before}")
        assert {await changed(said, first) for said in streams} == {f"seq {seq()}"}
        assert heard.makes - before <= 3, "made by stream"


async def test_nothing_is_made_while_nothing_happens_and_nobody_listens_to_nothing(heard, project):
    async with heard.stream("run", lambda: "same") as said:
        assert await said() == "same"
        assert heard.feed.count == 1
        heard.feed.wake()
        await said()
    await until(lambda: len(asyncio.all_tasks()) == 1)  # what watches ends with the last stream
    before = heard.makes
    append(project, "hint-unheard")
    await asyncio.sleep(0.2)
    assert (heard.makes, heard.feed.count) == (before, 0)


async def test_a_run_whose_process_dies_is_said_to_be_interrupted(heard, project, monkeypatch):
    monkeypatch.setattr(live, "REST_S", 600.0)
    other = TraceId("run-9dies")
    order = ORDER.model_copy(update={"trace_id": other, "root": str(project.root)})
    project.log.append(other, "start", [RunStarted(order=order, workdir=str(project.root))])
    owner = holder(project.state, other)
    async with heard.stream(other, lambda: run_mark(project, other)) as said:
        assert (await said()).endswith("running")
        owner.kill()
        owner.communicate()
        assert (await changed(said, run_mark_of(project, other, "running"))).endswith("interrupted")


def run_mark_of(project, trace, state):
    return f"{newest_seq(project.store, trace)} {state}"


async def test_a_story_that_is_written_is_said_also_where_there_was_no_folder(heard, project, monkeypatch):
    monkeypatch.setattr(live, "REST_S", 600.0)
    folder = story_folder(project).folder
    assert not folder.exists()

    def names():
        return " ".join(["stories:", *(path.name for path in story_folder(project).paths())])

    async with heard.stream("board", names) as said:
        assert await said() == "stories:"
        folder.mkdir(parents=True)
        (folder / "one.md").write_text("# One\n")
        assert await changed(said, "stories:") == "stories: one.md"
        (folder / "one.md").unlink()
        assert await changed(said, "stories: one.md") == "stories:"


@pytest.mark.parametrize("way", ["no notification", "time"])
async def test_what_nothing_tells_of_is_seen_by_looking(heard, monkeypatch, way):
    if way == "time":
        monkeypatch.setattr(live, "REST_S", 0.05)
    else:
        monkeypatch.setattr(live, "LOOK_S", 0.05)
        monkeypatch.setattr(heard.changes.files, "descriptor", -1)
        heard.feed = Feed(heard.changes)
    marks = ["a"]
    async with heard.stream("x", lambda: marks[-1]) as said:
        assert await said() == "a"
        marks.append("b")
        assert await changed(said, "a") == "b"
        if way == "time":
            assert await said() == "b", "repeated, so that no proxy ends the stream"


async def test_no_more_streams_than_allowed_also_where_all_come_at_once(heard, monkeypatch):
    monkeypatch.setattr(live, "MOST_STREAMS", 3)

    async def opened(number):
        async with heard.stream(str(number), lambda: time.sleep(0.05) or "mark") as said:
            return await said()

    asked = await asyncio.gather(*map(opened, range(8)), return_exceptions=True)
    assert sum(isinstance(each, HTTPException) and each.status_code == 503 for each in asked) == 5
    assert heard.feed.count == 0
    assert await opened(9) == "mark", "their places are free again"


async def test_a_stream_ends_with_the_server_and_where_its_record_cannot_be_read(heard):
    wrong = []

    def mark():
        if wrong:
            raise RecordedDataError("damaged")
        return "fine"

    async with heard.stream("one", mark) as said, heard.stream("two", lambda: "fine") as other:
        assert (await said(), await other()) == ("fine", "fine")
        wrong.append(True)
        heard.feed.wake()
        await until(lambda: heard.feed.count == 1)
        heard.feed.close()
        await until(lambda: heard.feed.count == 0)
    with pytest.raises(HTTPException):
        async with heard.stream("two", lambda: "fine"):
            pass


async def test_pages_asked_for_at_once_are_made_once_and_carry_the_token_of_their_visitor(
    app, access, project, monkeypatch
):
    made, read = [], home_page.found_runs

    def slowly(*given):
        made.append(given)
        time.sleep(0.3)
        return read(*given)

    monkeypatch.setattr(home_page, "found_runs", slowly)
    sessions = [access.session(scope) for scope in (Scope.ADMIN, Scope.ADMIN, Scope.ADMIN, Scope.READ)]

    async def asked(session):
        known = {"accept": "text/html", "cookie": f"{access.cookie}={session}"}
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HERE}") as client:
            return await client.get("/", headers=known)

    answers = await asyncio.gather(*map(asked, sessions))
    assert len(made) == 2, "once for each scope"
    for session, answer in zip(sessions, answers, strict=True):
        own = access.by_session(session).csrf
        assert [own] == re.findall(r'X-Setpoint-Csrf":"(\w+)"', answer.text)
        assert (answer.status_code, len(answer.content)) == (200, int(answer.headers["content-length"]))
    assert ("Start a run" in answers[0].text, "Start a run" in answers[3].text) == (True, False)
    before = asyncio.create_task(asked(sessions[0]))
    await until(lambda: len(made) == 3)
    append(project, "hint-between")
    await asyncio.gather(before, asked(sessions[0]))
    assert len(made) == 4, "who asks after a commit gets no page of before it"


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
