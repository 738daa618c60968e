"""Stop runs that write tests where an iteration gains nothing."""

from __future__ import annotations

from setpoint.model.facts.cover_gain import gains, hindering, strength_of_tests
from setpoint.model.facts.rounds import RunFacts, failures
from setpoint.model.run import Halt


def no_gain(past: RunFacts) -> Halt | None:
    """Return why the run stops: its tests pass without being stronger than those before.

    Work with failing tests goes back with their output; what it gains is not known yet.
    """
    now = past.last.latest
    if strength_of_tests(now) is None or failures(past.last) or hindering(now):
        return None
    before = (past.base, *(each.latest for each in past.recent[:-1]))
    if all(gains(now, each) for each in before if strength_of_tests(each) is not None):
        return None
    return Halt(
        guard="no_gain",
        reason="the tests of this iteration reach and notice no more than those before",
        go_on="let an agent write tests (--agent), give more time (--budget), or lower the goals",
    )
