"""Asking a role to look back on a run: bounded in money, checked in form, never believed without proof."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from setpoint.inner.structured_answer import Question, ask_for, read_object
from setpoint.learning.policy.lessons import MOST, Account, account_text
from setpoint.model.answers.reflection import ReflectionShape, TaughtShape
from setpoint.model.answers.role_answers import example_of, schema_of
from setpoint.model.attempt import Brief, Role, Usage
from setpoint.model.changes.redaction import alarms, redacted
from setpoint.model.events.learning import ReflectionAnswered, ReflectionSkipped, Trigger
from setpoint.model.facts.spending import added
from setpoint.model.learning import LearningKind, Proposal, Trust
from setpoint.ports import Agent
from setpoint.runs.context import RunContext

LEAST_USD = Decimal("0.001")
"""Money below which nobody is asked."""
FREE = Usage(scope="none")
"""What rules cost."""
BELIEVED = (0.5, 0.65)
"""A model's own confidence is kept within these where the run does not confirm what it says."""
CHARACTERS_PER_TOKEN = 4
ANSWER_TOKENS = 1000
"""Tokens that an answer is expected to have."""


@dataclass(frozen=True, kw_only=True)
class Reflected:
    """What came of looking back."""

    by: str
    proposals: tuple[Proposal, ...]
    usage: Usage = FREE


async def by_model(
    run: RunContext, account: Account, trigger: Trigger, rules: tuple[Proposal, ...]
) -> Reflected:
    """Let the reflector word what rules found, and add to it; without money or a fitting answer, rules alone.

    What it would cost is asked first: what is paid for is kept.
    """
    agent = run.ports.agents[Role.REFLECTOR]
    used = run.journal.account.used
    wanted = run.order.memory
    most = min(wanted.max_reflection_usd, used.cost_usd * Decimal(str(wanted.max_reflection_share)))
    without = Reflected(by="rules", proposals=rules)
    if used.known and most < LEAST_USD:
        _skip(run, trigger, f"${most:.4f} is what {wanted.max_reflection_share:.0%} of the run's cost allows")
        return without
    asked = _question(run, account, rules, most)
    expected = _expected(run, asked.brief.prompt)
    if expected > most:
        too_much = f"it would cost about ${expected:.4f}, allowed are ${most:.4f}; nobody is asked"
        _skip(run, trigger, too_much)
        return without
    answered = await _answered(run, agent, asked)
    if answered.why:
        _skip(run, trigger, f"{agent.name}: {answered.why}", answered.usage)
        return without
    return Reflected(
        by=agent.name, proposals=_worded(run, agent.name, answered.taught, rules), usage=answered.usage
    )


def _expected(run: RunContext, prompt: str) -> Decimal:
    """Guess what a question costs, by what the run's tokens have cost so far; 0 where nobody knows."""
    used = run.journal.account.used
    tokens = len(prompt) // CHARACTERS_PER_TOKEN + ANSWER_TOKENS
    return used.cost_usd * tokens / used.tokens if used.tokens else Decimal(0)


def _worded(
    run: RunContext, agent: str, taught: tuple[TaughtShape, ...], rules: tuple[Proposal, ...]
) -> tuple[Proposal, ...]:
    """Put what rules measured into the model's words where it names the place; the rest are candidates."""
    made = {str(place): each for place, each in enumerate(rules, start=1)}
    more = []
    for each in taught:
        known, text = made.get(each.cites.strip("# ")), f"{each.title} {each.body}"
        if each.kind is LearningKind.EPISODIC:
            continue  # what happened once is in the run's log
        if known is None or known.by != "setpoint" or not _names(known, text):
            more.append(_proposal(run, agent, each))
            continue
        body = f"{each.body}\n{known.body}".strip()[:4000]
        confirmed = {"title": each.title, "body": body, "by": agent, "alarms": alarms(text)}
        made[each.cites.strip("# ")] = known.model_copy(update=confirmed)
    return (*made.values(), *more)[:MOST]


def _names(known: Proposal, text: str) -> bool:
    """Whether a text names a file, a symbol or a rule of what was measured."""
    hint = known.hint
    names = (*hint.symbols, *hint.rules, *(path.rpartition("/")[2] for path in hint.files))
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)


async def _answered(run: RunContext, agent: Agent, asked: Question[ReflectionShape]) -> ReflectionAnswered:
    """Ask the reflector; after a crash what it said is read again, and not paid again."""

    async def act() -> ReflectionAnswered:
        came = await ask_for(run, agent, asked)
        return ReflectionAnswered(
            agent=agent.name,
            taught=came.value.learnings if came.value is not None else (),
            why="" if came.value is not None else (came.why or "no answer"),
            usage=added(list(came.usages)),
        )

    return await run.journal.step("reflection-asked", act, ReflectionAnswered)


def _question(
    run: RunContext, account: Account, rules: tuple[Proposal, ...], most: Decimal
) -> Question[ReflectionShape]:
    limits = run.bounded(run.order.attempt)
    variables = {
        "title": account.title,
        "ending": account.reason,
        "events": account_text(account),
        "rules": tuple(each.title for each in rules),
        "most": max(MOST - len(rules), 1),
        "schema": schema_of(ReflectionShape),
        "example": example_of(ReflectionShape),
    }
    brief = Brief(
        role=Role.REFLECTOR,
        session=f"{run.order.trace_id}:reflection",
        label="reflection",
        prompt=redacted(run.ports.render("reflection.md.j2", variables)),
        workdir=run.copy.path,
        story=run.order.story,
        answer=ReflectionShape,
        limits=limits.model_copy(update={"cost_usd": most}),
    )
    return Question(
        phase="reflection",
        iteration=account.rounds[-1].number,
        label="reflection",
        brief=brief,
        read=lambda attempt: read_object(attempt.text, ReflectionShape),
    )


def _proposal(run: RunContext, agent: str, taught: TaughtShape) -> Proposal:
    """Make what a model says a proposal; it stays a candidate until evidence or a person supports it."""
    least, most = BELIEVED
    return Proposal(
        kind=taught.kind,
        title=taught.title,
        body=taught.body,
        context=taught.context,
        scope=run.order.root,
        believed=min(max(taught.confidence, least), most),
        trust=Trust.EXTERNAL,
        tags=taught.tags[:8],
        source=f"run:{run.order.trace_id}",
        by=agent,
    )


def _skip(run: RunContext, trigger: Trigger, reason: str, usage: Usage | None = None) -> None:
    body = ReflectionSkipped(trigger=trigger, reason=reason[:500], usage=usage or Usage(scope="none"))
    run.journal.note("reflection-skipped", body)
