"""Who writes tests in a run that only writes tests: one alone, or several beside each other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from setpoint.agents.choice import Agents
from setpoint.agents.generator import AskedAgent, GeneratorAgent, PynguinAgent, Strategies
from setpoint.agents.generator.pynguin import NO_INTERPRETER
from setpoint.agents.mechanic import MechanicAgent
from setpoint.agents.rules import RulesAgent
from setpoint.errors import UsageError
from setpoint.pipelines import render
from setpoint.ports import Agent
from setpoint.settings import Settings
from setpoint.wiring.project import Project

_PLAIN = (GeneratorAgent.name, MechanicAgent.name, RulesAgent.name)


def writers(
    name: str, plain: Callable[[str], Agent], project: Project, settings: Settings, prompts: Path | None
) -> Agent:
    """Make the maker of a run that writes tests: asked piece by piece, and beside others that are named."""

    def one(name: str) -> Agent:
        if name == PynguinAgent.name:
            return PynguinAgent(project.artifacts, settings.cover, settings.checks.pytest_args)
        if name in _PLAIN:
            return plain(name)
        ask = partial(render, overrides=prompts)
        return AskedAgent(plain(name), project.artifacts, settings.cover, ask, settings.checks.pytest_args)

    others = [each for each in dict.fromkeys(settings.cover.strategies) if each != name]
    if not others:
        return one(name)
    return Strategies(
        {each: one(each) for each in (name, *others)},
        project.artifacts,
        settings.cover,
        settings.checks.pytest_args,
        project.state / "scratch",
    )


def check_strategies(project: Project, agents: Agents) -> None:
    """Look whether those who are to write tests beside the maker can; raises `UsageError` with the reason."""
    for name in project.settings.cover.strategies:
        if name == PynguinAgent.name:
            reason = "" if project.settings.cover.pynguin else NO_INTERPRETER
        else:
            reason = asyncio.run(agents.why_not(name))
        if reason:
            raise UsageError(f"'{name}' cannot write tests here: {reason}", mend="mend that, or leave it out")
