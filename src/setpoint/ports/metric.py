"""What a plug-in brings that adds a metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from setpoint.model.events import Event
from setpoint.model.loop_metric import Better, Loop, Unit
from setpoint.model.value import Value


class PluggedMetric(Value):
    """A metric over a window of days: the mean of what each run that finished in it gives."""

    definition: str
    """What it tells, in one sentence."""
    unit: Unit
    of_run: Callable[[Sequence[Event]], float | None]
    """Computes the value of one finished run from all its events, in order; none where it was not measured.

    A share of runs is the mean of 1 and 0.
    """
    loop: Loop = Loop.ACROSS
    """The loop whose health it tells."""
    better: Better = ""
    why_null: str = "no run that finished in the window gave it a value"
    """Why it is not measured where no run gave a value."""
