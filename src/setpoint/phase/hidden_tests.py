"""Have hidden tests written from the request while the maker works, and ask the author of red ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from setpoint.inner.structured_answer import Answered, Question, ask_for, read_object
from setpoint.model.answers.role_answers import AnsweredTestsShape, TestDesignShape
from setpoint.model.attempt import AttemptLimits, BreakageKind, Brief, Mode, Role, Usage
from setpoint.model.config.limits import Limits
from setpoint.model.events.hidden_tests import HiddenTestsAnswered, HiddenTestsWritten
from setpoint.model.events.run import ReviewCompleted
from setpoint.model.facts.spending import added, used
from setpoint.model.ids import Artifact
from setpoint.model.pipeline import Phase, PhaseKind
from setpoint.model.proof import (
    HIDDEN,
    AnsweredTest,
    HiddenTest,
    HiddenTrial,
    Proof,
)
from setpoint.model.run import Round
from setpoint.model.wording import shortened
from setpoint.phase.briefs import ANSWERING, WRITING, Situation, brief
from setpoint.phase.own_copy import own_copy
from setpoint.phase.policy.provable import hidden_tests_wanted
from setpoint.phase.policy.vouched import reproductions
from setpoint.ports import Agent
from setpoint.runs.context import RunContext

DESIGNS = 2
"""How often tests are designed: once more where the first ones prove nothing at the base."""
MOST_TESTS = 10
"""Files of tests that are taken of one design."""
SHARE = 4
"""Hidden tests may cost one part in so many of what the run may cost."""
MOST_REASON = 120
_DESIGNING = Phase(
    name=WRITING, kind=PhaseKind.THINK, role=Role.TEST_DESIGNER, prompts={Mode.FRESH: "hidden_tests.md.j2"}
)
_ANSWERING = Phase(
    name=ANSWERING, kind=PhaseKind.THINK, role=Role.TEST_DESIGNER, prompts={Mode.FRESH: "withdraw.md.j2"}
)
_AT_A_LIMIT = {
    BreakageKind.RATE_LIMIT: "is at its limit",
    BreakageKind.OVERLOAD: "has no room at its provider",
    BreakageKind.NETWORK: "cannot reach its model",
    BreakageKind.IDLE: "gave no sign of life; its model may be at a limit",
}
_COPY = "h"
"""Ends the name of the work copy of whoever writes hidden tests."""
_NOTHING = HiddenTrial(dropped=("it holds no test",))


@dataclass(frozen=True, kw_only=True)
class KeptTests:
    """The hidden tests that count, and why there are none where somebody was asked for them."""

    tests: tuple[HiddenTest, ...]
    lacking: tuple[str, ...] = ()


def designer_of(run: RunContext) -> Agent | None:
    """Return who writes hidden tests; nobody where no behaviour changes, or the pipeline has another task."""
    agent = run.ports.agents.get(Role.TEST_DESIGNER)
    return agent if agent is not None and hidden_tests_wanted(run.order, agent.name) else None


async def write_hidden_tests(run: RunContext) -> None:
    """Have tests designed and measured at the base; whatever the designer does, the run continues without it.

    It works beside the maker, in a copy of its own, so nothing here is a step of the run: what is recorded
    under its key is not done again.
    """
    agent = designer_of(run)
    if agent is None and not run.order.hidden:
        return
    async with own_copy(run, _COPY, run.order.base) as apart:
        if run.order.hidden and run.journal.known(f"{WRITING}-0") is None:
            trial = await run.ports.evaluator.try_hidden(run.judged_by, apart.copy, run.order.hidden)
            free = Usage(scope="none")
            body = HiddenTestsWritten(design=0, agent="", kept=trial.kept, dropped=trial.dropped, usage=free)
            run.journal.note(f"{WRITING}-0", body)
        reason = ""
        for number in range(1, DESIGNS + 1):
            made = None if agent is None else await _designed(apart, agent, number, reason)
            if made is None or not made.answered or (made.kept and not made.dropped):
                return
            reason = "; ".join(made.dropped)


def hidden_tests(run: RunContext) -> KeptTests:
    """Return the hidden tests that count: of one path the newest, without those that were withdrawn."""
    bodies = [event.body for event in run.journal.events]
    written = [body for body in bodies if isinstance(body, HiddenTestsWritten)]
    kept = {test.path: test for body in written for test in body.kept}
    for test in _answers(run):
        if test.withdrawn:
            kept.pop(test.path, None)
    designed = [body for body in written if body.agent]
    lacking = [
        f"your hidden test is not used ({shortened(why, MOST_REASON)})"
        for body in written
        for why in body.dropped
        if not body.agent
    ]
    if designed and not any(test.author for test in kept.values()):
        withdrawn = any(body.kept for body in designed)
        dropped = next(iter(designed[-1].dropped), "none was written")
        why = "withdrawn by their author" if withdrawn else dropped
        lacking.append(f"no hidden tests ({shortened(why, MOST_REASON)})")
    reviews = [body.verdict for body in bodies if isinstance(body, ReviewCompleted)]
    gone = {test.path for test in _answers(run) if test.withdrawn}
    shown = {each.path: each for each in reproductions(reviews).values() if each.path not in gone}
    return KeptTests(tests=tuple({**shown, **kept}.values()), lacking=tuple(lacking))


async def ask_authors(run: RunContext, proof: Proof, rounds: Sequence[Round]) -> bool:
    """Ask the authors of tests that fail for the second time whether they over-ask; true if one is withdrawn.

    They see what the result does, and not its code.
    """
    answered = {each.path for each in _answers(run)}
    before = {path for past in rounds[:-1] if past.proof for path in past.proof.red_hidden}
    twice = [path for path in proof.red_hidden if path in before and path not in answered]
    tests = [test for test in hidden_tests(run).tests if test.path in twice and test.author]
    said = next((each.reason for each in proof.obligations if each.name == HIDDEN), "")
    withdrawn = False
    for author in dict.fromkeys(test.author for test in tests):
        if (agent := _named(run, author)) is not None:
            own = [test for test in tests if test.author == author]
            body = await _asked(run, agent, own, said, rounds[-1].number)
            withdrawn = withdrawn or any(each.withdrawn for each in body.tests)
    return withdrawn


def _named(run: RunContext, author: str) -> Agent | None:
    """Return an agent by its name, as test designer or reviewer: a session of the maker knows the result."""
    judges = (Role.TEST_DESIGNER, Role.REVIEWER)
    found = [agent for role, agent in run.ports.agents.items() if role.startswith(judges)]
    return next((each for each in found if each.name == author), None)


def with_answers(run: RunContext, proof: Proof) -> Proof:
    """Add to the reason of red hidden tests why their authors keep them."""
    red = {*proof.red_hidden}
    words = [
        f"{each.path} is kept by its author: {each.reason}" for each in _answers(run) if each.path in red
    ]
    if not words:
        return proof
    told = tuple(
        each.model_copy(update={"reason": "; ".join((each.reason, *words))}) if each.name == HIDDEN else each
        for each in proof.obligations
    )
    return proof.model_copy(update={"obligations": told})


def _answers(run: RunContext) -> Iterable[AnsweredTest]:
    bodies = (event.body for event in run.journal.events)
    return (each for body in bodies if isinstance(body, HiddenTestsAnswered) for each in body.tests)


async def _designed(run: RunContext, agent: Agent, number: int, reason: str) -> HiddenTestsWritten:
    key = f"{WRITING}-{number}"
    known = run.journal.known(key)
    if isinstance(known, HiddenTestsWritten):
        return known
    asked = brief(run, _DESIGNING, Situation(iteration=number, reason=reason))
    question = Question(
        phase=WRITING,
        iteration=0,
        label=key,
        brief=_capped(asked, run),
        read=lambda attempt: read_object(attempt.text, TestDesignShape),
        waits=False,
    )
    came = await ask_for(run, agent, question)
    usage = added(list(came.usages))
    await run.ports.workspace.restore(run.copy, run.order.base)  # of what the designer tried there
    if came.value is None:
        body = HiddenTestsWritten(
            design=number,
            agent=agent.name,
            dropped=(_why_none(run, agent, came),),
            answered=False,
            usage=usage,
        )
    else:
        tests = tuple(
            HiddenTest(
                path=each.path,
                source=Artifact((run.ports.hide or run.ports.keep)(each.text)),
                behaviour=_one_line(each.behaviour),
                author=agent.name,
            )
            for each in came.value.tests[:MOST_TESTS]
        )
        trial = await run.ports.evaluator.try_hidden(run.judged_by, run.copy, tests) if tests else _NOTHING
        body = HiddenTestsWritten(
            design=number, agent=agent.name, kept=trial.kept, dropped=trial.dropped, usage=usage
        )
    run.journal.note(key, body)
    return body


def _why_none(run: RunContext, agent: Agent, came: Answered[TestDesignShape]) -> str:
    """Say in one line why an agent wrote no tests; at a limit until when, where its provider told."""
    said = _AT_A_LIMIT.get(came.breakage) if came.breakage else None
    if said is None:
        return came.why if came.breakage is not None else f"the answer of {agent.name} holds no tests"
    if came.wait_s is None:
        return f"{agent.name} {said}"
    now = run.ports.clock.now()
    until = now + timedelta(seconds=came.wait_s)
    day = "" if until.date() == now.date() else f"{until:%Y-%m-%d} "
    return f"{agent.name} {said} until {day}{until:%H:%M} UTC"


async def _asked(
    run: RunContext, agent: Agent, tests: Sequence[HiddenTest], said: str, iteration: int
) -> HiddenTestsAnswered:
    """Ask one author about its tests that fail for the second time; no answer keeps them."""
    key = f"{ANSWERING}-{iteration}-{agent.name}"

    async def act() -> HiddenTestsAnswered:
        sources = {
            each.path: each.command or run.ports.read(each.source).decode("utf-8", "replace")
            for each in tests
        }
        about = Situation(iteration=iteration, reason=said, texts=sources)
        async with own_copy(run, _COPY, run.order.base) as apart:
            question = Question(
                phase=ANSWERING,
                iteration=iteration,
                label=key,
                brief=_capped(brief(apart, _ANSWERING, about), run),
                read=lambda attempt: read_object(attempt.text, AnsweredTestsShape),
                waits=False,
            )
            came = await ask_for(run, agent, question)
        given = {each.path: each for each in came.value.tests} if came.value else {}
        answers = tuple(
            AnsweredTest(
                path=test.path,
                withdrawn=(answer := given.get(test.path)) is not None and answer.withdrawn,
                reason=_one_line(answer.reason if answer else came.why or "its author does not say"),
            )
            for test in tests
        )
        return HiddenTestsAnswered(
            iteration=iteration, agent=agent.name, tests=answers, usage=added(list(came.usages))
        )

    return await run.journal.step(key, act, HiddenTestsAnswered)


def _capped(asked: Brief, run: RunContext) -> Brief:
    """Return a brief that may cost what is left of the part of the run that hidden tests may cost."""
    own: AttemptLimits = asked.limits
    limits: Limits = run.limits
    bodies = [event.body for event in run.journal.events]
    paid = [body.usage for body in bodies if isinstance(body, HiddenTestsWritten | HiddenTestsAnswered)]
    update: dict[str, object] = {}
    if limits.max_cost_usd > 0:
        share = limits.max_cost_usd / SHARE - sum(usage.cost_usd or Decimal(0) for usage in paid)
        update["cost_usd"] = share if own.cost_usd is None else min(own.cost_usd, share)
    if limits.max_tokens:
        part = limits.max_tokens // SHARE - sum(map(used, paid))
        update["tokens"] = part if own.tokens is None else min(own.tokens, part)
    return asked.model_copy(update={"limits": own.model_copy(update=update)})


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500]
