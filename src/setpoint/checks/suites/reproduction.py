"""Commands that run one test alone, as a person would type them at the root of a work copy."""

from __future__ import annotations

import re
import shlex

from setpoint.checks.discovery.project import Project
from setpoint.checks.suites.package_suite import owner
from setpoint.presets import presets

_META = re.compile(r"[\\^$.*+?()\[\]{}|/]")


def reproduction(test: str, project: Project) -> str:
    """Return the command that runs one test, given by its runner's identifier; empty where none is known.

    >>> reproduction("tests/test_calc.py::test_add", project)  # doctest: +SKIP
    'python -m pytest tests/test_calc.py::test_add'
    """
    place, _, name = test.partition("::")
    if place.endswith(".py"):
        return _of_python(test, place, name, project)
    chosen = owner(test, project.chosen)
    if not chosen or (folder := _folder(place, chosen, project)) is None:
        return ""
    leaf = _META.sub(r"\\\g<0>", name.replace(" > ", " ")) if chosen != "cargo_test" else name
    values = {"file": place.removeprefix(f"{folder}/"), "name": leaf.partition(r"\/")[0]}
    command = " ".join(
        shlex.quote(filled)
        for word in presets()[chosen].alone
        if (filled := word.format(**values)) and (name or "{name}" not in word)
    )
    return f"cd {shlex.quote(folder)} && {command}" if folder else command


def _of_python(test: str, place: str, name: str, project: Project) -> str:
    if "pytest" in project.chosen:
        return shlex.join(("python", "-m", "pytest", test))
    if "unittest" in project.chosen:
        pattern = ("-k", name.replace("::", ".")) if name else ()
        return shlex.join(("python", "-m", "unittest", *pattern, place))
    return ""


def _folder(place: str, chosen: str, project: Project) -> str | None:
    """Return the package in which the runner is started: empty for the root, none where it is not known."""
    found = project.layout.suites.get(chosen)
    folders = found.folders if found else ("",)
    if chosen == "go_test":  # its identifiers name packages by import path, not by folder
        return folders[0] if len(folders) == 1 else None
    inside = [each for each in folders if each and place.startswith(f"{each}/")]
    return max(inside, key=len, default="")
