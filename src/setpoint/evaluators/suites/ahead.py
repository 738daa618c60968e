"""Rewriting the assertions of the tests while pytest starts, imports the project and collects."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from setpoint.evaluators.discovery.interpreter import Interpreter, environment
from setpoint.evaluators.discovery.layout import Layout
from setpoint.evaluators.inside import REWRITTEN
from setpoint.processes import Command, run

FEWEST_FILES = 10
"""Fewer are rewritten by pytest itself before another process has started."""
_MOST_S = 120.0
_NAMED = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
"""Files that pytest collects by default; others it does not rewrite."""


@asynccontextmanager
async def rewritten(
    interpreter: Interpreter, layout: Layout, tree: Path, folders: tuple[Path, ...], done: asyncio.Event
) -> AsyncIterator[Mapping[str, str]]:
    """Fill folders with what the tests of a tree compile to, for as long as this lasts.

    Gives what pytest has to be told to look into the first of them; nothing where it is not worth it. `done`
    is set when no more comes.
    """
    files = [file for file in layout.tests if _NAMED.search(file)]
    if not folders or len(files) < FEWEST_FILES or layout.owns("_pytest"):
        done.set()
        yield {}
        return
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    command = Command(
        argv=(interpreter.path, str(REWRITTEN), *map(str, folders)),
        cwd=tree,
        environment=environment(interpreter, tree, layout.imports),
        timeout_s=_MOST_S,
        stdin=json.dumps(files).encode(),
    )
    beside = asyncio.create_task(run(command))
    beside.add_done_callback(lambda _: done.set())
    try:
        yield {"SETPOINT_AHEAD": str(folders[0])}
    finally:
        beside.cancel()
        await asyncio.gather(beside, return_exceptions=True)  # whatever it was, pytest rewrites by itself
