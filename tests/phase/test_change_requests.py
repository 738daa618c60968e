"""A maker asks leave to change a protected test: the reviewer sees it, and a person decides."""

import pytest

from setpoint.errors import RunWaiting
from setpoint.history.replay import history
from setpoint.model.ending import Ending
from setpoint.model.events.requests import ChangeRequested, ChangeReviewed, ChangeSettled
from setpoint.model.gate import Answer, Choice, Escalation, GateKind, Via
from setpoint.model.ids import TraceId
from setpoint.phase.policy.change_requests import requests_in
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

PATH = "tests/test_work.py"
ASKS = f"It cannot be done.\n\n- REQUEST `{PATH}`: the story wants 2 where it demands 1\n"
YES = Answer(choice=Choice.APPROVE, by="Ann", via=Via.CLI, reason="so it is")
NO = Answer(choice=Choice.REJECT, by="Ann", via=Via.CLI, reason="the code is wrong")


def edits(text):
    return {"src/work.py": text}


def staged(tmp_path, *acts, scenes=None, reviewer=None, **more):
    agent = ScriptedAgent(*acts)
    scenes = scenes or (Scene(failing=("t::a",)), Scene())
    evaluator = ScriptedEvaluator(*scenes, base=Scene(failing=("t::a",)))
    if reviewer is not None:
        more["reviewer"] = reviewer
    return agent, RunHarness(
        agent=agent, evaluator=evaluator, folder=tmp_path, escalation=Escalation(), **more
    )


def of(harness, kind):
    return [event.body for event in harness.log.replay(TraceId("run-1")) if isinstance(event.body, kind)]


async def test_a_request_waits_for_a_person_and_a_yes_releases_the_file(tmp_path):
    opinion = f'{{"opinions": [{{"path": "{PATH}", "grant": true, "reason": "it contradicts the story"}}]}}'
    approve = '{"decision": "approve", "findings": []}'
    reviewer = ScriptedAgent(Act(text=opinion), Act(text=approve), name="critic")
    agent, harness = staged(
        tmp_path, Act(edits=edits("1\n"), text=ASKS), Act(edits=edits("2\n")), reviewer=reviewer
    )

    with pytest.raises(RunWaiting):
        await harness.drive()
    gate = history(harness.log.replay(TraceId("run-1"))).waiting
    harness.answer("request-1", YES)
    outcome = await harness.drive()

    assert gate.kind is GateKind.REQUEST
    (line,) = gate.context
    assert line.startswith(f"{PATH}: the story wants 2 where it demands 1 (")
    assert line.endswith("(the reviewer critic is for it: it contradicts the story)")
    assert reviewer.briefs[0].requests[0].path == PATH
    assert "the story wants 2 where it demands 1" in reviewer.briefs[0].prompt
    assert [each.requests[0].path for each in of(harness, ChangeRequested)] == [PATH]
    assert [each.opinions[0].grant for each in of(harness, ChangeReviewed)] == [True]
    assert [(each.granted, each.by, each.reason) for each in of(harness, ChangeSettled)] == [
        (True, "Ann", "so it is")
    ]
    assert f"You may change these files, because a person allowed it: `{PATH}`" in agent.briefs[1].prompt
    assert [order.story.may_change for order in harness.evaluator.orders][-1] == (PATH,)
    assert outcome.ending is Ending.VERIFIED


async def test_a_no_is_told_and_the_file_is_not_asked_for_again(tmp_path):
    agent, harness = staged(
        tmp_path,
        Act(edits=edits("1\n"), text=ASKS),
        Act(edits=edits("2\n"), text=ASKS),
        scenes=(Scene(failing=("t::a",)), Scene(failing=("t::a", "t::b")), Scene()),
    )

    harness.answer("request-1", NO)
    await harness.drive()

    assert "Not allowed to change: tests/test_work.py (the code is wrong)." in agent.briefs[1].prompt
    assert len(of(harness, ChangeRequested)) == 1
    assert [order.story.may_change for order in harness.evaluator.orders][-1] == ()


async def test_where_nobody_may_be_asked_the_answer_is_no(tmp_path):
    agent = ScriptedAgent(Act(edits=edits("1\n"), text=ASKS), Act(edits=edits("2\n")))
    evaluator = ScriptedEvaluator(Scene(failing=("t::a",)), Scene(), base=Scene(failing=("t::a",)))
    harness = RunHarness(agent=agent, evaluator=evaluator, folder=tmp_path)

    outcome = await harness.drive()

    assert outcome.ending is Ending.VERIFIED
    assert [(each.granted, each.by) for each in of(harness, ChangeSettled)] == [(False, "setpoint")]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x.py", "tests", "tests/", ".git/config", "a/.git/x.py", ".", "a\x1b[2K.py"]
)
def test_what_names_no_file_of_the_repository_is_no_request(path):
    assert requests_in(f"REQUEST {path}: why") == ()


def test_what_a_person_is_asked_for_holds_nothing_that_acts_on_a_terminal():
    wipes = "harmless\x1b[2K\x1b[1A \u202eby itself\x07"
    (asked,) = requests_in(f"REQUEST a.py: {wipes}")
    assert asked.reason == "harmless [2K [1A  by itself"


def test_requests_are_lines_of_their_own():
    text = (
        "REQUEST ./tests/test_a.py: first\n* REQUEST `tests/my data.json` : second\nREQUEST Makefile: third\n"
        "REQUEST tests/test_a.py:\nI would REQUEST x.py: no line of its own\n"
    )

    assert [(each.path, each.reason) for each in requests_in(text)] == [
        ("tests/test_a.py", "first"),
        ("tests/my data.json", "second"),
        ("Makefile", "third"),
    ]
