"""`setpoint agents mcp`: servers of tools that the project names, and whether agents get them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

from setpoint.app.project.person import require_own_process, require_person
from setpoint.errors import UsageError
from setpoint.model.tool_server import ToolServer, ToolServers
from setpoint.system.git.git import head
from setpoint.wiring.project import Project
from setpoint.wiring.tool_servers import approve, revoke, tool_servers


class ServerRow(NamedTuple):
    """One server that the project names."""

    name: str
    approved: bool
    source: str
    """The file that names it."""
    words: str
    """Variables and command, or the address."""


def server_rows(project: Project) -> tuple[ServerRow, ...]:
    """Return the servers that the newest commit names; a file that cannot be read is one without a name."""
    found = asyncio.run(_found(project.root))
    return (
        *(_row(each, approved=True) for each in found.approved),
        *(_row(each, approved=False) for each in found.refused),
        *(ServerRow("", approved=False, source=path, words="cannot be read") for path in found.unreadable),
    )


def _row(server: ToolServer, *, approved: bool) -> ServerRow:
    return ServerRow(server.name, approved=approved, source=server.source, words=server.words)


def approve_server(project: Project, name: str) -> ToolServer:
    """Approve a server as the newest commit describes it, for all runs in this repository.

    Raises `UsageError` in a process that an agent or a check started, or if there is no such server.
    """
    _require(project)
    found = asyncio.run(_found(project.root))
    server = next((each for each in (*found.refused, *found.approved) if each.name == name), None)
    if server is None:
        raise UsageError(f"no file of HEAD names a server '{name}'", hint="`setpoint agents mcp` lists them")
    approve(project.root, server)
    return server


def revoke_server(project: Project, name: str) -> None:
    """Take an approval away. Raises `UsageError` as above, or if there is none."""
    _require(project)
    if not revoke(project.root, name):
        raise UsageError(f"'{name}' is not approved", hint="`setpoint agents mcp` lists the servers")


def _require(project: Project) -> None:
    require_own_process()
    require_person(project)


async def _found(root: Path) -> ToolServers:
    return await tool_servers(str(root), root, await head(root))
