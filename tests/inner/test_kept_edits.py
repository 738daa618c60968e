"""The best of what the tries of an attempt left is its result, whatever the last one says."""

import pytest

from setpoint.model.attempt import BreakageKind
from setpoint.model.ending import Ending
from setpoint.model.events.live import EditsChosen
from setpoint.model.events.run import CancelRequested
from setpoint.model.ids import TraceId
from setpoint.testing import Act, Crash, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

RIGHT = {"src/work.py": "right\n"}
WRONG = {"src/work.py": "wrong\n"}
DEAD = BreakageKind.CRASH


class ByContent(ScriptedEvaluator):
    """Finds a failing test wherever the work is not right."""

    def __init__(self, harness=None):
        super().__init__(Scene(), base=Scene(failing=("t::a",)))
        self.harness, self.measured = harness, []

    async def evaluate(self, order, measured):
        right = self.harness.workspace.files(measured.commit).get("src/work.py") == b"right\n"
        self.measured.append(measured)
        alone = ScriptedEvaluator(Scene(failing=() if right else ("t::a",)), base=Scene(failing=("t::a",)))
        return await alone.evaluate(order, measured)


def stage(tmp_path, *acts):
    evaluator = ByContent()
    harness = RunHarness(agent=ScriptedAgent(*acts), evaluator=evaluator, folder=tmp_path)
    evaluator.harness = harness
    return harness


def chosen(harness):
    events = harness.log.replay(TraceId("run-1"))
    bodies = [event.body for event in events if isinstance(event.body, EditsChosen)]
    return [body.chosen for body in bodies if body.earlier]


DEATHS = {
    "wrong edits and deaths follow": [Act(edits=WRONG, breakage=DEAD)] * 2,
    "a new session says that all is done": [Act(text="Already done.")],
    "a wrong edit and a word follow": [Act(edits=WRONG, text="Done.")],
    "emptied, then a word": [Act(edits={"src/work.py": ""}, breakage=DEAD), Act(text="Done.")],
}


@pytest.mark.parametrize("after", DEATHS.values(), ids=DEATHS)
async def test_a_right_change_counts_whatever_follows(tmp_path, after):
    harness = stage(tmp_path, Act(edits=RIGHT, breakage=DEAD), *after)
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)
    assert harness.workspace.files(outcome.best)["src/work.py"] == b"right\n"
    assert chosen(harness) == ["implement-1.broke-1"]


async def test_what_passes_at_the_end_is_not_compared(tmp_path):
    harness = stage(tmp_path, Act(edits=WRONG, breakage=DEAD), Act(edits=RIGHT))
    outcome = await harness.drive()
    assert (outcome.ending, chosen(harness)) == (Ending.VERIFIED, [])
    assert all(harness.workspace.files(each.commit) for each in harness.evaluator.measured)
    wrong = [
        each for each in harness.evaluator.measured
        if harness.workspace.files(each.commit).get("src/work.py") == b"wrong\n"
    ]  # fmt: skip
    assert not wrong


async def test_the_next_prompt_says_which_files_it_was_given(tmp_path):
    half = {"src/work.py": "half\n"}
    harness = stage(
        tmp_path, Act(edits=half, breakage=DEAD), Act(text="Done."), Act(edits=RIGHT)
    )  # fmt: skip
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations, chosen(harness)) == (
        Ending.VERIFIED,
        2,
        ["implement-1.broke-1"],
    )
    assert "those of the best one, not of the last" in harness.agent.briefs[2].prompt


async def test_what_an_interrupted_run_undid_is_judged(tmp_path):
    def end(brief):
        raise Crash(brief.label)

    harness = stage(tmp_path, Act(edits=RIGHT, do=end), Act(text="Done."))
    with pytest.raises(Crash):
        await harness.drive()
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)
    assert "Setpoint itself was ended" in harness.agent.briefs[1].prompt


async def test_a_cancelled_run_says_which_edits_were_not_judged(tmp_path):
    def cancel(brief):
        harness.log.append(TraceId("run-1"), "cancel", [CancelRequested(by="Ann")])

    harness = stage(tmp_path, Act(edits=RIGHT, breakage=DEAD), Act(do=cancel, breakage=DEAD))
    outcome = await harness.drive()
    assert (outcome.ending, outcome.branch) == (Ending.CANCELLED, "")
    (left,) = outcome.unjudged
    assert left.files == 1
    assert harness.workspace.files(left.commit)["src/work.py"] == b"right\n"
