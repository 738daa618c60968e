"""The commands for tests, lint, types and build that a project's own files name."""

from __future__ import annotations

import configparser
import re
from collections.abc import Callable, Collection, Iterator, Mapping

import yaml

from setpoint.checks.discovery.own_commands.ant_targets import test_command
from setpoint.checks.discovery.own_commands.command import NAMES, Kind, OwnCommand, command
from setpoint.checks.discovery.own_commands.environments import nox_sessions, tox_ini, tox_toml
from setpoint.checks.discovery.own_commands.followed import followed
from setpoint.checks.discovery.own_commands.justfile import just_commands
from setpoint.checks.discovery.own_commands.makefile import MAKEFILES, make_commands
from setpoint.checks.discovery.own_commands.package_scripts import manifest_of, scripts_of, steps_of
from setpoint.checks.discovery.own_commands.task_tables import hatch_toml, pyproject
from setpoint.checks.discovery.own_commands.typed import document, gitlab, readme, workflow

_UNREADABLE = (
    SyntaxError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    RecursionError,
    configparser.Error,
    yaml.YAMLError,
)
"""What comes of reading a file as something that it is not."""


def own_commands(texts: Mapping[str, str], files: Collection[str] = ()) -> tuple[OwnCommand, ...]:
    """Find them in the texts of files, by path; for each kind and folder the strongest source counts.

    `files` are all files of the project.
    """
    found: dict[tuple[str, Kind], OwnCommand] = {}
    every = list[OwnCommand]()
    for matches, read in _SOURCES:
        for file in sorted(
            (each for each in texts if matches(each)), key=lambda each: (each.count("/"), each)
        ):
            try:
                commands = [*read(file, texts, files)]
            except _UNREADABLE:
                continue  # whatever it is, it is not what its name says
            every += commands
            for each in commands:
                if each.steps:
                    found.setdefault((each.folder, each.kind), each)
    typed = {each.shown: each for each in reversed(every)}
    return tuple(followed(each, typed, texts) for each in found.values())


def _package_json(file: str, text: str) -> Iterator[OwnCommand]:
    manifest = manifest_of(text)
    scripts = scripts_of(manifest)
    for kind, names in NAMES.items():
        name = next((each for each in names if each in scripts), "")
        if name:
            shown = "npm test" if name == "test" else f"npm run {name}"
            whole = "\n".join(scripts.get(each, "") for each in (f"pre{name}", name, f"post{name}"))
            yield command(kind, shown, file, whole.strip(), steps=steps_of(name, scripts))


def _build_xml(file: str, text: str) -> Iterator[OwnCommand]:
    typed = test_command(text)
    yield from [command(Kind.TEST, typed, file, typed)] if typed else []


def _named(*names: str) -> Callable[[str], bool]:
    return lambda file: file in names


_Read = Callable[[str, Mapping[str, str], Collection[str]], Iterator[OwnCommand]]


def _alone(read: Callable[[str, str], Iterator[OwnCommand]]) -> _Read:
    """Read a file that names no other."""
    return lambda file, texts, _: read(file, texts[file])


_SOURCES: tuple[tuple[Callable[[str], bool], _Read], ...] = (
    (lambda file: file.rpartition("/")[2] == "package.json", _alone(_package_json)),
    (_named(*MAKEFILES), make_commands),
    (_named("justfile", ".justfile", "Justfile"), _alone(just_commands)),
    (_named("build.xml"), _alone(_build_xml)),
    (_named("tox.ini"), _alone(tox_ini)),
    (_named("tox.toml"), _alone(tox_toml)),
    (_named("pyproject.toml"), _alone(pyproject)),
    (_named("hatch.toml"), _alone(hatch_toml)),
    (_named("noxfile.py"), _alone(nox_sessions)),
    (lambda file: re.fullmatch(r"\.github/workflows/[^/]+\.ya?ml", file) is not None, _alone(workflow)),
    (_named(".gitlab-ci.yml"), _alone(gitlab)),
    (
        lambda file: re.fullmatch(r"(?:\.github/)?CONTRIBUTING\.(?:md|rst)", file) is not None,
        _alone(document),
    ),
    (_named("README.md", "README.rst"), _alone(readme)),
)
"""Where commands are named, the strongest source first."""
NAMING = (
    *MAKEFILES, "justfile", ".justfile", "Justfile", "build.xml", "tox.ini",
    "tox.toml", "pyproject.toml", "hatch.toml", "noxfile.py", ".gitlab-ci.yml", "CONTRIBUTING.md",
    ".github/CONTRIBUTING.md", "CONTRIBUTING.rst", "README.md", "README.rst",
)  # fmt: skip
"""Files that name commands, beside manifests, workflows and `*.mk`, which other readers ask for too."""
