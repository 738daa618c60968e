"""What every durable engine promises."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import pytest

from setpoint.errors import RecordedDataError, WorkspaceError
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.ports import Durable
from setpoint.testing.contracts.counted_run import Answer, Count, Counter, outcome

Body = Callable[[RunOrder, Durable], Awaitable[RunOutcome]]


class Engine(Protocol):
    """An engine as the suite uses it: it drives the run of `counted_run.order()` and takes its answers."""

    async def drive(self, body: Body) -> RunOutcome:
        """Drive the run to its end; after an error or a crash, the next call resumes it."""

    async def send(self, topic: str, text: str, key: str) -> None:
        """Send `Answer(text=text)` to the run, also while nobody drives it; each key counts once."""


class DurableContract:
    """What every durable engine does: a step that was finished is never done again."""

    @pytest.fixture
    def engine(self, tmp_path: Path) -> Engine:
        """Make the engine; override this."""
        raise NotImplementedError

    @pytest.fixture
    def counter(self, tmp_path: Path) -> Counter:
        """Count how often steps are begun."""
        return Counter(tmp_path)

    async def test_a_step_gives_its_result_in_full_now_and_when_the_run_is_resumed(
        self, engine: Engine, counter: Counter
    ) -> None:
        seen: list[Count] = []
        fails = [True]

        async def body(_: RunOrder, durable: Durable) -> RunOutcome:
            seen.append(await durable.step("first", counter.step("first"), Count))
            if fails.pop():
                raise WorkspaceError("no space left")
            seen.append(await durable.step("second", counter.step("second"), Count))
            return outcome(f"{len(seen)} results")

        with pytest.raises(WorkspaceError, match="no space left"):
            await engine.drive(body)
        fails.append(False)
        assert await engine.drive(body) == outcome("3 results")
        assert seen == [Count(name="first", times=1)] * 2 + [Count(name="second", times=1)]
        assert counter.times("first") == counter.times("second") == 1

    async def test_a_step_that_raises_is_not_recorded_and_is_done_again(
        self, engine: Engine, counter: Counter
    ) -> None:
        async def act() -> Count:
            if counter.count("shaky").times == 1:
                raise WorkspaceError("the tool broke")
            return counter.count("shaky")

        async def body(_: RunOrder, durable: Durable) -> RunOutcome:
            await durable.step("before", counter.step("before"), Count)
            done = await durable.step("shaky", act, Count)
            return outcome(str(done.times))

        with pytest.raises(WorkspaceError, match="the tool broke"):
            await engine.drive(body)
        assert (await engine.drive(body)).reason == "3"
        assert counter.times("before") == 1

    async def test_a_drive_that_is_cancelled_ends_its_step_and_can_go_on(
        self, engine: Engine, counter: Counter
    ) -> None:
        inside = asyncio.Event()
        ended: list[str] = []

        async def long() -> Count:
            if counter.count("long").times > 1:
                return counter.count("long")
            inside.set()
            try:
                await asyncio.sleep(3600)
            finally:
                ended.append("cleaned up")
            raise AssertionError

        async def body(_: RunOrder, durable: Durable) -> RunOutcome:
            await durable.step("short", counter.step("short"), Count)
            await durable.step("long", long, Count)
            return outcome()

        driving = asyncio.create_task(engine.drive(body))
        await inside.wait()
        driving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await driving
        assert ended == ["cleaned up"]
        assert await engine.drive(body) == outcome()
        assert counter.times("short") == 1

    async def test_a_wait_is_answered_while_the_run_is_driven(self, engine: Engine) -> None:
        waiting = asyncio.Event()

        async def body(_: RunOrder, durable: Durable) -> RunOutcome:
            waiting.set()
            answer = await durable.wait_for("gate", Answer, timeout_s=3600)
            return outcome(answer.text if answer else "nobody")

        driving = asyncio.create_task(engine.drive(body))
        await waiting.wait()
        await engine.send("gate", "continue", "gate-1")
        assert (await driving).reason == "continue"

    async def test_a_wait_is_answered_while_nobody_drives_and_each_key_counts_once(
        self, engine: Engine
    ) -> None:
        stops = [True]

        async def body(_: RunOrder, durable: Durable) -> RunOutcome:
            if stops[0]:
                raise WorkspaceError("stop before the wait")
            said = [await durable.wait_for("gate", Answer, timeout_s=0.3) for _ in range(3)]
            other = await durable.wait_for("other", Answer, timeout_s=0.01)
            return outcome(" ".join(answer.text if answer else "-" for answer in (*said, other)))

        with pytest.raises(WorkspaceError):
            await engine.drive(body)
        await engine.send("gate", "one", "a")
        await engine.send("gate", "again", "a")
        await engine.send("gate", "two", "b")
        stops[0] = False
        assert (await engine.drive(body)).reason == "one two - -"

    async def test_what_a_wait_gave_is_kept_also_that_nobody_answered(self, engine: Engine) -> None:
        heard: list[str] = []
        fails = [True]

        async def body(_: RunOrder, durable: Durable) -> RunOutcome:
            first = await durable.wait_for("early", Answer, timeout_s=0.01)
            second = await durable.wait_for("gate", Answer, timeout_s=3600)
            heard.append(f"{first and first.text} {second and second.text}")
            if fails[0]:
                raise WorkspaceError("after the waits")
            return outcome()

        async def answer() -> None:
            await asyncio.sleep(0.1)
            while not heard:
                await engine.send("gate", "yes", "k")
                await asyncio.sleep(0.2)

        answering = asyncio.create_task(answer())
        with pytest.raises(WorkspaceError):
            await engine.drive(body)
        await answering
        await engine.send("early", "too late", "late")
        fails[0] = False
        await engine.drive(body)
        assert heard == ["None yes", "None yes"]

    async def test_the_same_name_for_two_steps_of_a_run_is_refused(
        self, engine: Engine, counter: Counter
    ) -> None:
        async def body(_: RunOrder, durable: Durable) -> RunOutcome:
            await durable.step("one", counter.step("one"), Count)
            await durable.step("one", counter.step("one"), Count)
            return outcome()

        with pytest.raises(ValueError, match="'one' is done twice"):
            await engine.drive(body)

    async def test_a_resumed_run_that_takes_another_way_is_found_out(
        self, engine: Engine, counter: Counter
    ) -> None:
        names = ["left"]

        async def body(_: RunOrder, durable: Durable) -> RunOutcome:
            await durable.step(names[0], counter.step(names[0]), Count)
            raise WorkspaceError("stop")

        with pytest.raises(WorkspaceError):
            await engine.drive(body)
        names[0] = "right"
        with pytest.raises(RecordedDataError, match="right"):
            await engine.drive(body)
        assert counter.times("right") == 0

    async def test_a_step_that_was_begun_and_not_finished_may_give_way_to_another(
        self, engine: Engine, counter: Counter
    ) -> None:
        ways = ["other", "breaks"]

        async def fails() -> Count:
            raise WorkspaceError("ended in the middle")

        async def body(_: RunOrder, durable: Durable) -> RunOutcome:
            await durable.step("first", counter.step("first"), Count)
            way = ways.pop()
            done = await durable.step(way, fails if way == "breaks" else counter.step(way), Count)
            return outcome(done.name)

        with pytest.raises(WorkspaceError, match="in the middle"):
            await engine.drive(body)
        assert (await engine.drive(body)).reason == "other"

    async def test_steps_side_by_side_keep_their_own_results(self, engine: Engine, counter: Counter) -> None:
        fails = [True]

        def slow(name: str, pause_s: float) -> Callable[[], Awaitable[Count]]:
            async def act() -> Count:
                await asyncio.sleep(pause_s)
                return counter.count(name)

            return act

        async def body(_: RunOrder, durable: Durable) -> RunOutcome:
            reviews = await asyncio.gather(
                durable.step("code", slow("code", 0.05), Count),
                durable.step("security", slow("security", 0.0), Count),
            )
            if fails[0]:
                raise WorkspaceError("stop")
            return outcome(" ".join(review.name for review in reviews))

        with pytest.raises(WorkspaceError):
            await engine.drive(body)
        fails[0] = False
        assert (await engine.drive(body)).reason == "code security"
        assert counter.times("code") == counter.times("security") == 1
