"""What the scripted model wants done, apart from how an agent's tools are called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Read:
    path: str


@dataclass(frozen=True)
class Write:
    path: str
    text: str


@dataclass(frozen=True)
class Shell:
    command: str


@dataclass(frozen=True)
class Say:
    text: str


Step = Read | Write | Shell | Say


@dataclass(frozen=True)
class Text:
    """The model answers with words."""

    text: str


@dataclass(frozen=True)
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


class Plan:
    """A list of steps; which one is due follows from the conversation alone, so the model keeps no state."""

    def __init__(
        self, steps: Iterable[Step], *, without_tools: str = "A short title", by_shell: bool = False
    ) -> None:
        """`without_tools` is the answer where no tools are offered: to agents that read edits from text.

        `by_shell` is for agents whose own tools want absolute paths, which no plan knows.
        """
        self.steps = tuple(steps)
        self._without_tools = without_tools
        self._own_tools = not by_shell

    def move(self, played: int, tools: dict[str, Json]) -> Move:
        """Give the move after `played` moves, with the tools (name to JSON schema) that are offered."""
        if not tools:
            return Text(self._without_tools)
        step = self.steps[played] if played < len(self.steps) else Say("All done.")
        match step:
            case Say(text):
                return Text(text)
            case Read(path):
                return self._own(tools, READERS, path=path) or _shell(tools, f"cat {path}")
            case Write(path, text):
                here_document = f"cat > {path} <<'END_OF_FILE'\n{text.rstrip()}\nEND_OF_FILE"
                return self._own(tools, WRITERS, path=path, text=text) or _shell(tools, here_document)
            case Shell(command):
                return _shell(tools, command)

    def _own(self, tools: dict[str, Json], names: Iterable[str], **values: str) -> Call | None:
        return _with(tools, names, **values) if self._own_tools else None


def _shell(tools: dict[str, Json], command: str) -> Move:
    return _with(tools, SHELLS, command=command) or Text(f"no tool fits among {', '.join(tools)}")


def _with(tools: dict[str, Json], names: Iterable[str], **values: str) -> Call | None:
    """Call the first tool of these names, its arguments filled by what its schema calls them."""
    keys = {
        **dict.fromkeys(PATH_KEYS, "path"),
        **dict.fromkeys(TEXT_KEYS, "text"),
        **dict.fromkeys(COMMAND_KEYS, "command"),
    }
    for name in names:
        if name not in tools:
            continue
        arguments: Json = {}
        for key, schema in (tools[name].get("properties") or {}).items():
            value = values.get(keys.get(key, ""))
            if value is not None:
                arguments[key] = ["bash", "-c", value] if schema.get("type") == "array" else value
            elif key == "description" and key in (tools[name].get("required") or ()):
                arguments[key] = "a scripted step"
        return Call(name, arguments)
    return None
