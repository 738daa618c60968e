"""Decide how an attempt continues after a breakage: wait, same or new session, next agent, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from setpoint.model.attempt import PASSING, Breakage, BreakageKind, Recovery

FATAL = frozenset({BreakageKind.MISSING, BreakageKind.AUTH, BreakageKind.BUDGET})
"""Breakages that another try cannot fix."""
SPOILING = frozenset({BreakageKind.SESSION, BreakageKind.OVERFLOW, BreakageKind.PROTOCOL})
"""Breakages after which the same session cannot continue."""
REFUSED = frozenset({400, 422})
"""Statuses of a request that a model refuses as it is: the same session would send it again."""
BACK_OFF_S = (2.0, 8.0, 30.0, 60.0, 120.0, 300.0)
"""Seconds before the second, third and each later try, where nobody says how long a limit lasts."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """What an attempt may still use for recovery."""

    tries: int
    """Most tries; those that broke for a passing reason do not count while there is time to wait."""
    wait_s: float
    """Seconds that are left for waiting."""
    exhausted: bool = False
    """Whether the budget of the run is used up."""
    others: int = 0
    """Agents that may take over."""
    logged_in: bool = False
    """Whether a person let the run continue after the agent's login was refused."""


@dataclass(frozen=True, kw_only=True)
class Next:
    """The next step of an attempt that broke."""

    then: Recovery
    wait_s: float = 0.0


def next_step(broke: Sequence[Breakage], patience: Patience, *, goes_on: bool) -> Next:
    """Return how an attempt continues.

    Args:
        broke: The breakages of the attempt, the oldest first, at least one.
        patience: What is left for it.
        goes_on: Whether the agent can continue the session that knows its own edits.

    """
    step = _own_step(broke, patience, goes_on=goes_on)
    paid = not patience.exhausted and broke[-1].kind is not BreakageKind.BUDGET
    if step.then is Recovery.END and patience.others and paid:
        return Next(then=Recovery.NEXT_AGENT)
    return step


def _own_step(broke: Sequence[Breakage], patience: Patience, *, goes_on: bool) -> Next:
    """Return how the agent itself continues."""
    last = broke[-1]
    fatal = last.kind in FATAL and not (patience.logged_in and last.kind is BreakageKind.AUTH)
    if fatal or patience.exhausted:
        return Next(then=Recovery.END)
    session = Recovery.SAME_SESSION if _keeps_session(broke, goes_on=goes_on) else Recovery.NEW_SESSION
    if last.kind in PASSING and patience.wait_s > 0:
        wait_s = _wait_s(broke)
        return Next(then=session, wait_s=wait_s) if wait_s <= patience.wait_s else Next(then=Recovery.END)
    if patience.logged_in:
        return Next(then=session)
    counted = [each for each in broke if each.kind not in PASSING or patience.wait_s <= 0]
    if len(counted) >= patience.tries:
        return Next(then=Recovery.END)
    return Next(then=session, wait_s=BACK_OFF_S[min(len(counted), 3) - 1])


def _keeps_session(broke: Sequence[Breakage], *, goes_on: bool) -> bool:
    """Whether the session continues: it survives one breakage of the agent, and every passing one."""
    own = [each.kind not in PASSING for each in broke]
    twice = len(own) > 1 and all(own[-2:])
    last = broke[-1]
    refused = last.kind is BreakageKind.MODEL and last.status in REFUSED
    return goes_on and last.kind not in SPOILING and not refused and not twice


def _wait_s(broke: Sequence[Breakage]) -> float:
    """Return the seconds that the provider asks for, else a growing pause."""
    if broke[-1].wait_s is not None:
        return broke[-1].wait_s
    running = 0
    for each in reversed(broke):
        if each.kind not in PASSING:
            break
        running += 1
    return BACK_OFF_S[min(running, len(BACK_OFF_S)) - 1]
