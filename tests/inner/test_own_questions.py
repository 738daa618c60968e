"""A maker that asks in place of working gets an answer, and a refused login can be mended meanwhile."""

import pytest

from setpoint.inner.own_questions import question_of
from setpoint.model.attempt import BreakageKind
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.events.live import HintGiven, PauseEnded, QuestionAnswered
from setpoint.model.events.run import AgentFinished, AgentStarted
from setpoint.model.facts.budget_account import account_of
from setpoint.model.ids import TraceId
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator


class Asking(ScriptedAgent):
    """An agent that keeps its session."""

    def goes_on(self, brief):
        return True


def told(harness, kind):
    return [event.body for event in harness.log.replay(TraceId("run-1")) if isinstance(event.body, kind)]


async def test_a_question_is_answered_once_within_its_iteration(tmp_path):
    asks = Act(text="I looked at both.\n\n**Should I round up or down?**")
    agent = Asking(asks, Act(edits={"a.py": "1\n"}, text="I chose up."))
    harness = RunHarness(agent=agent, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path)
    outcome = await harness.drive()
    first, second = agent.briefs
    assert (outcome.ending, first.label, first.session) == (Ending.VERIFIED, second.label, second.session)
    assert "Should I round up or down?" in second.prompt
    assert "Nobody can answer now." in second.prompt
    assert [each.question for each in told(harness, QuestionAnswered)] == ["**Should I round up or down?"]
    (finished,) = told(harness, AgentFinished)
    assert (finished.lost, len(told(harness, AgentStarted))) == (0, 2)


async def test_a_second_question_ends_the_attempt(tmp_path):
    agent = Asking(Act(text="A or B?"), Act(text="Really?"), Act(edits={"a.py": "1\n"}))
    harness = RunHarness(agent=agent, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path)
    await harness.drive()
    assert [brief.label for brief in agent.briefs][:3] == ["implement-1", "implement-1", "implement-2"]


def answering(harness, *said):
    """Let a person say something while the run holds."""
    sleep, naps = harness.clock.sleep, []

    async def nap(seconds):
        await sleep(seconds)
        naps.append(seconds)
        if len(naps) == 3:
            harness.log.append(TraceId("run-1"), f"said-{len(naps)}", list(said))

    harness.clock.sleep = nap
    return naps


@pytest.mark.parametrize(
    ("said", "by", "prompt"),
    [
        ((HintGiven(text="round up", by="Ann"),), "person", "round up"),
        ((PauseEnded(by="Ann"),), "rule", "Nobody can answer now."),
        ((), "rule", "Nobody can answer now."),
    ],
)
async def test_the_person_at_the_terminal_is_asked_first(tmp_path, said, by, prompt):
    agent = Asking(Act(text="Up or down?"), Act(edits={"a.py": "1\n"}))
    harness = RunHarness(
        agent=agent, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path, attended=True,
        limits=Limits(max_person_wait_s=60),
    )  # fmt: skip
    naps = answering(harness, *said)
    outcome = await harness.drive()
    assert outcome.ending is Ending.VERIFIED
    assert [(each.question, each.by) for each in told(harness, QuestionAnswered)] == [("Up or down?", by)]
    assert prompt in agent.briefs[1].prompt
    assert ("Nobody" in agent.briefs[1].prompt) == (by == "rule")
    assert len(naps) == (3 if said else 120)
    events = list(harness.log.replay(TraceId("run-1")))
    elapsed = (events[-1].at - events[0].at).total_seconds()
    assert account_of(events).active_s == elapsed - sum(naps), "waiting for a person is no work"


@pytest.mark.parametrize(("attended", "said", "tries"), [(True, True, 2), (True, False, 1), (False, True, 1)])
async def test_a_refused_login_waits_for_the_person_at_the_terminal(tmp_path, attended, said, tries):
    agent = Asking(Act(breakage=BreakageKind.AUTH), Act(edits={"a.py": "1\n"}))
    harness = RunHarness(
        agent=agent, evaluator=ScriptedEvaluator(Scene()), folder=tmp_path, attended=attended,
        limits=Limits(max_person_wait_s=60),
    )  # fmt: skip
    answering(harness, *([PauseEnded(by="Ann")] if said else []))
    outcome = await harness.drive()
    assert [brief.label for brief in agent.briefs[:2]].count("implement-1") == tries
    assert (outcome.ending is Ending.VERIFIED) == (tries == 2)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        *(("Done.", ""), ("", ""), ("Why? Because.\n", "")),
        *(("A or B?\n", "A or B?"), ("`A` or `B`?**", "`A` or `B`?")),
    ],
)
def test_only_a_last_line_that_asks_is_a_question(text, question):
    assert question_of(text) == question
