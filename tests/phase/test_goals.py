"""A goal that is a gate goes back while the work gets nearer to it, and keeps it from being verified."""

from phase.test_escalation import ASKING, of
from setpoint.model.ending import Ending
from setpoint.model.events.run import AgentFinished
from setpoint.model.gate import OnLimit
from setpoint.model.goals import GoalMode, GoalResult, GoalState
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator


def scene(value, state=None, mode=GoalMode.GATE):
    state = state or (GoalState.MET if value >= 0.8 else GoalState.MISSED)
    goal = GoalResult(name="diff_coverage", mode=mode, state=state, value=value, target=0.8)
    reason = f"{value:.0%} of at least 80%"
    return Scene(goals=(goal.model_copy(update={"reason": reason, "missing": ("add tests for f",)}),))


async def ended(folder, *scenes):
    edits = [Act(edits={"src/work.py": f"value = {number}\n"}) for number in range(1, 9)]
    escalation = ASKING.model_copy(update={"on_limit": OnLimit.ERROR})
    stage = RunHarness(
        agent=ScriptedAgent(*edits),
        evaluator=ScriptedEvaluator(*scenes),
        folder=folder,
        escalation=escalation,
    )
    return stage, await stage.drive()


async def test_work_goes_back_while_it_gets_nearer(tmp_path):
    stage, outcome = await ended(tmp_path, *map(scene, (0.2, 0.4, 0.6, 0.9)))
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 4)
    assert outcome.goals[0].state is GoalState.MET
    told = of(stage, AgentFinished)
    assert len(told) == 4


async def test_a_goal_that_does_not_get_nearer_ends_unproven(tmp_path):
    _, outcome = await ended(tmp_path, *map(scene, (0.2, 0.4, 0.4, 0.4, 0.9)))
    assert (outcome.ending, outcome.iterations) == (Ending.UNPROVEN, 4)
    assert "short of the goal diff_coverage: 40% of at least 80%: add tests for f" in outcome.reason


async def test_work_that_gets_nearer_in_every_second_round_is_not_stopped(tmp_path):
    _, outcome = await ended(tmp_path / "slow", *map(scene, (0.2, 0.4, 0.4, 0.6, 0.6, 0.9)))
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 6)
    _, outcome = await ended(tmp_path / "never", *map(scene, (0.2, 0.2, 0.9)))
    assert (outcome.ending, outcome.iterations) == (Ending.UNPROVEN, 2)


async def test_a_gate_that_nobody_measures_is_not_sent_back(tmp_path):
    _, outcome = await ended(tmp_path, scene(0.0, GoalState.NOT_MEASURED))
    assert (outcome.ending, outcome.iterations) == (Ending.UNPROVEN, 1)


async def test_advice_and_what_does_not_apply_stop_nothing(tmp_path):
    _, outcome = await ended(tmp_path / "a", scene(0.1, mode=GoalMode.ADVICE))
    assert outcome.ending is Ending.VERIFIED
    _, outcome = await ended(tmp_path / "b", scene(0.1, GoalState.NOT_APPLICABLE))
    assert outcome.ending is Ending.VERIFIED
