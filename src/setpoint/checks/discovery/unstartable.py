"""Whether what a command names is there and may be executed, found out without a start."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from setpoint.model.shell import calls

_INTERPRETER = re.compile(r"(?:ba|da|z)?sh|python[\d.]*|node|ruby|perl")
_SCRIPT = re.compile(r"[\w./~-]+\.(?:sh|py|[cm]?js|rb|pl)|[\w.~-]*/[\w./-]+")
_OF_THE_SHELL = frozenset((
    ":", ".", "[", "[[", "alias", "break", "cd", "command", "continue", "echo", "eval", "exec", "exit",
    "export", "false", "hash", "local", "printf", "pwd", "read", "return", "set", "shift", "source", "test",
    "time", "times", "trap", "true", "type", "ulimit", "umask", "unset", "wait", "if", "then", "else", "elif",
    "fi", "for", "while", "until", "do", "done", "case", "esac", "function",
))  # fmt: skip


def unstartable(argv: tuple[str, ...], path: str, folder: Path) -> str:
    """Say why a command cannot start in a folder with a PATH, with a hint; empty where it can.

    Of a script that is given to a shell or an interpreter, the file has to be there, too.
    """
    program = os.path.expanduser(argv[0])  # noqa: PTH111 - pathlib drops the "./" that tells a path from a name
    if "/" in program:
        place = folder / program
        if not place.is_file():
            return f"{argv[0]} does not exist; hint: correct the path"
        if not os.access(place, os.X_OK):
            return f"{argv[0]} may not be executed; hint: chmod +x {argv[0]}"
    elif shutil.which(program, path=path) is None:
        return f"{program} is not on PATH; hint: install {program}, or name it by its whole path"
    given = next((word for word in argv[1:] if not word.startswith("-")), "")
    script = _INTERPRETER.fullmatch(Path(program).name) and len(argv) > 1 and argv[1] == given
    if script and _SCRIPT.fullmatch(given) and not (folder / Path(given).expanduser()).is_file():
        return f"{given} does not exist; hint: correct the path"
    return ""


def unstartable_script(script: str, path: str) -> str:
    """Say which program of a shell's script is not on PATH, with a hint; empty where all are."""
    for call in calls(script):
        word = call.words[0]
        if word in _OF_THE_SHELL or not re.fullmatch(r"[\w.+-]+", word):
            continue
        if shutil.which(word, path=path) is None and f"{word}()" not in script.replace(" ", ""):
            return f"{word} is not on PATH; hint: install {word}"
    return ""
