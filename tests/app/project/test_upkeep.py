"""What may go from the disk, and what stays: open, unmerged and unpushed work, and the record."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from checks.conftest import git
from model.examples import EXAMPLES, OUTCOME
from setpoint.app.project.upkeep import drop_delivered, kept
from setpoint.cli.app import commands
from setpoint.database.leases import RunLeases
from setpoint.model.events.run import RunFinished
from setpoint.model.ids import TraceId
from setpoint.wiring.project import open_project

RUN, BRANCH = TraceId("run-1abc"), "setpoint/work"


@pytest.fixture
def project(tmp_path: Path):
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "a.txt").write_text("1\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    git(root, "checkout", "-qb", BRANCH)
    (root / "a.txt").write_text("2\n")
    git(root, "commit", "-qam", f"work\n\nSetpoint-Run: {RUN}\n")
    git(root, "checkout", "-q", "main")
    made = open_project(root)
    copy = made.copies / "work" / RUN / "project"
    copy.mkdir(parents=True)
    (copy / "a.txt").write_text("2\n")
    yield made
    made.store.close()


def recorded(project, *, ended: bool = True, **more):
    started = EXAMPLES["run.started"]
    base = git(project.root, "rev-parse", "main").strip()
    order = started.order.model_copy(update={"trace_id": RUN, "base": base})
    project.log.append(RUN, "run", (started.model_copy(update={"order": order}),))
    told = {"trace_id": RUN, "branch": BRANCH, "unjudged": (), **more}
    outcome = OUTCOME.model_copy(update=told)
    if ended:
        project.log.append(RUN, "finish", (RunFinished(outcome=outcome),))
    return order, outcome


def why(project) -> str:
    return next(each.stays for each in kept(project) if each.name == f"copies of {RUN}")


def test_the_copy_of_an_open_run_stays(project) -> None:
    recorded(project, ended=False)
    assert why(project) == f"the run is open; hint: setpoint resume {RUN}"
    with project.locks.held(RUN):
        assert why(project) == "the run works"


def test_the_copy_of_an_unknown_run_stays(project) -> None:
    assert why(project) == "nothing is recorded of its run"


def test_unmerged_and_unpushed_work_keeps_its_copy(project, tmp_path: Path) -> None:
    recorded(project)
    assert why(project) == f"not merged; hint: git merge {BRANCH}"
    git(project.root, "merge", "-q", "--no-edit", BRANCH)
    assert why(project) == ""
    git(project.root, "init", "-q", "--bare", str(tmp_path / "remote"))
    git(project.root, "remote", "add", "origin", str(tmp_path / "remote"))
    assert why(project) == f"not pushed: {BRANCH}"
    git(project.root, "push", "-q", "origin", "main")
    assert why(project) == ""


def test_clean_shows_first_and_removes_when_told(project, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded(project)
    git(project.root, "merge", "-q", "--no-edit", BRANCH)
    copy, record = project.copies / "work" / RUN, project.state / "app.db"
    monkeypatch.chdir(project.root)

    shown = CliRunner().invoke(commands(["clean"]), ["clean", "--json"])
    rows = {row["name"]: row for row in json.loads(shown.output)["rows"]}
    assert rows[f"copies of {RUN}"]["stays"] == ""
    assert rows["record"]["stays"] == "it is the record"
    assert copy.is_dir()

    done = CliRunner().invoke(commands(["clean"]), ["clean", "--yes"])
    assert "removed" in done.output
    assert not copy.exists()
    assert record.is_file()


def test_the_copies_of_a_delivered_run_go_with_its_end(project) -> None:
    order, outcome = recorded(project)
    git(project.root, "branch", "-qm", BRANCH, "kept")
    git(project.root, "update-ref", "refs/kept", "kept")
    git(project.root, "branch", "-qD", "kept")
    drop_delivered(project, order, outcome)
    assert (project.copies / "work" / RUN).is_dir(), "no branch has it"
    git(project.root, "branch", BRANCH, "refs/kept")
    drop_delivered(project, order, outcome)
    assert not (project.copies / "work" / RUN).exists()


def test_nothing_delivered_keeps_the_copies_until_they_are_cleaned(project) -> None:
    drop_delivered(project, *recorded(project, branch=""))
    assert (project.copies / "work" / RUN).is_dir()
    assert why(project) == ""


def test_what_another_machine_works_on_or_has_alone_stays(project, monkeypatch: pytest.MonkeyPatch) -> None:
    named = {"database": "postgresql://server/setpoint"}
    shared = project._replace(settings=project.settings.model_copy(update=named))
    monkeypatch.setattr(RunLeases, "owner", lambda *_: None)
    recorded(project)
    git(project.root, "branch", "-qD", BRANCH)
    assert why(shared) == f"not merged; hint: git merge {BRANCH}", "the commit is not here"
    assert "record" not in {each.name for each in kept(shared)}, "it lies on the server"
    monkeypatch.setattr(RunLeases, "owner", lambda *_: 4711)
    assert why(shared) == "the run works"
