"""Lists of runs and finding one of them: the read side for verbs and dashboard."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from setpoint.database.connect import Store
from setpoint.errors import UsageError
from setpoint.model.ending import Ending
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.value import Instant, Usd, Value

Owner = Callable[[TraceId], int | None]
"""Tells which living process owns a run, as `store.locks.RunLocks.owner` does."""


BROKEN = (Ending.BROKEN_AGENT, Ending.ESCALATED)
"""Endings after which only a person can go on."""
_SHOWN = 5
"""How many runs an ambiguous prefix names."""


class RunState(StrEnum):
    """What a run is doing."""

    RUNNING = "running"
    """A living process works on it."""
    WAITING = "waiting"
    """It waits for a person; no process is needed for that."""
    INTERRUPTED = "interrupted"
    """It is not finished and no process works on it; `setpoint resume` continues it."""
    FINISHED = "finished"


class RunSummary(Value):
    """One line of the list of runs."""

    trace_id: TraceId
    story_id: StoryId
    title: str
    root: str
    """The user's repository."""
    state: RunState
    process: int | None = None
    """The living process that works on it."""
    ending: Ending | None = None
    waits_for: str = ""
    """What a person is asked, where the run waits for one; `setpoint gate show` tells how to answer."""
    reason: str = ""
    branch: str = ""
    iterations: int = 0
    cost_usd: Usd | None = None
    """None until the run is finished, or where an agent did not tell its cost."""
    started_at: Instant
    finished_at: Instant | None = None

    @property
    def waits(self) -> bool:
        """Whether it waits until a person answers."""
        return self.state is RunState.WAITING


class RunFilter(Value):
    """Which runs a person looks for; what is left out restricts nothing."""

    words: str = ""
    """Part of the title or of the id."""
    endings: tuple[Ending, ...] = ()
    since: Instant | None = None
    """They ended after it."""

    def conditions(self) -> list[str]:
        """Say it in SQL, over the columns of the table of runs."""
        named = r"(lower(title) LIKE :words ESCAPE '/' OR trace_id LIKE :words ESCAPE '/')"
        asked = {named: self.words, "ending IN :endings": self.endings, "finished_at >= :since": self.since}
        return [condition for condition, value in asked.items() if value]

    def values(self) -> dict[str, object]:
        """Return what its conditions name."""
        return {
            "words": "%" + re.sub(r"([%_/])", r"/\1", self.words.lower()) + "%",
            "endings": self.endings,
            "since": self.since and f"{self.since.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f+00:00}",
        }


EVERY = RunFilter()


def runs(
    store: Store,
    owner: Owner,
    *,
    limit: int = 50,
    recorded: Collection[RunState] = (),
    before: RunSummary | None = None,
    sought: RunFilter = EVERY,
) -> tuple[RunSummary, ...]:
    """Return the newest runs, newest first; where asked for, those alone of which the record says this state.

    What is recorded as running is interrupted where no process owns it. With `before`, the list continues
    behind that run; how far back it lies costs nothing.
    """
    conditions = ["state IN :recorded"] if recorded else []
    conditions += sought.conditions()
    if before is not None:
        conditions += [
            "(started_at, trace_id) < (SELECT started_at, trace_id FROM run WHERE trace_id = :before)"
        ]
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    rows = store.rows(
        f"SELECT * FROM run {where} ORDER BY started_at DESC, trace_id DESC LIMIT :limit",  # noqa: S608 - of our own words alone
        limit=limit,
        recorded=tuple(map(str, recorded)),
        before=before and before.trace_id,
        **sought.values(),
    )
    return tuple(_summary(row, owner) for row in rows)


def newest_seq(store: Store, trace_id: TraceId) -> int:
    """Return the place of a run's newest event; 0 where there is none."""
    newest = store.rows("SELECT max(seq) AS seq FROM event WHERE trace_id = :trace_id", trace_id=trace_id)
    return next((row["seq"] for row in newest), None) or 0


def counts(store: Store) -> dict[str, int]:
    """Count the runs by what is recorded of them: their ending, or else their state."""
    # By both columns without conversion: so all of it is read from one index, in its order.
    found: Counter[str] = Counter()
    for row in store.rows("SELECT state, ending, count(*) AS runs FROM run GROUP BY state, ending"):
        found[row["ending"] or row["state"]] += row["runs"]
    return dict(sorted(found.items()))


def broken_runs(store: Store, owner: Owner, limit: int = 50) -> tuple[RunSummary, ...]:
    """Return the runs that only a person can go on with, and that no newer run of their story replaced."""
    rows = store.rows(
        "SELECT * FROM run WHERE state = 'finished' AND ending IN :broken AND trace_id ="
        " (SELECT max(later.trace_id) FROM run AS later WHERE later.story_id = run.story_id)"
        " ORDER BY started_at DESC LIMIT :limit",
        broken=BROKEN,
        limit=limit,
    )
    return tuple(_summary(row, owner) for row in rows)


class Spending(Value):
    """What finished runs cost together."""

    cost_usd: Usd = Decimal(0)
    runs: int = 0
    unknown: int = 0
    """Runs of which it is not known what they cost."""
    verified: int = 0


def spending(store: Store, since: datetime) -> Spending:
    """Add up what the runs cost that ended since a time."""
    sought = RunFilter(since=since)
    query = "SELECT ending, cost_usd FROM run WHERE finished_at >= :since"
    found = store.rows(query, **sought.values())
    costs = [Decimal(row["cost_usd"]) for row in found if row["cost_usd"] is not None]
    return Spending(
        cost_usd=sum(costs, Decimal(0)),
        runs=len(found),
        unknown=len(found) - len(costs),
        verified=sum(row["ending"] == Ending.VERIFIED for row in found),
    )


def newest_by_story(store: Store, owner: Owner, stories: Collection[StoryId]) -> dict[StoryId, RunSummary]:
    """Return the newest run of each of these stories that has one."""
    query = (
        "SELECT * FROM run WHERE trace_id IN"
        " (SELECT max(trace_id) FROM run WHERE story_id IN :stories GROUP BY story_id)"
    )
    rows = store.rows(query, stories=tuple(stories))
    return {StoryId(row["story_id"]): _summary(row, owner) for row in rows}


def runs_of(store: Store, owner: Owner, story: StoryId) -> tuple[RunSummary, ...]:
    """Return all runs of a story, newest first."""
    rows = store.rows("SELECT * FROM run WHERE story_id = :story ORDER BY trace_id DESC", story=story)
    return tuple(_summary(row, owner) for row in rows)


def find(store: Store, owner: Owner, prefix: str) -> RunSummary:
    """Return run whose id begins so, with or without `run-`; none or several of them is a `UsageError`."""
    begins = prefix if prefix.startswith("run-") else f"run-{prefix}"
    # A whole name is found by its key; to look for beginnings, the database reads all of them.
    whole = store.rows("SELECT * FROM run WHERE trace_id IN :names", names=(prefix, begins))
    if whole:
        return _summary(whole[0], owner)
    pattern = re.sub(r"([%_/])", r"/\1", begins) + "%"
    query = "SELECT * FROM run WHERE trace_id LIKE :pattern ESCAPE '/' ORDER BY trace_id LIMIT :limit"
    found = [_summary(row, owner) for row in store.rows(query, pattern=pattern, limit=_SHOWN + 1)]
    if len(found) == 1:
        return found[0]
    if not found:
        message = f"no run's id begins with '{prefix}'"
        raise UsageError(message, hint="`setpoint status` lists all runs")
    shown = ", ".join(run.trace_id for run in found[:_SHOWN])
    message = f"'{prefix}' may be {shown}{' or others' if len(found) > _SHOWN else ''}"
    raise UsageError(message, hint="give more of the id")


def _summary(row: Mapping[str, Any], owner: Owner) -> RunSummary:
    state, process = RunState(row["state"]), None
    if state is not RunState.FINISHED:
        process = owner(TraceId(row["trace_id"]))
        if process is not None:
            state = RunState.RUNNING
        elif state is RunState.RUNNING:
            state = RunState.INTERRUPTED
    return RunSummary(
        trace_id=TraceId(row["trace_id"]),
        story_id=StoryId(row["story_id"]),
        title=row["title"],
        root=row["root"],
        state=state,
        process=process,
        ending=Ending(row["ending"]) if row["ending"] else None,
        reason=row["reason"],
        branch=row["branch"],
        iterations=row["iterations"],
        cost_usd=Decimal(row["cost_usd"]) if row["cost_usd"] is not None else None,
        started_at=_instant(row["started_at"]),
        finished_at=_instant(row["finished_at"]) if row["finished_at"] else None,
    )


def _instant(kept: datetime | str) -> datetime:
    """Read a time; SQLite keeps it as text, without its zone (`tables.Utc`)."""
    if isinstance(kept, str):
        return datetime.fromisoformat(kept).replace(tzinfo=UTC)
    return kept.astimezone(UTC)
