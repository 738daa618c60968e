"""Stories handed out to the workers of several machines: queues of DBOS on the Postgres that they share.

DBOS gives each queued story to one worker, by priority, within the limits of the queue. A worker of which
the lease is over does nothing more; `take_over` puts what it had back into its queue. A story may so be
begun twice, but its run is held by one process at a time (`database.leases`), which is what counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from dbos import (
    DBOS,
    DBOSConfig,
    DBOSPortableJSONSerializer,
    SetEnqueueOptions,
    SetWorkflowID,
    WorkflowStatus,
)

from setpoint.database.connect import refusals
from setpoint.durable.tables import keep_off_the_terminal, launched
from setpoint.model.config.limits import AccountLimits
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.value import Text, Value

VERSION = "work-1"
"""Of what is queued; raised only when a worker of before could not do what is queued now."""
APPLICATION = "setpoint-work"
ANY = "any"
"""The queue of stories that every worker can do."""

_OPEN = ["ENQUEUED", "PENDING", "DELAYED"]
_TABLES = "the engine's tables"
_LEAST = 1_000_000
"""DBOS starts the lowest number first: a story's number is this less its urgency."""
_THREADS = 8


class QueuedStory(Value):
    """What a worker is handed."""

    story: StoryId
    file: Text
    """Name of the story's file."""
    text: Text
    """Its content, for machines that do not have it."""
    digest: Text
    """Of what it asks for."""
    run: TraceId | None = None
    """The run to continue; none where a new one begins."""


Work = Callable[[QueuedStory], Awaitable[None]]


class StoryQueue:
    """The queues of one project, as one worker sees them; opened once in each process."""

    def __init__(self, url: str, worker: str, at_once: int, accounts: Mapping[str, AccountLimits]) -> None:
        """Take the database, a name that no other process has, and the limits by the name of a queue."""
        self._url, self._worker, self._accounts = url, worker, accounts
        self._at_once = at_once
        self._turns = asyncio.Semaphore(at_once)
        self._working: set[asyncio.Task[Any]] = set()

    @asynccontextmanager
    async def open(self, labels: Collection[str], work: Work) -> AsyncIterator[None]:
        """Take stories of the queues with these labels as long as the block lasts, and do `work` with each.

        What is still going on at the end of the block is cancelled, and continues with another worker.
        """

        async def run(told: dict[str, Any]) -> None:
            task = asyncio.current_task()
            if task is not None:
                self._working.add(task)
            try:
                async with self._turns:
                    await work(QueuedStory.model_validate(told))
            finally:
                self._working.discard(task)

        config = DBOSConfig(
            name=APPLICATION,
            system_database_url=self._url,
            executor_id=self._worker,
            application_version=VERSION,
            serializer=DBOSPortableJSONSerializer(),
            log_level="ERROR",
            enable_otlp=False,
            run_migrations=False,
            max_executor_threads=_THREADS,
        )
        keep_off_the_terminal()
        DBOS(config=config)
        self._workflow = DBOS.workflow(name="story", max_recovery_attempts=None)(run)
        DBOS.listen_queues([_queue(label) for label in labels])
        launched()
        try:
            for label in labels:
                await self._register(label)
            yield
        finally:
            for task in self._working:
                task.cancel()
            await asyncio.gather(*self._working, return_exceptions=True)
            DBOS.destroy(destroy_registry=True)
            # The engine has made its own thread pool the loop's, and that pool is closed now.
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(thread_name_prefix="asyncio"))

    async def offer(self, queued: QueuedStory, label: str, urgency: int) -> None:
        """Queue a story, unless it is queued or worked on; the highest urgency starts first."""
        with refusals(self._url, _TABLES):
            turns = await DBOS.list_workflows_async(
                workflow_id_prefix=f"{queued.story}:", load_input=False, load_output=False
            )
            if any(each.status in _OPEN for each in turns):
                return
            await self._register(label)
            # The same for all workers who see the same, so that one of them queues it.
            name = SetWorkflowID(f"{queued.story}:{len(turns) + 1}")
            with name, SetEnqueueOptions(priority=max(1, _LEAST - urgency)):
                await DBOS.enqueue_workflow_async(
                    _queue(label), self._workflow, queued.model_dump(mode="json")
                )

    async def under_way(self) -> dict[StoryId, str]:
        """Return the stories that are queued or worked on, with the worker of each, if it has one."""
        found = await self._listed(_OPEN)
        return {_story(each): (each.executor_id or "") * (each.status == "PENDING") for each in found}

    async def take_over(self, living: Callable[[], Collection[str]]) -> tuple[StoryId, ...]:
        """Return the stories of dead workers to their queues; one worker at a time may do so.

        `living` names the live workers. It is asked second: a worker is alive before it has a story.
        """
        pending = await self._listed(["PENDING"])
        alive = {*living(), self._worker}
        dead = [each for each in pending if each.executor_id not in alive]
        with refusals(self._url, _TABLES):
            for each in dead:
                await DBOS.resume_workflow_async(each.workflow_id, queue_name=each.queue_name)
        return tuple(map(_story, dead))

    async def of_other_versions(self) -> dict[str, int]:
        """Count queued stories that workers of another version have to do, by that version."""
        found: dict[str, int] = {}
        for each in await self._listed(_OPEN):
            if each.app_version not in (None, VERSION):
                found[each.app_version] = found.get(each.app_version, 0) + 1
        return found

    async def _listed(self, status: list[str]) -> list[WorkflowStatus]:
        with refusals(self._url, _TABLES):
            return await DBOS.list_workflows_async(status=status, load_input=False, load_output=False)

    async def _register(self, label: str) -> None:
        limits = self._accounts.get(label, AccountLimits())
        most = {"limit": limits.starts_per_hour, "period": 3600.0} if limits.starts_per_hour else None
        await DBOS.register_queue_async(
            _queue(label),
            worker_concurrency=min(self._at_once, limits.at_once or self._at_once),
            global_concurrency=limits.at_once,
            limiter=most,  # type: ignore[arg-type] # a dictionary with these two keys
            on_conflict="always_update",
        )


def _queue(label: str) -> str:
    return f"stories:{label}"


def _story(each: WorkflowStatus) -> StoryId:
    return StoryId(each.workflow_id.rpartition(":")[0])
