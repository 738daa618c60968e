import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from database import postgres
from setpoint.database.connect import Store, open_store
from setpoint.errors import RecordedDataError
from setpoint.history.event_log import SqlEventLog
from setpoint.model.events.run import PhaseApproved, PhaseEntered
from setpoint.model.ids import TraceId

ONE = TraceId("run-one")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(tmp_path)
    store.open()
    yield store
    store.close()


def write(folder: Path, kind: str, body: dict[str, object]) -> None:
    with closing(sqlite3.connect(folder / "app.db")) as connection, connection:
        connection.execute(
            "INSERT INTO event VALUES ('evt-x', 'run-one', 7, '2026-01-01 00:00:00.000000', ?, 'k', 1, ?)",
            (kind, json.dumps({"kind": kind, **body})),
        )


def test_a_kind_that_a_newer_version_wrote_is_named_with_its_place(tmp_path: Path, store: Store) -> None:
    write(tmp_path, "moon.landed", {})
    with pytest.raises(RecordedDataError, match=r"event 7 of run-one, kind 'moon\.landed'.*cannot be read"):
        SqlEventLog(store).replay(ONE)


def test_a_field_that_a_newer_version_wrote_is_named(tmp_path: Path, store: Store) -> None:
    write(tmp_path, "phase.entered", {"phase": "plan", "mood": "hopeful"})
    with pytest.raises(RecordedDataError, match=r"kind 'phase\.entered'.*at phase\.entered\.mood"):
        SqlEventLog(store).replay(ONE)


WRITER = """
import sys, pathlib
from setpoint.model.events.run import PhaseApproved, PhaseEntered
from setpoint.history.event_log import SqlEventLog
from setpoint.database.connect import open_store
store = open_store(pathlib.Path(sys.argv[1]))
log, trace = SqlEventLog(store), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for number in range(40):
    log.append(trace, str(number), [PhaseEntered(phase=trace, iteration=number)] * 2)
    log.append("run-both", f"{trace}-{number}", [PhaseEntered(phase=trace)])
store.close()
"""


def test_processes_that_append_to_one_file_at_once_lose_nothing(tmp_path: Path, store: Store) -> None:
    pipe = subprocess.PIPE
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), trace],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
        )
        for trace in ("run-one", "run-two")
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.communicate() for writer in writers] == [("", "")] * 2
    log = SqlEventLog(store)
    for trace in ("run-one", "run-two"):
        events = log.replay(TraceId(trace))
        assert [event.seq for event in events] == list(range(1, 81))
        assert {event.body.phase for event in events if isinstance(event.body, PhaseEntered)} == {trace}
    assert [event.seq for event in log.replay(TraceId("run-both"))] == list(range(1, 81))


def test_a_key_that_two_processes_record_at_once_is_recorded_once(tmp_path: Path, store: Store) -> None:
    other = open_store(tmp_path)
    first = SqlEventLog(store).append(ONE, "deliver", [PhaseEntered(phase="deliver")])
    assert SqlEventLog(other).append(ONE, "deliver", [PhaseEntered(phase="deliver", iteration=9)]) == first
    other.close()


def test_events_of_several_runs_are_read_at_once_each_run_in_order(store: Store) -> None:
    log = SqlEventLog(store)
    for trace in ("run-a", "run-b", "run-c"):
        log.append(TraceId(trace), "k", [PhaseEntered(phase="plan"), PhaseApproved(phase="plan", bounces=0)])
        log.append(TraceId(trace), "l", [PhaseEntered(phase="implement", iteration=1)])
    found = log.replays([TraceId("run-a"), TraceId("run-c"), TraceId("run-z")], kinds=("phase.entered",))
    assert set(found) == {"run-a", "run-c"}
    assert [event.seq for event in found[TraceId("run-c")]] == [1, 3]
    assert found[TraceId("run-a")][0] == log.replay(TraceId("run-a"))[0]
    assert log.replays([], kinds=("phase.entered",)) == {}
    whole = log.replays([TraceId("run-a"), TraceId("run-b")])
    assert {trace: tuple(events) for trace, events in whole.items()} == {
        trace: log.replay(TraceId(trace)) for trace in ("run-a", "run-b")
    }


def test_a_part_of_a_run_is_read_without_the_rest(store: Store) -> None:
    log = SqlEventLog(store)
    log.append(ONE, "k", [PhaseEntered(phase="plan", iteration=number) for number in range(5)])
    assert [event.seq for event in log.replay(ONE, after=1, most=2)] == [2, 3]


@pytest.mark.parametrize("where", ["sqlite", *postgres.WHERE_GIVEN])
def test_any_text_is_read_back_as_it_was_recorded_and_once(tmp_path: Path, where: str) -> None:
    opened = open_store(tmp_path if where == "sqlite" else postgres.fresh_database())
    log, hostile = SqlEventLog(opened), 'tab\t \\N \\. back\\slash\r\n "quoted" nul\x00 \N{SNOWMAN}'
    bodies = [PhaseEntered(phase=f"{number} {hostile}") for number in range(30)]
    made = log.append(ONE, "a\\key", bodies)
    assert log.append(ONE, "a\\key", bodies[:1]) == log.replay(ONE) == made
    assert [event.body for event in log.replay(ONE)] == bodies
    opened.close()
