"""What plug-ins of other packages add to a run, as its order names them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

from setpoint.errors import UsageError
from setpoint.history.metrics.definitions import measures
from setpoint.history.metrics.plugged import METRIC_NAME, NamedMetric, PluginMetrics
from setpoint.model.config.custom_check import BUILT_IN_FORMATS, CHECK_NAME, OWN_CHECKS, CustomCheck
from setpoint.model.run import EnabledPlugin, RunOrder
from setpoint.plugins import (
    ForgeMaker,
    Group,
    MemoryMaker,
    Plugin,
    PluginError,
    PluginFailure,
    attempt,
    installed,
    load,
    load_checks,
    load_forges,
    load_guards,
    load_memories,
    load_metrics,
    load_pipelines,
    load_policies,
)
from setpoint.ports import Forge, Memory
from setpoint.ports.policy import PluggedGuard, PluggedPolicy
from setpoint.presets import presets
from setpoint.settings import Settings

T = TypeVar("T")
_ONE = (Group.HALTING, Group.MEMORY, Group.FORGES)
"""Groups of which a run uses one plug-in alone."""
_OF_RUNS = tuple(group for group in Group if group is not Group.METRICS)
"""Groups that an order freezes; metrics are computed after the run."""


class Extensions(NamedTuple):
    """The plug-ins of other packages that a run uses."""

    guards: Mapping[str, PluggedGuard] = {}
    policies: Mapping[str, PluggedPolicy] = {}
    memories: Mapping[str, MemoryMaker] = {}
    forges: Mapping[str, ForgeMaker] = {}


def extensions_of(ordered: RunOrder) -> Extensions:
    """Load what the order of a run names, beside its agents."""
    wanted = ordered.plugins
    if not wanted:
        return Extensions()
    found = installed()

    def of(group: Group) -> tuple[str, ...]:
        return tuple(each.name for each in wanted if each.group == group)

    return Extensions(
        guards=load_guards(of(Group.GUARDS), found).usable,
        policies=load_policies(of(Group.HALTING), found).usable,
        memories=load_memories(of(Group.MEMORY), found).usable,
        forges=load_forges(of(Group.FORGES), found).usable,
    )


def memory_by(extensions: Extensions, state: Path) -> Memory | None:
    """Make the memory that a plug-in brings; none where no plug-in does."""
    return _made(extensions.memories, state, "memory")


def forge_by(extensions: Extensions, root: Path) -> Forge | None:
    """Make the forge that a plug-in brings; none where no plug-in does."""
    return _made(extensions.forges, root, "forge")


def _made(makers: Mapping[str, Callable[[Path], T]], folder: Path, what: str) -> T | None:
    for name, make in makers.items():
        made = attempt(partial(make, folder))
        if not isinstance(made, PluginError):
            return made
        message = f"plug-in '{name}' cannot make its {what}: {made.shown}"
        raise UsageError(
            message, hint="update its package, or take it out of the setting plugins and begin a new run"
        ) from made.error
    return None


def enabled(
    names: Collection[str], found: Collection[Plugin] | None = None
) -> tuple[tuple[EnabledPlugin, ...], tuple[PluginFailure, ...]]:
    """Return the plug-ins that a run with these settings uses, and those that fail, agents left aside."""
    if not names:
        return (), ()
    found = installed() if found is None else found
    used: list[EnabledPlugin] = []
    failures: list[PluginFailure] = []
    for group in _OF_RUNS:
        loaded = load(group, names, found)
        # The selection of agents reports their failures.
        failures += loaded.failures if group is not Group.AGENTS else ()
        good = [each for each in _by_others(group, found) if each.name in loaded.usable]
        failed = {failure.plugin for failure in loaded.failures}
        good = [each for each in good if each not in failed]
        first = [name for name in loaded.usable if name in {each.name for each in good}][:1]
        for each in good:
            if group in _ONE and each.name not in first:
                failures.append(_second(each, first[0]))
            elif not _free(group, each.name):
                failures.append(_taken(each))
            elif group is Group.CHECKS and not cast("CustomCheck", loaded.usable[each.name]).readable(names):
                failures.append(_unreadable(each))
            else:
                used.append(_frozen(each))
    return tuple(used), tuple(failures)


def changed(ordered: RunOrder, found: Collection[Plugin] | None = None) -> str:
    """Say which plug-ins of a run have another version now; empty where all are as they were.

    Raises `UsageError` where one is gone.
    """
    if not ordered.plugins:
        return ""
    now = {
        (each.group, each.name, each.distribution): each for each in (installed() if found is None else found)
    }
    told = []
    for each in ordered.plugins:
        there = now.get((Group(each.group), each.name, each.package))
        if there is None:
            message = f"{ordered.trace_id}: plug-in '{each.name}' of {each.package} {each.version} is gone"
            raise UsageError(
                message, hint=f"install {each.package}=={each.version} beside Setpoint, or begin a new run"
            )
        if there.version != each.version:
            told.append(f"plug-in '{each.name}' is of {each.package} {there.version}, before {each.version}")
    return "; ".join(told)


def with_checks(settings: Settings) -> Settings:
    """Add the checks of enabled plug-ins; a check that the settings define under that name goes first."""
    if not settings.plugins:
        return settings
    more = {
        name: check
        for name, check in load_checks(settings.plugins).usable.items()
        if name not in settings.check and _free(Group.CHECKS, name) and check.readable(settings.plugins)
    }
    return settings.model_copy(update={"check": {**settings.check, **more}}) if more else settings


def pipelines_of(settings: Settings) -> Mapping[str, str]:
    """Return the pipelines of enabled plug-ins as texts, by name."""
    return load_pipelines(settings.plugins).usable if settings.plugins else {}


def metrics_of(settings: Settings, found: Collection[Plugin] | None = None) -> PluginMetrics:
    """Return the metrics of enabled plug-ins, and those that are left out."""
    if not settings.plugins:
        return PluginMetrics()
    found = installed() if found is None else found
    loaded = load_metrics(settings.plugins, found)
    by_name = {each.name: each for each in reversed(_by_others(Group.METRICS, found))}
    usable = [by_name[name] for name in loaded.usable]
    return PluginMetrics(
        metrics=tuple(
            NamedMetric(plugin=each, metric=loaded.usable[each.name])
            for each in usable
            if _free(Group.METRICS, each.name)
        ),
        failures=(
            *loaded.failures,
            *(_taken(each) for each in usable if not _free(Group.METRICS, each.name)),
        ),
    )


def _free(group: Group, name: str) -> bool:
    """Whether a plug-in of this group can have the name, as Setpoint does not have it."""
    match group:
        case Group.CHECKS:
            return name not in {*OWN_CHECKS, *presets()} and CHECK_NAME.fullmatch(name) is not None
        case Group.FORMATS:
            return name not in BUILT_IN_FORMATS and CHECK_NAME.fullmatch(name) is not None
        case Group.METRICS:
            own = {each.name for each in measures()}
            return name not in own and METRIC_NAME.fullmatch(name) is not None
        case _:
            return True


def _by_others(group: Group, found: Collection[Plugin]) -> list[Plugin]:
    return [each for each in found if each.group is group and not each.built_in]


def _second(plugin: Plugin, first: str) -> PluginFailure:
    return PluginFailure(
        name=plugin.name,
        reason=f"a run uses one of {plugin.group}, and '{first}' comes first",
        hint="take one of the two out of the setting plugins",
        plugin=plugin,
    )


def _taken(plugin: Plugin) -> PluginFailure:
    return PluginFailure(
        name=plugin.name,
        reason=f"no {plugin.group.removeprefix('setpoint.').removesuffix('s')} of a plug-in can be called "
        f"'{plugin.name}'",
        hint="rename the entry point, or take it out of the setting plugins",
        plugin=plugin,
    )


def _unreadable(plugin: Plugin) -> PluginFailure:
    return PluginFailure(
        name=plugin.name,
        reason="neither Setpoint nor an enabled plug-in reads its format",
        hint="name the plug-in that reads it in the setting plugins too",
        plugin=plugin,
    )


def _frozen(plugin: Plugin) -> EnabledPlugin:
    return EnabledPlugin(
        group=plugin.group, name=plugin.name, package=plugin.distribution, version=plugin.version
    )
