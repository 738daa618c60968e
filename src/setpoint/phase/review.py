"""Ask all kinds of reviewers at once, and combine their verdicts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from setpoint.inner.structured_answer import Question, ask_for
from setpoint.model.attempt import BY_RULE, NEXT_REVIEWER, RULES, BreakageKind, Brief, Usage
from setpoint.model.events.candidates import FindingDeclined
from setpoint.model.events.run import ReviewAnswered, ReviewCompleted
from setpoint.model.facts.spending import added
from setpoint.model.finding import Finding
from setpoint.model.proof import HiddenTest
from setpoint.model.verdict import Judgement, ReviewerVersion, Verdict
from setpoint.phase.own_copy import own_copy
from setpoint.phase.policy.review import Docket, as_advice, reproduced, weighed
from setpoint.phase.review_answers import Reading
from setpoint.ports import Agent, Measured
from setpoint.runs.context import RunContext

_WORST_FIRST = (Judgement.FAILED, Judgement.REQUIRE_HUMAN, Judgement.REQUEST_CHANGES, Judgement.APPROVE)


@dataclass(frozen=True, kw_only=True)
class Submission:
    """A change that the reviewers receive."""

    key: str
    iteration: int
    briefs: Mapping[str, Brief]
    """Brief of each reviewer, by kind of review."""
    before: Docket
    declined: Mapping[str, str]
    """Objections that the maker declines with this change: reason by fingerprint."""
    measured: Measured
    """The tree that is judged."""
    earlier: Mapping[str, HiddenTest]
    """What showed objections of earlier reviews, by fingerprint."""


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """What one agent answered as a reviewer."""

    verdict: Verdict | None
    """None if the agent broke, or its answer could not be read."""
    why: str
    """Why there is none."""
    breakage: BreakageKind | None
    usages: tuple[Usage, ...]
    """Cost of each try."""
    made_by: ReviewerVersion
    unreadable: int
    """Answers that could not be read."""


def reviewer_of(run: RunContext, kind: str) -> Agent:
    """Return the reviewer of this kind: its own agent, else the one for all reviews."""
    agents = run.ports.agents
    return agents.get(f"reviewer:{kind}") or agents["reviewer"]


async def review(run: RunContext, change: Submission) -> Verdict:
    """Ask every kind of reviewer at once and return the combined verdict.

    Setpoint asks a broken reviewer again, then the next ones, then it reviews by rule and the verdict says
    that the review is missing; only without money for an answer it is `failed`.
    """
    for fingerprint, reason in change.declined.items():
        body = FindingDeclined(iteration=change.iteration, fingerprint=fingerprint, reason=reason)
        run.journal.note(f"{change.key}:declined:{fingerprint}", body)

    async def act() -> ReviewCompleted:
        async with asyncio.TaskGroup() as tasks:
            asked = [tasks.create_task(_answered(run, change, kind)) for kind in change.briefs]
        answers = [task.result() for task in asked]
        verdicts = [await _reproduced(run, change, each.verdict) for each in answers]
        verdict = weighed(combined(verdicts), change.before)
        usage = added([each.usage for each in answers])
        return ReviewCompleted(iteration=change.iteration, verdict=verdict, usage=usage)

    return (await run.journal.step(change.key, act, ReviewCompleted)).verdict


async def _reproduced(run: RunContext, change: Submission, verdict: Verdict) -> Verdict:
    """Run what shows an objection, also what showed it in an earlier review."""
    shown = {**change.earlier, **verdict.reproductions}
    asked = [each.fingerprint for each in verdict.findings if each.fingerprint in shown]
    if not asked:
        return verdict
    tests = tuple(shown[each] for each in asked)
    trial = await run.ports.evaluator.try_hidden(run.judged_by, change.measured, tests)
    return reproduced(verdict, dict(zip(asked, trial.reproduced, strict=True)))


async def _answered(run: RunContext, change: Submission, kind: str) -> ReviewAnswered:
    """Ask one reviewer; reuse an answer that an earlier process recorded."""
    key = f"{change.key}:{kind}"
    known = run.journal.known(key)
    if isinstance(known, ReviewAnswered):
        return known
    opinions = list[Opinion]()
    verdict: Verdict | None = None
    for number, agent in enumerate(_in_turn(run, kind)):
        label = f"{key}~{number}" if number else key
        async with _apart(run, change, kind, agent) as there:
            opinion = await ask_reviewer(there, change, kind, agent, label)
        opinions.append(opinion)
        verdict = opinion.verdict
        if opinion.breakage is BreakageKind.BUDGET:
            reviewer = f"{kind}:{agent.name}"
            verdict = Verdict(reviewer=reviewer, judgement=Judgement.FAILED, feedback=opinion.why)
        if verdict is not None:
            break
    else:
        failed = (f"{kind}:{each.made_by.agent}: {each.why}" for each in opinions)
        verdict = await _by_rule(run, change, kind, "; ".join(failed))
    made_by = ReviewerVersion() if verdict.missing else opinions[-1].made_by
    body = ReviewAnswered(
        iteration=change.iteration,
        review=kind,
        verdict=as_advice(verdict, run.ports.reviewing.why_advice(kind, made_by)),
        usage=added([usage for each in opinions for usage in each.usages]),
        made_by=made_by,
        unreadable=tuple(each.made_by for each in opinions for _ in range(each.unreadable)),
    )
    run.journal.note(key, body)
    return body


@asynccontextmanager
async def _apart(run: RunContext, change: Submission, kind: str, agent: Agent) -> AsyncIterator[RunContext]:
    """Return the run with a copy of the tree for one reviewer; what it leaves there goes with the copy."""
    if agent.name == RULES:  # it reads the brief alone
        yield run
        return
    async with own_copy(run, f"r-{kind}", change.measured.commit) as apart:
        yield apart


async def ask_reviewer(run: RunContext, change: Submission, kind: str, agent: Agent, label: str) -> Opinion:
    """Ask one agent in a new session; what was whole of a request for changes that was cut off counts too."""
    asked = change.briefs[kind]
    asked = asked.model_copy(update={"session": f"{asked.session}:{label}", "workdir": run.copy.path})
    known = (*change.before.open, *(each.finding for each in change.before.held if each.of_review))
    read = Reading(f"{kind}:{agent.name}", kind, known, run.ports.hide or run.ports.keep)
    question = Question(phase="review", iteration=change.iteration, label=label, brief=asked, read=read)
    came = await ask_for(run, agent, question)
    seen = read.last
    made_by = ReviewerVersion(
        agent=agent.name,
        version=seen.version if seen else "",
        model=(seen.usage.model if seen else "") or run.ports.reviewing.model(agent.name),
        prompt=asked.prompt_version,
    )
    return Opinion(
        verdict=came.value if came.value is not None else read.held,
        why=came.why,
        breakage=came.breakage,
        usages=came.usages,
        made_by=made_by,
        unreadable=read.unreadable,
    )


def _in_turn(run: RunContext, kind: str) -> list[Agent]:
    """Return the reviewer of this kind and those that are asked where it gives no answer."""
    first, agents = reviewer_of(run, kind), run.ports.agents
    others = [agents[role] for role in agents if role.startswith(NEXT_REVIEWER) and role != BY_RULE]
    return [first, *(each for each in others if each.name != first.name)]


async def _by_rule(run: RunContext, change: Submission, kind: str, why: str) -> Verdict:
    """Review by rule where no reviewer gave an answer; the verdict says that the review is missing."""
    found = Verdict(reviewer=f"{kind}:nobody", judgement=Judgement.APPROVE)
    if (rules := run.ports.agents.get(BY_RULE)) is not None:
        asked = await ask_reviewer(run, change, kind, rules, f"{change.key}:{kind}~rules")
        found = asked.verdict or found
    return found.model_copy(update={"missing": why})


def _reason(verdict: Verdict) -> str:
    """Return why a reviewer asks for a person: in its own words, else by what it found."""
    found = "; ".join(each.message for each in verdict.blocking or verdict.findings)
    return verdict.feedback or found or "it gives no reason"


def combined(verdicts: list[Verdict]) -> Verdict:
    """Combine the verdicts of all kinds; the worst judgement counts, equal findings merge."""
    found: dict[tuple[str, str, int, str], Finding] = {}
    for verdict in verdicts:
        for finding in verdict.findings:
            found.setdefault((finding.category, finding.file, finding.line, finding.message), finding)
    spoken = [verdict.feedback for verdict in verdicts if verdict.feedback]
    worst = min((verdict.judgement for verdict in verdicts), key=_WORST_FIRST.index)
    failed = [each.feedback for each in verdicts if each.judgement is Judgement.FAILED]
    if worst is Judgement.REQUIRE_HUMAN:
        asking = [each for each in verdicts if each.judgement is worst]
        several = len(verdicts) > 1
        spoken = [f"{f'{each.reviewer}: ' if several else ''}{_reason(each)}" for each in asking]
    return Verdict(
        reviewer=", ".join(verdict.reviewer for verdict in verdicts),
        judgement=worst,
        findings=tuple(found.values()),
        feedback="; ".join(failed or spoken),
        settled=tuple(each for verdict in verdicts for each in verdict.settled),
        expressing=tuple(dict.fromkeys(each for verdict in verdicts for each in verdict.expressing)),
        all_express=any(verdict.all_express for verdict in verdicts),
        approved_by=tuple(dict.fromkeys(each for verdict in verdicts for each in verdict.approved_by)),
        expressed_by=tuple(dict.fromkeys(each for verdict in verdicts for each in verdict.expressed_by)),
        advice="; ".join(verdict.advice for verdict in verdicts if verdict.advice),
        reproductions={name: test for verdict in verdicts for name, test in verdict.reproductions.items()},
        missing="; ".join(verdict.missing for verdict in verdicts if verdict.missing),
    )
