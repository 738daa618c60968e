"""Leases of runs: one holder among several machines, whose writes are refused once another has taken over."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest
import sqlalchemy as sa

from database import postgres
from setpoint.database.connect import Store, open_store
from setpoint.database.leases import RunLeases
from setpoint.errors import RunInUse
from setpoint.history.event_log import SqlEventLog
from setpoint.model.events.run import RunResumed
from setpoint.model.ids import TraceId

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not postgres.WHERE_GIVEN, reason="no Postgres is installed or named"),
]
RUN = TraceId("run-one")
HERE = f"process {os.getpid()} on {socket.gethostname()}"
PATIENCE_S = 60
LONG_S = 600.0
"""A span in which no beat falls into a test."""


class Machine(NamedTuple):
    """A state folder of its own, on the database that others share."""

    leases: RunLeases
    store: Store
    lost: list[str]

    def until(self) -> float:
        return self.store.rows("SELECT extract(epoch FROM until) AS at FROM lease")[0]["at"]

    def ask(self, words: str) -> None:
        with self.store.engine.begin() as connection:
            connection.execute(sa.text(words))


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Callable[..., Machine]]:
    url, made = postgres.fresh_database(), list[Machine]()

    def make(span_s: float = LONG_S) -> Machine:
        store, lost = open_store(url), list[str]()
        leases = RunLeases(tmp_path / f"state-{len(made)}", store, span_s, lost.append)
        made.append(Machine(leases, store, lost))
        return made[-1]

    yield make
    for each in made:
        each.store.close()


def await_(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_run_is_held_by_one_machine_whose_name_the_others_are_told(machine: Callable[..., Machine]) -> None:
    one, two = machine(), machine()
    assert (one.leases.owner(RUN), two.leases.owner(RUN)) == (None, None)
    with one.leases.held(RUN) as epoch:
        assert (epoch, one.leases.owner(RUN), two.leases.owner(RUN)) == (1, os.getpid(), os.getpid())
        with pytest.raises(RunInUse, match=f"run-one is being worked on by {HERE}"), two.leases.held(RUN):
            pass
        with two.leases.held(TraceId("run-two")):
            assert two.leases.owner(RUN) == os.getpid()
    assert two.leases.owner(RUN) is None
    with two.leases.held(RUN) as epoch:
        assert epoch == 2
    assert one.lost == two.lost == []


def test_a_lease_is_renewed_as_long_as_it_is_held(machine: Callable[..., Machine]) -> None:
    one, two = machine(span_s=6), machine()
    with one.leases.held(RUN):
        first = one.until()
        await_(lambda: one.until() > first)
        assert two.leases.owner(RUN) == os.getpid()
    assert one.lost == []


def test_a_run_whose_holder_is_silent_is_taken_over_after_its_time(machine: Callable[..., Machine]) -> None:
    one = machine()
    one.ask(
        "INSERT INTO lease VALUES ('run-one', 'far:12:0', 7, clock_timestamp() + interval '1 hour'),"
        " ('run-two', 'far:13:0', 3, clock_timestamp() - interval '1 second')"
    )
    assert one.leases.owner(RUN) == 12
    with pytest.raises(RunInUse, match="process 12 on far"), one.leases.held(RUN):
        pass
    assert one.leases.owner(TraceId("run-two")) is None
    with one.leases.held(TraceId("run-two")) as epoch:
        assert epoch == 4


def test_what_a_holder_writes_too_late_is_refused(machine: Callable[..., Machine]) -> None:
    one, two = machine(), machine()
    log = SqlEventLog(one.store)
    with one.leases.held(RUN):
        log.append(RUN, "in time", [RunResumed(process=1)])
        two.ask("UPDATE lease SET epoch = epoch + 1, holder = 'far:12:0'")
        with pytest.raises(RunInUse, match="run-one was taken over by another worker"):
            log.append(RUN, "late", [RunResumed(process=1)])
    assert [event.key for event in SqlEventLog(two.store).replay(RUN)] == ["in time"]
    assert two.leases.owner(RUN) == 12, "who left late has ended nothing"


def test_nobody_takes_a_run_over_in_the_middle_of_a_write(machine: Callable[..., Machine]) -> None:
    one, two = machine(), machine()
    with one.leases.held(RUN), one.store.writing(), two.store.engine.begin() as other:
        other.execute(sa.text("SET LOCAL lock_timeout = 100"))
        with pytest.raises(sa.exc.OperationalError) as refused:
            other.execute(sa.text("UPDATE lease SET epoch = 2"))
        assert isinstance(refused.value.orig, psycopg.errors.LockNotAvailable)
        other.rollback()


def test_a_holder_that_was_replaced_is_told_at_its_next_beat(machine: Callable[..., Machine]) -> None:
    one, two = machine(span_s=6), machine()
    with one.leases.held(RUN):
        two.ask("UPDATE lease SET epoch = 2")
        await_(lambda: one.lost)
    assert one.lost == ["another worker has taken run-one over"]


def test_a_holder_that_cannot_renew_is_told_before_its_time_is_over(machine: Callable[..., Machine]) -> None:
    one, two = machine(span_s=1), machine()
    with one.leases.held(RUN):
        two.ask("ALTER TABLE lease RENAME TO gone")
        await_(lambda: one.lost)
    assert one.lost == ["the lease of run-one could not be renewed for 1 s"]
    two.ask("ALTER TABLE gone RENAME TO lease")
    await_(lambda: two.leases.owner(RUN) is None)


def test_who_lost_a_lease_ends_at_once_and_says_why() -> None:
    program = "from setpoint.database.leases import end_process\ntry: end_process('so')\nfinally: print('on')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert "so; this process ends, and another worker continues" in done.stderr
