"""What the loop tells a maker of what is wrong, and what it records of tests that do not count."""

from datetime import timedelta
from pathlib import Path

from setpoint.model.attempt import Mode
from setpoint.model.ending import Ending
from setpoint.model.events.run import TestsQuarantined
from setpoint.model.evidence import Cause
from setpoint.model.flaky import PutBy, Quarantined
from setpoint.model.ids import TraceId
from setpoint.phase import loop
from setpoint.phase.policy.maker_feedback import MOST
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator, failure

BOTH = (Act(edits={"src/work.py": "value = 1\n"}), Act(edits={"src/work.py": "value = 2\n"}))


async def test_a_maker_is_told_each_cause_once_and_where_the_whole_lies(tmp_path: Path) -> None:
    many = tuple(failure(f"t::test_{n}", "KeyError: 'a'", cause=Cause.RUNTIME) for n in range(400))
    agent = ScriptedAgent(*BOTH)
    harness = RunHarness(
        agent=agent, evaluator=ScriptedEvaluator(Scene(failing=many), Scene()), folder=tmp_path
    )

    outcome = await harness.drive()

    assert outcome.ending is Ending.VERIFIED
    fix = agent.briefs[1]
    assert (fix.mode, len(fix.failures)) == (Mode.FIX, 400)
    assert "### 1. `t::test_0`, and 399 more with the same cause" in fix.prompt
    assert "at `src/work.py:1`" in fix.prompt
    assert "All of it in full: .setpoint/evidence/problems-2.txt" in fix.prompt
    assert "t::test_399" in fix.evidence["problems-2.txt"]
    told = fix.prompt[fix.prompt.index("## Failing tests") :].partition("All of it in full")[0]
    assert len(told) < MOST


async def test_where_nothing_is_wrong_nothing_is_told_and_nothing_kept(tmp_path: Path) -> None:
    agent = ScriptedAgent(*BOTH)
    harness = RunHarness(agent=agent, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path)
    ports = harness.ports()._replace(keep=lambda text: kept.append(text) or "0" * 64)
    kept: list[str] = []

    await loop.drive(harness.order(), ports, harness.durable)

    assert "## Failing tests" not in agent.briefs[0].prompt
    assert [text for text in kept if "failing tests" in text[:40]] == []


async def test_what_is_excused_is_recorded_when_the_run_begins(tmp_path: Path) -> None:
    harness = RunHarness(agent=ScriptedAgent(*BOTH), evaluator=ScriptedEvaluator(Scene()), folder=tmp_path)
    now = harness.clock.now()
    entry = Quarantined(test="t::net", since=now, until=now + timedelta(days=2), by=PutBy.PERSON)
    ended = entry.model_copy(update={"test": "t::old", "until": now})

    await loop.drive(
        harness.order(quarantine=(entry,), quarantine_ended=(ended,)), harness.ports(), harness.durable
    )

    bodies = [event.body for event in harness.log.replay(TraceId("run-1"))]
    assert [each for each in bodies if isinstance(each, TestsQuarantined)] == [
        TestsQuarantined(quarantine=(entry,), ended=(ended,))
    ]
    assert bodies[1].kind == "tests.quarantined"
