"""A copy of the user's tree that tests see at the path of the tree itself, which they cannot reach then."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

from setpoint.system.git.ignore_rules import is_environment
from setpoint.system.processes import missing_namespaces
from setpoint.system.processes.view import View, ambient_view


async def at_the_path_of(root: Path, place: Path, program: str) -> View:
    """Show a copy at the path of a tree, with what is installed there; as it is where that cannot be done.

    `program` is the interpreter of the tests.
    """
    temp = Path(tempfile.gettempdir())
    if await missing_namespaces() or place.is_relative_to(root) or temp.is_relative_to(root):
        return ambient_view()
    installed = [each for each in root.iterdir() if each.is_dir() and is_environment(each)]
    if Path(program).is_relative_to(root):
        installed.append(Path(program).parents[1])
    shown = []
    for each in dict.fromkeys(installed):
        there = place / each.relative_to(root)
        if not os.path.lexists(there):
            there.mkdir(parents=True)
            shown.append((str(each), str(there)))
    return replace(ambient_view(), shown=(*shown, (str(place), str(root))))
