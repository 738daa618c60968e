"""In which folders a tool runs that looks at one package at a time, and with which options of the project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from setpoint.checks.discovery.own_commands.command import OwnCommand
from setpoint.checks.discovery.package_suites import is_lent
from setpoint.checks.discovery.workspaces import within
from setpoint.model.shell import unquoted
from setpoint.presets import Preset, Via, presets


def tool_folders(preset: Preset, files: Iterable[str], scripts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the folders of the packages that a tool looks at; `scripts` is the text of each `package.json`.

    None where it looks at the whole tree at once, or where the repository has no such package.
    """
    if not preset.manifest:
        return ()
    folders = sorted(set(_fitting(preset, files, scripts)))
    if preset.nested_packages:
        return tuple(folders)
    return tuple(
        each for each in folders if not any(each != other and within(each, other) for other in folders)
    )


def tool_options(name: str, runner: str, own: Iterable[OwnCommand]) -> dict[str, tuple[str, ...]]:
    """Return options of the project's own commands for a tool, by folder, such as features of a crate.

    Where no command calls the tool, those count with which one calls `runner`.
    """
    by_runner: dict[str, tuple[str, ...]] = {}
    named: dict[str, tuple[str, ...]] = {}
    for command in own:
        calls = command.calls()
        for found, of in ((named, name), (by_runner, runner)):
            for call in calls.get(of, ()):
                found.setdefault(command.folder, tuple(map(unquoted, call.options)))
    return {**by_runner, **named}


def used_below(files: tuple[str, ...], scripts: Mapping[str, str]) -> dict[str, str]:
    """Return the tools that a package below the root is enough for, with the reason for each."""
    found = {name: tool_folders(preset, files, scripts) for name, preset in presets().items()}
    return {
        name: f"{folders[0]}/{presets()[name].manifest}"
        for name, folders in found.items()
        if folders and folders[0] and presets()[name].manifest in presets()[name].signs.files
    }


def _fitting(preset: Preset, files: Iterable[str], scripts: Mapping[str, str]) -> Iterator[str]:
    for file in files:
        folder, _, name = file.rpartition("/")
        if name == preset.manifest and not is_lent(file):
            own = scripts.get(f"{folder}/package.json".lstrip("/"), "")
            if not folder or preset.via is not Via.NODE or _calls(preset.program, own):
                yield folder


def _calls(program: str, script: str) -> bool:
    """Whether a package's own scripts name a program."""
    return re.search(rf"(?<![\w./-]){re.escape(program)}(?![\w./-])", script) is not None
