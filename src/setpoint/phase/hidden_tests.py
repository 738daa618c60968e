"""Let a test designer write tests from the request alone, before the maker begins, and keep them from it."""

from __future__ import annotations

from setpoint.inner.structured_answer import Question, ask_for, read_object
from setpoint.model.answers.role_answers import TestDesignShape
from setpoint.model.attempt import Attempt, Mode, Role
from setpoint.model.changes.work_kind import kind_of_request
from setpoint.model.events.run import HiddenTestsWritten, PhaseEntered
from setpoint.model.facts.spending import added
from setpoint.model.ids import Artifact
from setpoint.model.pipeline import Phase, PhaseKind
from setpoint.model.proof import HiddenTest, HiddenTrial, WorkKind
from setpoint.phase.briefs import HIDDEN_TESTS, Situation, brief
from setpoint.ports import Agent
from setpoint.runs.context import RunContext

DESIGNS = 2
"""How often tests are designed: once more where the first ones prove nothing at the base."""
MOST_TESTS = 10
"""Files of tests that are taken of one design."""
BY_RULE = "rules"
"""The agent that works by rule; it writes no tests from a request, and older orders name it for all roles."""
_DESIGNING = Phase(
    name=HIDDEN_TESTS,
    kind=PhaseKind.THINK,
    role=Role.TEST_DESIGNER,
    prompts={Mode.FRESH: "hidden_tests.md.j2"},
)
_OF_BEHAVIOUR = (WorkKind.BEHAVIOUR, WorkKind.REPAIR)


async def write_hidden_tests(run: RunContext) -> None:
    """Have tests designed and measured at the base; whatever the designer does, the run continues without it.

    Nobody is asked where the order names no test designer, where the pipeline itself gives it another task,
    or where the work changes no behaviour.
    """
    agent = run.ports.agents.get(Role.TEST_DESIGNER)
    engaged = any(phase.role is Role.TEST_DESIGNER for phase in run.order.pipeline.phases)
    if agent is None or agent.name == BY_RULE or engaged:
        return
    if kind_of_request(run.order.story)[0] not in _OF_BEHAVIOUR:
        return
    reason = ""
    for number in range(1, DESIGNS + 1):
        made = await _designed(run, agent, number, reason)
        reason = "; ".join(made.dropped)
        if not made.answered or (made.kept and not reason):
            return


def hidden_tests(run: RunContext) -> tuple[HiddenTest, ...]:
    """Return the tests that were hidden before the maker began; of one path the newest."""
    every = [event.body for event in run.journal.events if isinstance(event.body, HiddenTestsWritten)]
    return tuple({test.path: test for body in every for test in body.kept}.values())


async def _designed(run: RunContext, agent: Agent, number: int, reason: str) -> HiddenTestsWritten:
    key = f"{HIDDEN_TESTS}-{number}"
    run.journal.note(f"{key}:entered", PhaseEntered(phase=HIDDEN_TESTS))

    async def act() -> HiddenTestsWritten:
        asked = brief(run, _DESIGNING, Situation(iteration=number, reason=reason))
        question = Question(phase=HIDDEN_TESTS, iteration=0, label=key, brief=asked, read=_read)
        came = await ask_for(run, agent, question)
        # What the designer left in the work copy must not reach the maker.
        await run.ports.workspace.restore(run.copy, run.order.base)
        usage = added(list(came.usages))
        if came.value is None:
            return HiddenTestsWritten(
                design=number, agent=agent.name, dropped=(came.why,), answered=False, usage=usage
            )
        tests = tuple(
            HiddenTest(
                path=each.path,
                source=Artifact(run.ports.keep(each.text)),
                behaviour=_one_line(each.behaviour),
            )
            for each in came.value.tests[:MOST_TESTS]
        )
        trial = await run.ports.evaluator.try_hidden(run.judged_by, run.copy, tests) if tests else _NOTHING
        return HiddenTestsWritten(
            design=number, agent=agent.name, kept=trial.kept, dropped=trial.dropped, usage=usage
        )

    return await run.journal.step(key, act, HiddenTestsWritten)


_NOTHING = HiddenTrial(dropped=("it holds no test",))


def _read(attempt: Attempt) -> TestDesignShape:
    return read_object(attempt.text, TestDesignShape)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500]
