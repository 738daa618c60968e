"""Commands without the network, where this machine can take it from them: that is tried once."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from setpoint.system.processes.command import Command
from setpoint.system.processes.run import run
from setpoint.system.processes.view import View, ambient_view, seeing

_TRIAL_S = 10.0
_tried: list[str] = []


@asynccontextmanager
async def without_network() -> AsyncIterator[str]:
    """Start the commands of this block without network; gives why they have it, empty where they have not.

    A server that a command starts can be reached by itself; none that runs outside can be.
    """
    reachable = await missing_namespaces()
    with seeing(replace(ambient_view(), network=bool(reachable))):
        yield reachable


async def missing_namespaces() -> str:
    """Say why a command cannot see the machine otherwise here; empty where it can."""
    if not _tried:
        _tried.append(await _why_not())
    return _tried[0]


async def _why_not() -> str:
    if not sys.platform.startswith("linux"):
        return "only Linux can"
    with seeing(View(network=False)):
        done = await run(Command(argv=("true",), cwd=Path("/"), timeout_s=_TRIAL_S))
    return "" if done.ok else done.fault or done.ending
