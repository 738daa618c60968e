"""The phase loop with scripted neighbours: every way it can go and end."""

import json
from decimal import Decimal

import pytest

from setpoint.model.attempt import BreakageKind, ToolCall, Usage
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage as Measuring
from setpoint.model.events.run import AgentFinished, BudgetWarned, LoopRestarted, ToolExecuted
from setpoint.model.ids import TraceId
from setpoint.testing import Act, Crash, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator, failure

RED = ("t::a", "t::b", "t::c")


def changes(*values):
    return [Act(edits={"src/work.py": f"value = {value}\n"}) for value in values]


def of(harness, kind):
    return [event.body for event in harness.log.replay(TraceId("run-1")) if isinstance(event.body, kind)]


async def test_a_claim_without_a_change_is_never_verified(tmp_path):
    agent = ScriptedAgent(Act(text="IMPLEMENTATION_VERIFIED, all tests pass"))
    harness = RunHarness(agent=agent, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path)

    outcome = await harness.drive()

    assert outcome.ending is Ending.STOPPED
    assert outcome.halt is not None
    assert (outcome.halt.guard, outcome.iterations, outcome.branch) == ("max_empty_diffs", 2, "")


async def test_the_same_change_again_counts_as_no_change(tmp_path):
    flip = [
        Act(edits={"src/work.py": text})
        for text in ("value = 1\n", "value = 0\n", "value = 1\n", "value = 0\n")
    ]
    scenes = [Scene(failing=(failure("t::a", f"assert {number}"),)) for number in range(4)]
    harness = RunHarness(
        agent=ScriptedAgent(*flip),
        evaluator=ScriptedEvaluator(*scenes, base=Scene(failing=RED)),
        folder=tmp_path,
    )

    outcome = await harness.drive()

    assert outcome.halt is not None
    assert (outcome.halt.guard, outcome.iterations) == ("max_empty_diffs", 3)


async def test_repeated_findings_restart_once_from_the_best_then_stop(tmp_path):
    agent = ScriptedAgent(*changes(*range(1, 12)))
    evaluator = ScriptedEvaluator(Scene(failing=("t::a",)), base=Scene(failing=RED))
    harness = RunHarness(agent=agent, evaluator=evaluator, folder=tmp_path, limits=Limits(max_iterations=10))

    outcome = await harness.drive()

    restarts = of(harness, LoopRestarted)
    assert [each.iteration for each in restarts] == [3]
    assert restarts[0].commit == of(harness, AgentFinished)[2].snapshot.commit
    assert [brief.mode for brief in agent.briefs] == ["fresh", "fix", "fix", "restart"]
    assert agent.briefs[3].session != agent.briefs[2].session
    assert "value = 3" in agent.briefs[3].prompt  # it is told what was tried
    assert outcome.ending is Ending.STOPPED
    assert "alone fails in every approach" in outcome.reason
    assert outcome.branch == "unverified/setpoint/work"  # one red test instead of three is worth delivering


async def test_the_best_state_is_delivered_never_merely_the_last(tmp_path):
    scenes = [Scene(failing=RED[:1], passed=12), Scene(failing=(*RED, "t::d"), passed=9)]
    scenes += [Scene(failing=(*RED, f"t::new_{number}"), passed=9) for number in range(5)]
    harness = RunHarness(
        agent=ScriptedAgent(*changes(*range(1, 9))),
        evaluator=ScriptedEvaluator(*scenes, base=Scene(failing=RED, passed=10)),
        folder=tmp_path,
    )

    outcome = await harness.drive()

    assert (outcome.ending, outcome.best_iteration) == (Ending.STOPPED, 1)
    delivered = harness.forge.branches[outcome.branch]
    assert harness.workspace.files(delivered.commit)["src/work.py"] == b"value = 1\n"
    assert "not verified" in delivered.message


async def test_a_run_never_ends_worse_than_it_began(tmp_path):
    scenes = [Scene(failing=(*RED, f"t::broken_{number}")) for number in range(9)]
    harness = RunHarness(
        agent=ScriptedAgent(*changes(*range(1, 9))),
        evaluator=ScriptedEvaluator(*scenes, base=Scene(failing=RED)),
        folder=tmp_path,
    )

    outcome = await harness.drive()

    assert (outcome.best, outcome.branch, outcome.best_iteration) == (harness.workspace.base, "", 0)


async def test_an_agent_that_breaks_gets_three_tries_with_growing_pauses(tmp_path):
    agent = ScriptedAgent(
        *(Act(breakage=BreakageKind.CRASH, edits={"src/work.py": "half\n"}) for _ in range(9))
    )
    harness = RunHarness(agent=agent, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path)

    outcome = await harness.drive()

    assert outcome.ending is Ending.BROKEN_AGENT
    assert (len(agent.briefs), outcome.iterations) == (3, 0)
    assert harness.clock.slept == [2.0, 8.0]
    assert "crash" in outcome.reason
    assert outcome.branch == "unverified/setpoint/work", (
        "half of the work is kept, and passes for nothing more"
    )


async def test_what_a_broken_agent_left_is_verified_if_it_makes_the_failing_tests_pass(tmp_path):
    half = Act(breakage=BreakageKind.AUTH, edits={"src/work.py": "value = 1\n"})
    evaluator = ScriptedEvaluator(Scene(), base=Scene(failing=RED))
    harness = RunHarness(agent=ScriptedAgent(half), evaluator=evaluator, folder=tmp_path)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)
    assert of(harness, AgentFinished)[0].snapshot.files == ("src/work.py",)


@pytest.mark.parametrize("kind", [BreakageKind.MISSING, BreakageKind.AUTH])
async def test_what_another_try_cannot_mend_is_not_tried_again(tmp_path, kind):
    agent = ScriptedAgent(*(Act(breakage=kind) for _ in range(9)))
    harness = RunHarness(agent=agent, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path)

    outcome = await harness.drive()

    assert (outcome.ending, len(agent.briefs), harness.clock.slept) == (Ending.BROKEN_AGENT, 1, [])


async def test_breakage_burns_no_iteration(tmp_path):
    agent = ScriptedAgent(Act(breakage=BreakageKind.RATE_LIMIT), *changes(1))
    harness = RunHarness(agent=agent, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)
    assert of(harness, AgentFinished)[0].lost == 1


async def test_the_work_of_a_broken_try_is_put_back(tmp_path):
    agent = ScriptedAgent(Act(breakage=BreakageKind.CRASH, edits={"src/half.py": "half\n"}), *changes(1))
    harness = RunHarness(agent=agent, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path)

    outcome = await harness.drive()

    assert "src/half.py" not in harness.workspace.files(outcome.best)


async def test_money_is_a_limit_and_is_warned_of(tmp_path):
    paid = Usage(cost_usd=Decimal("1.30"), scope="turn")
    acts = [Act(edits={"src/work.py": f"value = {number}\n"}, usage=paid) for number in range(9)]
    scenes = [Scene(failing=(failure("t::a", f"assert {number}"),)) for number in "abcdefg"]
    harness = RunHarness(
        agent=ScriptedAgent(*acts),
        evaluator=ScriptedEvaluator(*scenes, base=Scene(failing=RED)),
        folder=tmp_path,
        limits=Limits(enough_left=False),
    )

    outcome = await harness.drive()

    assert outcome.halt is not None
    assert (outcome.halt.guard, outcome.cost_usd, outcome.iterations) == ("max_cost_usd", Decimal("5.20"), 4)
    assert [each.share for each in of(harness, BudgetWarned) if each.budget == "cost"] == [0.5, 0.8]


async def test_time_is_a_limit(tmp_path):
    harness = RunHarness(
        agent=ScriptedAgent(),
        evaluator=ScriptedEvaluator(Scene()),
        folder=tmp_path,
        limits=Limits(max_wall_s=500, enough_left=False),
    )
    acts = [Act(edits={"src/work.py": f"value = {number}\n"}, duration_s=200) for number in range(1, 9)]
    harness.agent = ScriptedAgent(*acts, clock=harness.clock)
    harness.evaluator = ScriptedEvaluator(
        *(Scene(failing=(failure("t::a", word),)) for word in "abcdefgh"), base=Scene(failing=RED)
    )

    outcome = await harness.drive()

    assert outcome.halt is not None
    assert (outcome.halt.guard, outcome.iterations) == ("max_wall_s", 2)
    assert outcome.duration_s == 500  # the last attempt was given what was left


async def test_unknown_cost_is_said_to_be_unknown(tmp_path):
    agent = ScriptedAgent(
        Act(edits={"src/work.py": "value = 1\n"}, usage=Usage(input_tokens=10, scope="turn"))
    )
    harness = RunHarness(agent=agent, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path)

    outcome = await harness.drive()

    assert (outcome.cost_usd, outcome.cost_known) == (Decimal(0), False)


async def test_every_tool_call_is_an_event(tmp_path):
    calls = (ToolCall(id="1", name="bash", ok=True), ToolCall(id="2", name="write", ok=False))
    agent = ScriptedAgent(Act(edits={"src/work.py": "value = 1\n"}, calls=calls))
    harness = RunHarness(agent=agent, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path)

    await harness.drive()

    assert [each.call.name for each in of(harness, ToolExecuted)] == ["edit", "bash", "write"]


async def test_a_confirmation_that_fails_goes_on(tmp_path):
    flaky_first = {
        Measuring.TEST: Scene(agent_wrote_tests=True),
        Measuring.CONFIRM: Scene(failing=("t::shaky",)),
    }
    harness = RunHarness(
        agent=ScriptedAgent(*changes(1, 2)),
        evaluator=ScriptedEvaluator(flaky_first, Scene()),
        folder=tmp_path,
    )

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 2)
    assert "t::shaky" in harness.agent.briefs[1].prompt


async def test_a_broken_tool_is_never_a_pass(tmp_path):
    harness = RunHarness(
        agent=ScriptedAgent(*changes(*range(1, 10))),
        evaluator=ScriptedEvaluator(Scene(broken=("bandit",))),
        folder=tmp_path,
    )

    outcome = await harness.drive()

    assert outcome.ending is Ending.STOPPED
    assert "bandit broke" in harness.agent.briefs[1].prompt


async def every_step(tmp_path):
    harness = _crashing_stage(tmp_path)
    await harness.drive()
    return harness.durable.steps


def _crashing_stage(tmp_path):
    evaluator = ScriptedEvaluator(Scene(failing=RED[:1]), Scene(), base=Scene(failing=RED))
    paid = Usage(cost_usd=Decimal("0.25"), scope="turn")
    acts = [Act(edits={"src/work.py": f"value = {number}\n"}, usage=paid) for number in (1, 2)]
    return RunHarness(agent=ScriptedAgent(*acts), evaluator=evaluator, folder=tmp_path)


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_crash_at_any_step_changes_nothing(tmp_path, when):
    steps = await every_step(tmp_path / "whole")
    whole = _crashing_stage(tmp_path / "again")
    wanted = await whole.drive()
    for number, step in enumerate(steps):
        harness = _crashing_stage(tmp_path / f"{when}-{number}")
        harness.durable.crash(**{when: step})
        with pytest.raises(Crash):
            await harness.drive()
        outcome = await harness.drive()

        assert outcome.model_dump(exclude={"duration_s"}) == wanted.model_dump(exclude={"duration_s"}), step
        assert harness.kinds() == whole.kinds(), step
        assert len(harness.agent.briefs) == 2, f"an attempt was paid twice around {step}"


async def test_a_lost_attempt_is_charged_and_made_again(tmp_path):
    harness = _crashing_stage(tmp_path)
    first, second = harness.agent.acts
    dying = Act(edits=first.edits, usage=Usage(cost_usd=Decimal("0.10"), scope="turn"), do=_die)
    harness.agent.acts = (dying, first, second)

    with pytest.raises(Crash):
        await harness.drive()
    outcome = await harness.drive()

    assert outcome.ending is Ending.VERIFIED
    assert outcome.cost_usd == Decimal("0.60")  # two attempts, and what the lost one told before it was lost
    assert of(harness, AgentFinished)[0].lost == 1


def _die(brief):
    raise Crash(brief.label)


async def test_an_objection_is_not_forgotten_when_the_maker_does_nothing(tmp_path):
    left_in = Act(edits={"src/work.py": "value = 1\nbreakpoint()\n"})
    agent = ScriptedAgent(left_in, Act(text="I see nothing wrong."), Act(text="Still nothing."))
    words = ("a debugger call is left in", "breakpoint() stops every caller", "remove the breakpoint")
    wrong = [{"severity": "error", "category": "correctness", "message": each} for each in words]
    said = [Act(text=json.dumps({"decision": "request_changes", "findings": [each]})) for each in wrong]
    harness = RunHarness(
        agent=agent,
        reviewer=ScriptedAgent(*said, name="critic"),
        evaluator=ScriptedEvaluator(Scene(), base=Scene()),
        folder=tmp_path,
    )

    outcome = await harness.drive()

    assert outcome.ending is Ending.STOPPED
    assert outcome.halt is not None
    assert outcome.halt.guard == "max_empty_diffs"


class Unclosable(ScriptedAgent):
    """Fails to end what it keeps running."""

    async def close(self):
        raise RuntimeError("it does not end")


async def test_each_agent_is_closed_though_closing_another_fails(tmp_path):
    agent, reviewer = Unclosable(*changes(1)), ScriptedAgent(name="critic")
    evaluator = ScriptedEvaluator(Scene(), base=Scene(failing=RED))
    harness = RunHarness(agent=agent, reviewer=reviewer, evaluator=evaluator, folder=tmp_path)

    with pytest.raises(RuntimeError, match="does not end"):
        await harness.drive()

    assert reviewer.closed == 1
