"""What agents, tools and stories wrote is shown on a terminal and never acts on it."""

import ast
import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.live import Live
from rich.table import Column, Table
from rich.text import Text
from typer.testing import CliRunner

from checks.conftest import git, write
from model.examples import EXAMPLES, GATE, ORDER
from setpoint import cli
from setpoint.app.people.gates import open_gate
from setpoint.app.runs.board import add_story
from setpoint.cli.app import commands
from setpoint.cli.render.console import Screen
from setpoint.cli.render.menu import _options, _question
from setpoint.cli.render.styles import harmless
from setpoint.model.events.run import GateOpened, RunStarted
from setpoint.model.finding import Finding
from setpoint.model.ids import TraceId
from setpoint.wiring.project import open_project

WIPES = "\x1b[2K\x1b[1A\x1b]0;owned\x07 [/bold] \u202e\r\x9b31m APPROVED"
RUN = TraceId("run-evil")
VERBS = [
    ("answer",),
    ("answer", "show"),
    ("status",),
    ("show",),
    ("show", "--verbose"),
    ("story", "list"),
    ("story", "show", "evil"),
    ("finding", "list", "run-evil"),
    ("answer", "accept"),
    ("answer", "show"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    place = tmp_path_factory.mktemp("evil") / "project"
    write(place, {"a.py": "x = 1\n"})
    git(place, "init", "-q")
    opened = open_project(place)
    add_story(opened, f"evil\n\n{WIPES}")
    story = ORDER.story.model_copy(update={"id": "evil", "title": WIPES})
    change = {"trace_id": RUN, "root": str(place), "started_at": datetime.now(UTC), "story": story}
    options = tuple(each.model_copy(update={"text": WIPES}) for each in GATE.options)
    told = {"question": WIPES, "context": (WIPES,), "go_on": WIPES, "options": options}
    gate = GATE.model_copy(update={**told, "deadline": None, "default": None, "asked_at": datetime.now(UTC)})
    review = EXAMPLES["review.completed"]
    finding = Finding(source=WIPES, rule=WIPES, severity="error", category="style", message=WIPES, file=WIPES)
    verdict = review.verdict.model_copy(update={"findings": (finding,)})
    bodies = [review.model_copy(update={"verdict": verdict}), GateOpened(gate=gate)]
    order = ORDER.model_copy(update=change)
    opened.log.append(RUN, "all", [RunStarted(order=order, workdir=str(place)), *bodies])
    yield opened
    opened.store.close()


def assert_harmless(text):
    assert {each for each in text if not each.isprintable()} <= {"\n"}, text


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_no_verb_lets_a_text_of_others_act(project, monkeypatch, words):
    monkeypatch.chdir(project.root)
    done = CliRunner().invoke(commands(), words)
    assert_harmless(done.output)
    assert_harmless(str(done.exception or ""))


def test_the_question_is_shown_all_the_same(project, monkeypatch):
    monkeypatch.chdir(project.root)
    for words in (("answer",), ("answer", "show"), ("status",)):
        shown = CliRunner().invoke(commands(), words, catch_exceptions=False).output
        assert "owned" in shown
        assert "APPROVED" in shown


def test_the_menu_lets_no_text_of_others_act(project):
    shown = Screen(file=io.StringIO(), force_terminal=False, width=80)
    opened = open_gate(project, RUN)
    _question(shown, opened)
    _options(shown, opened)
    assert shown.file.getvalue().count("APPROVED") >= 4
    assert_harmless(shown.file.getvalue())


def test_a_live_view_keeps_its_own_movements_alone():
    screen = Screen(file=io.StringIO(), force_terminal=True, width=200, color_system="standard")
    table = Table(Column(Text(WIPES), style="red"), title=Text(WIPES))
    table.add_row(Text(WIPES))
    with Live(table, console=screen, auto_refresh=False) as live:
        live.update(table, refresh=True)
    shown = screen.file.getvalue()
    assert "\x1b[31m" in shown, "colours stay"
    assert "\x1b[2K" in shown, "and so do Rich's own movements"
    assert not any(each in shown for each in ("\x1b]0", "\u202e", "\x07", "\x9b"))


def test_a_text_keeps_its_lines_and_its_letters():
    assert harmless("größer\n\tals 東京\x1b[0m") == "größer\n\tals 東京\N{REPLACEMENT CHARACTER}[0m"


def test_whatever_is_printed_goes_one_of_the_two_ways():
    """JSON escapes what could act; all else is printed by `say`, `written` or a `Screen`."""
    faults = []
    for file in Path(cli.__file__).parent.glob("*.py"):
        if file.name in ("styles.py", "screen.py"):
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            echoed = called in ("typer.echo", "click.echo", "sys.stdout.write", "print")
            json = node.args and any(
                word in ast.unparse(node.args[0]) for word in ("json.dumps", "dump_json")
            )
            if called in ("Console", "rich.print") or (echoed and not json):
                faults.append(f"{file.name}:{node.lineno}: {called}")
    assert faults == []
