"""Checks that cannot answer: nothing is verified by them, and the maker is not blamed for them."""

import pytest

from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Fault
from setpoint.model.gate import Answer, Choice, Escalation, Grant, Via
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import KnownRed, Story
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

COMMAND, SUITE = "acceptance:1", "pytest"
BEHAVIOUR = Story(id=StoryId("work"), title="Add a report", known_red=KnownRed.TOLERATE)


def stage_of(folder, *scenes, base=None, **more):
    edits = [Act(edits={"src/work.py": f"value = {number}\n"}) for number in range(1, 9)]
    evaluator = ScriptedEvaluator(*scenes, base=base)
    return RunHarness(agent=ScriptedAgent(*edits), evaluator=evaluator, folder=folder, **more)


def broken(check, fault):
    return Scene(faults={check: fault})


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        (COMMAND, Fault.MISSING_TOOL),
        (COMMAND, Fault.USAGE),
        (COMMAND, Fault.MASKED),
        (COMMAND, Fault.KILLED),
        (SUITE, Fault.MISSING_TOOL),
        (SUITE, Fault.USAGE),
        (SUITE, Fault.TIMEOUT),
        (SUITE, Fault.KILLED),
        ("ruff", Fault.MISSING_TOOL),
    ],
)
async def test_no_agent_is_paid_where_no_result_could_be_verified(tmp_path, check, fault):
    stage = stage_of(tmp_path, Scene(), base=broken(check, fault))

    outcome = await stage.drive()

    assert (outcome.ending, outcome.iterations, stage.agent.briefs) == (Ending.ESCALATED, 0, [])
    assert "no agent was started" in outcome.reason
    assert "scripted to break" in outcome.reason


async def test_a_suite_that_broke_at_the_base_is_said_before_an_agent_is_paid(tmp_path):
    stage = stage_of(tmp_path, Scene(), base=Scene(broken=(SUITE,)), story=BEHAVIOUR)
    outcome = await stage.drive()
    assert (outcome.ending, stage.agent.briefs) == (Ending.ESCALATED, [])


async def test_a_suite_that_broke_at_the_base_is_what_a_repair_is_about(tmp_path):
    stage = stage_of(tmp_path, Scene(), base=Scene(broken=(SUITE,)))
    outcome = await stage.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)


async def test_what_a_person_lets_begin_all_the_same_is_never_verified(tmp_path):
    asking = Escalation()
    stage = stage_of(tmp_path, Scene(), base=Scene(broken=(SUITE,)), story=BEHAVIOUR, escalation=asking)
    stage.limits = Limits(max_iterations=1)
    stage.answer("escalation-0", Answer(choice=Choice.CONTINUE, by="ada", via=Via.CLI, grant=Grant()))
    stage.answer("escalation-1", Answer(choice=Choice.CANCEL, by="ada", via=Via.CLI))

    outcome = await stage.drive()

    assert (outcome.ending, len(stage.agent.briefs)) == (Ending.CANCELLED, 1)
    assert "baseline: error" in next(iter(stage.forge.branches.values())).message


@pytest.mark.parametrize("fault", [Fault.NO_TESTS, Fault.ABSENT, Fault.UNRELATED, Fault.TIMEOUT])
async def test_what_breaks_as_at_the_base_is_not_sent_back(tmp_path, fault):
    stage = stage_of(tmp_path, broken(COMMAND, fault), base=broken(COMMAND, fault))

    outcome = await stage.drive()

    assert (outcome.ending, outcome.iterations, outcome.bounces) == (Ending.ESCALATED, 1, 0)
    assert len(stage.agent.briefs) == 1
    assert "no change can make it answer" in outcome.reason


@pytest.mark.parametrize("fault", [Fault.NO_TESTS, Fault.ABSENT, Fault.UNRELATED])
async def test_a_command_may_name_what_the_work_adds(tmp_path, fault):
    stage = stage_of(tmp_path, Scene(acceptance=(True,)), base=broken(COMMAND, fault))
    assert (await stage.drive()).ending is Ending.VERIFIED


@pytest.mark.parametrize("fault", [Fault.TIMEOUT, Fault.USAGE, None])
async def test_what_worked_at_the_base_and_broke_since_goes_to_the_maker(tmp_path, fault):
    worse = Scene(broken=(SUITE,)) if fault is None else broken(SUITE, fault)
    stage = stage_of(tmp_path, {Stage.TEST: worse}, Scene())

    outcome = await stage.drive()

    assert (outcome.ending, outcome.iterations, outcome.bounces) == (Ending.VERIFIED, 2, 1)


async def test_a_tool_that_vanished_meanwhile_is_not_the_makers_fault(tmp_path):
    stage = stage_of(tmp_path, broken(COMMAND, Fault.MISSING_TOOL), base=Scene(acceptance=(False,)))
    outcome = await stage.drive()
    assert (outcome.ending, outcome.iterations, outcome.bounces) == (Ending.ESCALATED, 1, 0)


@pytest.mark.parametrize("check", [COMMAND, SUITE, "ruff"])
async def test_a_killed_check_is_never_billed_to_the_maker(tmp_path, check):
    stage = stage_of(tmp_path, broken(check, Fault.KILLED), Scene())
    outcome = await stage.drive()
    assert (outcome.ending, outcome.iterations, outcome.bounces) == (Ending.ESCALATED, 1, 0)
    assert "no change can make it answer" in outcome.reason
