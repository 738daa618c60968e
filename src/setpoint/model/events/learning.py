"""What happens about memory: recalling, reflecting, what people say; part of the union in `events`."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from setpoint.model.answers.reflection import TaughtShape
from setpoint.model.attempt import Usage
from setpoint.model.ids import LearningId
from setpoint.model.learning import Recollection
from setpoint.model.value import Text, Value


class Trigger(StrEnum):
    """Why a run is reflected on."""

    COMPLETED = "run_completed"
    """It is over, well or not."""
    BOUNCED = "phase_bounced_2x"
    """One phase sent the work back again and again."""
    COST = "cost_exceeded_50pct"
    """Half of the money is used."""
    ERRORS = "error_rate_high"
    """Many of the agent's tool calls fail."""
    OVERRIDDEN = "human_overrode_decision"
    """A person decided otherwise than the loop."""


class MemoryRecalled(Value):
    """A role was about to be asked, and memory was searched for what it should know."""

    kind: Literal["memory.recalled"] = "memory.recalled"
    phase: str
    iteration: int = 0
    question: Text
    """What was searched for, cut."""
    items: tuple[Recollection, ...] = ()
    """What fits, best first; those that were held back by chance too."""
    held_out: bool | None = None
    """Whether chance decided that this run is shown nothing at all; none in records of older versions."""

    @property
    def shown(self) -> tuple[Recollection, ...]:
        """What the role is shown."""
        return tuple(item for item in self.items if item.shown)


class Followed(Value):
    """What became of a learning that was shown."""

    learning: LearningId
    followed: bool
    """The trace shows that it was acted on."""
    how: Text = ""
    """What in the trace shows it."""
    helped: bool | None = None
    """Whether the run was verified; none where it was not followed, or the run says nothing about it."""
    idle: bool = False
    """The run touched nothing that it is about."""


class LearningsJudged(Value):
    """It was judged from the trace which of the learnings that were shown were followed."""

    kind: Literal["memory.followed"] = "memory.followed"
    items: tuple[Followed, ...]


class ReflectionCompleted(Value):
    """A run was looked back on, and what it taught was kept."""

    kind: Literal["reflection.completed"] = "reflection.completed"
    trigger: Trigger
    iteration: int = 0
    by: str = "rules"
    """Who reflected: `rules`, or the agent."""
    learnings: tuple[LearningId, ...] = ()
    """New ones, and those that were taught once more."""
    titles: tuple[Text, ...] = ()
    """Their titles, in the same order."""
    advice: Text = ""
    """What the running run is told in its next prompt."""
    usage: Usage = Usage(scope="none")


class ReflectionAnswered(Value):
    """A reflector was asked what a run taught; what it said is kept here, so that it is asked once."""

    kind: Literal["reflection.answered"] = "reflection.answered"
    agent: str
    taught: tuple[TaughtShape, ...] = ()
    why: Text = ""
    """Why there is no answer, where there is none."""
    usage: Usage = Usage(scope="none")


class ReflectionSkipped(Value):
    """A run was not reflected on, or what came of it was not kept."""

    kind: Literal["reflection.skipped"] = "reflection.skipped"
    trigger: Trigger
    iteration: int = 0
    reason: Text
    usage: Usage = Usage(scope="none")


class ConfidenceIncreased(Value):
    """What a person did speaks for a learning."""

    kind: Literal["feedback.confidence_increased"] = "feedback.confidence_increased"
    learning: LearningId
    before: float
    after: float
    reason: str


class ConfidenceDecreased(Value):
    """What a person did speaks against a learning."""

    kind: Literal["feedback.confidence_decreased"] = "feedback.confidence_decreased"
    learning: LearningId
    before: float
    after: float
    reason: str


AboutMemory = (
    MemoryRecalled
    | LearningsJudged
    | ReflectionAnswered
    | ReflectionCompleted
    | ReflectionSkipped
    | ConfidenceIncreased
    | ConfidenceDecreased
)
"""What happened between a run and memory."""
