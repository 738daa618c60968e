"""The hooks of git before a commit and before a push, which keep and call a hook that was there."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from setpoint.errors import UsageError
from setpoint.system.git.hooks_folder import BEFORE, INSTALLED

HOOKS = ("pre-commit", "pre-push")
_SCRIPT = """\
#!/bin/sh
{mark}
if [ "${{0##*/}}" = pre-push ]; then sent=$(cat); else sent=; fi
if [ -x "$0{before}" ]; then
    printf '%s\\n' "$sent" | "$0{before}" "$@" || exit $?
fi
if ! [ -x {first} ]; then
    echo "setpoint: not measured: {first} is gone; hint: setpoint hook remove git" >&2
    exit 0
fi
printf '%s\\n' "$sent" | {program} hook git {name} "$@"
"""
Text = tuple[str, str | None, int]
"""Name of a file in the folder of hooks, its text, its mode."""


def installed(folder: Path, program: str) -> Iterator[Text]:
    """Yield the files of the folder of hooks as they become."""
    for name in HOOKS:
        own = _SCRIPT.format(
            mark=INSTALLED,
            before=BEFORE,
            first=program.split(" -P ", maxsplit=1)[0],
            program=program,
            name=name,
        )
        held = _held(folder / name)
        if held and INSTALLED not in held:
            kept = folder / f"{name}{BEFORE}"
            if kept.exists():
                raise UsageError(
                    f"{kept} exists, and {folder / name} is not a hook of Setpoint; nothing was written",
                    hint="remove one of the two and repeat",
                )
            yield f"{name}{BEFORE}", held, stat.S_IMODE((folder / name).stat().st_mode)
        yield name, own, 0o755


def removed(folder: Path) -> Iterator[Text]:
    """Yield the files of the folder of hooks as they were before the installation."""
    for name in HOOKS:
        if INSTALLED not in _held(folder / name):
            continue
        kept = folder / f"{name}{BEFORE}"
        if kept.exists():
            yield name, _held(kept), stat.S_IMODE(kept.stat().st_mode)
            yield f"{name}{BEFORE}", None, 0o755
        else:
            yield name, None, 0o755


def _held(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return ""
