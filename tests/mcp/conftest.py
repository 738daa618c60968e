"""A client of the protocol's own library, before `setpoint mcp` in a process of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import Implementation

from acceptance.conftest import QUICK, Repository, new_repository

Connect = Callable[..., AbstractAsyncContextManager["Agent"]]


class Agent:
    """An agent that is connected to Setpoint."""

    def __init__(self, client: Client) -> None:
        """Begin with no progress seen."""
        self.client, self.progress = client, list[str]()

    async def call(self, tool: str, /, **arguments: object) -> str:
        """Call a tool that works; return its text."""
        text, wrong = await self._called(tool, arguments)
        assert not wrong, text
        return text

    async def refused(self, tool: str, /, **arguments: object) -> str:
        """Call a tool that refuses; return why."""
        text, wrong = await self._called(tool, arguments)
        assert wrong, text
        return text

    async def read(self, uri: str) -> str:
        """Read a resource."""
        (held,) = (await self.client.read_resource(uri)).contents
        return held.text

    async def _called(self, tool: str, arguments: dict[str, object]) -> tuple[str, bool]:
        async def heard(_passed: float, _total: float | None, message: str | None) -> None:
            self.progress.append(message or "")

        done = await self.client.call_tool(tool, arguments, progress_callback=heard)
        (content,) = done.content
        return content.text, done.is_error


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        **QUICK,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "SETPOINT_SANDBOX__CHECKS": "none",
    }


@pytest.fixture
def connect(environment: dict[str, str], tmp_path: Path) -> Connect:
    @asynccontextmanager
    async def connected(root: Path, **more: str) -> AsyncIterator[Agent]:
        argv = ["-m", "setpoint", "mcp"]
        server = StdioServerParameters(
            command=sys.executable, args=argv, cwd=root, env={**environment, **more}
        )
        name = Implementation(name="agent-under-test", version="1")
        with (tmp_path / "stderr.txt").open("a") as errors:
            async with Client(stdio_client(server, errlog=errors), client_info=name) as client:
                yield Agent(client)

    return connected


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return new_repository(tmp_path / "project")
