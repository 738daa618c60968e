"""Turn a step of a scenario into a call of the tools that an agent offers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from setpoint.testing.model_server.scenario import Read, Say, Scenario, Shell, Step, Use, Write

Json = dict[str, Any]
Tools = Mapping[str, Json]
"""JSON schemas of the arguments, by name of the tool."""


@dataclass(frozen=True, kw_only=True)
class Text:
    """The model answers with words."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Call:
    """The model calls one of the agent's tools."""

    tool: str
    arguments: Json


Move = Text | Call

READERS = ("read_file", "read", "Read", "ReadFile", "view")
WRITERS = ("write_file", "write", "Write", "WriteFile", "create_file")
SHELLS = ("run_shell_command", "bash", "Bash", "shell", "shell_command", "exec_command", "local_shell")
PATH_KEYS = ("file_path", "filePath", "absolute_path", "path", "target_file")
TEXT_KEYS = ("content", "contents", "text", "file_text")
COMMAND_KEYS = ("command", "cmd", "script")


def move(scenario: Scenario, opening: str, played: int, tools: Tools) -> Move:
    """Return the move after `played` moves of the conversation that begins with `opening`."""
    if not tools:
        return Text(text=scenario.without_tools)
    steps = scenario.steps_of(opening)
    step = steps[played] if played < len(steps) else Say(say="All done.")
    return _move(step, tools, own_tools=scenario.own_tools)


def _move(step: Step, tools: Tools, *, own_tools: bool) -> Move:
    own = tools if own_tools else {}
    match step:
        case Say(say=text):
            return Text(text=text)
        case Read(read=path):
            return _call(own, READERS, path=path) or _shell(tools, f"cat {path}")
        case Write(write=path, text=text):
            here_document = f"cat > {path} <<'END_OF_FILE'\n{text.rstrip()}\nEND_OF_FILE"
            return _call(own, WRITERS, path=path, text=text) or _shell(tools, here_document)
        case Shell(shell=command):
            return _shell(tools, command)
        case Use(use=names, arguments=arguments):
            return _named(tools, names, arguments) or Text(text=_unfit(tools))


def _shell(tools: Tools, command: str) -> Move:
    return _call(tools, SHELLS, command=command) or Text(text=_unfit(tools))


def _unfit(tools: Tools) -> str:
    return f"no tool fits among {', '.join(tools)}"


def _call(tools: Tools, names: Iterable[str], **values: str) -> Call | None:
    """Call the first tool of these names, its arguments filled by what its schema calls them."""
    keys = {
        **dict.fromkeys(PATH_KEYS, "path"),
        **dict.fromkeys(TEXT_KEYS, "text"),
        **dict.fromkeys(COMMAND_KEYS, "command"),
    }
    name = next((name for name in names if name in tools), None)
    if name is None:
        return None
    arguments: Json = {}
    for key, schema in (tools[name].get("properties") or {}).items():
        value = values.get(keys.get(key, ""))
        if value is not None:
            arguments[key] = ["bash", "-c", value] if schema.get("type") == "array" else value
        elif key == "description" and key in (tools[name].get("required") or ()):
            arguments[key] = "a scripted step"
    return Call(tool=name, arguments=arguments)


def _named(tools: Tools, names: Iterable[str], arguments: Mapping[str, str]) -> Call | None:
    name = next((name for name in names if name in tools), None)
    if name is None:
        return None
    known = tools[name].get("properties") or {}
    return Call(tool=name, arguments={key: value for key, value in arguments.items() if key in known})
