"""Whatever an agent does wrong: reason, exit code, nothing left running, nothing lost, no iteration burnt."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from acceptance.conftest import new_repository
from acceptance.faults import FAULTS, NAP, Fault
from acceptance.test_sandbox import tree
from sandboxes import usable
from setpoint.model.config.sandbox import Means
from setpoint.model.events.run import AgentFinished, RunFinished
from setpoint.model.ids import TraceId
from setpoint.wiring.project import open_project
from system.processes.living import gone

DOCS = Path(__file__).parents[2] / "docs" / "how-to" / "agent-faults.md"
TABLED = {fault.name: fault for fault in FAULTS}


@dataclass(frozen=True)
class Ran:
    """What came of one fault."""

    code: int
    outcome: dict
    bodies: list
    """All events of the run."""


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """One repository with all the agents; its base is measured once."""
    usable(Means.LANDLOCK)
    folder = tmp_path_factory.mktemp("faults")
    made = new_repository(folder / "project")
    tables = [fault.settings(folder, number) for number, fault in enumerate(FAULTS)]
    made.write("setpoint.toml", "\n".join(tables))
    made.commit("agents")
    (folder / "home").mkdir()
    return made


def _ran(repository, fault: Fault) -> Ran:
    name = fault.name.replace(" ", "-")
    done = repository.setpoint(
        *("run", f"make the failing tests pass: {name}", "--agent", name, "--json"),
        timeout=300,
        HOME=str(repository.root.parent / "home"),
        SETPOINT_LIMITS__MAX_AGENT_BREAKAGES="1",
        SETPOINT_LIMITS__MAX_LIMIT_WAIT_S="0",
        **fault.bounds,
    )
    if fault.refused:
        return Ran(done.returncode, {"stderr": done.stderr, "stdout": done.stdout}, [])
    assert done.stdout.startswith("{"), done.stderr
    outcome = json.loads(done.stdout)
    events = open_project(repository.root).log.replay(TraceId(outcome["trace_id"]))
    return Ran(done.returncode, outcome, [event.body for event in events])


@pytest.mark.parametrize("name", TABLED)
def test_each_fault(name, repository):
    fault, before = TABLED[name], tree(repository.root)
    ran = _ran(repository, fault)
    assert (tree(repository.root), list((repository.root.parent / "home").iterdir())) == (before, [])
    if fault.refused:
        assert (ran.code, ran.outcome["stdout"]) == (3, "")
        assert fault.refused in ran.outcome["stderr"].splitlines()[0]
        return
    assert (ran.code, ran.outcome["ending"]) == (fault.exit_code, fault.ending), ran.outcome
    assert ran.outcome["iterations"] == (0 if fault.kind else 1)
    (made,) = [body.snapshot.attempt for body in ran.bodies if isinstance(body, AgentFinished)]
    assert (made.breakage.kind if made.breakage else "") == fault.kind
    assert isinstance(ran.bodies[-1], RunFinished)
    assert fault.kind in ran.outcome["reason"]
    assert gone(f"sleep\0{NAP}{FAULTS.index(fault):02}")
    assert gone(f"{name.replace(' ', '-')}.json")


def test_the_docs_hold_the_same_table():
    table = DOCS.read_text("utf-8").partition("## What each failure leads to")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")]
    assert rows[2:] == [fault.row() for fault in FAULTS]
