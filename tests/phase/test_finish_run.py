"""Whatever ends a run, the best measured state is delivered, and nothing that only looks better."""

import pytest

from setpoint.model.attempt import BreakageKind
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage as Measuring
from setpoint.model.finding import Category, Finding, Severity
from setpoint.testing import (
    Act,
    Crash,
    FolderWorkspace,
    RunHarness,
    Scene,
    ScriptedAgent,
    ScriptedEvaluator,
)

RED = ("t::a", "t::b", "t::c")
ILL_TYPED = Finding(source="mypy", severity=Severity.ERROR, category=Category.TYPES, message="wrong type")


def a_stage(tmp_path, *scenes, reviewer=None, limit=4):
    agent = ScriptedAgent(*(Act(edits={"src/work.py": f"value = {number}\n"}) for number in range(1, 9)))
    more = {} if reviewer is None else {"reviewer": reviewer}
    return RunHarness(
        agent=agent,
        evaluator=ScriptedEvaluator(*scenes, base=Scene(failing=RED)),
        folder=tmp_path,
        limits=Limits(max_iterations=limit, freeze_reviews_after=9),
        **more,
    )


def delivered(harness, outcome):
    return harness.workspace.files(harness.forge.branches[outcome.branch].commit)["src/work.py"]


async def test_rounds_that_never_reached_the_tests_do_not_push_out_the_best(tmp_path):
    blocked = [
        {
            Measuring.EVALUATE: Scene(findings=(ILL_TYPED.model_copy(update={"message": f"wrong {word}"}),)),
            Measuring.TEST: Scene(failing=RED),
        }
        for word in ("type", "kind", "shape")
    ]
    harness = a_stage(tmp_path, Scene(failing=RED[:1]), *blocked)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.best_iteration) == (Ending.STOPPED, 1)
    assert delivered(harness, outcome) == b"value = 1\n"


def rejecting(number):
    finding = {"severity": "error", "category": "correctness", "message": f"problem {'abcdefgh'[number]}"}
    text = f'{{"decision": "request_changes", "findings": [{str(finding).replace(chr(39), chr(34))}]}}'
    return Act(text=text)


APPROVING = Act(text='{"decision": "approve", "findings": []}')


async def test_what_was_not_measured_in_full_is_measured_before_it_is_compared(tmp_path):
    hidden = {Measuring.EVALUATE: Scene(), Measuring.TEST: Scene(failing=RED[:2])}
    reviewer = ScriptedAgent(APPROVING, *(rejecting(number) for number in range(4)), name="reviewer")
    first = {Measuring.EVALUATE: Scene(), Measuring.TEST: Scene(failing=RED[2:])}
    harness = a_stage(tmp_path, first, hidden, hidden, hidden, reviewer=reviewer)

    outcome = await harness.drive()

    appraised = [each.commit for each in harness.evaluator.calls if each.stage is Measuring.TEST][1:]
    assert len(appraised) == 3  # all that look better; each turns out worse than the first round
    assert outcome.best_iteration == 1
    assert delivered(harness, outcome) == b"value = 1\n"


async def test_an_unreviewed_state_that_proves_better_is_delivered(tmp_path):
    reviewer = ScriptedAgent(*(rejecting(number) for number in range(4)), name="reviewer")
    harness = a_stage(tmp_path, Scene(failing=RED), Scene(failing=RED[1:]), reviewer=reviewer, limit=2)
    harness.evaluator = ScriptedEvaluator(
        {Measuring.EVALUATE: Scene(), Measuring.TEST: Scene(failing=RED[1:])}, base=Scene(failing=RED)
    )

    outcome = await harness.drive()

    assert (outcome.ending, outcome.best_iteration) == (Ending.STOPPED, 2)
    assert "not verified" in harness.forge.branches[outcome.branch].message


async def test_a_state_whose_confirmation_failed_is_judged_by_it(tmp_path):
    shaky = {
        Measuring.TEST: Scene(agent_wrote_tests=True),
        Measuring.CONFIRM: Scene(failing=("t::new",)),
    }
    harness = a_stage(tmp_path, shaky, limit=1)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.branch, outcome.best) == (Ending.STOPPED, "", harness.workspace.base)


async def test_a_broken_tool_beside_green_tests_is_never_verified(tmp_path):
    broken = {Measuring.EVALUATE: Scene(), Measuring.TEST: Scene(broken=("coverage",))}
    harness = a_stage(tmp_path, broken, limit=2)

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.STOPPED, 2)


class DyingWorkspace(FolderWorkspace):
    """Dies once, just after a snapshot was made."""

    alive = True

    async def snapshot(self, copy, label, attempt, restored=()):
        made = await super().snapshot(copy, label, attempt, restored)
        if self.alive:
            self.alive = False
            raise Crash(label)
        return made


async def test_an_attempt_whose_commit_exists_is_not_paid_again(tmp_path):
    harness = a_stage(tmp_path, Scene())
    harness.workspace = DyingWorkspace(tmp_path, harness.files)
    harness.forge = type(harness.forge)(harness.workspace)

    with pytest.raises(Crash):
        await harness.drive()
    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations, len(harness.agent.briefs)) == (Ending.VERIFIED, 1, 1)


async def test_a_pipeline_may_end_with_its_tests(tmp_path):
    harness = a_stage(tmp_path, Scene())
    pipeline = harness.order().pipeline
    short = pipeline.model_copy(update={"phases": pipeline.phases[:-1]})
    order = harness.order
    harness.order = lambda **changes: order(pipeline=short, **changes)

    assert (await harness.drive()).ending is Ending.VERIFIED


async def test_a_pipeline_may_evaluate_twice(tmp_path):
    harness = a_stage(tmp_path, Scene())
    pipeline = harness.order().pipeline
    again = next(phase for phase in pipeline.phases if phase.name == "evaluate").model_copy(
        update={"name": "evaluate-again"}
    )
    phases = (*pipeline.phases[:-1], again, pipeline.phases[-1])
    order = harness.order
    harness.order = lambda **changes: order(
        pipeline=pipeline.model_copy(update={"phases": phases}), **changes
    )

    assert (await harness.drive()).ending is Ending.VERIFIED
    stages = [each.stage for each in harness.evaluator.calls]
    assert stages == [Measuring.BASE, Measuring.EVALUATE, Measuring.TEST, Measuring.EVALUATE]


async def test_an_agent_that_breaks_leaves_the_best_state_behind(tmp_path):
    in_full = {Measuring.EVALUATE: Scene(), Measuring.TEST: Scene(failing=RED[:1])}
    harness = a_stage(tmp_path, in_full, Scene())
    good, *_ = harness.agent.acts
    harness.agent.acts = (good, *(Act(breakage=BreakageKind.CRASH) for _ in range(3)))

    outcome = await harness.drive()

    assert (outcome.ending, outcome.best_iteration) == (Ending.BROKEN_AGENT, 1)
    assert delivered(harness, outcome) == b"value = 1\n"
