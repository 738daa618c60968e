"""Stories that go to one worker of several, on a real Postgres: by priority, within limits, taken over."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from database import postgres
from setpoint.database.connect import migrate
from setpoint.durable.story_queue import ANY, QueuedStory, StoryQueue
from setpoint.durable.tables import migrate_engine
from setpoint.model.config.limits import AccountLimits
from setpoint.model.ids import StoryId

pytestmark = [
    pytest.mark.skipif(not postgres.WHERE_GIVEN, reason="no Postgres is installed here"),
    pytest.mark.slow,
]


@pytest.fixture
def url():
    made = postgres.fresh_database()
    migrate(made).close()
    migrate_engine(made)
    return made


def story(name: str) -> QueuedStory:
    return QueuedStory(story=StoryId(name), file=f"{name}.md", text="Do it.", digest="d")


class Work:
    """Records what is handed out, and holds it until it is let go."""

    def __init__(self, *, held: bool = False) -> None:
        self.begun: list[str] = []
        self.free = asyncio.Event()
        self.most = self.now = 0
        if not held:
            self.free.set()

    async def __call__(self, queued: QueuedStory) -> None:
        self.begun.append(queued.story)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await self.free.wait()
        finally:
            self.now -= 1

    async def until(self, count: int) -> None:
        async with asyncio.timeout(60):
            while len(self.begun) < count:  # noqa: ASYNC110 - the queue tells nobody
                await asyncio.sleep(0.05)


async def test_the_most_urgent_goes_first_and_each_story_once(url):
    work = Work(held=True)
    queue = StoryQueue(url, "worker-a", 1, {})
    async with queue.open([ANY], work):
        await queue.offer(story("blocker"), ANY, 1)
        await work.until(1)
        for name, urgency in (("low", 10), ("high", 900), ("middle", 500), ("high", 900)):
            await queue.offer(story(name), ANY, urgency)
        assert set(await queue.under_way()) == {"blocker", "low", "high", "middle"}
        work.free.set()
        await work.until(4)
        async with asyncio.timeout(60):
            while await queue.under_way():  # noqa: ASYNC110 - the database tells nobody
                await asyncio.sleep(0.1)
    assert work.begun == ["blocker", "high", "middle", "low"]
    assert work.most == 1


async def test_a_worker_takes_what_it_can_do_and_as_much_as_the_account_allows(url):
    work = Work(held=True)
    queue = StoryQueue(url, "worker-a", 3, {"claude": AccountLimits(at_once=2)})
    async with queue.open([ANY, "claude"], work):
        for number in range(4):
            await queue.offer(story(f"claude-{number}"), "claude", 10)
        await queue.offer(story("gpu"), "gpu", 900)
        await work.until(2)
        await asyncio.sleep(2.5)  # it asks for more each second
        assert len(work.begun) == 2
        work.free.set()
        await work.until(4)
    assert sorted(work.begun) == [f"claude-{number}" for number in range(4)]


async def test_what_a_dead_worker_had_is_taken_over(url):
    lost, work = Work(held=True), Work()
    first = StoryQueue(url, "worker-a", 2, {})
    async with AsyncExitStack() as living:
        await living.enter_async_context(first.open([ANY], lost))
        await first.offer(story("one"), ANY, 1)
        await lost.until(1)
        assert await first.under_way() == {"one": "worker-a"}
    # Its process is gone, as if killed: what it had is still written down as its own.
    second = StoryQueue(url, "worker-b", 2, {})
    async with second.open([ANY], work):
        assert await second.take_over(lambda: ["worker-a"]) == ()  # its lease is not over yet
        assert await second.take_over(lambda: ["worker-b"]) == ("one",)
        await work.until(1)
        assert await second.take_over(lambda: ["worker-b"]) == ()
    assert work.begun == ["one"]
