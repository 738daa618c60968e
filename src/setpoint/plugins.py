"""Plug-ins: what other packages add to Setpoint through entry points.

They are looked for in Setpoint's own environment only, never in that of the project under work. Those that
come with Setpoint are on; others are used where the setting `plugins` names them.
"""

from __future__ import annotations

import importlib.metadata
import site
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Generic, Protocol, TypeVar, cast, runtime_checkable

from setpoint.model.config.custom_check import CustomCheck
from setpoint.model.cover import CoverGoals
from setpoint.model.finding import Finding
from setpoint.model.production import Signal
from setpoint.ports import Agent, Forge, Memory
from setpoint.ports.metric import PluggedMetric
from setpoint.ports.policy import PluggedGuard, PluggedPolicy
from setpoint.ports.toolkit import Toolkit

T = TypeVar("T")
OWN = "setpoint"
"""The distribution whose plug-ins are on."""


class Group(StrEnum):
    """Where a plug-in can be added: the name of its entry-point group."""

    AGENTS = "setpoint.agents"
    """Agents: a class that is made without arguments, an `AgentPlugin`."""
    CHECKS = "setpoint.checks"
    """Checks: a function without arguments that returns the definition, a `CustomCheck`."""
    GUARDS = "setpoint.guards"
    """Guards: a `PluggedGuard`."""
    HALTING = "setpoint.halting"
    """Halting policies: a `PluggedPolicy`."""
    PIPELINES = "setpoint.pipelines"
    """Pipelines: a text in TOML."""
    MEMORY = "setpoint.memory"
    """Memory: a function of the state folder that returns a `Memory`."""
    FORGES = "setpoint.forges"
    """Forges: a function of the repository's root that returns a `Forge`."""
    SIGNALS = "setpoint.signals"
    """Signal sources: a function that reads the signals of a message, a `SignalReader`."""
    FORMATS = "setpoint.formats"
    """Report formats: a function that reads the findings of a tool's report, a `FormatReader`."""
    METRICS = "setpoint.metrics"
    """Metrics: a `PluggedMetric`, or a function without arguments that returns one."""


MemoryMaker = Callable[[Path], Memory]
"""Makes the memory of a project from its state folder."""
ForgeMaker = Callable[[Path], Forge]
"""Makes the forge of a project from the root of its repository."""
SignalReader = Callable[[bytes], Sequence[Signal]]
"""Reads the signals in the body of a message; raises `ValueError` where it is no such message."""
FormatReader = Callable[[bytes, Path], Sequence[Finding]]
"""Reads the findings in a tool's report; the path is the root of the measured tree.

Raises `ValueError` where the text is no such report: the check is then an error, never a pass.
"""


@dataclass(frozen=True, kw_only=True)
class AgentOptions:
    """What the settings of a run say to an agent."""

    pytest_args: tuple[str, ...] = ()
    """More words for pytest."""
    fixers: tuple[tuple[str, ...], ...] = ()
    """Commands that mend a tree in place; `{workdir}` stands for the path of a copy."""
    cover: CoverGoals = field(default_factory=CoverGoals)
    """Files that are to be covered by tests, and how well."""
    others: Mapping[str, Agent] = field(default_factory=dict)
    """Agents that this one directs, by name, the maker first; none: it works alone."""


@runtime_checkable
class AgentPlugin(Protocol):
    """What an entry point of the group `setpoint.agents` names: a class that is made without arguments.

    The name of the entry point is the name of the agent in settings.
    """

    def why_not(self, options: AgentOptions) -> str:
        """Say why the agent cannot work with these options, and what to do; empty where it can."""

    def agent(self, toolkit: Toolkit, options: AgentOptions) -> Agent:
        """Make the agent; its `name` is that of the entry point, unless it directs others."""


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """An entry point of Setpoint's environment, as its package states it."""

    group: Group
    name: str
    distribution: str
    """The package that brings it."""
    version: str
    """Of the package."""
    target: str
    """Module and attribute, as in `package.module:Class`."""

    @property
    def adds(self) -> str:
        """Say what it adds, for example `agents: mechanic`."""
        return f"{self.group.removeprefix('setpoint.')}: {self.name}"

    @property
    def by(self) -> str:
        """Name it with its package, as messages do."""
        return f"{self.target} of {self.distribution} {self.version}"

    @property
    def built_in(self) -> bool:
        """Whether it comes with Setpoint."""
        return self.distribution == OWN


@dataclass(frozen=True)
class PluginError:
    """What code of a plug-in raised."""

    error: Exception

    @property
    def shown(self) -> str:
        """Say it in a line, with its kind."""
        return f"{type(self.error).__name__}: {self.error}"


@dataclass(frozen=True, kw_only=True)
class PluginFailure:
    """A plug-in that is left out."""

    name: str
    reason: str
    hint: str
    plugin: Plugin | None = None
    """None where no package brings the name."""

    def __str__(self) -> str:
        """Return the failure as a message."""
        return f"plug-in '{self.name}' is left out: {self.reason}; hint: {self.hint}"


@dataclass(frozen=True, kw_only=True)
class Loaded(Generic[T]):
    """The plug-ins of a group that can be used, and those that cannot."""

    usable: Mapping[str, T]
    """By name."""
    failures: tuple[PluginFailure, ...] = ()


_MADE: Mapping[Group, type] = {
    Group.AGENTS: AgentPlugin,
    Group.CHECKS: CustomCheck,
    Group.METRICS: PluggedMetric,
}
"""Groups whose entry points are called without arguments, with what they have to give."""


def installed(folders: Collection[str] | None = None) -> tuple[Plugin, ...]:
    """Return the plug-ins of Setpoint's own environment, built-in ones first.

    `folders` are searched for packages; by default those of the environment's installed packages, so that
    neither the working directory nor PYTHONPATH adds any.
    """
    found: dict[tuple[str, str, str], Plugin] = {}
    for distribution in importlib.metadata.distributions(path=[*(folders or _packages())]):
        for plugin in _of(distribution):
            found.setdefault((plugin.group, plugin.name, plugin.distribution), plugin)
    return tuple(sorted(found.values(), key=lambda each: (not each.built_in, each.group, each.name)))


def load_agents(names: Collection[str], found: Collection[Plugin] | None = None) -> Loaded[AgentPlugin]:
    """Load the agents that come with Setpoint and those of `names`, out of `found` or what is installed."""
    return cast("Loaded[AgentPlugin]", load(Group.AGENTS, names, found))


def load_checks(names: Collection[str], found: Collection[Plugin] | None = None) -> Loaded[CustomCheck]:
    """Load the definitions of checks, as `load_agents` does."""
    return cast("Loaded[CustomCheck]", load(Group.CHECKS, names, found))


def load_guards(names: Collection[str], found: Collection[Plugin] | None = None) -> Loaded[PluggedGuard]:
    """Load the guards, as `load_agents` does."""
    return cast("Loaded[PluggedGuard]", load(Group.GUARDS, names, found))


def load_policies(names: Collection[str], found: Collection[Plugin] | None = None) -> Loaded[PluggedPolicy]:
    """Load the halting policies, as `load_agents` does."""
    return cast("Loaded[PluggedPolicy]", load(Group.HALTING, names, found))


def load_pipelines(names: Collection[str], found: Collection[Plugin] | None = None) -> Loaded[str]:
    """Load the texts of pipelines, as `load_agents` does."""
    return cast("Loaded[str]", load(Group.PIPELINES, names, found))


def load_memories(names: Collection[str], found: Collection[Plugin] | None = None) -> Loaded[MemoryMaker]:
    """Load the makers of memory, as `load_agents` does."""
    return cast("Loaded[MemoryMaker]", load(Group.MEMORY, names, found))


def load_forges(names: Collection[str], found: Collection[Plugin] | None = None) -> Loaded[ForgeMaker]:
    """Load the makers of forges, as `load_agents` does."""
    return cast("Loaded[ForgeMaker]", load(Group.FORGES, names, found))


def load_signals(names: Collection[str], found: Collection[Plugin] | None = None) -> Loaded[SignalReader]:
    """Load the readers of signals, as `load_agents` does."""
    return cast("Loaded[SignalReader]", load(Group.SIGNALS, names, found))


def load_formats(names: Collection[str], found: Collection[Plugin] | None = None) -> Loaded[FormatReader]:
    """Load the readers of report formats, as `load_agents` does."""
    return cast("Loaded[FormatReader]", load(Group.FORMATS, names, found))


def load_metrics(names: Collection[str], found: Collection[Plugin] | None = None) -> Loaded[PluggedMetric]:
    """Load the metrics, as `load_agents` does."""
    return cast("Loaded[PluggedMetric]", load(Group.METRICS, names, found))


def missing(names: Collection[str], found: Collection[Plugin] | None = None) -> tuple[PluginFailure, ...]:
    """Return the wanted names that no installed plug-in has."""
    there = {plugin.name for plugin in (installed() if found is None else found)}
    hint = f"install its package beside Setpoint in {sys.prefix}, or take it out of the setting plugins"
    return tuple(
        PluginFailure(name=name, reason="no package of Setpoint's environment brings it", hint=hint)
        for name in dict.fromkeys(names)
        if name not in there
    )


def load(group: Group, names: Collection[str], found: Collection[Plugin] | None = None) -> Loaded[object]:
    """Load the plug-ins of a group that come with Setpoint and those of `names`, in the order of `names`.

    What breaks while it loads, or is not what its group asks for, is a failure and left out.
    """
    usable: dict[str, object] = {}
    failures = []
    order = [*names]
    listed = [each for each in (installed() if found is None else found) if each.group is group]
    wanted = [each for each in listed if each.built_in or each.name in order]
    for plugin in sorted(wanted, key=lambda each: -1 if each.built_in else order.index(each.name)):
        made = _taken(plugin) if plugin.name in usable else _made(plugin)
        if isinstance(made, PluginFailure):
            failures.append(made)
        else:
            usable[plugin.name] = made
    return Loaded(usable=usable, failures=tuple(failures))


def broke(plugin: Plugin, error: Exception, doing: str) -> PluginFailure:
    """Say that a plug-in broke while Setpoint used it."""
    return PluginFailure(
        name=plugin.name,
        reason=f"{plugin.by} broke while it {doing}: {type(error).__name__}: {error}",
        hint=f"update or uninstall {plugin.distribution}, or take it out of the setting plugins",
        plugin=plugin,
    )


def _taken(plugin: Plugin) -> PluginFailure:
    return PluginFailure(
        name=plugin.name,
        reason=f"{plugin.distribution} {plugin.version} brings it under a name that is taken",
        hint="uninstall one of the two packages, or rename the entry point",
        plugin=plugin,
    )


def attempt(act: Callable[[], T]) -> T | PluginError:
    """Call code of a plug-in; return what it raised as a `PluginError`, so that nothing ends with it."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - the boundary to plug-ins: foreign code raises what it likes
        return PluginError(error)


def _made(plugin: Plugin) -> object:
    entry = importlib.metadata.EntryPoint(plugin.name, plugin.target, plugin.group)

    def loaded() -> object:
        made: object = entry.load()
        return made() if plugin.group in _MADE and callable(made) else made

    made = attempt(loaded)
    if isinstance(made, PluginError):
        return PluginFailure(
            name=plugin.name,
            reason=f"{plugin.by} cannot be loaded: {made.shown}",
            hint=f"update or uninstall {plugin.distribution}, or take it out of the setting plugins",
            plugin=plugin,
        )
    wanted = _MADE.get(plugin.group) or (str if plugin.group is Group.PIPELINES else None)
    if isinstance(made, wanted) if wanted else callable(made):
        return made
    what = wanted.__name__ if wanted else "function"
    return PluginFailure(
        name=plugin.name,
        reason=f"{plugin.by} is no {what}",
        hint=f"update {plugin.distribution} to a version for this Setpoint",
        plugin=plugin,
    )


def _of(distribution: importlib.metadata.Distribution) -> Iterator[Plugin]:
    groups = {str(group): group for group in Group}
    for entry in distribution.entry_points:
        if group := groups.get(entry.group):
            yield Plugin(
                group=group,
                name=entry.name,
                distribution=str(distribution.metadata["Name"]),
                version=distribution.version,
                target=entry.value,
            )


def _packages() -> tuple[str, ...]:
    """Return the folders of installed packages that this Python imports from."""
    paths = sysconfig.get_paths()
    own = {paths["purelib"], paths["platlib"], *site.getsitepackages()}
    if site.ENABLE_USER_SITE:
        own.add(site.getusersitepackages())
    resolved = {Path(folder).resolve() for folder in own}
    return tuple(
        folder for folder in dict.fromkeys(sys.path) if folder and Path(folder).resolve() in resolved
    )
