"""A question stands in the log, is answered from anywhere, and the first answer counts."""

from datetime import timedelta

import pytest

from setpoint.errors import RunWaiting
from setpoint.history.replay import history
from setpoint.model.events.run import GateAnswered, GateExpired, GateOpened, RunResumed, RunStarted
from setpoint.model.facts.budget_account import account_of
from setpoint.model.gate import Answer, Choice, Gate, GateKind, Option, Via
from setpoint.model.ids import GateId, TraceId
from setpoint.people.questions import ask
from setpoint.ports import Toolbox
from setpoint.runs.context import RunContext
from setpoint.runs.journal import Journal
from setpoint.testing import Crash, ScriptedAgent, ScriptedEvaluator, Stage

TRACE = TraceId("run-1")
YES = Answer(choice=Choice.APPROVE, by="Ann", via=Via.CLI)
NO = Answer(choice=Choice.REJECT, by="Bob", via=Via.WEB)


@pytest.fixture
def stage(tmp_path):
    return Stage(agent=ScriptedAgent(), evaluator=ScriptedEvaluator(), folder=tmp_path)


def a_gate(stage, **more):
    options = tuple(Option(choice=choice, text="") for choice in (Choice.APPROVE, Choice.REJECT))
    values = {
        "id": GateId("request-1"),
        "kind": GateKind.REQUEST,
        "question": "May it?",
        "options": options,
        "asked_at": stage.clock.now(),
    }
    return Gate(**{**values, **more})


async def asked(stage, **more):
    """Ask as a new process would."""
    stage.durable.resume()
    world, order = stage.world(), stage.order()
    copy = await world.workspace.open(TRACE, order.base)
    journal = Journal(TRACE, world.log, world.durable)
    journal.note("run", RunStarted(order=order, workdir=copy.path))
    run = RunContext(order=order, world=world, copy=copy, tools=Toolbox({}, ""), journal=journal)
    return await ask(run, a_gate(stage, **more))


def of(stage, kind):
    return [event.body for event in stage.log.replay(TRACE) if isinstance(event.body, kind)]


async def test_without_an_answer_the_drive_ends_and_the_question_stands(stage):
    with pytest.raises(RunWaiting, match="May it") as waiting:
        await asked(stage)
    with pytest.raises(RunWaiting):
        await asked(stage)

    assert waiting.value.gate == "request-1"
    assert len(of(stage, GateOpened)) == 1
    gate = history(stage.log.replay(TRACE)).waiting
    assert gate is not None
    assert gate.id == "request-1"


async def test_an_answer_from_elsewhere_is_given_to_the_next_drive(stage):
    with pytest.raises(RunWaiting):
        await asked(stage)
    stage.clock.wait(3600)
    stage.answer("request-1", YES)

    assert await asked(stage) == YES
    assert await asked(stage) == YES
    told = history(stage.log.replay(TRACE))
    assert told.waiting is None
    assert told.gates[0].response_s == 3600


async def test_the_first_answer_counts(stage):
    with pytest.raises(RunWaiting):
        await asked(stage)
    stage.answer("request-1", NO)
    stage.answer("request-1", YES)

    assert await asked(stage) == NO
    assert len(of(stage, GateAnswered)) == 1


async def test_past_the_deadline_the_default_is_the_answer(stage):
    deadline = {"deadline": stage.clock.now() + timedelta(days=3), "default": Choice.REJECT}
    with pytest.raises(RunWaiting):
        await asked(stage, **deadline)
    stage.clock.wait(3 * 86_400 - 1)
    with pytest.raises(RunWaiting):
        await asked(stage, **deadline)
    stage.clock.wait(2)

    answer = await asked(stage, **deadline)

    assert (answer.choice, answer.via) == (Choice.REJECT, Via.DEADLINE)
    assert [each.choice for each in of(stage, GateExpired)] == [Choice.REJECT]


async def test_an_answer_in_time_is_not_undone_by_a_late_drive(stage):
    deadline = {"deadline": stage.clock.now() + timedelta(hours=1), "default": Choice.REJECT}
    with pytest.raises(RunWaiting):
        await asked(stage, **deadline)
    stage.answer("request-1", YES)
    stage.clock.wait(7200)

    assert await asked(stage, **deadline) == YES
    assert of(stage, GateExpired) == []


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_crash_around_the_answer_changes_nothing(stage, when):
    with pytest.raises(RunWaiting):
        await asked(stage)
    stage.answer("request-1", YES)
    stage.durable.crash(**{when: "gate:request-1:answer"})
    with pytest.raises(Crash):
        await asked(stage)

    assert await asked(stage) == YES


async def test_the_time_a_person_takes_is_not_the_run_s_time(stage):
    with pytest.raises(RunWaiting):
        await asked(stage)
    before = account_of(stage.log.replay(TRACE)).active_s
    stage.clock.wait(5000)
    stage.answer("request-1", YES)
    stage.clock.wait(5000)
    stage.log.append(TRACE, "resumed", (RunResumed(process=1),))

    assert account_of(stage.log.replay(TRACE)).active_s == before
