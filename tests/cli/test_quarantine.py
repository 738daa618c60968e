"""`setpoint admin quarantine` as a user calls it, and what a run takes from it."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from checks.conftest import git, write
from model.examples import ORDER
from setpoint.app.runs.order import make_order
from setpoint.cli.app import commands
from setpoint.errors import UsageError
from setpoint.model.evaluation import Stage
from setpoint.model.events.run import BaselineMeasured, RunStarted
from setpoint.model.flaky import PutBy
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.stories.story import KnownRed, Story
from setpoint.testing import Scene, evaluation
from setpoint.wiring.project import open_project

STORY = Story(id=StoryId("s"), title="t", known_red=KnownRed.FIX)


@pytest.fixture
def root(tmp_path: Path, monkeypatch) -> Path:
    place = tmp_path / "project"
    write(place, {"a.py": "x = 1\n"})
    git(place, "init", "-q")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "base")
    monkeypatch.chdir(place)
    monkeypatch.setenv("SETPOINT_AGENTS__MAKER", "mechanic")
    return place


def call(*words: str) -> str:
    done = CliRunner().invoke(commands(), ["admin", "quarantine", *words], catch_exceptions=False)
    return done.stdout


def flaky_run(root: Path, name: str, days_ago: int, test: str) -> None:
    """Record a run that saw a flaky test."""
    project = open_project(root)
    project.log._now = lambda: datetime.now(UTC) - timedelta(days=days_ago)
    order = ORDER.model_copy(update={"trace_id": TraceId(name), "root": str(project.root)})
    seen = evaluation(Stage.BASE, "c" * 40, f"tree-{name}", Scene(flaky=(test,)))
    project.log.append(order.trace_id, "run", (RunStarted(order=order, workdir="/copy"),))
    project.log.append(order.trace_id, "base", (BaselineMeasured(evaluation=seen),))
    project.store.close()


def ordered(root: Path):
    project = open_project(root)
    made = make_order(project, STORY)
    project.store.close()
    return made


def test_a_person_puts_a_test_in_and_takes_it_out(root: Path) -> None:
    said = call("add", "t.py::net", "--days", "3", "--reason", "needs the net")
    day = (datetime.now(UTC) + timedelta(days=3)).strftime("%Y-%m-%d")
    assert said.startswith(f"t.py::net: its failures do not count until {day}")
    assert call() == f"t.py::net  until {day}  by person: needs the net\n"
    (entry,) = ordered(root).quarantine
    assert (entry.test, entry.by, entry.reason) == ("t.py::net", PutBy.PERSON, "needs the net")

    assert "count again" in call("remove", "t.py::net")
    assert "counts again since" in call("list")
    assert ordered(root).quarantine == ()
    assert [each.test for each in ordered(root).quarantine_ended] == ["t.py::net"]
    assert git(root, "status", "--porcelain") == ""


def test_what_was_flaky_in_two_runs_goes_in_by_itself_when_a_run_begins(root: Path) -> None:
    flaky_run(root, "run-1", 2, "t.py::shaky")
    assert ordered(root).quarantine == ()
    flaky_run(root, "run-2", 1, "t.py::shaky")

    (entry,) = ordered(root).quarantine

    assert (entry.test, entry.by) == ("t.py::shaky", PutBy.SETPOINT)
    listed = json.loads(call("--json"))
    assert [each["active"] for each in listed["quarantine"]] == [True]
    assert [len(each["seen"]) for each in listed["flaky"]] == [2]
    assert "flaky: t.py::shaky  in 2 runs" in call()
    call("remove", "t.py::shaky")
    assert ordered(root).quarantine == ()


def test_the_file_can_stand_in_the_tree(root: Path) -> None:
    write(root, {"setpoint.toml": '[failures]\nquarantine_file = "ci/quarantine.toml"\n'})
    call("add", "t.py")
    assert 'test = "t.py"' in (root / "ci" / "quarantine.toml").read_text()
    assert [each.test for each in ordered(root).quarantine] == ["t.py"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mend", "t.py"), "there is no action 'mend'"),
        (("add",), "`add` needs a test"),
        (("list", "t.py"), "takes no test"),
        (("remove", "t.py::x"), "'t.py::x' is not in quarantine"),
        (("add", " "), "names no test"),
    ],
)
def test_wrong_use_is_told(root: Path, words: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        call(*words)
