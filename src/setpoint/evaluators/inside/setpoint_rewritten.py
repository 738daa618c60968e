"""Rewrites the assertions of tests beside the pytest that collects them, before it comes to each.

`python setpoint_rewritten.py FOLDER ...` reads a JSON list of files below the working directory from standard
input; what each compiles to goes into the folders, as `setpoint_bytecode` keeps it. Nothing of it is run. A
file that cannot be rewritten is left to pytest, which says what is wrong.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import sys
from pathlib import Path
from typing import Any, Sequence  # noqa: UP035 - where Python 3.8 has it

_UNREADABLE = (OSError, SyntaxError, ValueError, RecursionError, MemoryError)


class _Usual:
    """What pytest asks its configuration for while it rewrites."""

    def getini(self, name: str) -> bool:
        """Say that nobody wants to be told of assertions that hold; what is made so has a name of its own."""
        del name
        return False


def rewrite(files: Sequence[str], folders: Sequence[str]) -> None:
    """Rewrite files into folders, in the order in which they are named."""
    rewriting: Any = importlib.import_module("_pytest.assertion.rewrite")
    importlib.import_module("setpoint_bytecode").Bytecode([], folders).begin()
    place = Path.cwd()
    for file in files:
        with contextlib.suppress(*_UNREADABLE):
            rewriting._rewrite_test(place / file, _Usual())  # noqa: SLF001 - it has no other way in


if __name__ == "__main__":
    gc.disable()
    rewrite(json.load(sys.stdin), sys.argv[1:])
