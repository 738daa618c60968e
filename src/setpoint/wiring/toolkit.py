"""What Setpoint gives agent plug-ins to work with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from setpoint.model.ids import Artifact
from setpoint.pipelines import render
from setpoint.ports.toolkit import CommandRequest, CommandResult
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, Hold, clean_environment, holding, run


class HostToolkit:
    """Runs commands under Setpoint's supervisor and keeps files in a project's state."""

    def __init__(
        self,
        artifacts: Artifacts,
        scratch: Path,
        prompts: Path | None = None,
        hold: Callable[[], Awaitable[Hold | None]] | None = None,
    ) -> None:
        """Keep texts in `artifacts`; templates in the folder `prompts` go before Setpoint's own.

        `hold` says how commands are held; without it they are not.
        """
        self._artifacts, self._scratch, self._prompts, self._hold = artifacts, scratch, prompts, hold

    @property
    def scratch(self) -> Path:
        """Folder for files that outlive one attempt."""
        return self._scratch

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the variables that every command may see, with `extra` on top."""
        return clean_environment(extra)

    async def run_command(
        self, request: CommandRequest, on_line: Callable[[bytes], None] | None = None
    ) -> CommandResult:
        """Run a command to its end, or until its time is up; held, it writes to its folder and its TMPDIR."""
        own = request.environment.get("TMPDIR")
        shared = clean_environment().get("TMPDIR")
        command = Command(
            argv=request.argv,
            cwd=request.cwd,
            environment=request.environment,
            timeout_s=request.timeout_s,
            memory_bytes=request.memory_bytes,
            writes=(request.cwd, *([Path(own)] if own and own != shared else [])),
        )
        with holding(await self._hold() if self._hold else None):
            done = await run(command, on_line=on_line)
        return CommandResult(
            exit_code=done.exit_code,
            output=done.text,
            errors=done.errors,
            ending=done.ending,
            duration_s=done.duration_s,
        )

    def keep(self, text: str) -> Artifact:
        """Keep a text as an artifact."""
        return self._artifacts.keep(text)

    def render(self, template: str, variables: Mapping[str, object]) -> str:
        """Render a prompt template by name."""
        return render(template, variables, overrides=self._prompts)
