"""The closing lines of a run, `setpoint show` and its parts, and verbs that need no name of a run."""

import io

import pytest
from typer.testing import CliRunner

from setpoint.cli.app import commands
from setpoint.cli.render.closing import print_closing
from setpoint.cli.render.console import Screen
from setpoint.errors import UsageError
from setpoint.wiring.project import only_run
from web.conftest import ASKING, VERIFIED, make_project


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    made = make_project(tmp_path_factory.mktemp("closing") / "project")
    yield made
    made.store.close()


@pytest.fixture(autouse=True)
def here(project, monkeypatch):
    monkeypatch.chdir(project.root)


def closed(project, trace, width=80, **more):
    console = Screen(file=io.StringIO(), width=width, highlight=False, soft_wrap=True, **more)
    print_closing(console, project, trace)
    return console.file.getvalue().splitlines()


def called(*words):
    return CliRunner().invoke(commands(words), words, standalone_mode=False)


def test_a_verified_run_closes_with_its_verdict_first_and_commands_last(project):
    lines = closed(project, VERIFIED)
    assert lines[0].startswith("✓ VERIFIED  Totals must be right · ")
    assert lines[0].endswith(" s · $0.75 known of $5.00")
    assert [line.split()[0] for line in lines if line] == [
        "✓", "verdict", "tests", "change", "branch", "review", "merge", "recheck", "report",
    ]  # fmt: skip
    assert len(lines) <= 14
    assert "  merge     git merge setpoint/totals" in lines


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_line_but_a_command_is_wider_than_the_terminal(project, width):
    for trace in (VERIFIED, ASKING):
        lines = closed(project, trace, width, force_terminal=True, color_system=None)
        labels = ("review", "merge", "report", "recheck")
        assert all(len(line) <= width for line in lines if not line.strip().startswith(labels))


def test_a_run_that_waits_says_who_asks_and_gives_every_answer(project):
    lines = closed(project, ASKING)
    assert lines[0].startswith("? NEEDS YOU  Totals must be right")
    assert "asks      the limit max_iterations: 7 of 7 iterations are used up" in "\n".join(lines)
    assert "  details   setpoint answer show" in lines
    answers = [line.split()[3] for line in lines if line.startswith("  answer ")]
    assert answers == ["continue", "cancel"]
    assert lines[-1] == f"  answer    setpoint answer cancel {ASKING}"


def test_show_begins_with_the_verdict_and_the_log_is_asked_for():
    shown = called("show", VERIFIED).stdout
    assert shown.startswith("✓ VERIFIED")
    assert "#2 ✗ " in shown
    assert "plan" not in shown
    assert "plan" in called("show", "log", VERIFIED).stdout
    assert "plan" in called("show", VERIFIED, "-v").stdout


def test_the_output_of_a_check_is_alone_on_standard_output():
    shown = called("show", "output", "pytest", VERIFIED)
    assert "pytest" in shown.stderr
    assert shown.exit_code == 0
    wrong = called("show", "output", "nosuch", VERIFIED)
    assert isinstance(wrong.exception, UsageError)
    assert "it has" in str(wrong.exception)
    assert "names" in str(called("show", "output").exception) or called("show", "output").exception


def test_status_names_each_run_by_an_end_that_every_verb_takes(project):
    lines = [line for line in called("status").stdout.splitlines() if "  Totals must be right  " in line]
    names = [line.split()[-1] for line in lines]
    assert len(names) > 1
    assert [VERIFIED[-6:] in names, ASKING[-6:] in names] == [True, True]
    assert called("show", VERIFIED[-6:]).stdout.startswith("✓ VERIFIED")
    assert f"  {VERIFIED}" in called("status", "-v").stdout


def test_the_only_open_run_needs_no_name(project):
    assert only_run(project).trace_id == ASKING
    assert called("hint", "use Decimal").stdout.startswith("recorded")
    assert isinstance(called("hint", "one", "two", "three").exception, UsageError)


def test_stop_ends_no_run_that_nobody_named(project):
    refused = called("stop").exception
    assert isinstance(refused, UsageError)
    assert f"`setpoint stop {ASKING[-6:]}` ends it" in refused.hint
    assert only_run(project).trace_id == ASKING
