"""Guards and halting policies of plug-ins, which decide whether a run continues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from setpoint.model.facts.rounds import RunFacts
from setpoint.model.halting import TurnState
from setpoint.model.run import Action, Decision, Halt

PluggedGuard = Callable[[RunFacts], Halt | None]
"""Judges the rounds of a run; gives a halt where the run has to stop and ask. Looks at nothing else."""
PluggedPolicy = Callable[[RunFacts], tuple[Decision, Halt | None]]
"""Decides what follows a round, in place of `rules-v1`; it cannot pass work that is not verified."""


@runtime_checkable
class ReplayablePolicy(Protocol):
    """A `PluggedPolicy` that can decide over logged turns, so `setpoint lab halting replay` shows it."""

    def over_turns(self, turns: tuple[TurnState, ...]) -> Action:
        """Decide after the newest of the turns, the oldest first; it halts where every gate passes alone."""
