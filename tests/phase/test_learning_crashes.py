"""A run that dies while it is looked back on: what it taught is kept once, and paid once."""

from decimal import Decimal

import pytest

from learning.test_loop import GIVEN, PATCHED, RED, SAID, TOLD_ALL, Reflecting, edit, of, staged
from setpoint.durable.inline import Crash
from setpoint.model.attempt import Role
from setpoint.model.events.learning import LearningsJudged, ReflectionAnswered, ReflectionCompleted
from setpoint.model.ids import TraceId
from setpoint.model.learning import EvidenceKind
from setpoint.phase import loop
from setpoint.testing import ListMemory, Scene


class DyingMemory(ListMemory):
    """Takes in what it is told, and dies behind it where it is to."""

    def __init__(self, *moments):
        super().__init__()
        self.moments = list(moments)

    def learn(self, proposals):
        found = super().learn(proposals)
        self._die("learn")
        return found

    def weigh(self, evidence):
        found = super().weigh(evidence)
        self._die("weigh")
        return found

    def _die(self, moment):
        if moment in self.moments:
            self.moments.remove(moment)
            raise Crash(moment)


def told(memory):
    """What is known, whatever ids it has by chance."""
    return sorted(
        (
            each.learning.title,
            each.status,
            round(each.confidence.mean, 2),
            [entry.kind for entry in each.evidence],
        )
        for each in memory.standings()
    )


async def driven(harness, thinker):
    """Drive a run to its end, however often it dies."""
    while True:
        harness.durable.resume()
        ports = harness.ports()
        ports.agents[Role.REFLECTOR] = thinker
        order = harness.order(trace_id=TraceId("run-1"), memory=TOLD_ALL)
        try:
            return await loop.drive(order, ports, harness.durable)
        except Crash:
            continue


def the_stage(folder, memory):
    scenes = (Scene(failing=(RED,)), Scene())
    acts = (edit(1, calls=(PATCHED,), usage=GIVEN), edit(2, calls=(PATCHED,), usage=GIVEN))
    return staged(folder, *acts, scenes=scenes, memory=memory)


@pytest.fixture
async def whole(tmp_path):
    """A run that nothing happened to."""
    harness, thinker = the_stage(tmp_path / "whole", ListMemory()), Reflecting(SAID)
    outcome = await driven(harness, thinker)
    assert len(thinker.briefs) == 1
    return harness, outcome


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_crash_at_any_step_teaches_the_same_and_is_paid_once(tmp_path, when, whole):
    wanted, end = whole
    assert "reflection-asked" in wanted.durable.steps
    for number, step in enumerate(wanted.durable.steps):
        harness, thinker = the_stage(tmp_path / f"{number}", ListMemory()), Reflecting(SAID)
        harness.durable.crash(**{when: step})
        outcome = await driven(harness, thinker)
        assert outcome.cost_usd == end.cost_usd == Decimal("0.81"), step
        assert len(thinker.briefs) == 1, step
        assert told(harness.memory) == told(wanted.memory), step
        assert harness.kinds() == wanted.kinds(), step


@pytest.mark.parametrize("moments", [("learn",), ("weigh",), ("learn", "weigh", "learn")])
async def test_a_crash_between_what_is_kept_and_its_record_changes_nothing(tmp_path, moments, whole):
    wanted, _ = whole
    harness, thinker = the_stage(tmp_path / "dying", DyingMemory(*moments)), Reflecting(SAID)
    await driven(harness, thinker)
    assert told(harness.memory) == told(wanted.memory)
    assert len(thinker.briefs) == 1
    assert len(of(harness, ReflectionAnswered)) == 1
    assert len([each for each in of(harness, ReflectionCompleted) if each.learnings]) == 1
    (lesson,) = [each.learning for each in harness.memory.standings() if each.learning.hint.template]
    assert {"baseline", "bounce-1", "decide-2"} <= set(lesson.events)


class LosingMemory(ListMemory):
    """Dies before it takes in what became of a learning that was followed, once."""

    lost = False

    def weigh(self, evidence):
        if not self.lost and any(each.kind is EvidenceKind.HELPED for each in evidence):
            self.lost = True
            raise Crash("weigh")
        return super().weigh(evidence)


async def test_what_was_followed_is_weighed_though_the_run_died_behind_its_record(tmp_path):
    memory = LosingMemory()
    await driven(the_stage(tmp_path, memory), Reflecting(SAID))
    second = staged(tmp_path, edit(3, calls=(PATCHED,), usage=GIVEN), memory=memory)
    while True:
        second.durable.resume()
        order = second.order(trace_id=TraceId("run-2"), memory=TOLD_ALL)
        try:
            await loop.drive(order, second.ports(), second.durable)
            break
        except Crash:
            assert memory.lost
    (judged,) = of(second, LearningsJudged, "run-2")
    followed = {each.learning for each in judged.items if each.followed}
    assert followed
    for known in memory.standings(followed):
        (entry,) = [each for each in known.evidence if each.kind is EvidenceKind.HELPED]
        assert entry.source == "outcome:run-2"
        assert entry.weight == 0.3 / len(judged.items)
    assert memory.lost
