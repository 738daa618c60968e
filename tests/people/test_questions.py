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
from setpoint.testing import Crash, RunHarness, ScriptedAgent, ScriptedEvaluator

TRACE = TraceId("run-1")
YES = Answer(choice=Choice.APPROVE, by="Ann", via=Via.CLI)
NO = Answer(choice=Choice.REJECT, by="Bob", via=Via.WEB)


@pytest.fixture
def harness(tmp_path):
    return RunHarness(agent=ScriptedAgent(), evaluator=ScriptedEvaluator(), folder=tmp_path)


def a_gate(harness, **more):
    options = tuple(Option(choice=choice, text="") for choice in (Choice.APPROVE, Choice.REJECT))
    values = {
        "id": GateId("request-1"),
        "kind": GateKind.REQUEST,
        "question": "May it?",
        "options": options,
        "asked_at": harness.clock.now(),
    }
    return Gate(**{**values, **more})


async def asked(harness, **more):
    """Ask as a new process would."""
    harness.durable.resume()
    ports, order = harness.ports(), harness.order()
    copy = await ports.workspace.open(TRACE, order.base)
    journal = Journal(TRACE, ports.log, ports.durable)
    journal.note("run", RunStarted(order=order, workdir=copy.path))
    run = RunContext(order=order, ports=ports, copy=copy, tools=Toolbox({}, ""), journal=journal)
    return await ask(run, a_gate(harness, **more))


def of(harness, kind):
    return [event.body for event in harness.log.replay(TRACE) if isinstance(event.body, kind)]


async def test_without_an_answer_the_drive_ends_and_the_question_stands(harness):
    with pytest.raises(RunWaiting, match="May it") as waiting:
        await asked(harness)
    with pytest.raises(RunWaiting):
        await asked(harness)

    assert waiting.value.gate == "request-1"
    assert len(of(harness, GateOpened)) == 1
    gate = history(harness.log.replay(TRACE)).waiting
    assert gate is not None
    assert gate.id == "request-1"


async def test_an_answer_from_elsewhere_is_given_to_the_next_drive(harness):
    with pytest.raises(RunWaiting):
        await asked(harness)
    harness.clock.wait(3600)
    harness.answer("request-1", YES)

    assert await asked(harness) == YES
    assert await asked(harness) == YES
    told = history(harness.log.replay(TRACE))
    assert told.waiting is None
    assert told.gates[0].response_s == 3600


async def test_the_first_answer_counts(harness):
    with pytest.raises(RunWaiting):
        await asked(harness)
    harness.answer("request-1", NO)
    harness.answer("request-1", YES)

    assert await asked(harness) == NO
    assert len(of(harness, GateAnswered)) == 1


async def test_past_the_deadline_the_default_is_the_answer(harness):
    deadline = {"deadline": harness.clock.now() + timedelta(days=3), "default": Choice.REJECT}
    with pytest.raises(RunWaiting):
        await asked(harness, **deadline)
    harness.clock.wait(3 * 86_400 - 1)
    with pytest.raises(RunWaiting):
        await asked(harness, **deadline)
    harness.clock.wait(2)

    answer = await asked(harness, **deadline)

    assert (answer.choice, answer.via) == (Choice.REJECT, Via.DEADLINE)
    assert [each.choice for each in of(harness, GateExpired)] == [Choice.REJECT]


async def test_an_answer_in_time_is_not_undone_by_a_late_drive(harness):
    deadline = {"deadline": harness.clock.now() + timedelta(hours=1), "default": Choice.REJECT}
    with pytest.raises(RunWaiting):
        await asked(harness, **deadline)
    harness.answer("request-1", YES)
    harness.clock.wait(7200)

    assert await asked(harness, **deadline) == YES
    assert of(harness, GateExpired) == []


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_crash_around_the_answer_changes_nothing(harness, when):
    with pytest.raises(RunWaiting):
        await asked(harness)
    harness.answer("request-1", YES)
    harness.durable.crash(**{when: "gate:request-1:answer"})
    with pytest.raises(Crash):
        await asked(harness)

    assert await asked(harness) == YES


async def test_the_time_a_person_takes_is_not_the_run_s_time(harness):
    with pytest.raises(RunWaiting):
        await asked(harness)
    before = account_of(harness.log.replay(TRACE)).active_s
    harness.clock.wait(5000)
    harness.answer("request-1", YES)
    harness.clock.wait(5000)
    harness.log.append(TRACE, "resumed", (RunResumed(process=1),))

    assert account_of(harness.log.replay(TRACE)).active_s == before
