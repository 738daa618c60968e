"""The host of an agent plug-in without processes behind it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from setpoint.model.ids import Artifact
from setpoint.ports.toolkit import CommandRequest, CommandResult


class ScriptedToolkit:
    """Gives scripted results for commands, in order, and remembers what it was asked.

    A command behind the end of the script is one that is not there: exit code 127.
    """

    def __init__(self, folder: Path, *results: CommandResult) -> None:
        """Use `folder` as scratch; `results` are what commands give."""
        self.requests: list[CommandRequest] = []
        self.kept: dict[str, str] = {}
        """Text by its sha256."""
        self.rendered: list[tuple[str, Mapping[str, object]]] = []
        self._folder, self._results = folder, list(results)

    @property
    def scratch(self) -> Path:
        """Folder for files that outlive one attempt."""
        return self._folder

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return a search path for programs, with `extra` on top."""
        return {"PATH": "/usr/bin:/bin", **(extra or {})}

    async def run_command(
        self, request: CommandRequest, on_line: Callable[[bytes], None] | None = None
    ) -> CommandResult:
        """Return the next result of the script; the listener receives its lines first."""
        self.requests.append(request)
        if not self._results:
            return CommandResult(exit_code=127, ending=f"cannot start {request.argv[0]!r}: not in the script")
        result = self._results.pop(0)
        if on_line is not None:
            for line in [*result.output.splitlines(), *result.errors.splitlines()]:
                on_line(line.encode())
        return result

    def keep(self, text: str) -> Artifact:
        """Keep a text in memory."""
        artifact = Artifact(hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest())
        self.kept[artifact] = text
        return artifact

    def render(self, template: str, variables: Mapping[str, object]) -> str:
        """Name the template, and remember what it was given."""
        self.rendered.append((template, variables))
        return template
