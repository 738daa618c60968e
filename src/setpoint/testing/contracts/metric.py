"""What Setpoint expects of every metric."""

from __future__ import annotations

import math
from collections.abc import Sequence

from setpoint.model.events import Event
from setpoint.ports.metric import PluggedMetric


class MetricContract:
    """What every metric does: a pure function of one run's events, which says where it measured nothing."""

    metric: PluggedMetric

    def measured(self) -> Sequence[Event]:
        """Return the events of a run that has a value; `MemoryEventLog` makes them."""
        raise NotImplementedError

    def unmeasured(self) -> Sequence[Event]:
        """Return the events of a run that has none."""
        raise NotImplementedError

    def test_a_run_has_a_finite_value_in_its_unit(self) -> None:
        value = self.metric.of_run(self.measured())
        assert value is not None
        assert math.isfinite(value)
        if self.metric.unit in ("share", "score"):
            assert 0 <= value <= 1

    def test_what_was_not_measured_is_none(self) -> None:
        assert self.metric.of_run(self.unmeasured()) is None

    def test_it_gives_the_same_again(self) -> None:
        assert self.metric.of_run(self.measured()) == self.metric.of_run(self.measured())

    def test_it_says_what_it_tells(self) -> None:
        assert self.metric.definition.strip()
        assert self.metric.why_null.strip()
