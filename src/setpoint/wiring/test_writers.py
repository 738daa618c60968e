"""Who writes tests in a run that only writes tests: one alone, or several beside each other."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from setpoint.agents.selection import Agents
from setpoint.errors import NoUsableAgent, UsageError
from setpoint.plugins import AgentPlugin
from setpoint.ports import Agent
from setpoint.settings import Settings
from setpoint.wiring.agents import agent_plugins, options_of, toolkit_of
from setpoint.wiring.project import Project

_DIRECTOR = "generator"
"""The plug-in that has others write tests."""
_ITS_OWN = "pynguin"
"""A strategy that it brings itself."""


def writers(name: str, agents: Agents, project: Project, settings: Settings) -> Agent:
    """Make the maker of a run that writes tests: asked piece by piece, and beside others that are named."""
    named = dict.fromkeys((name, *settings.cover.strategies))
    others = {each: agents.make(each) for each in named if each != _ITS_OWN}
    options = replace(options_of(settings), others=others)
    return _director(settings).agent(toolkit_of(project, settings), options)


def check_strategies(project: Project, agents: Agents) -> None:
    """Look whether those who are to write tests beside the maker can; raises `UsageError` with the reason."""
    settings = project.settings
    for name in settings.cover.strategies:
        if name == _ITS_OWN:
            reason = _director(settings).why_not(options_of(settings))
        else:
            reason = asyncio.run(agents.why_not(name))
        if reason:
            raise UsageError(f"'{name}' cannot write tests here: {reason}", hint="fix that, or leave it out")


def _director(settings: Settings) -> AgentPlugin:
    loaded = agent_plugins(settings)
    if (found := loaded.usable.get(_DIRECTOR)) is not None:
        return found
    reasons = "; ".join(str(failure) for failure in loaded.failures if failure.name == _DIRECTOR)
    raise NoUsableAgent(
        f"the plug-in '{_DIRECTOR}' is needed to write tests{f': {reasons}' if reasons else ''}",
        hint="reinstall Setpoint, which includes it",
    )
