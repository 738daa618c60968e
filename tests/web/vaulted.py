"""A finished run of which git knows the change, without an agent that made it."""

import subprocess

from checks.conftest import git, write
from history import report_runs
from setpoint.model.evaluation import Stage
from setpoint.model.events.run import GateOpened, RunFinished, RunStarted
from setpoint.model.ids import Commit
from setpoint.testing import Scene
from setpoint.wiring.project import open_project
from setpoint.workspace.snapshot_store import repository_of_run

TRACE = report_runs.TRACE


def vaulted_run(place, before, after, findings=(), *, waits=None):
    """Make a project with one run that turned files into others; gives it, and a work tree of these files.

    With a question in `waits` the run is not over: it waits for the answer.
    """
    write(place, {"a.py": "x = 1\n"})
    git(place, "init", "-q")
    git(place, "config", "user.name", "Ada")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "base")
    project = open_project(place)
    made = place.parent / "made"
    made.mkdir()
    git(made, "init", "-q")
    base, commit = _committed(made, before), _committed(made, after)
    vault = repository_of_run(project.state, TRACE)
    vault.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "-q", "--bare", str(made), str(vault)], check=True)
    workdir = project.folders.work_of(TRACE)
    workdir.mkdir(parents=True)
    agent = report_runs.made(1, files=tuple(after))
    snapshot = agent.snapshot.model_copy(update={"commit": commit, "parent": base})
    order = report_runs.order(place).model_copy(update={"base": base})
    ended = report_runs.outcome()
    bodies = (
        RunStarted(order=order, workdir=str(workdir)),
        agent.model_copy(update={"snapshot": snapshot}),
        report_runs.measured(1, Stage.TEST, Scene(findings=findings)),
        GateOpened(gate=waits)
        if waits
        else RunFinished(outcome=ended.outcome.model_copy(update={"best": commit})),
    )
    for number, body in enumerate(bodies):
        project.log.append(TRACE, f"k{number}", [body])
    return project, made


def _committed(made, files):
    for name, data in files.items():
        (made / name).write_bytes(data)
    git(made, "add", "-A")
    git(made, "commit", "-qm", "work", "--allow-empty")
    return Commit(git(made, "rev-parse", "HEAD").strip())
