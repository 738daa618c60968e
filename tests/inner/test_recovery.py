"""A session never meets a tree that it did not leave."""

from setpoint.model.attempt import BreakageKind, Brief, Recovery
from setpoint.model.ending import Ending
from setpoint.model.events.run import AgentBroke
from setpoint.model.facts.budget_account import account_of
from setpoint.model.ids import TraceId
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

HALF = {"src/half.py": "half = 1\n"}
WORK = {"src/work.py": "value = 1\n"}


class SessionAgent(ScriptedAgent):
    """An agent whose sessions outlast a broken try."""

    def goes_on(self, brief: Brief) -> bool:
        return True


def drive(tmp_path, agent, **limits):
    harness = RunHarness(agent=agent, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path)
    return harness, harness.drive(**limits) if limits else harness.drive()


def broken(harness) -> list[AgentBroke]:
    events = harness.log.replay(TraceId("run-1"))
    return [event.body for event in events if isinstance(event.body, AgentBroke)]


async def test_a_session_that_continues_finds_its_edits(tmp_path):
    agent = SessionAgent(Act(edits=HALF, breakage=BreakageKind.CRASH), Act(edits=WORK))
    harness, driven = drive(tmp_path, agent)
    outcome = await driven
    first, second = agent.briefs
    assert outcome.ending is Ending.VERIFIED
    assert harness.workspace.files(outcome.best)["src/half.py"] == b"half = 1\n"
    assert (second.session, "as that try left them" in second.prompt) == (first.session, True)
    assert [each.then for each in broken(harness)] == [Recovery.SAME_SESSION]


async def test_a_new_session_is_shown_what_was_put_back(tmp_path):
    agent = ScriptedAgent(Act(edits=HALF, breakage=BreakageKind.CRASH), Act(edits=WORK))
    harness, driven = drive(tmp_path, agent)
    outcome = await driven
    first, second = agent.briefs
    assert "src/half.py" not in harness.workspace.files(outcome.best)
    assert second.session != first.session
    assert "half = 1" in second.prompt
    assert [each.then for each in broken(harness)] == [Recovery.NEW_SESSION]


async def test_later_rounds_stay_in_the_new_session(tmp_path):
    agent = ScriptedAgent(
        Act(breakage=BreakageKind.CRASH), Act(edits=WORK), Act(edits={"src/more.py": "1\n"})
    )
    evaluator = ScriptedEvaluator(Scene(failing=("t::a",)), Scene())
    harness = RunHarness(agent=agent, evaluator=evaluator, folder=tmp_path)
    await harness.drive()
    _, second, third = agent.briefs
    assert third.session == second.session


async def test_waiting_for_a_limit_is_no_work_of_the_run(tmp_path):
    agent = SessionAgent(Act(breakage=BreakageKind.RATE_LIMIT), Act(edits=WORK))
    harness, driven = drive(tmp_path, agent)
    outcome = await driven
    (waited,) = broken(harness)
    assert (outcome.ending, waited.wait_s in harness.clock.slept) == (Ending.VERIFIED, True)
    events = list(harness.log.replay(TraceId("run-1")))
    elapsed = (events[-1].at - events[0].at).total_seconds()
    assert account_of(events).active_s == elapsed - waited.wait_s
