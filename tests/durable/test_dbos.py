import asyncio
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from setpoint.durable import dbos
from setpoint.durable.dbos import DbosEngine
from setpoint.errors import RecordedDataError, RunCancelled, RunInUse, UsageError, WorkspaceError
from setpoint.model.ids import TraceId
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.ports import Durable
from setpoint.system.files.locks import RunLocks
from setpoint.testing.contracts.counted_run import TRACE, Answer, Count, Counter, order, outcome


@pytest.mark.smoke
async def test_a_finished_run_gives_its_outcome_again_and_does_nothing(tmp_path: Path) -> None:
    engine = DbosEngine(tmp_path)
    calls: list[str] = []

    async def body(ordered: RunOrder, _: Durable) -> RunOutcome:
        calls.append(ordered.story.title)
        return outcome()

    assert await engine.drive(order(), body) == outcome()
    assert await DbosEngine(tmp_path).drive(order(), body) == outcome()
    assert calls == ["Fix it"]


async def test_a_resumed_run_keeps_the_order_it_was_begun_with(tmp_path: Path) -> None:
    engine = DbosEngine(tmp_path)
    titles: list[str] = []

    async def body(ordered: RunOrder, _: Durable) -> RunOutcome:
        titles.append(ordered.preset)
        if len(titles) == 1:
            raise WorkspaceError("stop")
        return outcome()

    with pytest.raises(WorkspaceError):
        await engine.drive(order(), body)
    await engine.drive(order().model_copy(update={"preset": "classic"}), body)
    assert titles == ["default", "default"]


@pytest.mark.smoke
async def test_the_body_runs_in_the_callers_loop_with_its_child_processes(tmp_path: Path) -> None:
    engine = DbosEngine(tmp_path)
    loops: list[asyncio.AbstractEventLoop] = []

    async def act() -> Count:
        loops.append(asyncio.get_running_loop())
        child = await asyncio.create_subprocess_exec("sh", "-c", "exit 7")
        if len(loops) == 1:
            raise WorkspaceError("once more, recovered")
        return Count(name="child", times=await child.wait())

    async def body(_: RunOrder, durable: Durable) -> RunOutcome:
        return outcome(str((await durable.step("child", act, Count)).times))

    with pytest.raises(WorkspaceError):
        await engine.drive(order(), body)
    assert (await engine.drive(order(), body)).reason == "7"
    assert loops == [asyncio.get_running_loop()] * 2
    assert await asyncio.to_thread(lambda: "the loop's own threads work afterwards")


async def test_two_runs_in_one_file_do_not_take_each_others_work(tmp_path: Path) -> None:
    """A process that died between recovery and start leaves its run in the engine's queue."""
    engine = DbosEngine(tmp_path)
    driven: list[str] = []

    async def fails(ordered: RunOrder, _: Durable) -> RunOutcome:
        driven.append(ordered.trace_id)
        raise WorkspaceError("stop")

    with pytest.raises(WorkspaceError):
        await engine.drive(order(), fails)
    with closing(sqlite3.connect(tmp_path / "engine.db")) as connection, connection:
        connection.execute(
            "UPDATE workflow_status SET status='ENQUEUED', owner_xid=NULL, queue_name='_dbos_internal_queue'"
        )

    async def lingers(ordered: RunOrder, durable: Durable) -> RunOutcome:
        driven.append(ordered.trace_id)
        await durable.wait_for("nothing", Answer, timeout_s=1.5)
        return outcome(trace_id=ordered.trace_id)

    other = TraceId("run-0002")
    await engine.drive(order(other), lingers)
    assert driven == [TRACE, other]
    assert (await engine.drive(order(), lingers)).trace_id == TRACE


async def test_a_run_that_another_process_drives_is_refused_with_its_process(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from setpoint.system.files.locks import RunLocks\n"
        f"with RunLocks(pathlib.Path(sys.argv[1])).held('{TRACE}'):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    pipe = asyncio.subprocess.PIPE
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(tmp_path), stdin=pipe, stdout=pipe
    )
    assert owner.stdout is not None
    assert await owner.stdout.readline() == b"held\n"

    async def body(_: RunOrder, __: Durable) -> RunOutcome:
        raise AssertionError

    with pytest.raises(RunInUse, match=f"process {owner.pid}"):
        await DbosEngine(tmp_path).drive(order(), body)
    await owner.communicate(b"")
    assert RunLocks(tmp_path).owner(TRACE) is None
    with RunLocks(tmp_path).held(TRACE):
        assert RunLocks(tmp_path).owner(TRACE) == os.getpid()


async def test_a_second_run_in_the_same_process_is_refused_and_disturbs_nothing(tmp_path: Path) -> None:
    engine = DbosEngine(tmp_path)
    other = TraceId("run-0002")

    async def fine(ordered: RunOrder, _: Durable) -> RunOutcome:
        return outcome(trace_id=ordered.trace_id)

    async def body(ordered: RunOrder, _: Durable) -> RunOutcome:
        with pytest.raises(RunInUse, match="this process drives another run"):
            await DbosEngine(tmp_path).drive(order(other), fine)
        return outcome(trace_id=ordered.trace_id)

    assert (await engine.drive(order(), body)).trace_id == TRACE
    assert (await engine.drive(order(other), fine)).trace_id == other


async def test_a_run_that_waits_is_told_of_its_cancelling(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    engine = DbosEngine(tmp_path)
    waiting = asyncio.Event()

    async def body(_: RunOrder, durable: Durable) -> RunOutcome:
        waiting.set()
        await durable.wait_for("gate", Answer, timeout_s=3600)
        return outcome()

    driving = asyncio.create_task(engine.drive(order(), body))
    await waiting.wait()
    await asyncio.sleep(0.2)
    await asyncio.to_thread(engine.cancel, TRACE)
    await asyncio.to_thread(engine.signal, TRACE, "gate", Answer(text="wake up"), "k")
    with pytest.raises(RunCancelled):
        await driving
    assert capfd.readouterr() == ("", "")


async def test_a_cancelled_run_ends_its_step_soon_and_can_go_on(tmp_path: Path) -> None:
    engine, counter = DbosEngine(tmp_path), Counter(tmp_path)
    inside = asyncio.Event()

    async def act() -> Count:
        if counter.count("long").times == 1:
            inside.set()
            await asyncio.sleep(3600)
        return Count(name="long", times=counter.times("long"))

    async def body(_: RunOrder, durable: Durable) -> RunOutcome:
        return outcome(str((await durable.step("long", act, Count)).times))

    driving = asyncio.create_task(engine.drive(order(), body))
    await inside.wait()
    await asyncio.to_thread(engine.cancel, TRACE)
    with pytest.raises(RunCancelled, match="was cancelled"):
        await driving
    assert (await engine.drive(order(), body)).reason == "2"


async def test_a_run_of_another_order_of_steps_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = DbosEngine(tmp_path)

    async def body(_: RunOrder, __: Durable) -> RunOutcome:
        raise WorkspaceError("stop")

    with pytest.raises(WorkspaceError):
        await engine.drive(order(), body)
    monkeypatch.setattr(dbos, "VERSION", "wf-2")
    with pytest.raises(RecordedDataError, match="was begun under 'wf-1:run-0001'"):
        await engine.drive(order(), body)


def test_signals_and_cancels_for_unknown_runs_are_refused_and_leave_no_file(tmp_path: Path) -> None:
    engine = DbosEngine(tmp_path)
    with pytest.raises(UsageError, match="was never started"):
        engine.signal(TRACE, "gate", Answer(text="yes"), "k")
    with pytest.raises(UsageError, match="was never started"):
        engine.cancel(TRACE)
    assert not (tmp_path / "engine.db").exists()


@pytest.mark.smoke
async def test_only_json_is_stored_and_the_file_is_in_wal_mode(tmp_path: Path) -> None:
    engine, counter = DbosEngine(tmp_path), Counter(tmp_path)

    async def body(_: RunOrder, durable: Durable) -> RunOutcome:
        await durable.step("one", counter.step("one"), Count)
        await durable.wait_for("gate", Answer, timeout_s=0.01)
        return outcome()

    await engine.drive(order(), body)
    with pytest.raises(UsageError):
        await asyncio.to_thread(engine.signal, TraceId("run-9999"), "gate", Answer(text="yes"), "k")
    with closing(sqlite3.connect(tmp_path / "engine.db")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        formats = connection.execute(
            "SELECT serialization FROM operation_outputs UNION SELECT serialization FROM workflow_status"
        )
        assert {name for (name,) in formats} == {"portable_json"}


def test_the_list_of_verbs_does_not_load_the_engine() -> None:
    program = "import sys; from setpoint.cli.app import commands; commands(); print('dbos' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert found.stdout.strip() == "False", found.stderr
