"""What every host of agent plug-ins promises, shown by the real one and by the shipped fake."""

from __future__ import annotations

import hashlib
import sys

import pytest

from setpoint.ports.toolkit import CommandRequest, CommandResult
from setpoint.system.files.artifacts import Artifacts
from setpoint.testing import ScriptedToolkit
from setpoint.wiring.toolkit import HostToolkit

PROGRAM = "import os, sys; print(os.environ['WORD']); print('told', file=sys.stderr); sys.exit(3)"


@pytest.fixture(params=["host", "scripted"])
def toolkit(request, tmp_path):
    if request.param == "host":
        return HostToolkit(Artifacts(tmp_path / "artifacts"), tmp_path / "scratch")
    return ScriptedToolkit(
        tmp_path / "scratch",
        CommandResult(exit_code=3, output="one\n", errors="told\n", ending="exit code 3"),
    )


def asked(toolkit, cwd, *argv):
    environment = toolkit.environment({"WORD": "one"})
    return CommandRequest(argv=argv, cwd=cwd, environment=environment, timeout_s=30.0)


async def test_a_command_is_run_and_its_end_is_told(toolkit, tmp_path):
    lines = []
    done = await toolkit.run_command(asked(toolkit, tmp_path, sys.executable, "-c", PROGRAM), lines.append)
    assert (done.exit_code, done.ending) == (3, "exit code 3")
    assert (done.output, done.errors) == ("one\n", "told\n")
    assert sorted(lines) == [b"one", b"told"]


async def test_a_command_that_is_not_there_is_a_result(toolkit, tmp_path):
    await toolkit.run_command(asked(toolkit, tmp_path, sys.executable, "-c", PROGRAM))
    done = await toolkit.run_command(asked(toolkit, tmp_path, "no-such-program"))
    assert done.exit_code == 127
    assert "cannot start 'no-such-program'" in done.ending


def test_the_environment_has_programs_and_what_is_put_on_top_and_no_secret(toolkit, monkeypatch):
    monkeypatch.setenv("AVIARY_TOKEN", "secret")
    variables = toolkit.environment({"WORD": "one"})
    assert variables["WORD"] == "one"
    assert variables["PATH"]
    assert "AVIARY_TOKEN" not in variables


def test_a_text_is_kept_under_its_hash(toolkit):
    assert toolkit.keep("said") == hashlib.sha256(b"said").hexdigest()


def test_templates_are_rendered_by_name(toolkit):
    assert toolkit.render("nudge.md.j2", {"call": "make", "times": 3})


def test_scratch_is_a_folder_to_be_made(toolkit, tmp_path):
    assert toolkit.scratch == tmp_path / "scratch"
