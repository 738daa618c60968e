"""R2: implement, review, test; the same failure three times escalates; progress.json in its shape."""

from setpoint.history.reports.run_report import progress, scratchpad
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.ids import TraceId
from setpoint.settings import CLASSIC
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

MOCK = "FilterDropdown.test::missing_mock"


def edits(number):
    return [Act(edits={"src/work.py": f"value = {round_}\n"}) for round_ in range(1, number + 1)]


async def test_a_failure_is_fed_back_and_mended(tmp_path):
    agent = ScriptedAgent(*edits(2))
    evaluator = ScriptedEvaluator(Scene(failing=(MOCK,)), Scene(), base=Scene())
    harness = RunHarness(agent=agent, evaluator=evaluator, folder=tmp_path, limits=Limits(**CLASSIC))

    outcome = await harness.drive()

    assert outcome.mark == "IMPLEMENTATION_VERIFIED"
    assert MOCK in agent.briefs[1].prompt
    assert agent.briefs[1].mode == "fix"
    loop = progress(harness.log.replay(TraceId("run-1"))).model_dump(mode="json")["feedback_loop"]
    assert loop["status"] == "IMPLEMENTATION_VERIFIED"
    assert (loop["current_iteration"], loop["max_iterations"]) == (2, 5)
    assert [(each["number"], each["review_result"], each["test_result"]) for each in loop["iterations"]] == [
        (1, "PASS", "FAIL"),
        (2, "PASS", "PASS"),
    ]
    text = scratchpad(harness.log.replay(TraceId("run-1")))
    assert "## Iteration 1" in text
    assert "IMPLEMENTATION_VERIFIED" in text


async def test_the_same_test_failure_three_times_stops(tmp_path):
    agent = ScriptedAgent(*edits(5))
    evaluator = ScriptedEvaluator(Scene(failing=(MOCK,), score=0.7), base=Scene())
    limits = Limits(
        **{**CLASSIC, "stagnation": False, "max_test_bounces": None, "max_refinement_attempts": None}
    )
    harness = RunHarness(agent=agent, evaluator=evaluator, folder=tmp_path, limits=limits)

    outcome = await harness.drive()

    assert outcome.ending is Ending.STOPPED
    assert outcome.halt is not None
    assert (outcome.halt.guard, outcome.iterations) == ("max_same_test_failure", 3)
    assert MOCK in outcome.halt.reason
    assert outcome.halt.go_on
