"""The durable engine for real runs: DBOS on a SQLite file of its own, or on Postgres.

What holds, and why (measured, and read in the source of DBOS 3.4):

- A finished step is recorded once and never done again. A step that raises, is cancelled or is killed is not
  recorded: the run stays pending, and the next `drive` does that step again. So every end but a returned
  outcome can be resumed, an error of Setpoint or of a tool no less than `kill -9`.
- `drive` runs the body in the event loop that calls it, for new runs and for recovered ones alike, because
  the engine is launched from within that loop. Whatever is bound to a loop (child processes, locks, queues)
  has to be made inside the body or inside the same loop. The engine's threads never touch the body.
- One process drives one run at a time. The run's id is the engine's executor id, so that a launch recovers
  this run alone, and part of the pinned application version, so that no other process takes it from the
  queue through which the engine recovers. A lock keeps a second process off; it dies with its owner.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from dbos import (
    DBOS,
    DBOSClient,
    DBOSConfig,
    DBOSPortableJSONSerializer,
    SetWorkflowID,
    WorkflowStatus,
    error,
)
from pydantic import ValidationError

from setpoint.database.connect import use_wal
from setpoint.database.engine_file import BUSY_S, EngineConnection, open_engine_file
from setpoint.database.store_faults import store_fault
from setpoint.durable.tables import keep_off_the_terminal, launched
from setpoint.errors import RecordedDataError, RunCancelled, RunInUse, SetpointError, UsageError
from setpoint.model.ids import TraceId
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.model.value import Value
from setpoint.ports import Durable
from setpoint.system.files.locks import RunLocks

T = TypeVar("T", bound=Value)

VERSION = "wf-1"
"""Of the order of steps in a run; raised only when older runs could not continue under the new code."""

_APPLICATION = "setpoint"
_WORKFLOW = "run"
_MAIL_POLL_S = 0.2
"""Seconds between two looks for messages from other processes."""
_BEGIN_S = 60.0
"""Seconds after which a recovered run that the engine does not hand out counts as a fault; 1 is usual."""
_THREADS = 8
_DRIVING = Lock()

Body = Callable[[RunOrder, Durable], Awaitable[RunOutcome]]
"""What a run does; called again from its start whenever the run is resumed."""


class _Left(BaseException):
    """Carries an error past the engine, which records every `Exception` as the final result of its step."""

    def __init__(self, failure: BaseException) -> None:
        super().__init__(str(failure))
        self.failure = failure


class DbosDurable:
    """The `Durable` port inside a run that `DbosEngine.drive` drives."""

    def __init__(self) -> None:
        """Begin at the first step."""
        self._seen: set[str] = set()

    async def step(self, name: str, act: Callable[[], Awaitable[T]], returning: type[T]) -> T:
        """Do something once, or give what it gave before; what raises is not recorded.

        Raises `RecordedDataError` where the run took another way before, or recorded what cannot be read.
        """
        if name in self._seen:
            message = f"step {name!r} is done twice in one run; give each step of a run its own name"
            raise ValueError(message)
        self._seen.add(name)

        async def recorded() -> dict[str, Any]:
            try:
                return (await act()).model_dump(mode="json")
            except Exception as failure:  # boundary: the engine would record it as the step's final result
                raise _Left(failure) from failure

        try:
            raw = await DBOS.run_step_async({"name": name, "preemptible": True}, recorded)
        except _Left as left:
            raise left.failure from None
        return _read(returning, raw, f"the result of step '{name}'")

    async def wait_for(self, topic: str, returning: type[T], *, timeout_s: float) -> T | None:
        """Wait for `DbosEngine.signal`; none when the time, counted from the first wait, is up."""
        raw = await DBOS.recv_async(topic, timeout_seconds=timeout_s)
        return None if raw is None else _read(returning, raw, f"the message on '{topic}'")


class DbosEngine:
    """Drives runs so that they survive the end of their process; for one run at a time in each process."""

    def __init__(self, state: Path, url: str | None = None, locks: RunLocks | None = None) -> None:
        """Use a state directory for locks and, where no database URL is given, for `engine.db`."""
        self._locks = locks or RunLocks(state)
        self._file = None if url else state / "engine.db"
        self._url = url or f"sqlite:///{self._file}"

    async def drive(self, order: RunOrder, body: Body) -> RunOutcome:
        """Start a run, or continue it from its last finished step; a finished run gives its outcome again.

        Whatever the body raises is raised here and leaves the run resumable; so does cancelling this call,
        which cancels the body and waits for it. Raises `RunInUse` where a living process drives the run or
        this one drives another, `RunCancelled` where `cancel` ended it meanwhile, and `RecordedDataError`
        where the run was begun by a version of Setpoint that took other steps.
        """
        with _alone(order.trace_id), self._locks.held(order.trace_id):
            drive = _Drive(order, body)
            try:
                self._launch(drive)
                return await drive.outcome()
            finally:
                await drive.leave()

    def signal(self, trace_id: TraceId, topic: str, message: Value, key: str) -> None:
        """Answer a `wait_for` of a run, also while no process drives it; a key is delivered once."""

        def send(client: DBOSClient) -> None:
            client.send(trace_id, message.model_dump(mode="json"), topic, key)

        self._ask(trace_id, send)

    def cancel(self, trace_id: TraceId) -> None:
        """End the driving of a run, in whatever process; `drive` can continue it later."""
        self._ask(trace_id, lambda client: client.cancel_workflow(trace_id))

    def _ask(self, trace_id: TraceId, question: Callable[[DBOSClient], None]) -> None:
        unknown = UsageError(f"{trace_id} was never started here", hint="`setpoint status` lists all runs")
        if self._file is not None and not self._file.exists():
            raise unknown  # the client would leave an empty file behind
        engine = None if self._file is None else open_engine_file(self._file)
        client = DBOSClient(
            system_database_url=self._url,
            system_database_engine=engine,
            serializer=DBOSPortableJSONSerializer(),
            application_name=_APPLICATION,
        )
        try:
            question(client)
        except error.DBOSNonExistentWorkflowError:
            raise unknown from None
        finally:
            client.destroy()
            if engine is not None:
                engine.dispose()

    def _launch(self, drive: _Drive) -> None:
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            try:
                with closing(sqlite3.connect(self._file, timeout=BUSY_S)) as connection:
                    use_wal(connection)
            except sqlite3.Error as unusable:
                raise store_fault(self._file, unusable) or unusable from unusable
        config = DBOSConfig(
            name=_APPLICATION,
            system_database_url=self._url,
            executor_id=drive.order.trace_id,
            application_version=_version(drive.order.trace_id),
            serializer=DBOSPortableJSONSerializer(),
            log_level="ERROR",
            enable_otlp=False,
            run_migrations=self._file is not None,
            max_executor_threads=_THREADS,
            notification_listener_polling_interval_sec=_MAIL_POLL_S,
        )
        if self._file is not None:
            config["db_engine_kwargs"] = {"connect_args": {"factory": EngineConnection}}
        keep_off_the_terminal()
        DBOS(config=config)
        drive.register()
        launched()


class _Drive:
    """One drive of one run, from the launch of the engine to its end."""

    def __init__(self, order: RunOrder, body: Body) -> None:
        self.order = order
        self._body = body
        self._begun: asyncio.Future[asyncio.Task[Any]] = asyncio.get_running_loop().create_future()
        self._failure: BaseException | None = None

    def register(self) -> None:
        """Name the body to the engine."""

        async def run(order: dict[str, Any]) -> dict[str, Any]:
            return await self._run(order)

        self._workflow = DBOS.workflow(name=_WORKFLOW, max_recovery_attempts=None)(run)

    async def outcome(self) -> RunOutcome:
        """Start or re-attach, and wait until the outcome is recorded."""
        status = await DBOS.get_workflow_status_async(self.order.trace_id)
        if status is None:
            with SetWorkflowID(self.order.trace_id):
                await DBOS.start_workflow_async(self._workflow, self.order.model_dump(mode="json"))
        elif status.status == "SUCCESS":
            return _read(RunOutcome, status.output, "the outcome of the run")
        else:
            await self._revive(status)
        try:
            task = await asyncio.wait_for(asyncio.shield(self._begun), _BEGIN_S)
        except TimeoutError:
            message = f"the durable engine has not begun {self.order.trace_id} within {_BEGIN_S:.0f} seconds"
            hint = "look whether the disk is full, then try `setpoint resume` again"
            raise SetpointError(message, hint=hint) from None
        await asyncio.wait({task})
        if self._failure is not None:
            raise self._failure
        return _read(RunOutcome, task.result(), "the outcome of the run")

    async def leave(self) -> None:
        """End the body if it still runs, and then the engine."""
        try:
            if self._begun.done():
                task = self._begun.result()
                task.cancel()
                await asyncio.wait({task})
                if not task.cancelled():
                    task.exception()  # known already; asked for, so that the loop does not report it
        finally:
            DBOS.destroy(destroy_registry=True)
            # The engine has made its own thread pool the loop's, and that pool is closed now.
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(thread_name_prefix="asyncio"))

    async def _revive(self, status: WorkflowStatus) -> None:
        """Let the launch's own recovery hand out the run, or put a cancelled one in its way."""
        if status.app_version != _version(self.order.trace_id):
            message = f"{self.order.trace_id} was begun under '{status.app_version}', not '{VERSION}'"
            raise RecordedDataError(message, hint="finish it with the version of Setpoint that began it")
        if status.status == "CANCELLED":
            await DBOS.resume_workflow_async(self.order.trace_id)
        elif status.status not in {"PENDING", "ENQUEUED"}:
            message = (
                f"{self.order.trace_id} cannot continue: the engine says {status.status}: {status.error}"
            )
            raise RecordedDataError(
                message, hint="start a new run; what this one reached is in its work copy"
            )

    async def _run(self, order: dict[str, Any]) -> dict[str, Any]:
        """Run the body in the engine; whatever but an outcome ends it leaves the run pending."""
        task = asyncio.current_task()
        if task is not None and not self._begun.done():
            self._begun.set_result(task)
        try:
            outcome = await self._body(_read(RunOrder, order, "the order of the run"), DbosDurable())
        except BaseException as failure:  # boundary: the engine would record it as the result of the run
            self._failure = _explained(failure, self.order.trace_id)
            if isinstance(failure, asyncio.CancelledError):
                raise
            raise _Left(failure) from failure
        return outcome.model_dump(mode="json")


@contextmanager
def _alone(trace_id: TraceId) -> Iterator[None]:
    """Keep a second drive out of this process: the engine is one object for the whole of it."""
    if not _DRIVING.acquire(blocking=False):
        message = f"{trace_id} cannot be driven: this process drives another run already"
        raise RunInUse(message, hint="drive each run in a process of its own")
    try:
        yield
    finally:
        _DRIVING.release()


def _version(trace_id: TraceId) -> str:
    return f"{VERSION}:{trace_id}"


def _explained(failure: BaseException, trace_id: TraceId) -> BaseException:
    """Say in our own terms what the engine raised; everything else stays as it is."""
    if isinstance(failure, error.DBOSWorkflowCancelledError | error.DBOSWorkflowConflictIDError):
        # A wait raises the second: the run no longer belongs to this process.
        return RunCancelled(f"{trace_id} was cancelled", hint="`setpoint resume` continues it")
    if isinstance(failure, error.DBOSException):
        message = f"{trace_id} cannot continue: {failure}"
        explained = RecordedDataError(
            message, hint="finish it with the version that began it, or start a new run"
        )
        explained.__cause__ = failure
        return explained
    return failure


def _read(kind: type[T], raw: object, what: str) -> T:
    try:
        return kind.model_validate(raw)
    except ValidationError as failure:
        message = f"{what} cannot be read as {kind.__name__}: {failure.errors()[0]['msg']}"
        raise RecordedDataError(message, hint="finish the run with the version that began it") from failure
