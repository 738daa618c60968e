"""What a command calls by the words of another file: `tox` behind `make test`, a shell script."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from setpoint.checks.discovery.own_commands.command import Kind, OwnCommand, command
from setpoint.checks.discovery.own_commands.steps import started
from setpoint.model.shell import Part

_ALONE = 2
"""Words of a call of a script without arguments: `sh test.sh`."""


def followed(own: OwnCommand, typed: Mapping[str, OwnCommand], texts: Mapping[str, str]) -> OwnCommand:
    """Put what another file says in the place of a step.

    `typed` are all commands that were found, by what people type; `texts` hold the scripts of the project.
    """
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
