"""What a halting policy looks at, free of any log: the same for live runs, logged runs and simulated ones."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import Field, model_validator

from setpoint.model.halting_worth import HaltingWorth
from setpoint.model.run import Action
from setpoint.model.value import Text, Value


class TurnState(Value):
    """One iteration of a run as halting policies see it."""

    number: int = Field(ge=1)
    """1-based in the run."""
    chain: int = Field(default=0, ge=0)
    """Restarts before it."""
    quality: float | None = Field(default=None, ge=0, le=1)
    """Quality score; none where nothing was measured."""
    gates: bool
    """Whether every hard gate was reached and passed."""
    failing: int = Field(ge=0)
    """Open problems: failing tests, blocking findings, and what is not proved."""
    tests_share: float | None = Field(default=None, ge=0, le=1)
    """Share of the tests that pass; none where no test ran."""
    security: int = Field(default=0, ge=0)
    """New security findings that block."""
    review: int = Field(default=0, ge=0)
    """Blocking findings of the review."""
    repeated: bool = False
    """Whether the turn before it, restarts included, left the same problems."""
    cost_usd: float = Field(default=0.0, ge=0)
    """Of this turn, in US dollars."""


class Economics(Value):
    """What the outcomes of a run are worth to the person, in US dollars."""

    worth_usd: float = Field(default=10.0, ge=0)
    """A verified change set."""
    wrong_usd: float = Field(default=5.0, ge=0)
    """The loss from a delivery that turns out to be wrong."""
    escalation_usd: float = 0.0
    """A question to a person; below 0 where the interruption costs more than the answer brings."""

    @classmethod
    def of(cls, worth: HaltingWorth) -> Economics:
        """Return what a person states; assumed figures where no worth is stated."""
        if worth.worth_usd is None:
            return cls()
        return cls(
            worth_usd=float(worth.worth_usd),
            wrong_usd=float(worth.wrong_usd),
            escalation_usd=-float(worth.question_usd),
        )


class LoggedRun(Value):
    """A run of the past, for fitting and for replay."""

    run: Text
    """Names the run."""
    agent: Text
    """Agent and version of its model; logs of different ones are never pooled."""
    group: Text = ""
    """The task; training and test runs are split by it."""
    kind: Text = ""
    """Kind of task, for example `bug`."""
    turns: tuple[TurnState, ...]
    """Oldest first."""
    verified: tuple[bool | None, ...]
    """For each turn, whether hidden tests would pass had it been delivered; none where that is unknown."""
    full: bool
    """Whether it was logged on to the limit, so that no policy that stops has ended it early."""

    @model_validator(mode="after")
    def _one_outcome_a_turn(self) -> LoggedRun:
        if len(self.turns) != len(self.verified):
            raise ValueError(f"{self.run}: {len(self.turns)} turns and {len(self.verified)} outcomes")
        return self


LoggedPolicy = Callable[[tuple[TurnState, ...]], Action]
"""Decides after the newest of the turns; the oldest comes first, and there is at least one."""
