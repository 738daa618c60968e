"""Sequences of faults: a right state that existed at any of them counts, whatever follows."""

import pytest

from setpoint.errors import RunWaiting
from setpoint.model.attempt import BreakageKind, Brief
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.events.live import EditsChosen
from setpoint.model.events.run import CancelRequested, GateOpened
from setpoint.model.gate import Escalation, OnLimit
from setpoint.model.ids import TraceId
from setpoint.testing import Act, Crash, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

RIGHT, WRONG = {"src/work.py": "right\n"}, {"src/work.py": "wrong\n"}
UNDONE = {"src/work.py": "value = 0\n"}
DEAD, LIMIT = BreakageKind.CRASH, BreakageKind.RATE_LIMIT
RUN = TraceId("run-1")


class ByContent(ScriptedEvaluator):
    """Finds a failing test wherever the work is not right."""

    def __init__(self):
        super().__init__(Scene(), base=Scene(failing=("t::a",)))
        self.harness, self.measured, self.takes_s = None, [], 0.0

    async def evaluate(self, order, measured):
        text = self.harness.workspace.files(measured.commit).get("src/work.py")
        self.measured.append(text)
        self.harness.clock.wait(self.takes_s)
        failing = () if text == b"right\n" else ("t::a",)
        alone = ScriptedEvaluator(Scene(failing=failing), base=Scene(failing=("t::a",)))
        return await alone.evaluate(order, measured)


class SessionAgent(ScriptedAgent):
    """An agent whose sessions outlast a broken try."""

    def goes_on(self, brief: Brief) -> bool:
        return True


def stage(tmp_path, *acts, agent=SessionAgent, roles=None, candidates=(), **limits):
    harness = RunHarness(
        agent=agent(*acts),
        evaluator=ByContent(),
        folder=tmp_path,
        roles=roles or {},
        candidates=candidates,
        limits=Limits(**limits),
    )
    harness.evaluator.harness = harness
    return harness


def end(brief):
    raise Crash(brief.label)


def chosen(harness):
    return [each.body.chosen for each in harness.log.replay(RUN) if isinstance(each.body, EditsChosen)]


SAME_SESSION = {
    "it undoes them": [Act(edits=UNDONE, text="Already done.")],
    "it overwrites them": [Act(edits=WRONG, text="Done.")],
    "it overwrites them and dies": [Act(edits=WRONG, breakage=DEAD), Act(breakage=DEAD)],
    "a limit, then it overwrites them": [Act(breakage=LIMIT), Act(edits=WRONG)],
    "a limit, another death, a new session that does nothing": [
        Act(breakage=LIMIT),
        Act(edits=UNDONE, breakage=DEAD),
        Act(text="Done."),
    ],
}


@pytest.mark.parametrize("breaks", [DEAD, LIMIT])
@pytest.mark.parametrize("after", SAME_SESSION.values(), ids=SAME_SESSION)
async def test_edits_that_a_continued_session_gives_up_count(tmp_path, after, breaks):
    harness = stage(tmp_path, Act(edits=RIGHT, breakage=breaks), *after)
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)
    assert harness.workspace.files(outcome.best)["src/work.py"] == b"right\n"


async def test_edits_that_the_next_agent_overwrites_count(tmp_path):
    second = ScriptedAgent(Act(edits=WRONG, text="Done."), name="second")
    acts = [Act(edits=RIGHT, breakage=BreakageKind.MISSING)]
    harness = stage(tmp_path, *acts, agent=ScriptedAgent, roles={"next maker 1": second})
    outcome = await harness.drive()
    assert outcome.ending is Ending.VERIFIED
    assert harness.workspace.files(outcome.best)["src/work.py"] == b"right\n"


@pytest.mark.parametrize("agent", [SessionAgent, ScriptedAgent])
async def test_edits_at_the_end_of_setpoint_count_after_two_resumes(tmp_path, agent):
    acts = [Act(edits=RIGHT, do=end), Act(edits=WRONG, do=end), Act(edits=UNDONE, text="Done.")]
    harness = stage(tmp_path, *acts, agent=agent)
    for _ in range(2):
        with pytest.raises(Crash):
            await harness.drive()
    outcome = await harness.drive()
    assert outcome.ending is Ending.VERIFIED
    assert harness.workspace.files(outcome.best)["src/work.py"] == b"right\n"


@pytest.mark.parametrize("agent", [SessionAgent, ScriptedAgent])
async def test_every_distinct_state_is_judged_until_one_passes(tmp_path, agent):
    wrong = [Act(edits={"src/work.py": f"wrong {n}\n"}, breakage=DEAD) for n in range(6)]
    harness = stage(tmp_path, Act(edits=RIGHT, breakage=DEAD), *wrong, agent=agent, max_agent_breakages=7)
    outcome = await harness.drive()
    assert outcome.ending is Ending.VERIFIED
    assert len(harness.evaluator.measured) <= 1 + 2 * 7 + 4


def left_by(harness, outcome):
    return {
        (each.label, each.copy_of): harness.workspace.files(each.commit)["src/work.py"].decode().strip()
        for each in outcome.unjudged
    }


def cancelled(harness):
    harness.log.append(RUN, "cancel", [CancelRequested(by="Ann")])


async def test_a_cancelled_run_names_every_state(tmp_path):
    acts = [Act(edits={"src/work.py": f"try {n}\n"}, breakage=DEAD) for n in range(1, 5)]
    harness = stage(tmp_path, *acts, Act(do=end), agent=ScriptedAgent, max_agent_breakages=9)
    with pytest.raises(Crash):
        await harness.drive()
    cancelled(harness)
    outcome = await harness.drive()
    assert outcome.ending is Ending.CANCELLED
    assert left_by(harness, outcome) == {(f"implement-1.broke-{n}", ""): f"try {n}" for n in range(1, 5)}


async def test_the_edits_of_every_candidate_are_named_at_a_cancel(tmp_path):
    stopped = (
        ScriptedAgent(Act(edits=WRONG, breakage=DEAD), Act(edits=RIGHT, do=end), name="one"),
        ScriptedAgent(Act(edits=RIGHT), name="two"),
    )
    harness = stage(tmp_path, candidates=stopped)
    with pytest.raises(BaseExceptionGroup):
        await harness.drive()
    cancelled(harness)
    outcome = await harness.drive()
    assert (outcome.ending, outcome.branch) == (Ending.CANCELLED, "")
    seen = left_by(harness, outcome)
    assert seen[("implement-1-c1.broke-1", "run-1-c1")] == "wrong"
    assert "right" in seen.values()


CONTESTS = {
    "both break, the second is right": (
        [Act(edits=WRONG, breakage=BreakageKind.MISSING)],
        [Act(edits=RIGHT, breakage=BreakageKind.MISSING)],
    ),
    "one ends wrong, the other broke behind the right edit": (
        [Act(edits=WRONG)],
        [Act(edits=RIGHT, breakage=BreakageKind.MISSING)],
    ),
    "one undoes its right edit, the other is wrong": (
        [Act(edits=RIGHT, breakage=DEAD), Act(edits=UNDONE, text="Done.")],
        [Act(edits=WRONG)],
    ),
}


@pytest.mark.parametrize("acts", CONTESTS.values(), ids=CONTESTS)
async def test_a_candidate_that_broke_counts_where_it_alone_is_right(tmp_path, acts):
    one, two = acts
    agents = (SessionAgent(*one, name="one"), SessionAgent(*two, name="two"))
    harness = stage(tmp_path, candidates=agents)
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 1)
    assert harness.workspace.files(outcome.best)["src/work.py"] == b"right\n"


async def test_a_candidate_that_finished_goes_before_one_that_broke(tmp_path):
    agents = (
        SessionAgent(Act(edits={"src/work.py": "wrong 1\n"}, breakage=BreakageKind.MISSING), name="one"),
        SessionAgent(Act(edits=WRONG), Act(edits=RIGHT), name="two"),
    )
    harness = stage(tmp_path, candidates=agents)
    outcome = await harness.drive()
    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 2)


async def test_a_question_names_what_was_not_judged(tmp_path):
    acts = [Act(edits={"src/work.py": f"try {n}\n"}, breakage=DEAD) for n in range(1, 8)]
    harness = stage(tmp_path, *acts, agent=ScriptedAgent, max_agent_breakages=7, max_wall_s=350)
    harness.escalation, harness.evaluator.takes_s = Escalation(on_limit=OnLimit.MANUAL), 100.0
    with pytest.raises(RunWaiting):
        await harness.drive()
    (gate,) = [each.body.gate for each in harness.log.replay(RUN) if isinstance(each.body, GateOpened)]
    assert [each.label for each in gate.unjudged] == [f"implement-1.broke-{n}" for n in (3, 2, 1)]
