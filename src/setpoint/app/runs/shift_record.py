"""What workers did in each shift, from the log: a worker that starts again has no more money than before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from setpoint.history.event_log import SqlEventLog
from setpoint.history.queries import RunSummary, runs_of
from setpoint.model.events.work import TRACE, AboutWork, ShiftReported, StoriesCame, StoryLeft, StoryTaken
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.stories.board import Card
from setpoint.model.value import Instant
from setpoint.ports import Clock
from setpoint.wiring.project import Project


class Taking(NamedTuple):
    """One time that a worker took up a story."""

    shift: str
    story: StoryId
    at: Instant
    before_usd: Decimal
    """What the story had cost before."""
    after_usd: Decimal | None = None
    """What it had cost afterwards; none while it is worked on."""
    until: Instant | None = None
    """None while it is worked on, and where the worker was killed."""
    run: TraceId | None = None
    did: str = ""
    """What it was taken up with."""


class ShiftRecord:
    """The record of the workers of a project, read as far as it goes and continued."""

    def __init__(self, project: Project, clock: Clock) -> None:
        """Read nothing yet; what is recorded has the times of the clock."""
        self._project, self._log = project, SqlEventLog(project.store, clock.now)
        self._seq = 0
        self.takings: list[Taking] = []
        """Oldest first."""
        self.came: dict[StoryId, tuple[str, Instant]] = {}
        """The shift in which a story was seen first, and when."""
        self.reported: set[str] = set()

    def read(self) -> ShiftRecord:
        """Read what was recorded meanwhile."""
        for event in self._log.replay(TRACE, after=self._seq):
            self._seq, body = event.seq, event.body
            match body:
                case StoriesCame():
                    self.came |= {
                        each: (body.shift, event.at) for each in body.stories if each not in self.came
                    }
                case StoryTaken():
                    # A worker that was killed did not say what the story had cost until then.
                    self._ended(body.story, after_usd=body.spent_usd)
                    self.takings.append(
                        Taking(body.shift, body.story, event.at, body.spent_usd, did=body.did)
                    )
                case StoryLeft():
                    self._ended(body.story, after_usd=body.spent_usd, until=event.at, run=body.run)
                case ShiftReported():
                    self.reported.add(body.shift)
                case _:
                    pass
        return self

    def see(self, shift: str, stories: Iterable[StoryId]) -> None:
        """Record which stories are new."""
        if new := tuple(each for each in stories if each not in self.came):
            self.note(StoriesCame(shift=shift, stories=new))

    def take(self, shift: str, story: StoryId, did: str) -> None:
        """Record that a story is taken up."""
        self.note(StoryTaken(shift=shift, story=story, did=did, spent_usd=spent_on(self._project, story)))

    def leave(self, shift: str, story: StoryId) -> None:
        """Record that the process of a story has ended."""
        newest = next(iter(_runs(self._project, story)), None)
        run, spent = newest.trace_id if newest else None, spent_on(self._project, story)
        self.note(StoryLeft(shift=shift, story=story, run=run, spent_usd=spent))

    def note(self, body: AboutWork) -> None:
        """Record a fact."""
        story = getattr(body, "story", "")
        self._log.append(TRACE, f"{body.kind}:{body.shift}:{story}:{self._seq}", (body,))
        self.read()

    def _ended(self, story: StoryId, **told: Any) -> None:  # noqa: ANN401 - fields of a taking
        for place, taking in reversed(list(enumerate(self.takings))):
            if taking.story == story:
                if taking.after_usd is None:
                    self.takings[place] = taking._replace(**told)
                return

    def of(self, shift: str) -> list[Taking]:
        """Return what was taken up in a shift."""
        return [each for each in self.takings if each.shift == shift]

    def tries(self, shift: str, card: Card) -> int:
        """Count how often a story was taken up in a shift with what is to be done of it now."""
        return sum((each.story, each.did) == (card.id, card.action.shown) for each in self.of(shift))

    def cost(self, takings: Sequence[Taking]) -> Decimal:
        """Add up what the runs cost while workers worked on them, as far as agents told."""
        ends = [spent_on(self._project, t.story) if t.after_usd is None else t.after_usd for t in takings]
        return sum(ends, Decimal(0)) - sum((t.before_usd for t in takings), Decimal(0))


def spent_on(project: Project, story: StoryId) -> Decimal:
    """Return what the runs of a story have cost until now, as far as agents told."""
    return sum((usd for run in _runs(project, story) for usd in run.cost_by_day.values()), Decimal(0))


def _runs(project: Project, story: StoryId) -> tuple[RunSummary, ...]:
    return runs_of(project.store, project.locks.owner, story)
