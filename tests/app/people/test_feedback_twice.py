"""Whatever is recorded of a run and of people, told again in any order, changes nothing."""

import asyncio
import json
import random
import subprocess

import pytest

from setpoint.app.people.feedback import add_comment, dismiss_finding, record
from setpoint.app.people.finding_viewed import record_view, viewed_for_s
from setpoint.app.people.findings import list_findings
from setpoint.learning.store import SqlMemory
from setpoint.model.attempt import Role, Usage
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.events.people import DeliveryFate, DeliveryJudged, Feedback, HumanEdited
from setpoint.model.events.run import GateAnswered
from setpoint.model.ids import Commit, GateId, TraceId
from setpoint.phase import loop
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator, failure
from setpoint.wiring.project import open_project

RUN = TraceId("run-1")
CANARY = "sk-ant-" + "c4Na" * 8
OBJECTS = {
    "decision": "request_changes",
    "findings": [
        {
            "severity": "error",
            "category": "correctness",
            "message": "a missing rate raises",
            "file": "src/work.py",
        }
    ],
}


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    opened = open_project(root)
    yield opened
    opened.store.close()


async def driven(project, folder):
    """Drive a run in the project's own log and memory: sent back once, then verified."""
    harness = RunHarness(
        agent=ScriptedAgent(*(Act(edits={"src/work.py": f"value = {n}\n"}) for n in (1, 2))),
        reviewer=ScriptedAgent(
            Act(text=json.dumps(OBJECTS), usage=Usage(scope="none")),
            Act(text=json.dumps({"decision": "approve", "findings": []})),
            name="critic",
        ),
        evaluator=ScriptedEvaluator(Scene(), base=Scene(failing=(failure("t::a", "KeyError: 'rate'"),))),
        folder=folder,
        memory=SqlMemory(project.store),
    )
    harness.log = project.log
    terms = MemoryTerms(hold_out=0, withhold=0)
    order = harness.order(trace_id=RUN, root=str(project.root), memory=terms)
    outcome = await loop.drive(order, harness.ports(), harness.durable)
    assert (str(outcome.ending), outcome.iterations) == ("verified", 2)
    return harness, order


def standing(project):
    """All that memory and the log say."""
    return SqlMemory(project.store).standings(), project.log.replay(RUN)


def test_any_event_told_twice_changes_nothing(project, tmp_path):
    harness, order = asyncio.run(driven(project, tmp_path / "work"))
    (found,) = [each.finding for each in list_findings(project, RUN)]
    dismiss_finding(project, RUN, found.fingerprint, f"we know; {CANARY}")
    add_comment(project, RUN, "src/work.py:1", "an empty mapping is allowed")
    record(
        project,
        RUN,
        "feedback:delivery:edited",
        DeliveryJudged(
            branch="b", fate=DeliveryFate.EDITED, commit=Commit("e" * 40), files=("a.py",), diff="+x"
        ),
    )
    edited = HumanEdited(
        gate=GateId("g"), files=("a.py",), diff="+rate = 0", commit=Commit("f" * 40), by="Ann"
    )
    record(project, RUN, "feedback:edited:g", edited)
    memory, events = before = standing(project)
    assert len(memory) >= 4
    assert len([each for each in events if isinstance(each.body, Feedback)]) == 4
    assert CANARY not in json.dumps([each.model_dump(mode="json") for each in (*memory, *events)])

    for seed in range(3):
        again = list(events)
        random.Random(seed).shuffle(again)
        for event in again:
            assert project.log.append(RUN, event.key, (event.body,))[0].body == event.body
            if isinstance(event.body, Feedback):
                record(project, RUN, event.key, event.body)
        harness.durable.resume()
        asyncio.run(loop.drive(order, harness.ports(), harness.durable))
        known, log = standing(project)
        assert log == before[1]
        assert [each.model_dump(exclude={"confidence"}) for each in known] == [
            each.model_dump(exclude={"confidence"}) for each in memory
        ]
        for one, other in zip(known, memory, strict=True):  # only time passed
            assert one.confidence.mean == pytest.approx(other.confidence.mean, abs=1e-3)
    assert not [each for each in events if isinstance(each.body, GateAnswered)]
    assert Role.REFLECTOR not in harness.ports().agents


def test_how_long_a_finding_was_looked_at_is_known_for_a_while(project):
    assert viewed_for_s(project, RUN, "f") is None
    record_view(project, RUN, "f")
    assert 0 <= viewed_for_s(project, RUN, "f") < 60
    assert viewed_for_s(project, RUN, "other") is None
    (project.state / "seen.json").write_text('{"run-1/f": "2020-01-01T00:00:00+00:00"}')
    assert viewed_for_s(project, RUN, "f") is None
    (project.state / "seen.json").write_text("no JSON")
    assert viewed_for_s(project, RUN, "f") is None
