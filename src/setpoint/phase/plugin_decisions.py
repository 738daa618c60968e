"""Decisions of plug-ins on a round: a halting policy in place of `rules-v1`, and additional guards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from setpoint.model.facts.rounds import RunFacts
from setpoint.model.run import Action, Decision, Halt
from setpoint.phase.policy.halting_policy import rules_v1
from setpoint.phase.policy.loop_guards import exhausting
from setpoint.ports.policy import PluggedGuard, PluggedPolicy

R = TypeVar("R")
T = TypeVar("T")

Decided = tuple[Decision, Halt | None]

_GOES_ON = (Action.CONTINUE, Action.RESTART)


def decide(
    past: RunFacts,
    guards: Mapping[str, PluggedGuard],
    policies: Mapping[str, PluggedPolicy],
) -> tuple[Decision, Halt | None]:
    """Return what follows the newest round; skip a plug-in that breaks and name it in the reason.

    A plug-in can neither accept unverified work nor exceed the limits of the run.
    """
    left_out: list[str] = []
    decision, halt = _by_policy(past, policies, left_out)
    if decision.action in _GOES_ON:
        decision, halt = _by_guards(past, guards, decision, left_out) or (decision, halt)
    if left_out:
        reason = f"{decision.reason}; left out: {'; '.join(left_out)}"
        decision = decision.model_copy(update={"reason": reason})
    return decision, halt


def _by_policy(
    past: RunFacts, policies: Mapping[str, PluggedPolicy], left_out: list[str]
) -> tuple[Decision, Halt | None]:
    rules = rules_v1(past)
    for name, policy in policies.items():
        answer = _attempt(_asked, policy, past)
        if isinstance(answer, Exception):  # the run continues with the rules of Setpoint
            left_out.append(_broke("halting policy", name, answer))
            continue
        decision, halt = answer
        if decision.action in _GOES_ON and (past.last.verified or exhausting(past.limits)(past)):
            return rules
        return decision, halt
    return rules


def _asked(policy: PluggedPolicy, past: RunFacts) -> tuple[Decision, Halt | None]:
    answer: object = policy(past)
    match answer:
        case (Decision() as decision, (Halt() | None) as halt):
            pass
        case _:
            raise TypeError("it returned no decision and halt")
    if decision.action in (Action.HALT, Action.CONFIRM) and not past.last.verified:
        raise ValueError(f"it answered {decision.action} where the hard gates have not passed")
    return decision, halt


def _by_guards(
    past: RunFacts, guards: Mapping[str, PluggedGuard], decision: Decision, left_out: list[str]
) -> tuple[Decision, Halt] | None:
    for name, guard in guards.items():
        halt = _attempt(_judged, guard, past)
        if isinstance(halt, Exception):  # the run continues without this guard
            left_out.append(_broke("guard", name, halt))
        elif halt is not None:
            stopped = decision.model_copy(update={"action": Action.ESCALATE, "reason": halt.reason})
            return stopped, halt.model_copy(update={"guard": name})
    return None


def _judged(guard: PluggedGuard, past: RunFacts) -> Halt | None:
    halt: object = guard(past)
    if not isinstance(halt, Halt | None):
        raise TypeError("it returned no halt")
    return halt


def _attempt(ask: Callable[[R, RunFacts], T], rule: R, past: RunFacts) -> T | Exception:
    """Ask a rule that a plug-in brings; return what it raises."""
    try:
        return ask(rule, past)
    except Exception as error:  # noqa: BLE001 - the boundary to plugged rules: foreign code raises what it likes
        return error


def _broke(what: str, name: str, error: Exception) -> str:
    return (
        f"{what} '{name}': {type(error).__name__}: {error} (hint: `setpoint admin plugins` names its package)"
    )
