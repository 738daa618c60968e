"""What every host of agent plug-ins promises."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from setpoint.ports.toolkit import CommandRequest, CommandResult, Toolkit

PRINTING = CommandResult(exit_code=3, output="one\n", errors="told\n", ending="exit code 3")
"""What comes of `PROGRAM` with `WORD=one`; a toolkit that runs nothing is scripted with it."""
PROGRAM = "import os, sys; print(os.environ['WORD']); print('told', file=sys.stderr); sys.exit(3)"


class ToolkitContract:
    """What every toolkit does for agents: it runs commands, keeps texts and renders prompts."""

    @pytest.fixture
    def toolkit(self, tmp_path: Path) -> Toolkit:
        """Make a toolkit whose scratch folder is `tmp_path / "scratch"`; override this."""
        raise NotImplementedError

    async def test_a_command_is_run_and_its_end_is_told(self, toolkit: Toolkit, tmp_path: Path) -> None:
        lines: list[bytes] = []
        done = await toolkit.run_command(
            asked(toolkit, tmp_path, sys.executable, "-c", PROGRAM), lines.append
        )
        assert (done.exit_code, done.ending) == (3, "exit code 3")
        assert (done.output, done.errors) == ("one\n", "told\n")
        assert sorted(lines) == [b"one", b"told"]

    async def test_a_command_that_is_not_there_is_a_result(self, toolkit: Toolkit, tmp_path: Path) -> None:
        await toolkit.run_command(asked(toolkit, tmp_path, sys.executable, "-c", PROGRAM))
        done = await toolkit.run_command(asked(toolkit, tmp_path, "no-such-program"))
        assert done.exit_code == 127
        assert "cannot start 'no-such-program'" in done.ending

    def test_the_environment_has_programs_and_what_is_put_on_top_and_no_secret(
        self, toolkit: Toolkit, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AVIARY_TOKEN", "secret")
        variables = toolkit.environment({"WORD": "one"})
        assert variables["WORD"] == "one"
        assert variables["PATH"]
        assert "AVIARY_TOKEN" not in variables

    def test_a_text_is_kept_under_its_hash(self, toolkit: Toolkit) -> None:
        assert toolkit.keep("said") == hashlib.sha256(b"said").hexdigest()

    def test_templates_are_rendered_by_name(self, toolkit: Toolkit) -> None:
        assert toolkit.render("nudge.md.j2", {"call": "make", "times": 3})

    def test_scratch_is_a_folder_to_be_made(self, toolkit: Toolkit, tmp_path: Path) -> None:
        assert toolkit.scratch == tmp_path / "scratch"


def asked(toolkit: Toolkit, cwd: Path, *argv: str) -> CommandRequest:
    """Return the request to run a command with `WORD=one`."""
    environment = toolkit.environment({"WORD": "one"})
    return CommandRequest(argv=argv, cwd=cwd, environment=environment, timeout_s=30.0)
