"""Name the edits of a run that Setpoint keeps and has not judged, so that a person can look at them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from setpoint.inner.kept_edits import kept_interrupted, kept_of, tries_of
from setpoint.model.evaluation import Evaluation
from setpoint.model.events import Event
from setpoint.model.events.candidates import CandidateChosen, CandidateMade, CandidateMeasured
from setpoint.model.events.live import EditsChosen
from setpoint.model.events.run import AgentFinished, AgentStarted, HaltingDecided, IterationEvaluated
from setpoint.model.ids import Tree
from setpoint.model.run import Snapshot
from setpoint.model.unjudged import UnjudgedEdits
from setpoint.runs.context import RunContext

Places = Callable[[RunContext, str], Awaitable[RunContext]]
"""Returns the run with the work copy in which an attempt was made, by the label of the attempt."""


@dataclass(kw_only=True)
class Judged:
    """What the events of a run say of its attempts."""

    finished: dict[str, Snapshot] = field(default_factory=dict)
    """What an attempt left, by its label."""
    labels: set[str] = field(default_factory=set)
    """Snapshots that were measured: with problems, or until the run was decided about."""
    trees: set[Tree] = field(default_factory=set)
    """Their contents."""
    chosen: dict[str, str] = field(default_factory=dict)
    """The state that an attempt ended with, by the label of the attempt."""

    def add(self, snapshot: Snapshot | None) -> None:
        """Count what an attempt left as judged."""
        if snapshot is not None:
            self.labels |= {snapshot.label, self.chosen.get(snapshot.label, snapshot.label)}
            self.trees.add(snapshot.tree)

    def covers(self, state: Snapshot) -> bool:
        """Whether a state was judged, under its own label or under another one."""
        return state.label in self.labels or state.tree in self.trees


def judged(events: Iterable[Event]) -> Judged:
    """Return which states of a run were judged; what only passed its first checks before the end was not."""
    found = Judged()
    rounds: dict[int, Snapshot] = {}
    raced: dict[int, Snapshot] = {}
    measured: set[int] = set()
    for event in events:
        match event.body:
            case EditsChosen() as body:
                found.chosen[body.label] = body.chosen
                found.labels |= {each.of for each in body.measured}
            case AgentFinished(iteration=iteration, snapshot=snapshot):
                rounds[iteration] = found.finished[snapshot.label] = snapshot
            case CandidateMade(candidate=number, snapshot=snapshot):
                raced[number] = found.finished[snapshot.label] = snapshot
                measured.discard(number)
            case CandidateMeasured(candidate=number, evaluation=evaluation):
                measured.add(number)
                found.add(raced.get(number) if _has_problems(evaluation) else None)
            case CandidateChosen():
                for number in measured:
                    found.add(raced.get(number))
            case IterationEvaluated(iteration=iteration, evaluation=evaluation):
                found.add(rounds.get(iteration) if _has_problems(evaluation) else None)
            case HaltingDecided(iteration=iteration):
                found.add(rounds.get(iteration))
            case _:
                pass
    return found


async def unjudged_edits(run: RunContext, places: Places) -> tuple[UnjudgedEdits, ...]:
    """Return every state with edits that was not judged, the newest attempt first, each content once.

    What an attempt left that was cut off is recorded first.
    """
    known = judged(run.journal.events)
    labels = [event.body.label for event in run.journal.events if isinstance(event.body, AgentStarted)]
    left: dict[Tree, UnjudgedEdits] = {}
    for label in reversed(dict.fromkeys(labels)):
        if label in known.labels and tries_of(run, label) == 1:
            continue
        place = await places(run, label)
        for each in await _left(place, label, known):
            if not known.covers(each):
                left.setdefault(each.tree, _named(each, place, run))
    return tuple(left.values())


async def _left(place: RunContext, label: str, known: Judged) -> list[Snapshot]:
    made = known.finished.get(label)
    if made is None:
        await kept_interrupted(place, label)
    ended = [made] if made is not None and made.files else []
    return [*ended, *await kept_of(place, label)]


def _named(state: Snapshot, place: RunContext, run: RunContext) -> UnjudgedEdits:
    return UnjudgedEdits(
        label=state.label,
        commit=state.commit,
        files=len(state.files),
        insertions=state.insertions,
        deletions=state.deletions,
        copy_of=place.copy.trace_id if place.copy.trace_id != run.copy.trace_id else "",
    )


def _has_problems(evaluation: Evaluation) -> bool:
    return bool(evaluation.failures or evaluation.broken or evaluation.blocking)
