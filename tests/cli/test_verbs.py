"""Verbs by group, names of the last release, and completion, as a shell asks for it."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from setpoint.cli.app import commands
from setpoint.cli.verbs import BELOW, VERBS

pytestmark = pytest.mark.smoke


def setpoint(*words, **variables):
    program = "import sys; sys.argv[0] = 'setpoint'; from setpoint.cli.start import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_lists_about_twenty_verbs_by_what_they_are_for():
    shown = CliRunner().invoke(commands(), ["--help"]).stdout
    groups = [line.rstrip(":") for line in shown.splitlines() if line and line[0] != " " and line[-1] == ":"]
    assert groups == ["Options", *VERBS]
    assert sum(len(verbs) for group, verbs in VERBS.items() if group != "More") <= 22
    for former in ("gate", "cancel", "comment", "token"):
        assert f"\n  {former} " not in shown


@pytest.mark.parametrize(
    ("former", "now"),
    [
        ("cancel", "stop"),
        ("gate approve", "answer approve"),
        ("comment", "finding comment"),
        ("feedback list", "finding feedback"),
        ("feedback confirm", "finding confirm"),
        ("signal list", "ci signal list"),
        *((verb, f"{group} {verb}") for group, (_, verbs) in BELOW.items() for verb in verbs),
    ],
)
def test_a_former_name_works_and_standard_error_says_the_present_one(former, now):
    present = CliRunner().invoke(commands(now.split()), [*now.split(), "--help"])
    old = CliRunner().invoke(commands(former.split()), [*former.split(), "--help"])
    assert (old.exit_code, old.stdout) == (0, present.stdout)
    assert not present.stderr
    assert old.stderr.startswith("setpoint: `setpoint ")
    assert now.startswith(old.stderr.rstrip("`\n").rpartition("`setpoint ")[2])


def test_a_former_name_keeps_standard_output_for_programs(tmp_path):
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    program = "import sys; from setpoint.cli.start import main; main()"
    command = [sys.executable, "-c", program, "gate", "list", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert done.stderr == "setpoint: `setpoint gate list` is now `setpoint answer`\n"


def completed(shell, line):
    """What a shell offers behind a line, as its script asks for it."""
    words = {"bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}}.get(
        shell, {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    )
    return setpoint(_SETPOINT_COMPLETE=f"complete_{shell}", **words).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("setpoint st", "status"),
        ("setpoint answer ap", "approve"),
        ("setpoint admin to", "token"),
        ("setpoint run --max-c", "--max-cost"),
    ],
)
def test_a_shell_completes_verbs_and_options(shell, line, offered):
    assert offered in completed(shell, line)
    assert "cancel" not in completed(shell, "setpoint c")


@pytest.mark.parametrize(
    ("shell", "word"), [("bash", "complete -o"), ("zsh", "compdef"), ("fish", "complete --command")]
)
def test_a_script_for_each_shell_is_printed(shell, word):
    done = setpoint("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert word in done.stdout
