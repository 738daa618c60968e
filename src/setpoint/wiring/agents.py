"""Agents by name: those of plug-ins, and those that run as programs of their own."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from setpoint.agents.registry import known
from setpoint.agents.rules import RulesAgent
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.agents.selection import Agents, Plugged
from setpoint.agents.spending.prices import Prices
from setpoint.checks.discovery.interpreter import environments, own_code
from setpoint.plugins import AgentOptions, AgentPlugin, Loaded, load_agents, missing
from setpoint.settings import Settings
from setpoint.system.files.data_folder import data_folder
from setpoint.system.git.clone import private_folders
from setpoint.system.git.history import FOLDER
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import covered, hold_of
from setpoint.wiring.toolkit import HostToolkit
from setpoint.workspace.copies_folder import cache_folder


def agents_of(project: Project, settings: Settings | None = None) -> Agents:
    """Make the maker of agents; `settings` are those of a run's order, by default the project's."""
    return Agents(
        known(project.settings.agent, proxied=project.settings.agents.proxy),
        artifacts=project.artifacts,
        scratch=project.state / "scratch",
        prices=Prices(project.settings.price),
        sandbox=sandbox(project),
        plugged=_plugged(project, settings or project.settings),
    ).within(project.root)


def sandbox(project: Project) -> Sandbox:
    """Make what holds the agents of a project."""
    cache = cache_folder(project.settings, project.root)
    code = (cache, data_folder(), *own_code(), *environments(project.root, project.settings.checks))
    hidden = project.artifacts.hidden
    theirs = tuple(map(Path, covered(project)))
    return Sandbox(
        project.settings.sandbox,
        protected=(project.root, *theirs),
        code=code,
        covered=(*private_folders(project.root), *theirs, project.copies / FOLDER),
        sessions=hidden.place / "sessions" if hidden else None,
    )


def toolkit_of(project: Project, settings: Settings) -> HostToolkit:
    """Make what the agents of plug-ins work with; their commands run the project's code, so they are held."""
    hold = partial(hold_of, project, settings)
    return HostToolkit(project.artifacts, project.copies / "scratch", prompt_folder(project.root), hold)


def options_of(settings: Settings) -> AgentOptions:
    """Return the agents of plug-ins what the settings say to them."""
    return AgentOptions(
        pytest_args=settings.checks.pytest_args, fixers=settings.agents.fixers, cover=settings.cover
    )


def agent_plugins(settings: Settings) -> Loaded[AgentPlugin]:
    """Load the agents of plug-ins that the settings enable."""
    return load_agents(settings.plugins)


def prompt_folder(root: Path) -> Path | None:
    """Name the folder of a project's own prompt templates, where it has one."""
    folder = root / "setpoint-prompts"
    return folder if folder.is_dir() else None


def _plugged(project: Project, settings: Settings) -> Plugged:
    loaded = agent_plugins(settings)
    toolkit, options = toolkit_of(project, settings), options_of(settings)
    reasons = {name: plugin.why_not(options) for name, plugin in loaded.usable.items()}
    failures = (*loaded.failures, *missing(settings.plugins))
    return Plugged(
        make={
            RulesAgent.name: RulesAgent,
            **{name: partial(plugin.agent, toolkit, options) for name, plugin in loaded.usable.items()},
        },
        why_not={
            **{name: reason for name, reason in reasons.items() if reason},
            **{failure.name: f"{failure.reason}; hint: {failure.hint}" for failure in failures},
        },
        left_out=tuple(str(failure) for failure in failures),
    )
