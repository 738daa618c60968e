"""Wrong words on the command line are wrong use, never a fault of Setpoint's."""

import subprocess
import sys

import pytest

from setpoint.cli.app import main
from setpoint.errors import ExitCode

pytestmark = pytest.mark.smoke


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
    assert "hint: setpoint run" in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_help_and_version_import_nothing_heavy(flag):
    program = f"""
import sys
from setpoint.cli.app import main
sys.argv = ["setpoint", "{flag}"]
try:
    main()
finally:
    heavy = {{"alembic", "dbos", "httpx2", "pydantic", "rich", "sqlalchemy", "yaml"}}
    print(sorted(heavy & sys.modules.keys()), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_help_lists_the_whole_first_sentence_of_a_verb(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["setpoint", "--help"])
    with pytest.raises(SystemExit):
        main()
    listed = " ".join(capsys.readouterr().out.partition("Work:")[2].split())
    assert "..." not in listed
    assert listed.count("List the agents that Setpoint can use; set one up and test it.") == 1
