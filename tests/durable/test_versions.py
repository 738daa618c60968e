"""Work of another version: it is left and named, never done by half."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from database import postgres
from setpoint.durable import dbos, story_queue
from setpoint.durable.dbos import DbosEngine
from setpoint.durable.story_queue import ANY, QueuedStory, StoryQueue
from setpoint.errors import RecordedDataError, WorkspaceError
from setpoint.model.ids import StoryId
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.ports import Durable
from setpoint.testing.contracts.counted_run import order, outcome

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not postgres.WHERE_GIVEN, reason="no Postgres is installed or named"),
]
PATIENCE_S = 60


def story(name: str) -> QueuedStory:
    return QueuedStory(story=StoryId(name), file=f"{name}.md", text="Do it.", digest="d")


async def test_a_story_of_another_version_is_left_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    url, done, ended = postgres.fresh_database(), list[str](), asyncio.Event()

    async def work(queued: QueuedStory) -> None:
        done.append(queued.story)
        ended.set()

    monkeypatch.setattr(story_queue, "VERSION", "work-0")
    older = StoryQueue(url, "worker-older", 1, {})
    async with older.open(["nothing"], work):
        await older.offer(story("n1"), ANY, 9)
    monkeypatch.undo()
    newer = StoryQueue(url, "worker-newer", 1, {})
    async with newer.open([ANY], work):
        await newer.offer(story("n1"), ANY, 9)
        await newer.offer(story("n2"), ANY, 1)
        await asyncio.wait_for(ended.wait(), PATIENCE_S)
        assert done == ["n2"]
        assert await newer.of_other_versions() == {"work-0": 1}
        assert (await newer.under_way())["n1"] == ""
    monkeypatch.setattr(story_queue, "VERSION", "work-0")
    ended.clear()
    older = StoryQueue(url, "worker-older-again", 1, {})
    async with older.open([ANY], work):
        await asyncio.wait_for(ended.wait(), PATIENCE_S)
    assert done == ["n2", "n1"]


async def test_a_run_of_another_version_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, begun = postgres.fresh_database(), list[str]()

    async def body(ordered: RunOrder, _: Durable) -> RunOutcome:
        begun.append(dbos.VERSION)
        if len(begun) == 1:
            raise WorkspaceError("its machine goes away")
        return outcome()

    with pytest.raises(WorkspaceError):
        await DbosEngine(tmp_path / "a", url).drive(order(), body)
    with monkeypatch.context() as newer:
        newer.setattr(dbos, "VERSION", "wf-2")
        with pytest.raises(RecordedDataError, match=r"was begun under 'wf-1:.*', not 'wf-2'") as refused:
            await DbosEngine(tmp_path / "b", url).drive(order(), body)
    assert refused.value.hint == "finish it with the version of Setpoint that began it"
    assert await DbosEngine(tmp_path / "c", url).drive(order(), body) == outcome()
    assert begun == ["wf-1", "wf-1"]
