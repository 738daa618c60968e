"""Commands that run one test alone, as a person would type them at the root of a work copy."""

from __future__ import annotations

import re
import shlex

from setpoint.checks.discovery.project import Project
from setpoint.checks.discovery.workspaces import WITHOUT_WORK, nearest
from setpoint.checks.suites.package_suite import owner
from setpoint.model.evidence import OWN_TESTS
from setpoint.presets import presets

_ASKING = ("-run", "-t", "-g")
"""Options that the name of a test follows."""
_NAMED = re.compile(r"\{name\}|\{leaf\}")
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
    if chosen == OWN_TESTS:  # a part of its tests cannot be asked for
        return f"cd {shlex.quote(folder)} && {name}" if folder else name
    values = {"file": place.removeprefix(f"{folder}/"), **_names(name, chosen)}
    words = [word for word in presets()[chosen].alone if name or word not in _ASKING]
    command = " ".join(
        shlex.quote(filled)
        for word in words
        if (filled := word.format(**values)) and (name or not _NAMED.search(word))
    )
    if chosen == "go_test" and folder in project.layout.workspaces.unused:
        command = f"{shlex.join(f'{name}={value}' for name, value in WITHOUT_WORK.items())} {command}"
    return f"cd {shlex.quote(folder)} && {command}" if folder else command


def _of_python(test: str, place: str, name: str, project: Project) -> str:
    if "pytest" in project.chosen:
        at = nearest(place, [root.folder for root in project.layout.test_roots])
        inner = test[len(at) + 1 :] if at else test
        command = shlex.join(("python", "-m", "pytest", inner))
        return f"cd {shlex.quote(at)} && {command}" if at else command
    if "unittest" in project.chosen:
        pattern = ("-k", name.replace("::", ".")) if name else ()
        return shlex.join(("python", "-m", "unittest", *pattern, place))
    return ""


def _names(name: str, chosen: str) -> dict[str, str]:
    """Return the name of a test as a pattern, with its groups and without; of a subtest in Go its test."""
    if chosen == "cargo_test":
        return {"name": name, "leaf": name}
    if presets()[chosen].reports is not None:
        plain = re.split(r"[\[({]", name, maxsplit=1)[0]
        return {"name": plain, "leaf": plain}
    name = name.partition("/")[0] if chosen == "go_test" else name
    escaped = _META.sub(r"\\\g<0>", name)
    return {"name": escaped.replace(" > ", " "), "leaf": escaped.rpartition(" > ")[2]}


def _folder(place: str, chosen: str, project: Project) -> str | None:
    """Return the package in which the runner is started: empty for the root, none where it is not known."""
    found = project.layout.suites.get(chosen)
    folders = found.folders if found else ("",)
    if (
        chosen == "go_test" or presets()[chosen].reports is not None
    ):  # their identifiers name packages, not folders
        return folders[0] if len(folders) == 1 else None
    inside = [each for each in folders if each and place.startswith(f"{each}/")]
    return max(inside, key=len, default="")
