"""Servers of tools in the files of a project, and the files without some of them."""

import json
import tomllib

import pytest

from setpoint.model.tool_server import ToolServer
from setpoint.workspace.tool_servers import servers_in, without

CLAUDE = {"mcpServers": {"a": {"command": "a", "args": ["-x"], "env": {"KEY": "${KEY}"}}, "b": {"url": "u"}}}
CODEX = """model = "m"
[mcp_servers.a]
command = "a"
[mcp_servers.a.env]
KEY = "1"
[mcp_servers."b"]
command = "b"
[profiles.fast]
model = "n"
"""


def test_servers_are_read_in_the_form_of_each_agent():
    first, second = servers_in(".mcp.json", json.dumps(CLAUDE))
    assert first == ToolServer(
        name="a", source=".mcp.json", command=("a", "-x"), environment={"KEY": "${KEY}"}
    )
    assert (second.command, second.words) == ((), "u")
    tables = {
        "mcp": {"c": {"type": "local", "command": ["c", "-y"]}, "off": {"command": ["d"], "enabled": False}}
    }
    (only,) = servers_in("opencode.json", json.dumps(tables))
    assert (only.name, only.command) == ("c", ("c", "-y"))
    assert [each.name for each in servers_in(".codex/config.toml", CODEX)] == ["a", "b"]


def test_a_file_without_servers_keeps_the_rest():
    left = json.loads(without(".mcp.json", json.dumps({**CLAUDE, "other": 1}), ["a"]))
    assert left == {"mcpServers": {"b": {"url": "u"}}, "other": 1}
    assert without(".mcp.json", json.dumps(CLAUDE), ["else"]) == json.dumps(CLAUDE)
    codex = tomllib.loads(without(".codex/config.toml", CODEX, ["a"]))
    assert codex == {
        "model": "m",
        "mcp_servers": {"b": {"command": "b"}},
        "profiles": {"fast": {"model": "n"}},
    }
    inline = 'mcp_servers = { a = { command = "a" } }\n'
    assert without(".codex/config.toml", inline, ["a"]) == ""


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": "x"}'])
def test_a_file_that_cannot_be_read_is_an_error(text):
    with pytest.raises(ValueError):  # noqa: PT011 - also what the parsers raise
        without(".mcp.json", text, ["a"])


def test_another_command_or_variable_needs_another_approval():
    first, _ = servers_in(".mcp.json", json.dumps(CLAUDE))
    for changed in ({"command": ("a",)}, {"environment": {}}, {"url": "v"}):
        assert first.model_copy(update=changed).fingerprint != first.fingerprint
    assert first.model_copy(update={"source": ".cursor/mcp.json"}).fingerprint == first.fingerprint


def test_an_address_is_bound_with_its_headers_and_its_transport_is_told():
    far = {"type": "http", "url": "https://u", "headers": {"Authorization": "Bearer ${KEY}"}}
    tables = {"mcpServers": {"far": far, "old": {"type": "sse", "url": "https://v"}}}
    first, second = servers_in(".mcp.json", json.dumps(tables))
    assert (first.url, first.headers, first.streams) == ("https://u", far["headers"], False)
    assert first.words == "https://u 'Authorization: Bearer ${KEY}'"
    assert second.streams
    for changed in ({"headers": {}}, {"url": "https://w"}):
        assert first.model_copy(update=changed).fingerprint != first.fingerprint
    gemini = {"mcpServers": {"a": {"url": "https://u"}, "b": {"httpUrl": "https://u"}}}
    assert [each.streams for each in servers_in(".gemini/settings.json", json.dumps(gemini))] == [True, False]
    codex = '[mcp_servers.c]\nurl = "https://u"\nhttp_headers = { X = "1" }\n'
    (only,) = servers_in(".codex/config.toml", codex)
    assert (only.headers, only.streams) == ({"X": "1"}, False)
