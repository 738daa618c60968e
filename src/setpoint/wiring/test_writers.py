"""Who writes tests in a run that only writes tests: one alone, or several beside each other."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

from setpoint.agents.selection import Agents
from setpoint.agents.sifted import SiftedAgent
from setpoint.checks.cover.script_suite import script_suite
from setpoint.checks.cover.script_tests import ScriptTests
from setpoint.checks.parsing import is_script, suffix_of
from setpoint.errors import NoUsableAgent, UsageError
from setpoint.plugins import AgentPlugin
from setpoint.ports import Agent
from setpoint.settings import Settings
from setpoint.wiring.agents import agent_plugins, options_of, toolkit_of
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import held_checks

_DIRECTOR = "generator"
"""The plug-in that has others write tests."""
_ITS_OWN = "pynguin"
"""A strategy that it brings itself."""


def writers(name: str, agents: Agents, project: Project, settings: Settings) -> Agent:
    """Make the maker of a run that writes tests: asked piece by piece, and beside others that are named."""
    if is_script(suffix_of(next(iter(settings.cover.paths), ""))):
        return SiftedAgent(agents.make(name), partial(_sift, project, settings))
    named = dict.fromkeys((name, *settings.cover.strategies))
    others = {each: agents.make(each) for each in named if each != _ITS_OWN}
    options = replace(options_of(settings), others=others)
    return _director(settings).agent(toolkit_of(project, settings), options)


async def _sift(project: Project, settings: Settings, tree: Path) -> tuple[str, ...]:
    """Judge the tests of scripts that an agent left in its work copy, one by one."""
    async with held_checks(project, settings):
        cache = project.copies / "scratch" / "tools"
        suite = await script_suite(project.root, tree, settings, project.artifacts, cache)
        if isinstance(suite, str):
            return (f"The tests were not judged: {suite}",)
        return await ScriptTests(suite=suite, tree=tree, files=settings.cover.paths).sift()


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
