"""Commands without the network, with the real kernel: what they reach, and what they do not."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandboxes import usable
from setpoint.model.config.sandbox import Means
from setpoint.system.processes import Command, Hold, holding, no_network, run, without_network

CALLS = """
import os, socket, sys

def said(call):
    try:
        call()
        return "reached"
    except OSError as error:
        return type(error).__name__

port, path = int(sys.argv[1]), sys.argv[2]
print(said(lambda: socket.create_connection(("127.0.0.1", port), timeout=5)))
print(said(lambda: socket.socket(socket.AF_UNIX).connect(path)))
for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_UNIX, "own.sock")):
    own = socket.socket(family)
    own.bind((host, 0) if family == socket.AF_INET else host)
    own.listen()
    print(said(lambda: socket.socket(family).connect(own.getsockname())))
print(os.getuid(), os.getgid())
"""
USER = f"{os.getuid()} {os.getgid()}"


@pytest.fixture(params=[None, *(each for each in Means if each in ("landlock", "bwrap"))])
def hold(request: pytest.FixtureRequest, tmp_path: Path) -> Hold | None:
    return Hold(means=usable(request.param), places=(tmp_path,)) if request.param else None


@pytest.fixture
def calling(tmp_path: Path) -> Iterator[Command]:
    """A program that calls two servers of the user, and two of its own."""
    tree = tmp_path / "tree"
    tree.mkdir()
    path = str(tmp_path / "s")
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(path)
        local.listen()
        words = (sys.executable, "-c", CALLS, str(server.getsockname()[1]), path)
        yield Command(argv=words, cwd=tree, timeout_s=60.0)


async def test_servers_outside_cannot_be_reached_and_own_ones_can(
    calling: Command, hold: Hold | None
) -> None:
    with holding(hold):
        before = await run(calling)
        (calling.cwd / "own.sock").unlink()
        async with without_network() as why_not:
            if why_not:
                pytest.skip(f"the network cannot be taken here: {why_not}")
            done = await run(calling)
        (calling.cwd / "own.sock").unlink()
        after = await run(calling)

    everything = [*["reached"] * 4, USER]
    assert before.text.splitlines() == after.text.splitlines() == everything
    assert done.text.splitlines() == [*["ConnectionRefusedError"] * 2, "reached", "reached", USER]


async def test_where_it_cannot_be_taken_commands_run_with_it_and_that_is_said(
    calling: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(no_network, "_tried", ["not here"])
    async with without_network() as why_not:
        done = await run(calling)

    assert why_not == "not here"
    assert done.text.startswith("reached")
