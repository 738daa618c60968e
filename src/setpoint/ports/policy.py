"""Guards and halting policies of plug-ins, which decide whether a run continues."""

from __future__ import annotations

from collections.abc import Callable

from setpoint.model.facts.rounds import RunFacts
from setpoint.model.run import Decision, Halt

PluggedGuard = Callable[[RunFacts], Halt | None]
"""Judges the rounds of a run; gives a halt where the run has to stop and ask. Looks at nothing else."""
PluggedPolicy = Callable[[RunFacts], tuple[Decision, Halt | None]]
"""Decides what follows a round, in place of `rules-v1`; it cannot pass work that is not verified."""
