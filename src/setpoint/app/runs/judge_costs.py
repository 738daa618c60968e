"""Say before the first call is paid what hidden tests and reviews with a model will cost."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from setpoint.agents.registry import BUILT_IN
from setpoint.model.attempt import Role
from setpoint.model.changes.work_kind import kind_of_request
from setpoint.model.config.limits import Limits
from setpoint.model.pipeline import Pipeline
from setpoint.model.stories.story import Story
from setpoint.model.value import Value
from setpoint.model.wording import counted
from setpoint.phase.hidden_tests import SHARE
from setpoint.phase.policy.provable import OF_BEHAVIOUR


class JudgeCost(Value):
    """The least that a session costs: on a small project, with a scripted model (`bench/judges.py`)."""

    calls: int
    tokens_in: int
    """Four characters of a request count as one."""
    tokens_out: int
    dollars: bool
    """Whether its cost becomes known: it tells dollars, or tokens that a price is for."""


def judge_notes(
    names: Mapping[str, str], has_model: Callable[[str], bool], work: tuple[Story, Pipeline, Limits]
) -> tuple[str, ...]:
    """Return a line for whoever writes hidden tests, and one for each reviewer with a model."""
    story, pipeline, limits = work
    notes = list[str]()
    designs = any(phase.role is Role.TEST_DESIGNER for phase in pipeline.phases)
    designer = "" if designs else names.get(Role.TEST_DESIGNER, "")
    if designer and kind_of_request(story)[0] in OF_BEHAVIOUR:
        told = f"hidden tests: {designer} writes them beside the maker in a session of its own"
        notes.append(f"{told}{_cap(designer, limits)}{_measured(designer, Role.TEST_DESIGNER)}")
    kinds: dict[str, list[str]] = {}
    for role, name in names.items():
        if role.startswith(f"{Role.REVIEWER}:") and name not in BUILT_IN and has_model(name):
            kinds.setdefault(name, []).append(role.partition(":")[2])
    for name, named in kinds.items():
        told = f"reviews ({', '.join(named)}): {name} judges each round that passes its checks"
        notes.append(f"{told}, in a session of its own{_measured(name, Role.REVIEWER)}")
    return tuple(notes)


def _cap(name: str, limits: Limits) -> str:
    cost = judge_cost(name, Role.TEST_DESIGNER)
    known = "" if cost is None or cost.dollars else ", where its cost becomes known"
    money, tokens = limits.max_cost_usd / SHARE, (limits.max_tokens or 0) // SHARE
    caps = [f"${money:.2f} (a quarter of --max-cost{known})"] if money else []
    caps += [f"{tokens:,} tokens (a quarter of limits.max_tokens)"] if tokens else []
    return f", at most {' and '.join(caps)}" if caps else ""


def _measured(name: str, role: Role) -> str:
    if (cost := judge_cost(name, role)) is None:
        return ""
    tokens = f"about {cost.tokens_in:,} tokens in and {cost.tokens_out:,} out"
    each = " a review" if role is Role.REVIEWER else ""
    return f"; at least {counted(cost.calls, 'call')}, {tokens}{each} (measured with a scripted model)"


def judge_cost(agent: str, role: Role) -> JudgeCost | None:
    """Return what a session of an agent in a role cost; none where that was not measured."""
    found = _tables().get(agent, {}).get(role)
    return JudgeCost(**found) if found else None


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(files("setpoint.agents").joinpath("judges.toml").read_text("utf-8"))
