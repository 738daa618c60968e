"""Lists of runs and finding one of them: the read side for verbs and dashboard."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple

from setpoint.database.connect import Store
from setpoint.errors import RecordedDataError, UsageError
from setpoint.history.run_figures import VERSION, RunFigures
from setpoint.model.ending import Ending
from setpoint.model.facts.spending import NOT_TOLD, amount
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.value import Instant, Value
from setpoint.model.wording import counted

Owner = Callable[[TraceId], int | None]
"""Tells which living process owns a run, as `store.locks.RunLocks.owner` does."""


BROKEN = (Ending.BROKEN_AGENT, Ending.ESCALATED)
"""Endings after which only a person can continue."""
WEEK = 7
"""Days that count as this week, today included."""
_SHOWN = 5
"""How many runs an ambiguous prefix names."""


class RunState(StrEnum):
    """What a run is doing."""

    RUNNING = "running"
    """A living process works on it."""
    WAITING = "waiting"
    """It asks a person; no process is needed for that."""
    INTERRUPTED = "interrupted"
    """It is not finished and no process works on it; `setpoint resume` continues it."""
    FINISHED = "finished"


class RunSummary(RunFigures):
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
    reason: str = ""
    branch: str = ""
    unread: str = ""
    """Why figures are missing: what in the record cannot be read."""
    started_at: Instant
    finished_at: Instant | None = None

    @property
    def short_id(self) -> str:
        """The end of its id, which every verb takes for all of it."""
        return self.trace_id[-6:]

    @property
    def waits(self) -> bool:
        """Whether it waits until a person answers."""
        return self.state is RunState.WAITING

    @property
    def needs_you(self) -> bool:
        """Whether a person is to act: answer a question, continue an interrupted run, or repair an agent."""
        return self.waits or self.state is RunState.INTERRUPTED or self.ending in BROKEN


class RunFilter(Value):
    """Which runs a person looks for; what is left out restricts nothing."""

    words: str = ""
    """Part of the title or of the id."""
    endings: tuple[Ending, ...] = ()
    days: int = 0
    """They ended on one of the last so many days in UTC, today included, or did not end."""
    by_end: bool = False
    """Those first that ended last, not those that began last."""

    def conditions(self) -> list[str]:
        """Say it in SQL, over the columns of the table of runs."""
        named = r"(lower(title) LIKE :words ESCAPE '/' OR trace_id LIKE :words ESCAPE '/')"
        since = "(finished_at IS NULL OR finished_at >= :since)"
        asked = {named: self.words, "ending IN :endings": self.endings, since: self.days}
        return [condition for condition, value in asked.items() if value]

    def values(self) -> dict[str, object]:
        """Return what its conditions name."""
        return {
            "words": f"%{_plain(self.words.lower())}%",
            "endings": self.endings,
            "since": f"{_first_day(datetime.now(UTC), self.days)} 00:00+00:00",
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
    by = "coalesce(finished_at, started_at)" if sought.by_end else "started_at"
    if before is not None:
        conditions += [f"({by}, trace_id) < (SELECT {by}, trace_id FROM run WHERE trace_id = :before)"]  # noqa: S608 - of our own words alone
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    rows = store.rows(
        f"SELECT * FROM run {where} ORDER BY {by} DESC, trace_id DESC LIMIT :limit",  # noqa: S608 - of our own words alone
        limit=limit,
        recorded=tuple(map(str, recorded)),
        before=before and before.trace_id,
        **sought.values(),
    )
    return _summaries(store, owner, rows)


class HomeCounts(NamedTuple):
    """What home and `setpoint status` say first."""

    need_you: int
    running: int
    verified_this_week: int
    cost_this_week: str
    """Of all runs, also of those under way: `$4.10 this week`."""

    def __str__(self) -> str:
        """Return it as `3 need you · 1 running · 12 verified this week · $4.10 this week`."""
        return (
            f"{self.need_you} {'needs' if self.need_you == 1 else 'need'} you · {self.running} running · "
            f"{self.verified_this_week} verified this week · {self.cost_this_week}"
        )


def open_runs(store: Store, owner: Owner) -> tuple[RunSummary, ...]:
    """Return every run that is not over, newest first, whatever its age, and those that need a person.

    A run that ended so counts until its story has a newer one.
    """
    rows = store.rows(
        "SELECT * FROM run WHERE state <> 'finished' OR (ending IN :broken AND trace_id IN"
        " (SELECT max(trace_id) FROM run GROUP BY story_id)) ORDER BY started_at DESC, trace_id DESC",
        broken=tuple(map(str, BROKEN)),
    )
    return _summaries(store, owner, rows)


def home_counts(store: Store, owner: Owner, now: datetime) -> HomeCounts:
    """Count what needs a person and what works, and sum up the week, which is today and six days before."""
    left, since = open_runs(store, owner), _first_day(now, WEEK)
    recent = _at_work_since(store, owner, since)
    ended = [run.finished_at for run in recent if run.ending is Ending.VERIFIED]
    return HomeCounts(
        need_you=sum(run.needs_you for run in left),
        running=sum(run.state is RunState.RUNNING for run in left),
        verified_this_week=sum(at is not None and at.date() >= since for at in ended),
        cost_this_week=_cost(recent, since).over("this week"),
    )


class Cost(NamedTuple):
    """What several runs have cost."""

    usd: Decimal
    silent: int
    """Runs of which an agent did not tell its cost."""

    def over(self, span: str) -> str:
        """Say it with the time it is of: `$4.10 this week`, `$1.26 known this week; 5 runs did not tell`."""
        told = amount(self.usd, known=not self.silent)
        rest = f"; {counted(self.silent, 'run')} did not tell" if self.silent else ""
        return f"no cost told {span}{rest}" if told == NOT_TOLD else f"{told} {span}{rest}"


def cost_of_days(store: Store, owner: Owner, days: int, now: datetime) -> Cost:
    """Add up what all runs have cost on the last so many days in UTC, today included, also if under way."""
    since = _first_day(now, days)
    return _cost(_at_work_since(store, owner, since), since)


def _cost(runs: Iterable[RunSummary], since: date) -> Cost:
    worked = [run for run in runs if max(run.cost_by_day, default=since) >= since]
    spent = (usd for run in worked for day, usd in run.cost_by_day.items() if day >= since)
    return Cost(sum(spent, Decimal(0)), sum(run.cost_usd is None for run in worked))


def _at_work_since(store: Store, owner: Owner, since: date) -> tuple[RunSummary, ...]:
    """Return the runs that are not over, or ended since a day, and some of the day before."""
    # As text in both databases; Postgres writes it in the zone of the session.
    query = "SELECT * FROM run WHERE finished_at IS NULL OR CAST(finished_at AS TEXT) >= :since"
    return _summaries(store, owner, store.rows(query, since=str(since - timedelta(days=1))))


def _first_day(now: datetime, days: int) -> date:
    return now.astimezone(UTC).date() - timedelta(days=days - 1)


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


def newest_by_story(store: Store, owner: Owner, stories: Collection[StoryId]) -> dict[StoryId, RunSummary]:
    """Return the newest run of each of these stories that has one."""
    query = (
        "SELECT * FROM run WHERE trace_id IN"
        " (SELECT max(trace_id) FROM run WHERE story_id IN :stories GROUP BY story_id)"
    )
    rows = store.rows(query, stories=tuple(stories))
    return {run.story_id: run for run in _summaries(store, owner, rows)}


def runs_of(store: Store, owner: Owner, story: StoryId) -> tuple[RunSummary, ...]:
    """Return all runs of a story, newest first."""
    rows = store.rows("SELECT * FROM run WHERE story_id = :story ORDER BY trace_id DESC", story=story)
    return _summaries(store, owner, rows)


def find(store: Store, owner: Owner, prefix: str) -> RunSummary:
    """Return the run whose id begins so, with or without `run-`, else the one whose id ends so.

    The id of a story names its newest run. None or several of them is a `UsageError`.
    """
    begins = prefix if prefix.startswith("run-") else f"run-{prefix}"
    # A whole name is found by its key; to look for beginnings, the database reads all of them.
    whole = store.rows("SELECT * FROM run WHERE trace_id IN :names", names=(prefix, begins))
    if whole:
        return _summary(store, owner, whole[0])
    if newest := newest_by_story(store, owner, (StoryId(prefix),)):
        return newest[StoryId(prefix)]
    query = "SELECT * FROM run WHERE trace_id LIKE :pattern ESCAPE '/' ORDER BY trace_id LIMIT :limit"
    patterns = (_plain(begins) + "%", "%" + _plain(prefix)) if prefix.isprintable() else ()
    for pattern in patterns:  # SQLite reads one with a zero as if it ended there
        found = _summaries(store, owner, store.rows(query, pattern=pattern, limit=_SHOWN + 1))
        if len(found) == 1:
            return found[0]
        if found:
            break
    else:
        message = f"no run's id begins or ends with '{prefix}', and no story of that id has a run"
        raise UsageError(message, hint="`setpoint status` lists the newest runs with their ids")
    shown = ", ".join(run.trace_id for run in found[:_SHOWN])
    message = f"'{prefix}' may be {shown}{' or others' if len(found) > _SHOWN else ''}"
    raise UsageError(message, hint="give more of the id")


def _plain(words: str) -> str:
    """Return a pattern for LIKE that stands for these words."""
    return re.sub(r"([%_/])", r"/\1", words)


def _summaries(store: Store, owner: Owner, rows: Iterable[Mapping[str, Any]]) -> tuple[RunSummary, ...]:
    return tuple(_summary(store, owner, row) for row in rows)


def _summary(store: Store, owner: Owner, row: Mapping[str, Any]) -> RunSummary:
    trace_id, state, process = TraceId(row["trace_id"]), RunState(row["state"]), None
    figures, unread = _figures(store, trace_id, row["told"])
    if state is not RunState.FINISHED:
        process = owner(trace_id)
        if state is RunState.RUNNING and process is None:
            state = RunState.INTERRUPTED
    return RunSummary(
        trace_id=trace_id,
        story_id=StoryId(row["story_id"]),
        title=row["title"],
        root=row["root"],
        state=state,
        process=process,
        ending=Ending(row["ending"]) if row["ending"] else None,
        reason=row["reason"],
        branch=row["branch"],
        unread=unread,
        started_at=_instant(row["started_at"]),
        finished_at=_instant(row["finished_at"]) if row["finished_at"] else None,
        **figures,
    )


def _figures(store: Store, trace_id: TraceId, told: str | None) -> tuple[dict[str, Any], str]:
    """Return the figures that a row holds; a row of another version is made again from the events, once."""
    found = json.loads(told) if told else {}
    if found.get("version") != VERSION:
        from setpoint.history.event_log import SqlEventLog  # noqa: PLC0415 - else a list loads every kind of event

        try:
            found = json.loads(SqlEventLog(store).told(trace_id))
        except RecordedDataError as error:
            return {}, error.message
    return found["figures"], ""


def _instant(kept: datetime | str) -> datetime:
    """Read a time; SQLite keeps it as text, without its zone (`tables.Utc`)."""
    if isinstance(kept, str):
        return datetime.fromisoformat(kept).replace(tzinfo=UTC)
    return kept.astimezone(UTC)
