"""Work that nothing here could prove: no agent is paid for it, unless a person or a setting says so."""

import pytest

from phase.test_escalation import ASKING, answer, waits
from setpoint.app.runs.exit_codes import exit_code
from setpoint.errors import ExitCode
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import NO_SUITE, OWN_TESTS, CheckState
from setpoint.model.gate import Choice
from setpoint.model.ids import StoryId
from setpoint.model.proof import ProofTerms, WorkKind
from setpoint.model.stories.story import KnownRed, Story
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

LACK = "package.json calls `tap`, which Setpoint cannot read"
UNPROVEN = Scene(unproven=("witness",))


class Untested(ScriptedEvaluator):
    """A project whose tests no runner reads; acceptance commands of the order are measured."""

    async def evaluate(self, order, measured):
        found = await super().evaluate(order, measured)
        named = order.story.acceptance and measured.stage is not Stage.BASE
        lack = {"check": NO_SUITE, "state": CheckState.NOT_MEASURED, "reason": LACK}
        evidence = [
            each.model_copy(update=lack) if each.check == "pytest" else each
            for each in found.evidence
            if named or not each.check.startswith("acceptance:")
        ]
        return found.model_copy(update={"evidence": tuple(evidence)})


def story_of(kind=WorkKind.BEHAVIOUR, **more):
    return Story(id=StoryId("work"), title="Add it", known_red=KnownRed.TOLERATE, kind=kind, **more)


def stage_of(folder, *scenes, story=None, **more):
    edits = [Act(edits={"src/work.py": f"value = {number}\n"}) for number in range(1, 9)]
    evaluator = Untested(*(scenes or (UNPROVEN,)))
    agent = ScriptedAgent(*edits)
    return RunHarness(agent=agent, evaluator=evaluator, folder=folder, story=story or story_of(), **more)


@pytest.mark.parametrize(
    "kind", [WorkKind.BEHAVIOUR, WorkKind.REPAIR, WorkKind.REFACTOR, WorkKind.TESTS, None]
)
async def test_no_agent_is_paid_where_nothing_could_prove_the_work(tmp_path, kind):
    stage = stage_of(tmp_path, story=story_of(kind))

    outcome = await stage.drive()

    assert (outcome.ending, outcome.iterations, stage.agent.briefs) == (Ending.UNPROVABLE, 0, [])
    assert exit_code(outcome.ending, outcome.branch) == ExitCode.UNPROVABLE == 14
    assert LACK in outcome.reason
    assert "--accept" in outcome.reason
    assert ("--kind docs" in outcome.reason) is (kind is None)
    assert stage.forge.branches == {}


@pytest.mark.parametrize("kind", [WorkKind.DOCS, WorkKind.CHORE])
async def test_work_that_needs_no_test_begins(tmp_path, kind):
    stage = stage_of(tmp_path, story=story_of(kind))
    await stage.drive()
    assert stage.agent.briefs


async def test_a_command_that_can_prove_the_work_lets_it_begin(tmp_path):
    stage = stage_of(tmp_path, Scene(acceptance=(True,)), story=story_of(acceptance=("sh check.sh",)))
    assert (await stage.drive()).ending is Ending.VERIFIED


async def test_a_suite_without_a_test_yet_lets_the_work_begin(tmp_path):
    stage = stage_of(tmp_path)
    stage.evaluator = ScriptedEvaluator(Scene(), base=Scene(passed=0))
    assert (await stage.drive()).ending is Ending.VERIFIED


async def test_by_a_setting_it_begins_and_ends_unproven_after_one_attempt(tmp_path):
    stage = stage_of(tmp_path, proof=ProofTerms(begin_unprovable=True))

    outcome = await stage.drive()

    assert (outcome.ending, len(stage.agent.briefs)) == (Ending.UNPROVEN, 1)
    assert LACK in outcome.reason


async def test_a_person_may_let_it_begin(tmp_path):
    stage = stage_of(tmp_path, escalation=ASKING, limits=Limits(max_iterations=1))
    gate = await waits(stage)
    assert [each.choice for each in gate.options] == [Choice.CONTINUE, Choice.PROVE, Choice.CANCEL]
    assert "without a proof" in gate.options[0].text
    assert LACK in gate.question
    assert stage.agent.briefs == []

    stage.answer(gate.id, answer(Choice.CONTINUE))
    again = await waits(stage)
    stage.answer(again.id, answer(Choice.CANCEL))

    assert (await stage.drive()).ending is Ending.CANCELLED
    assert len(stage.agent.briefs) == 1


async def test_a_person_may_name_a_command_before_an_agent_is_paid(tmp_path):
    stage = stage_of(tmp_path, Scene(acceptance=(True,)), escalation=ASKING)
    gate = await waits(stage)
    stage.answer(gate.id, answer(Choice.PROVE, acceptance="sh check.sh"))

    outcome = await stage.drive()

    assert (outcome.ending, len(stage.agent.briefs)) == (Ending.VERIFIED, 1)
    assert stage.evaluator.orders[-1].story.acceptance == ("sh check.sh",)


async def test_an_own_command_that_cannot_fail_lets_no_work_begin(tmp_path):
    class Idle(Untested):
        async def evaluate(self, order, measured):
            found = await super().evaluate(order, measured)
            idle = {"check": OWN_TESTS, "reason": "package.json: `npm test` proves nothing"}
            return found.model_copy(
                update={
                    "evidence": tuple(
                        each.model_copy(update=idle) if each.check == NO_SUITE else each
                        for each in found.evidence
                    )
                }
            )

    stage = stage_of(tmp_path)
    stage.evaluator = Idle(UNPROVEN)
    ended = await stage.drive()

    assert ended.ending is Ending.UNPROVABLE
    assert "`npm test` proves nothing" in ended.reason
