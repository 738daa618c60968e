"""Which of the calls of models that the proxy saw were the maker's own work, and which were not."""

from __future__ import annotations

from collections.abc import Iterable

from setpoint.history.run_history import History
from setpoint.model.attempt import ModelCall, Role
from setpoint.model.facts.spending import used

OTHER = "other"
"""Calls without tools of an agent that works with tools: titles, summaries, looks at its quota."""
_SEAL = "seal"
"""The phase in which tests are written that the maker is not to see."""


def calls_in_words(told: History) -> str:
    """Say how many calls of models a run made and who made them, with the tokens; empty where none was seen.

    For example `10 (maker 7, reviewer 2, other 1); tokens: 5200 (maker 4000, reviewer 1000, other 200)`.
    """
    found = _by_role(told)
    calls = {role: len(own) for role, own in found.items()}
    tokens = {role: sum(used(each) for each in own) for role, own in found.items()}
    return f"{_summed(calls)}; tokens: {_summed(tokens)}" if calls else ""


def _by_role(told: History) -> dict[str, list[ModelCall]]:
    """Return the calls by the role of who made them: the maker first, those that are no work last."""
    played = {phase.name: str(phase.role) for phase in told.order.pipeline.phases if phase.role is not None}
    played.setdefault(_SEAL, Role.TEST_DESIGNER)
    asked = [each for each in told.asked if each.call.api != "other"]
    with_tools = {each.label for each in asked if each.call.tools}
    found: dict[str, list[ModelCall]] = {}
    for each in asked:
        aside = each.label in with_tools and each.call.tools is False
        role = OTHER if aside else played.get(each.phase, each.phase)
        found.setdefault(role, []).append(each.call)
    return dict(sorted(found.items(), key=lambda pair: (pair[0] != Role.MAKER, pair[0] == OTHER)))


def _summed(figures: dict[str, int]) -> str:
    return f"{sum(figures.values())} ({_listed(figures.items())})"


def _listed(figures: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{role.replace('_', ' ')} {figure}" for role, figure in figures)
