"""A maker that asks in place of working gets an answer by rule, and the iteration is not lost."""

import pytest

from setpoint.inner.own_questions import question_of
from setpoint.model.events.live import QuestionAnswered
from setpoint.model.events.run import AgentFinished, AgentStarted
from setpoint.model.ids import TraceId
from setpoint.model.run import Ending
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


@pytest.mark.parametrize(
    ("text", "question"),
    [
        *(("Done.", ""), ("", ""), ("Why? Because.\n", "")),
        *(("A or B?\n", "A or B?"), ("`A` or `B`?**", "`A` or `B`?")),
    ],
)
def test_only_a_last_line_that_asks_is_a_question(text, question):
    assert question_of(text) == question
