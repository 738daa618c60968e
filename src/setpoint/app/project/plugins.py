"""The rows of `setpoint admin plugins`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from setpoint.model.value import Value
from setpoint.plugins import Group, Plugin, PluginFailure, installed, load, missing
from setpoint.wiring.plugins import enabled, metrics_of
from setpoint.wiring.project import Project


class PluginRow(Value):
    """One line of `setpoint admin plugins`."""

    name: str
    adds: str
    """What it adds: its entry-point group without `setpoint.`; empty where no package brings it."""
    package: str = ""
    version: str = ""
    """Of the package."""
    state: str
    """`built-in`, `enabled`, `not enabled` or `failed`."""
    reason: str = ""
    """Why it failed."""
    hint: str = ""
    """What to do about that."""


def plugin_rows(project: Project, found: Collection[Plugin] | None = None) -> Sequence[PluginRow]:
    """Return what is installed, and what the setting `plugins` names without it; enabled ones are loaded."""
    names = project.settings.plugins
    found = installed() if found is None else found
    told = [failure for group in Group for failure in load(group, names, found).failures]
    told += [*enabled(names, found)[1], *metrics_of(project.settings, found).failures]
    failures = {failure.plugin: failure for failure in told}
    return (
        *(_row(plugin, failures.get(plugin), enabled=plugin.name in names) for plugin in found),
        *(_absent(each) for each in missing(names, found)),
    )


def _row(plugin: Plugin, failure: PluginFailure | None, *, enabled: bool) -> PluginRow:
    state = "built-in" if plugin.built_in else "enabled" if enabled else "not enabled"
    return PluginRow(
        name=plugin.name,
        adds=plugin.group.removeprefix("setpoint."),
        package=plugin.distribution,
        version=plugin.version,
        state="failed" if failure else state,
        reason=failure.reason if failure else "",
        hint=failure.hint if failure else "",
    )


def _absent(failure: PluginFailure) -> PluginRow:
    return PluginRow(name=failure.name, adds="", state="failed", reason=failure.reason, hint=failure.hint)
