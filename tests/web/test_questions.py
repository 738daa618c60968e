"""A waiting run whose record is damaged hides no other question, from people nor from programs."""

import pytest
from typer.testing import CliRunner

from model.examples import GATE, ORDER
from setpoint.app.people.gates import open_questions
from setpoint.cli.app import commands
from setpoint.model.events.run import GateOpened, PhaseBounce, RunStarted
from setpoint.model.ids import TraceId
from web.conftest import ASKING, make_project

BROKEN = TraceId("run-4broken")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    made = make_project(tmp_path_factory.mktemp("damaged") / "project")
    order = ORDER.model_copy(update={"trace_id": BROKEN, "root": str(made.root)})
    asked = GateOpened(gate=GATE.model_copy(update={"deadline": None, "default": None}))
    started = RunStarted(order=order, workdir=str(made.root))
    made.log.append(BROKEN, "all", [started, PhaseBounce.model_construct(), asked])
    yield made
    made.store.close()


def test_both_are_told_apart(project):
    opened, unread = open_questions(project)
    assert [each.trace_id for each in opened] == [ASKING]
    assert set(unread) == {BROKEN}
    assert f"event 2 of {BROKEN}" in unread[BROKEN]


def test_the_page_shows_the_question_and_names_the_damaged_run(browser):
    shown = browser.get("/gates")
    assert shown.status_code == 200
    assert f"/gates/{ASKING}" in shown.text
    assert f'<a href="/runs/{BROKEN}">{BROKEN}</a> asks a question that cannot be read' in shown.text


def test_programs_get_the_question(program):
    assert [each["trace_id"] for each in program.get("/api/v1/gates").json()] == [ASKING]


def test_the_list_shows_the_question_and_names_the_damaged_run(project, monkeypatch):
    monkeypatch.chdir(project.root)
    listed = CliRunner().invoke(commands(), ["answer"])
    assert listed.exit_code == 0
    assert ASKING in listed.stdout
    assert f"{BROKEN} asks a question that cannot be read" in listed.stderr


def test_the_choices_stand_above_the_change_and_cancel_looks_dangerous(browser):
    shown = browser.get(f"/runs/{ASKING}").text
    assert 'class="button danger">cancel' in shown
    assert shown.index("Your answer") < shown.index("Gates and checks")
    assert shown.count('class="button">') == 1  # one main choice
