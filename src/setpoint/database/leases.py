"""Who works on which run, of all workers that share a Postgres database: leases by the database's clock.

A lease is held by one process at a time and has to be renewed; each new holder gets a higher epoch. What a
process writes is refused once another holds the lease (`Store.fences`). A process that could not renew its
lease ends itself, with everything it started, before others may take the run over.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from setpoint.database.connect import Store
from setpoint.errors import ExitCode, RecordedDataError, RunInUse
from setpoint.model.ids import TraceId
from setpoint.system.files.locks import Holder, RunLocks

_BEATS = 6
"""How often a lease is renewed in its time."""
_LATE = 0.8
"""Share of its time after which a process that could not renew its lease ends itself."""
_TAKE = """
INSERT INTO lease (name, holder, epoch, until) VALUES (:name, :holder, 1, clock_timestamp() + :span)
ON CONFLICT (name) DO UPDATE SET holder = :holder, epoch = lease.epoch + 1, until = clock_timestamp() + :span
WHERE lease.until < clock_timestamp() RETURNING epoch
"""
_BEAT = "UPDATE lease SET until = clock_timestamp() + :span WHERE name = :name AND epoch = :epoch RETURNING 1"
_LEAVE = "UPDATE lease SET until = clock_timestamp() WHERE name = :name AND epoch = :epoch"
_ALIVE = "SELECT name, holder FROM lease WHERE name LIKE :kind AND until >= clock_timestamp() ORDER BY name"
_HOLDER = "SELECT holder FROM lease WHERE name = :name AND until >= clock_timestamp()"

_UNANSWERED = (RecordedDataError, sa.exc.SQLAlchemyError)
_LOG = logging.getLogger(__name__)
_Lost = Callable[[str], None]


class Lease(NamedTuple):
    """A run held by this process."""

    name: str
    epoch: int
    """Higher than that of every holder before."""


def end_process(reason: str) -> None:
    """End this process at once; the supervisors of what it started end that, too."""
    _LOG.error("%s; this process ends, and another worker continues", reason)
    os._exit(int(ExitCode.INTERRUPTED))


def holder_name() -> str:
    """Name this process among those of other machines: host, process id and the time it asked."""
    return f"{socket.gethostname()}:{os.getpid()}:{time.time_ns():x}"


def _holder(name: str) -> Holder:
    host, process, asked = name.rsplit(":", 2)
    return Holder(host, int(process), datetime.fromtimestamp(int(asked, 16) / 1e9, UTC))


class RunLeases(RunLocks):
    """Locks of runs for processes on several machines; on each machine the kernel's locks hold as well."""

    def __init__(self, state: Path, store: Store, span_s: float, lost: _Lost = end_process) -> None:
        """Take the time of a lease in seconds; `lost` is called where one is over before its work is."""
        super().__init__(state)
        self._store, self._span_s, self._lost = store, span_s, lost

    @contextmanager
    def held(self, trace_id: TraceId) -> Iterator[int]:
        """Own a run as long as the block lasts, and have its writes refused when another owns it.

        `RunInUse` names who owns it already.
        """
        with super().held(trace_id):
            lease = self._taken(trace_id)
            renewal = _Renewal(lease, self._span_s, self._ask, self._lost)
            self._store.fences[lease.name] = lease.epoch
            renewal.begin()
            try:
                yield lease.epoch
            finally:
                renewal.end()
                self._store.fences.pop(lease.name, None)
                with suppress(*_UNANSWERED):  # then it ends by itself
                    self._ask(_LEAVE, name=lease.name, epoch=lease.epoch)

    def owner(self, trace_id: TraceId) -> int | None:
        """Return the id of the living process that owns a run, on whatever machine; none without one."""
        here = super().owner(trace_id)
        if here is not None:
            return here
        rows = self._store.rows(_HOLDER, name=str(trace_id))
        return int(rows[0]["holder"].split(":")[1]) if rows else None

    def alive(self, kind: str) -> dict[str, Holder]:
        """Return who holds the leases of which the names begin so, on whatever machine."""
        return {row.name: _holder(row.holder) for row in self._ask(_ALIVE, kind=f"{kind}%")}

    def _taken(self, trace_id: TraceId) -> Lease:
        holder = holder_name()
        rows = self._ask(_TAKE, name=str(trace_id), holder=holder)
        if not rows:
            held = self._ask(_HOLDER, name=str(trace_id))
            host, process = held[0].holder.split(":")[:2] if held else ("unknown", "unknown")
            message = f"{trace_id} is being worked on by process {process} on {host}"
            raise RunInUse(message, hint="wait for it, or end that process; its lease then ends by itself")
        return Lease(str(trace_id), rows[0].epoch)

    def _ask(self, words: str, **values: object) -> Sequence[sa.Row[Any]]:
        if ":span" in words:
            words = words.replace(":span", "CAST(:span AS interval)")
            values["span"] = f"{self._span_s} seconds"
        with self._store.answering(), self._store.engine.begin() as connection:
            answer = connection.execute(sa.text(words), values)
            return answer.all() if answer.returns_rows else ()


class _Renewal:
    """Renews a lease in a thread of its own, and watches from another that this does not take too long."""

    def __init__(self, lease: Lease, span_s: float, ask: Callable[..., object], lost: _Lost) -> None:
        self._lease, self._span_s, self._ask, self._lost = lease, span_s, ask, lost
        self._renewed = time.monotonic()
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=each, daemon=True, name="lease") for each in (self._renew, self._watch)
        ]

    def begin(self) -> None:
        for each in self._threads:
            each.start()

    def end(self) -> None:
        self._over.set()
        for each in self._threads:
            each.join(self._span_s)

    def _renew(self) -> None:
        while not self._over.wait(self._span_s / _BEATS):
            asked = time.monotonic()
            try:
                if not self._ask(_BEAT, name=self._lease.name, epoch=self._lease.epoch):
                    self._lost(f"another worker has taken {self._lease.name} over")
                    return
            except _UNANSWERED as error:
                why = str(error).splitlines()[0]
                _LOG.warning("the lease of %s was not renewed: %s", self._lease.name, why)
            else:
                self._renewed = asked

    def _watch(self) -> None:
        while not self._over.wait(self._span_s / _BEATS / 2):
            if time.monotonic() - self._renewed > _LATE * self._span_s:
                self._lost(f"the lease of {self._lease.name} could not be renewed for {self._span_s:g} s")
                return
