"""Wrong words on the command line are wrong use, never a fault of Setpoint's."""

import sys

import pytest

from setpoint.cli.app import main
from setpoint.errors import ExitCode


@pytest.mark.parametrize(
    "words", [["nosuch"], ["run", "--nosuch"], ["story", "nosuch"], ["run", "--jobs", "many", "--auto"]]
)
def test_wrong_use_has_its_exit_code(monkeypatch, capsys, words):
    monkeypatch.setattr(sys, "argv", ["setpoint", *words])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == ExitCode.USAGE
    assert "Error" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["run"], ["run", "a wish", "--auto"]])
def test_a_run_needs_a_wish_or_the_board(monkeypatch, capsys, words):
    monkeypatch.setattr(sys, "argv", ["setpoint", *words])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == ExitCode.USAGE
    assert "mend: setpoint run" in capsys.readouterr().err
