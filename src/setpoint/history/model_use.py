"""Who used the models of a run: the maker, other roles, and calls beside the work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TypeVar

from setpoint.history.run_history import History
from setpoint.model.attempt import Role, Usage
from setpoint.model.events import Event
from setpoint.model.events.hidden_tests import HiddenTestsAnswered, HiddenTestsWritten
from setpoint.model.events.learning import ReflectionCompleted, ReflectionSkipped
from setpoint.model.events.requests import ChangeReviewed
from setpoint.model.events.run import ReviewAnswered, ReviewCompleted
from setpoint.model.facts.budget_account import phase_of, usage_of
from setpoint.model.facts.spending import used

N = TypeVar("N", int, float, Decimal)
OTHER = "other"
"""Calls without tools of an agent that works with tools: titles, summaries, looks at its quota."""
_LOST = "lost or under way"
"""Tokens of tries that no result holds."""
_OF_HIDDEN_TESTS = ("seal", "hidden-tests", "withdraw")
"""Labels under which hidden tests are written and answered for; the first in runs of earlier versions."""


def use_in_words(told: History, events: Sequence[Event]) -> dict[str, str]:
    """Return who made how many calls of models, as far as the proxy saw them, and who used what by role.

    For example `{"model calls": "10 (maker 7, reviewer 2, other 1)", "dollars": "0.42 (maker 0.42)"}`; tokens
    and seconds likewise, and what is not known is left out.
    """
    played = {phase.name: str(phase.role) for phase in told.order.pipeline.phases if phase.role is not None}
    for name in _OF_HIDDEN_TESTS:
        played.setdefault(name, Role.TEST_DESIGNER)
    calls, seen = _called(told, played)
    tokens = seen or _told(events, played, used, told.account.tokens)
    seconds = _told(events, played, lambda usage: usage.duration_s or 0.0)
    dollars = _told(events, played, lambda usage: usage.cost_usd or Decimal(0), told.account.cost_usd)
    found = {
        "model calls": _summed(calls, "d"),
        "tokens": _summed(tokens, "d"),
        "agents' seconds": _summed(seconds, ".0f"),
        "dollars": _summed(dollars, ".2f"),
    }
    return {name: figures for name, figures in found.items() if figures}


def _called(told: History, played: Mapping[str, str]) -> tuple[Counter[str], Counter[str]]:
    """Return calls and tokens that the proxy saw, by role."""
    asked = [each for each in told.asked if each.call.api != "other"]
    with_tools = {each.label for each in asked if each.call.tools}
    calls, tokens = Counter[str](), Counter[str]()
    for each in asked:
        aside = each.label in with_tools and each.call.tools is False
        role = OTHER if aside else played.get(each.phase, each.phase)
        calls[role] += 1
        tokens[role] += used(each.call)
    return calls, tokens


def _told(
    events: Sequence[Event], played: Mapping[str, str], figure: Callable[[Usage], N], whole: N | None = None
) -> dict[str, N]:
    """Return a figure of attempts by role; `whole` is that of the run, lost tries included."""
    found = dict[str, N]()
    for event in events:
        usage = usage_of(event)
        if usage is not None and not isinstance(event.body, ReviewAnswered):
            role = _role(event, played)
            found[role] = found[role] + figure(usage) if role in found else figure(usage)
    known = sum(found.values())
    if whole is not None and whole > known:
        found[_LOST] = whole - known
    return found


def _role(event: Event, played: Mapping[str, str]) -> str:
    match event.body:
        case ReviewCompleted() | ChangeReviewed():
            return Role.REVIEWER
        case HiddenTestsWritten() | HiddenTestsAnswered():
            return Role.TEST_DESIGNER
        case ReflectionCompleted() | ReflectionSkipped():
            return Role.REFLECTOR
        case _:
            return played.get(phase_of(event), phase_of(event))


def _summed(figures: Mapping[str, int | float | Decimal], form: str) -> str:
    ranked = sorted(figures.items(), key=lambda pair: (pair[0] != Role.MAKER, pair[0] in (OTHER, _LOST)))
    named = ", ".join(f"{role.replace('_', ' ')} {figure:{form}}" for role, figure in ranked if figure)
    return f"{sum(figures.values()):{form}} ({named})" if named else ""
