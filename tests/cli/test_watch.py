"""`setpoint watch` follows what any process records, and ends with the run."""

import io
import json
import threading

import pytest
from rich.console import Console
from typer.testing import CliRunner

from history.report_runs import order, verified_run
from model.examples import EXAMPLES
from setpoint.cli.app import commands
from setpoint.cli.render.console import Screen
from setpoint.cli.render.presenter import Presenter
from setpoint.cli.render.styles import of_state
from setpoint.cli.runs import watch
from setpoint.history.queries import RunState
from setpoint.model.ending import Ending
from setpoint.model.events.run import RunStarted
from setpoint.model.gate import Gate
from setpoint.system.files.locks import RunLocks
from setpoint.wiring.project import find_run
from web.conftest import ASKING, VERIFIED, make_project


@pytest.fixture
def project(tmp_path, monkeypatch):
    place = tmp_path / "project"
    made = make_project(place)
    monkeypatch.chdir(place)
    monkeypatch.setattr(watch, "POLL_S", 0.01)
    yield made
    made.store.close()


def called(*words):
    done = CliRunner().invoke(commands(), ["watch", *words], standalone_mode=False, catch_exceptions=False)
    return done.return_value, done.stdout, done.stderr


def test_a_run_that_is_over_is_shown_from_its_first_event_to_its_last(project):
    code, shown, _ = called(VERIFIED)
    assert code == 0
    first, _, closing = shown.partition("✓ VERIFIED")
    assert "Totals must be right" in first.splitlines()[0]
    assert "IMPLEMENTATION_VERIFIED" not in first
    assert "verdict   IMPLEMENTATION_VERIFIED" in closing
    assert "\x1b" not in shown


def test_a_run_under_way_is_followed_until_another_process_has_ended_it(project, tmp_path):
    trace, looks = (
        find_run(project, VERIFIED).trace_id.replace("1verified", "4going"),
        threading.Event(),
    )
    started, *rest = verified_run(tmp_path)
    going = started.body.order.model_copy(update={"trace_id": trace})
    project.log.append(trace, "start", [RunStarted(order=going, workdir="/copy")])

    def drive():
        with RunLocks(project.state).held(trace):
            looks.set()
            for event in rest:
                project.log.append(trace, event.key, [event.body])

    other = threading.Thread(target=drive)
    other.start()
    looks.wait()
    code, shown, _ = called(trace)
    other.join()
    assert code == 0
    assert len(shown.splitlines()) >= len([line for line in called(VERIFIED)[1].splitlines() if line])


def test_one_that_nobody_works_on_is_named_as_such(project, monkeypatch):
    monkeypatch.setattr(watch, "INTERRUPTED_AFTER_S", 0.0)
    trace = "run-5left"
    going = order(project.root).model_copy(update={"trace_id": trace})
    project.log.append(trace, "start", [RunStarted(order=going, workdir="/copy")])
    code, _, said = called(trace)
    assert code == 130
    assert f"the run is interrupted; hint: setpoint resume {trace}" in said


def test_one_that_waits_is_followed_through_the_answer(project):
    (gate,) = [body.gate for body in bodies(project, ASKING) if isinstance(getattr(body, "gate", None), Gate)]

    def answer():
        told = EXAMPLES["gate.answered"].model_copy(update={"gate": gate.id})
        with RunLocks(project.state).held(ASKING):
            project.log.append(ASKING, f"gate:{gate.id}:answer", [told, EXAMPLES["run.finished"]])

    later = threading.Timer(0.2, answer)
    later.start()
    code, shown, _ = called(ASKING, "--plain")
    later.join()
    assert code == 0
    assert "waits for a person" in shown
    assert "answered by Ann" in shown


def bodies(project, trace):
    return [event.body for event in project.log.replay(trace)]


def test_json_is_one_event_a_line(project):
    code, shown, _ = called(VERIFIED, "--json")
    assert code == 0
    events = [json.loads(line) for line in shown.splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["body"]["kind"] == "run.finished"


def test_ctrl_c_ends_the_watching_alone(project, monkeypatch):
    def interrupted(_watching):
        raise KeyboardInterrupt

    monkeypatch.setattr(watch.Watching, "follow", interrupted)
    code, _, said = called(VERIFIED)
    assert code == 0
    assert f"{VERIFIED} continues" in said


def test_a_part_that_moves_is_for_terminals_alone(project, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[?25l" not in called(VERIFIED)[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[?25l" in called(VERIFIED)[1]
    assert "\x1b" not in called(VERIFIED, "--plain")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[?25l" not in called(VERIFIED)[1]


def test_in_a_terminal_the_run_is_followed_to_its_end_as_well(project):
    console = Console(width=100, force_terminal=True, file=io.StringIO())
    watching = watch.Watching(project, VERIFIED, console, everything=True, as_json=False)
    assert watching.follow() == 0


def test_every_state_has_its_colour():
    for state in (*RunState, *Ending):
        assert of_state(str(state)) or state is RunState.FINISHED, state


def test_what_an_agent_calls_its_tools_cannot_act_on_a_terminal(project):
    call = EXAMPLES["tool.executed"].call.model_copy(update={"title": "\x1b]0;owned\x07\x1b[2Jls"})
    body = EXAMPLES["tool.executed"].model_copy(update={"call": call})
    console = Screen(width=100, force_terminal=True, color_system=None, file=io.StringIO())
    (event,) = project.log.append(ASKING, "hostile", [body])
    with Presenter(console, everything=True) as presenter:
        presenter.show(event)
    assert "ls" in console.file.getvalue()
    assert "\x1b]" not in console.file.getvalue()
    assert "\x1b[2J" not in console.file.getvalue()
