"""Decide which servers of tools an agent is given, and say why it cannot use the others."""

from __future__ import annotations

from typing import NamedTuple

from setpoint.model.project_text import ReadsItself
from setpoint.model.tool_server import ToolServer, ToolServers


class Served(NamedTuple):
    """What becomes of a project's servers in one session."""

    given: tuple[ToolServer, ...]
    """Servers that Setpoint names to the agent."""
    usable: tuple[str, ...]
    """Names of these and of those that the agent starts by itself."""
    left_out: tuple[str, ...]
    """The others, each with the reason."""


def served(servers: ToolServers, reads: ReadsItself, *, takes: bool) -> Served:
    """Sort servers; one that the agent finds in a file by itself is not given twice."""
    own = {each.name for each in servers.approved if each.source in reads.servers}
    others = {each.name: each for each in reversed(servers.approved) if each.name not in own}
    given, left_out = list[ToolServer](), list[str]()
    for each in others.values():
        fault = each.fault if takes else "the agent takes no servers from Setpoint"
        if takes and not each.command and each.streams:
            fault = "Setpoint passes on programs and addresses of plain HTTP, and this is one of events"
        if fault:
            left_out.append(f"{each.name}: {fault}")
        else:
            given.append(each)
    usable = [*sorted(own), *(_told(each) for each in given)]
    if refused := ", ".join(sorted({each.name for each in servers.refused})):
        left_out.append(f"{refused}: not approved (setpoint agents mcp)")
    left_out += [f"{path}: cannot be read" for path in servers.unreadable]
    return Served(tuple(given), tuple(usable), tuple(left_out))


def _told(server: ToolServer) -> str:
    """Name a server; only the agent knows whether it takes addresses."""
    return server.name if server.command else f"{server.name} (if it takes servers by HTTP)"
