"""Read which servers of tools a project names for agents, and write such files without some of them.

A file of the repository starts programs here: several agents start these servers without a question. So
agents find the file without the servers that nobody approved.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Mapping

from setpoint.model.ids import Commit
from setpoint.model.tool_server import ToolServer
from setpoint.system.git.git import contents

FILES = {
    ".mcp.json": "mcpServers",
    ".cursor/mcp.json": "mcpServers",
    ".gemini/settings.json": "mcpServers",
    ".qwen/settings.json": "mcpServers",
    ".roo/mcp.json": "mcpServers",
    ".amazonq/mcp.json": "mcpServers",
    ".junie/mcp/mcp.json": "mcpServers",
    ".copilot/mcp-config.json": "mcpServers",
    ".vscode/mcp.json": "servers",
    "opencode.json": "mcp",
    "opencode.jsonc": "mcp",
    ".opencode/opencode.json": "mcp",
    ".opencode/opencode.jsonc": "mcp",
    ".codex/config.toml": "mcp_servers",
    ".vibe/config.toml": "mcp_servers",
}
"""Files in which agents look for servers, with the key of the table that holds them by name."""

URL_STREAMS = (".gemini/settings.json", ".qwen/settings.json")
"""Files in which `url` is an address of server-sent events, and `httpUrl` one of plain HTTP."""


async def files_with_servers(repository: str, base: Commit) -> dict[str, str]:
    """Return the files of a commit that can name servers, by path."""
    found = await contents(repository, base, FILES)
    return {path: found[path].decode("utf-8", "replace") for path in FILES if path in found}


def servers_in(path: str, text: str) -> tuple[ToolServer, ...]:
    """Return the servers that a file names and does not switch off; `ValueError` if it cannot be read."""
    tables = _tables(path, text)[1].items()
    return tuple(_server(path, name, table) for name, table in tables if not _is_off(table))


def without(path: str, text: str, names: Collection[str]) -> str:
    """Return a file without some servers; the rest of its content stays, comments are lost.

    Raises `ValueError` if the file cannot be read.
    """
    document, tables = _tables(path, text)
    if not set(names) & set(tables):
        return text
    if path.endswith(".toml"):
        kept = _without_tables(text, FILES[path], names)
        return kept if not set(names) & set(_tables(path, kept)[1]) else ""
    left = {name: table for name, table in tables.items() if name not in names}
    return json.dumps({**document, FILES[path]: left}, indent=2) + "\n"


def empty(path: str) -> str:
    """Return a file of this kind that says nothing."""
    return "" if path.endswith(".toml") else "{}\n"


def _tables(path: str, text: str) -> tuple[dict[str, object], dict[str, Mapping[str, object]]]:
    document = tomllib.loads(text) if path.endswith(".toml") else json.loads(text)
    tables = document.get(FILES[path]) if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(tables or {}, dict):
        what = f"{path}: there is no table of servers '{FILES[path]}'"
        raise ValueError(what)  # noqa: TRY004 - what is wrong is the content of a file
    return document, {
        name: table if isinstance(table, dict) else {} for name, table in dict(tables or {}).items()
    }


def _is_off(table: Mapping[str, object]) -> bool:
    return table.get("disabled") is True or table.get("enabled") is False


def _server(path: str, name: str, table: Mapping[str, object]) -> ToolServer:
    command, more = table.get("command"), table.get("args")
    words = command if isinstance(command, list) else [command] if command else []
    words = [*words, *(more if isinstance(more, list) else ())]
    variables = table.get("env", table.get("environment"))
    url = table.get("httpUrl", table.get("url", table.get("serverUrl", "")))
    return ToolServer(
        name=name,
        source=path,
        command=tuple(str(word) for word in words),
        environment={str(key): str(value) for key, value in variables.items()}
        if isinstance(variables, dict)
        else {},
        url="" if words else str(url),
        headers={} if words else _headers(table),
        streams=not words and _streams(path, table),
    )


def _headers(table: Mapping[str, object]) -> dict[str, str]:
    headers = table.get("headers", table.get("http_headers"))
    return {str(name): str(value) for name, value in headers.items()} if isinstance(headers, dict) else {}


def _streams(path: str, table: Mapping[str, object]) -> bool:
    """Whether an address speaks the older transport: it says so, or it is the `url` of such a file."""
    kind = str(table.get("type", table.get("transport", ""))).lower()
    return kind == "sse" or (not kind and path in URL_STREAMS and "url" in table and "httpUrl" not in table)


def _without_tables(text: str, key: str, names: Collection[str]) -> str:
    """Leave out the tables of some servers, with the tables inside them."""
    kept, leaves = list[str](), False
    heads = "|".join(rf"{re.escape(name)}|\"{re.escape(name)}\"|'{re.escape(name)}'" for name in names)
    head = re.compile(rf"\s*\[\s*{key}\s*\.\s*(?:{heads})\s*[.\]]")
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            leaves = head.match(line) is not None
        kept += [] if leaves else [line]
    return "".join(kept)
