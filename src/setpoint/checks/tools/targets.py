"""What a tool is pointed at: files, folders, or the packages that a change can reach."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from setpoint.checks.discovery.layout import Layout
from setpoint.checks.discovery.package_suites import fits
from setpoint.checks.discovery.workspaces import Touched, within
from setpoint.checks.tools.tool import Tool
from setpoint.model.changes.test_paths import is_test_path
from setpoint.presets import Preset


def targets_of(
    name: str, preset: Preset, layout: Layout, files: Iterable[str], changed: Collection[str]
) -> tuple[str, ...]:
    """Return the paths that a tool is pointed at; none where it knows by itself or has nothing to look at."""
    if preset.targets in ("tree", "none"):
        return (".",) if preset.targets == "tree" else ()
    if preset.targets == "configured":
        return () if name in layout.names_files else layout.packages
    fitting = (file for file in files if file in changed and fits(file, preset))
    return tuple(sorted(file for file in fitting if preset.tests or not is_test_path(file)))


def narrowed(tool: Tool, touched: Touched | None, files: Iterable[str]) -> Tool | None:
    """Return a tool that looks at the touched packages alone; none where it has nothing to look at there.

    One that is pointed at single files, or that its own configuration points, stays as it is.
    """
    if touched is None or touched.everything:
        return tool
    if tool.folders != ("",):
        folders = tuple(each for each in tool.folders if touched.holds(each))
        return replace(tool, folders=folders, part=touched.words) if folders else None
    if tool.preset.targets == "tree":
        fitting = [file for file in files if fits(file, tool.preset)]
        outer = (each for each in touched.reasons if not _inside_another(each, touched))
        targets = tuple(each for each in outer if any(within(file, each) for file in fitting))
    elif tool.preset.targets == "configured" and tool.targets:
        targets = tuple(each for each in tool.targets if touched.holds(each) or _owned(each, touched))
    else:
        return tool
    return replace(tool, targets=targets, part=touched.words) if targets else None


def _inside_another(folder: str, touched: Touched) -> bool:
    return any(folder != other and within(folder, other) for other in touched.reasons)


def _owned(path: str, touched: Touched) -> bool:
    """Whether a path lies in a touched package."""
    return any(within(path, each) for each in touched.reasons)
