"""The commands for tests, lint, types and build that a project's own files name."""

from __future__ import annotations

import configparser
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

import yaml

from setpoint.checks.discovery.own_commands.ant_targets import test_command
from setpoint.checks.discovery.own_commands.command import NAMES, Kind, OwnCommand, command
from setpoint.checks.discovery.own_commands.environments import nox_sessions, tox_ini, tox_toml
from setpoint.checks.discovery.own_commands.justfile import just_commands
from setpoint.checks.discovery.own_commands.makefile import MAKEFILES, make_commands
from setpoint.checks.discovery.own_commands.package_scripts import manifest_of, scripts_of, steps_of
from setpoint.checks.discovery.own_commands.steps import started
from setpoint.checks.discovery.own_commands.task_tables import hatch_toml, pyproject
from setpoint.checks.discovery.own_commands.typed import document, gitlab, readme, workflow
from setpoint.model.shell import Part

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
_ALONE = 2
"""Words of a call of a script without arguments: `sh test.sh`."""


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
    return tuple(_followed(each, typed, texts) for each in found.values())


def _followed(own: OwnCommand, typed: Mapping[str, OwnCommand], texts: Mapping[str, str]) -> OwnCommand:
    """Put what another file says in the place of a step: `tox` behind `make test`, a shell script."""
    if own.opaque or own.excluded:
        return own
    alone = started(own.steps[0].words) if len(own.steps) == 1 else []
    text = texts.get(_script_named(alone), "") if alone else ""
    if _is_shell(text) and not _script_of(alone, texts):
        return replace(own, steps=(Part("", (text,)),), opaque=True, whole=own.script)
    steps = list[Part]()
    for step in own.steps:
        words = started(step.words)
        other = typed.get(" ".join(words)) or typed.get(words[0] if words[:1] in (["tox"], ["nox"]) else "")
        script = _script_of(words, texts)
        if other is not None and other.shown != own.shown and not other.opaque:
            inner = other.steps
        elif script and len(words) <= _ALONE:
            inner = command(own.kind, own.shown, own.file, script).steps
        else:
            inner = (step,)
        steps += [each if at else each._replace(operator=step.operator) for at, each in enumerate(inner)]
    excluded = next((each.excluded for each in typed.values() if each.excluded and _names(own, each)), "")
    return replace(own, steps=tuple(steps), excluded=excluded)


def _names(own: OwnCommand, other: OwnCommand) -> bool:
    return any(" ".join(started(step.words)) == other.shown for step in own.steps) and other is not own


def _script_named(words: list[str]) -> str:
    """Return the script that is called; empty where options come first."""
    named = [word.removeprefix("./") for word in words if word not in ("sh", "bash", "-e", "-x", "-eu")]
    return named[0] if named else ""


def _is_shell(text: str) -> bool:
    return text.startswith("#!") and "sh" in text.partition("\n")[0]


def _script_of(words: list[str], texts: Mapping[str, str]) -> str:
    """Return a shell script that is no more than a list of commands, as such a list; empty for all others."""
    text = texts.get(_script_named(words), "")
    if not _is_shell(text):
        return ""
    lines = [line.strip() for line in text.replace("\\\n", " ").splitlines()]
    kept = [line for line in lines if line and not re.match(r"#|set [-+]|cd \"?\$", line)]
    script = " && ".join(line.removeprefix("exec ").replace(' "$@"', "").replace(" $@", "") for line in kept)
    return "" if command(Kind.TEST, "", "", script).opaque else script


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
    started = test_command(text)
    yield from [command(Kind.TEST, started, file, started)] if started else []


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
