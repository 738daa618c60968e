"""Who used the models of a run: the maker, other roles, and calls beside the work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from setpoint.history.run_history import History
from setpoint.model.attempt import Role
from setpoint.model.events import Event
from setpoint.model.events.hidden_tests import HiddenTestsAnswered, HiddenTestsWritten
from setpoint.model.events.learning import ReflectionCompleted, ReflectionSkipped
from setpoint.model.events.requests import ChangeReviewed
from setpoint.model.events.run import ReviewAnswered, ReviewCompleted
from setpoint.model.facts.budget_account import phase_of, usage_of
from setpoint.model.facts.spending import used

OTHER = "other"
"""Calls without tools of an agent that works with tools: titles, summaries, looks at its quota."""
_LOST = "lost or under way"
"""Tokens of tries that no result holds."""
_OF_HIDDEN_TESTS = ("seal", "hidden-tests", "withdraw")
"""Labels under which hidden tests are written and answered for; the first in runs of earlier versions."""


def use_in_words(told: History, events: Sequence[Event]) -> dict[str, str]:
    """Return who made how many calls of models, as far as the proxy saw them, and who used how many tokens.

    For example `{"model calls": "10 (maker 7, reviewer 2, other 1)", "tokens": "360 (maker 300, other 60)"}`;
    what is not known is left out.
    """
    played = {phase.name: str(phase.role) for phase in told.order.pipeline.phases if phase.role is not None}
    for name in _OF_HIDDEN_TESTS:
        played.setdefault(name, Role.TEST_DESIGNER)
    calls, tokens = _called(told, played)
    tokens = tokens or _told(told, events, played)
    found = {"model calls": calls, "tokens": tokens}
    return {name: _summed(figures) for name, figures in found.items() if figures.total()}


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


def _told(told: History, events: Sequence[Event], played: Mapping[str, str]) -> Counter[str]:
    """Return the tokens of attempts as these told them, by role."""
    tokens = Counter[str]()
    for event in events:
        usage = usage_of(event)
        if usage is not None and not isinstance(event.body, ReviewAnswered):
            tokens[_role(event, played)] += used(usage)
    tokens[_LOST] += max(told.account.tokens - tokens.total(), 0)
    return tokens


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


def _summed(figures: Counter[str]) -> str:
    ranked = sorted(figures.items(), key=lambda pair: (pair[0] != Role.MAKER, pair[0] in (OTHER, _LOST)))
    named = ", ".join(f"{role.replace('_', ' ')} {figure}" for role, figure in ranked if figure)
    return f"{figures.total()} ({named})"
