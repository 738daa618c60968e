"""What a held command was refused: read from its messages, and from what its user could have written."""

from __future__ import annotations

import os
import re
from pathlib import Path

from setpoint.system.files.private_folder import temporary_place
from setpoint.system.processes.command import NOT_HELD, Completed

_SAID = re.compile(
    rb"permission denied|read-only file system|operation not permitted|\bEACCES\b|\bEROFS\b|\bEPERM\b",
    re.IGNORECASE,
)
_PATH = re.compile(r"""(?<![\w.:/])(/(?:[^\s'"`:,;()<>\[\]]|(?<=\w):(?=\w))+)""")
_QUOTED = re.compile(r"""(['"`])(/.+?)\1""")
_MOST_LINES = 200
_NO_FILES = ("/proc", "/sys")


def refusal(done: Completed) -> str:
    """Say which place a held command could not write, and which setting opens it; empty where none is known.

    A place counts that Setpoint's own user could write: so nothing but the sandbox has refused it.
    """
    if done.held == NOT_HELD:
        return ""
    for line in _lines(done):
        for path in _paths(line):
            outside = not any(Path(path).is_relative_to(each) for each in done.writable)
            if outside and (place := _could_write(path)):
                opened = f'if tests need it, set sandbox.checks_write = ["{place}"]'
                if os.path.realpath(place) in (str(temporary_place().parent), str(temporary_place())):
                    opened = f"use TMPDIR instead of {place}, or name an existing folder in checks_write"
                return f"{path} could not be written, as checks are held; hint: {opened}"
    return ""


def _lines(done: Completed) -> list[str]:
    found = [
        line.decode("utf-8", "replace")
        for text in (done.stdout, done.stderr)
        for line in text.splitlines()
        if _SAID.search(line)
    ]
    return found[:_MOST_LINES]


def _paths(line: str) -> list[str]:
    """Return the paths of a message, quoted ones first; then the last, as programs name themselves first."""
    return list(dict.fromkeys([*(found[1] for found in _QUOTED.findall(line)), *_PATH.findall(line)[::-1]]))


def _could_write(path: str) -> str:
    """Return what exists of a path, if Setpoint itself could write it; empty if not."""
    place = Path(path)
    if any(place.is_relative_to(each) for each in _NO_FILES):
        return ""
    try:
        while not place.exists():
            place = place.parent
    except OSError:
        return ""
    return str(place) if place != Path("/") and os.access(place, os.W_OK) else ""
