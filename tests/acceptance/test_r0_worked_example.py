"""R0: 0.65 with failing tests and 0.78 with one failing go on, 0.88 with all passing halts."""

from setpoint.model.ending import Ending
from setpoint.model.events.run import HaltingDecided
from setpoint.model.ids import TraceId
from setpoint.model.run import Action
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

PAYMENT = (
    "tests/test_pay.py::test_amount",
    "tests/test_pay.py::test_currency",
    "tests/test_pay.py::test_edge",
)


async def test_quality_rises_until_every_gate_passes(tmp_path):
    agent = ScriptedAgent(*(Act(edits={"src/work.py": f"value = {round_}\n"}) for round_ in (1, 2, 3)))
    evaluator = ScriptedEvaluator(
        Scene(score=0.65, failing=PAYMENT, passed=12),
        Scene(score=0.78, failing=PAYMENT[2:], passed=14),
        Scene(score=0.88, passed=15),
        base=Scene(failing=PAYMENT, passed=12),
    )
    harness = RunHarness(agent=agent, evaluator=evaluator, folder=tmp_path)

    outcome = await harness.drive()

    decisions = [
        event.body for event in harness.log.replay(TraceId("run-1")) if isinstance(event.body, HaltingDecided)
    ]
    assert [(each.decision.action, each.decision.figures["quality"]) for each in decisions] == [
        (Action.CONTINUE, 0.65),
        (Action.CONTINUE, 0.78),
        (Action.CONFIRM, 0.88),
        (Action.HALT, 0.88),
    ]
    assert (outcome.ending, outcome.mark) == (Ending.VERIFIED, "IMPLEMENTATION_VERIFIED")
    assert (outcome.iterations, outcome.bounces, outcome.best_iteration) == (3, 2, 3)
    assert (
        harness.workspace.files(harness.forge.branches[outcome.branch].commit)["src/work.py"]
        == b"value = 3\n"
    )


async def test_a_high_score_with_a_failing_test_never_halts(tmp_path):
    agent = ScriptedAgent(*(Act(edits={"src/work.py": f"value = {round_}\n"}) for round_ in range(1, 8)))
    evaluator = ScriptedEvaluator(
        *(Scene(score=0.99, failing=(f"t::red_{round_}",), passed=500) for round_ in range(7)),
        base=Scene(failing=("t::a", "t::b")),
    )
    harness = RunHarness(agent=agent, evaluator=evaluator, folder=tmp_path)

    outcome = await harness.drive()

    assert outcome.ending is Ending.STOPPED
    assert outcome.halt is not None
    assert outcome.halt.guard == "max_rounds_without_gain"
    assert outcome.iterations == 4
    assert outcome.mark == ""
