"""Takes from a held process the right to write to its tool's cache, and becomes the program.

A test runner that compiles needs its build cache; the test program that it starts does not, and must not
plant anything there that a later run would take for built. It runs as a file, `python -I -S narrow.py NAME
PLACE... -- PROGRAM WORDS...`: the variable NAME, which names the cache, gets an empty folder instead, and the
places stay writable, beside the process's own home. It needs nothing but the standard library.
"""

from __future__ import annotations

import importlib
import os
import sys

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
            "/dev/pts", "/dev/shm")  # fmt: skip  # noqa: S108 - names, and nothing is put there by us


def main() -> None:
    """Confine this process and become the program."""
    name, *words = sys.argv[1:]
    end = words.index("--")
    places, argv = words[:end], words[end + 1 :]
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib costs time
    temp = os.environ["TMPDIR"]
    own = os.path.join(temp, name.lower())  # noqa: PTH118 - as above
    os.makedirs(own, exist_ok=True)  # noqa: PTH103 - as above
    os.environ[name] = own
    importlib.import_module("landlock").confine([*_DEVICES, *places, os.environ["HOME"], temp])
    os.execvp(argv[0], argv)  # noqa: S606 - that is its purpose


if __name__ == "__main__":
    main()
