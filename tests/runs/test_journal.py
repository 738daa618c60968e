"""The journal: one fact per key, one act per step, also where another process went ahead."""

from decimal import Decimal

import pytest

from setpoint.model.attempt import Usage
from setpoint.model.events.run import AgentSpent, PhaseEntered, RunResumed
from setpoint.model.facts.budget_account import account_of
from setpoint.model.ids import TraceId
from setpoint.runs.journal import Journal
from setpoint.testing import InlineDurable, MemoryEventLog

RUN = TraceId("run-1")


def entered(phase):
    return PhaseEntered(phase=phase)


def giving(body, acts):
    async def act():
        acts.append(body)
        return body

    return act


def test_a_fact_is_noted_once():
    log = MemoryEventLog()
    journal = Journal(RUN, log, InlineDurable())
    assert journal.note("k", entered("plan")) == journal.note("k", entered("review")) == entered("plan")
    assert [event.body for event in log.replay(RUN)] == [entered("plan")]
    assert Journal(RUN, log, InlineDurable()).events == journal.events


def test_what_another_process_noted_is_taken_in_with_its_place():
    log = MemoryEventLog()
    mine, other = Journal(RUN, log, InlineDurable()), Journal(RUN, log, InlineDurable())
    other.note("theirs", entered("plan"))
    other.note("both", entered("review"))

    assert mine.note("both", entered("test")) == entered("review")
    mine.note("mine", entered("implement"))

    assert [event.key for event in mine.events] == ["theirs", "both", "mine"]


def test_the_budget_counts_what_this_and_another_process_recorded():
    log = MemoryEventLog()
    mine, other = Journal(RUN, log, InlineDurable()), Journal(RUN, log, InlineDurable())
    for number, journal in enumerate((other, mine, mine, other), start=1):
        usage = Usage(cost_usd=Decimal(number), input_tokens=10, scope="turn")
        journal.note(f"spent-{number}", AgentSpent(label=f"plan-{number}", attempt=1, usage=usage))
    mine.note("entered", entered("plan"))
    assert mine.account.used.cost_usd == 10
    assert mine.account == account_of(log.replay(RUN)) == Journal(RUN, log, InlineDurable()).account


async def test_a_step_is_done_once_though_the_engine_lost_it():
    log, acts = MemoryEventLog(), []
    for durable in (InlineDurable(), InlineDurable()):
        journal = Journal(RUN, log, durable)
        assert await journal.step("k", giving(entered("plan"), acts), PhaseEntered) == entered("plan")
    assert len(acts) == 1


async def test_a_step_that_another_process_did_is_taken_in():
    log, durable, acts = MemoryEventLog(), InlineDurable(), []
    mine, other = Journal(RUN, log, durable), Journal(RUN, log, durable)
    await other.step("k", giving(entered("plan"), acts), PhaseEntered)
    durable.resume()

    assert await mine.step("k", giving(entered("plan"), acts), PhaseEntered) == entered("plan")

    assert (len(acts), mine.events) == (1, other.events)


async def test_a_step_that_gives_something_else_is_a_fault():
    journal = Journal(RUN, MemoryEventLog(), InlineDurable())
    with pytest.raises(TypeError, match=r"'k' is recorded as phase\.entered, not as RunResumed"):
        await journal.step("k", giving(entered("plan"), []), RunResumed)
