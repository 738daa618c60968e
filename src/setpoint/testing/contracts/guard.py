"""What Setpoint expects of every guard."""

from __future__ import annotations

from setpoint.model.facts.rounds import RunFacts
from setpoint.model.run import Halt
from setpoint.ports.policy import PluggedGuard


class GuardContract:
    """What every guard does: a pure function of the rounds that says why it stops a run."""

    guard: PluggedGuard

    def stopping(self) -> RunFacts:
        """Return a history in which the guard stops the run."""
        raise NotImplementedError

    def going_on(self) -> RunFacts:
        """Return a history in which it does not."""
        raise NotImplementedError

    def test_it_stops_with_a_reason_and_a_way_out(self) -> None:
        """A person reads both."""
        halt = type(self).guard(self.stopping())
        assert isinstance(halt, Halt)
        assert halt.reason
        assert halt.go_on

    def test_it_lets_others_continue(self) -> None:
        """None, not false."""
        assert type(self).guard(self.going_on()) is None

    def test_it_answers_the_same_again(self) -> None:
        """A resumed run decides like the first."""
        for past in (self.stopping(), self.going_on()):
            assert type(self).guard(past) == type(self).guard(past)
