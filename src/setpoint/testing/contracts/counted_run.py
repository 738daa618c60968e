"""A small run for the contract of durable engines, with steps that count how often they are begun."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from setpoint.model.attempt import Role
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage
from setpoint.model.ids import Commit, StoryId, TraceId
from setpoint.model.pipeline import Phase, PhaseKind, Pipeline
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.model.stories.story import Story
from setpoint.model.value import Instant, Usd, Value

TRACE = TraceId("run-0001")
HEAD = Commit("1" * 40)
PIPELINE = Pipeline(
    name="small",
    phases=(
        Phase(name="implement", kind=PhaseKind.MAKE, role=Role.MAKER),
        Phase(name="evaluate", kind=PhaseKind.MEASURE, stage=Stage.EVALUATE),
        Phase(name="test", kind=PhaseKind.MEASURE, stage=Stage.TEST),
    ),
)


class Count(Value):
    """What a counted step gives."""

    name: str
    times: int
    cost_usd: Usd = Decimal("0.10")
    at: Instant = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    files: tuple[str, ...] = ("a.py", "b.py")


class Answer(Value):
    """An answer to the run."""

    text: str


def order(trace_id: TraceId = TRACE) -> RunOrder:
    """Return the order of the run."""
    return RunOrder(
        trace_id=trace_id,
        root="/nowhere",
        base=HEAD,
        story=Story(id=StoryId("fix-it"), title="Fix it"),
        pipeline=PIPELINE,
        branch="setpoint/fix-it",
        started_at=datetime(2026, 1, 2, tzinfo=UTC),
    )


def outcome(reason: str = "all gates passed", trace_id: TraceId = TRACE) -> RunOutcome:
    """Return how the run ends."""
    return RunOutcome(
        trace_id=trace_id,
        ending=Ending.VERIFIED,
        reason=reason,
        iterations=1,
        bounces=0,
        best=HEAD,
        best_iteration=1,
        duration_s=1.5,
    )


class Counter:
    """Steps that leave a line in a file for each time they are begun, so that a new process sees them too."""

    def __init__(self, folder: Path) -> None:
        """Keep the lines in files of this folder."""
        self._folder = folder

    def times(self, name: str) -> int:
        """Return how often a step was begun."""
        path = self._folder / name
        return len(path.read_text("ascii").splitlines()) if path.exists() else 0

    def count(self, name: str) -> Count:
        """Begin a step once more."""
        with (self._folder / name).open("a", encoding="ascii") as file:
            file.write("begun\n")
        return Count(name=name, times=self.times(name))

    def step(self, name: str) -> Callable[[], Awaitable[Count]]:
        """Return a step that counts itself."""

        async def act() -> Count:
            return self.count(name)

        return act
