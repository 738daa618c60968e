"""What the first page says: what needs a person, what runs, what this week cost, and which runs are over."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from shutil import which
from typing import NamedTuple

from setpoint.agents.registry import known
from setpoint.app.production.signals import ProductionRecord
from setpoint.app.runs.board import story_path
from setpoint.app.runs.launcher import MOST_ITERATIONS, RunTerms
from setpoint.app.views.live import LiveRun, Moment
from setpoint.app.views.production import ProblemView, Stage, production_view
from setpoint.errors import SetpointError
from setpoint.history.queries import (
    RunFilter,
    RunState,
    RunSummary,
    cost_of_days,
    newest_seq,
    open_runs,
)
from setpoint.model.ending import Ending
from setpoint.model.ids import TraceId
from setpoint.model.wording import counted
from setpoint.stories.story_file import read_story
from setpoint.wiring.project import Project, recorded_order, run_list

MOST_OPEN = 200
"""Unfinished runs that are looked at."""
STATES = (*(state for state in RunState if state is not RunState.FINISHED), *Ending)
"""What a list of runs can be restricted to."""


class Inbox(NamedTuple):
    """What needs a person, whatever its age, and what is at work; the newest of each first."""

    asking: tuple[RunSummary, ...]
    stuck: tuple[RunSummary, ...]
    """Runs that were interrupted or broke."""
    problems: tuple[ProblemView, ...]
    """Problems of production that wait for a decision."""
    running: tuple[RunSummary, ...]

    @property
    def needs(self) -> tuple[RunSummary | ProblemView, ...]:
        """Everything that needs a person, in the order in which it is shown."""
        return (*self.asking, *self.stuck, *self.problems)


def inbox(project: Project, signals: ProductionRecord) -> Inbox:
    """Return what needs a person, and what is at work."""
    left = open_runs(project.store, project.locks.owner)
    problems = production_view(signals).problems
    return Inbox(
        asking=tuple(run for run in left if run.needs_you and run.waits),
        stuck=tuple(run for run in left if run.needs_you and not run.waits),
        problems=tuple(each for each in problems if each.stage in (Stage.WAITS, Stage.DEFERRED)),
        running=tuple(run for run in left if run.state is RunState.RUNNING),
    )


def moments(project: Project, running: tuple[RunSummary, ...]) -> dict[TraceId, Moment]:
    """Say what each run does now; one whose record cannot be read is left out."""
    events = project.log.readable([run.trace_id for run in running])
    return {trace: LiveRun(told).moment(datetime.now(UTC)) for trace, told in events.items() if told}


def spent(project: Project, days: int) -> str:
    """Say what all runs have cost in the last so many days, today included."""
    made = cost_of_days(project.store, project.locks.owner, days, datetime.now(UTC))
    return made.over(f"in {counted(days, 'day')}")


def found_runs(
    project: Project, most: int, before: str, sought: RunFilter, state: str = ""
) -> tuple[RunSummary, ...]:
    """Return the newest runs that a person looks for; `state` is a state or an ending."""
    if state in set(Ending):
        sought = sought.model_copy(update={"endings": (Ending(state),)})
    elif state:
        asked = RunState(state)
        # What is recorded as running is interrupted where no process owns it.
        recorded = RunState.RUNNING if asked is RunState.INTERRUPTED else asked
        most = most if asked is RunState.FINISHED else MOST_OPEN
        found = run_list(project, most, before, sought, (recorded,))
        return tuple(run for run in found if run.state is asked)
    return run_list(project, most, before, sought)


def grouped(listed: Sequence[RunSummary], by: str) -> list[tuple[str, list[RunSummary]]]:
    """Put runs into groups by `day`, `story` or `state`, in the order of the newest of each."""
    found: dict[str, list[RunSummary]] = {}
    for run in listed:
        names = {
            "day": f"{run.finished_at or run.started_at:%Y-%m-%d}",
            "story": run.story_id,
            "state": run.ending or run.state,
        }
        found.setdefault(str(names.get(by, "")).replace("_", " "), []).append(run)
    return list(found.items())


def inbox_mark(project: Project, found: Inbox) -> tuple[str, ...]:
    """Name the state of what needs a person and of what runs."""
    running = (f"{run.trace_id} {newest_seq(project.store, run.trace_id)}" for run in found.running)
    return (*(each.model_dump_json() for each in found.needs), *running)


def age(at: datetime) -> str:
    """Say how long ago something was, in one unit: 5m, 3h, 2d; a month where it is long ago."""
    seconds = int((datetime.now(UTC) - at).total_seconds())
    for most, unit, name in ((60, 60, ""), (3600, 60, "m"), (2 * 86400, 3600, "h"), (60 * 86400, 86400, "d")):
        if seconds < most:
            return f"{seconds // unit}{name}" if name else "now"
    return f"{at:%b %Y}"


def agent_names(project: Project) -> dict[str, bool]:
    """Name the agents that a run can be begun with, those first that are installed."""
    try:
        every = known(project.settings.agent).items()
    except SetpointError:  # the settings are wrong: the run that is begun says how
        return {}
    found = {name: not each.argv or which(each.argv[0]) is not None for name, each in every}
    return dict(sorted({"mechanic": True, **found}.items(), key=lambda each: not each[1]))


def again(project: Project, trace_id: TraceId) -> tuple[str, RunTerms]:
    """Return the request of a run, and what it was begun with."""
    order = recorded_order(project, trace_id)
    limits, own = order.limits, tuple[str, ...]()
    try:
        wish = str(order.story.id)
        own = read_story(story_path(project, wish)).acceptance
    except SetpointError:
        wish = order.story.title
    return wish, RunTerms(
        agent=",".join(order.makers),
        max_cost_usd=limits.max_cost_usd,
        max_iterations=min(limits.max_iterations, MOST_ITERATIONS),
        acceptance="\n".join(each for each in order.story.acceptance if each not in own),
    )
