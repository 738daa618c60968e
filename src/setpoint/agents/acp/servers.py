"""Servers of tools in the words of the protocol: programs that an agent starts, addresses that it calls."""

from __future__ import annotations

from acp.schema import AgentCapabilities, EnvVariable, HttpHeader, HttpMcpServer, McpServerStdio

from setpoint.model.tool_server import ToolServer

Server = McpServerStdio | HttpMcpServer


def named(server: ToolServer) -> Server:
    """Return a server as a new session names it."""
    if not server.command:
        headers = [HttpHeader(name=name, value=value) for name, value in server.headers.items()]
        return HttpMcpServer(type="http", name=server.name, url=server.url, headers=headers)
    return McpServerStdio(
        name=server.name,
        command=server.command[0],
        args=[*server.command[1:]],
        env=[EnvVariable(name=name, value=value) for name, value in server.environment.items()],
    )


def taken(servers: tuple[Server, ...], can: AgentCapabilities | None) -> tuple[Server, ...]:
    """Return the servers of a kind that the agent says it takes; every agent takes programs."""
    http = can is not None and can.mcp_capabilities is not None and bool(can.mcp_capabilities.http)
    return tuple(each for each in servers if http or isinstance(each, McpServerStdio))
