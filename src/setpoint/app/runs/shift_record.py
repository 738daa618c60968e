"""What workers did in each shift, from the log: a worker that starts again has no more money than before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from setpoint.history.event_log import SqlEventLog
from setpoint.history.queries import runs_of
from setpoint.model.events.work import TRACE, ShiftNoted, StoryCounted
from setpoint.model.ids import StoryId
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
    """What it had cost afterwards; none while it is worked on, and where the worker was killed."""


class ShiftRecord:
    """The record of the workers of a project, read as far as it goes and continued."""

    def __init__(self, project: Project, clock: Clock) -> None:
        """Read nothing yet; what is recorded has the times of the clock."""
        self._project, self._log, self._seq = project, SqlEventLog(project.store, clock.now), 0
        self.takings: list[Taking] = []
        """Oldest first."""
        self.came: dict[StoryId, tuple[Instant, str]] = {}
        """When a story was seen first, and in which shift."""
        self.reported: dict[str, Instant] = {}
        """When a shift was reported, as it was over."""

    def read(self) -> ShiftRecord:
        """Read what was recorded meanwhile."""
        for event in self._log.replay(TRACE, after=self._seq):
            self._seq, body = event.seq, event.body
            if isinstance(body, StoryCounted):
                # A worker that was killed did not say what a story had cost: the next one that takes it does.
                for place, each in enumerate(self.takings):
                    if each.story == body.story and each.after_usd is None:
                        self.takings[place] = each._replace(after_usd=body.spent_usd)
                if body.taken:
                    self.takings.append(Taking(body.shift, body.story, event.at, body.spent_usd))
            elif isinstance(body, ShiftNoted):
                self.came = dict.fromkeys(body.came, (event.at, body.shift)) | self.came
                self.reported |= {body.shift: event.at} if body.reported else {}
        return self

    def count(self, shift: str, story: StoryId, *, taken: bool) -> None:
        """Record that a story is taken up, or that its process has ended."""
        spent = spent_on(self._project, story)
        self._note(StoryCounted(shift=shift, story=story, taken=taken, spent_usd=spent), story)

    def note(self, shift: str, stories: Iterable[StoryId] = (), *, reported: bool = False) -> None:
        """Record stories that are new, and that a shift is reported."""
        new = tuple(each for each in stories if each not in self.came)
        if new or reported:
            self._note(ShiftNoted(shift=shift, came=new, reported=reported), "")

    def _note(self, body: StoryCounted | ShiftNoted, story: str) -> None:
        self._log.append(TRACE, f"{body.kind}:{body.shift}:{story}:{self._seq}", (body,))
        self.read()

    def of(self, shift: str) -> list[Taking]:
        """Return what was taken up in a shift."""
        return [each for each in self.takings if each.shift == shift]

    def tries(self, shift: str, story: StoryId) -> int:
        """Count how often a story was taken up in a shift."""
        return sum(each.story == story for each in self.of(shift))

    def cost(self, takings: Sequence[Taking]) -> Decimal:
        """Add up what the runs cost while workers worked on them, as far as agents told."""
        ends = [spent_on(self._project, t.story) if t.after_usd is None else t.after_usd for t in takings]
        return sum(ends, Decimal(0)) - sum((t.before_usd for t in takings), Decimal(0))


def spent_on(project: Project, story: StoryId) -> Decimal:
    """Return what the runs of a story have cost until now, as far as agents told."""
    every = runs_of(project.store, project.locks.owner, story)
    return sum((usd for run in every for usd in run.cost_by_day.values()), Decimal(0))
