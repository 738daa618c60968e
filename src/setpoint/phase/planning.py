"""Thinking phases: research, plan, and an analysis of failing tests."""

from __future__ import annotations

from setpoint.inner.project_text import informed
from setpoint.inner.tool_calls import Place, watched
from setpoint.model.attempt import Mode, Role
from setpoint.model.events.run import PhaseCompleted, PhaseEntered
from setpoint.model.facts.rounds import blocking, failures
from setpoint.model.pipeline import Phase, PhaseKind
from setpoint.model.run import Round
from setpoint.phase.briefs import ANALYSIS, Situation, brief, earlier_rounds
from setpoint.phase.policy.bouncing import outcome_line
from setpoint.runs.context import RunContext

ANALYSING = Phase(
    name=ANALYSIS, kind=PhaseKind.THINK, role=Role.TESTER, prompts={Mode.FRESH: "analysis.md.j2"}
)
"""Label of the question to the tester about failing tests."""
MOST_TEXT = 20_000


async def write_texts(run: RunContext, phases: tuple[Phase, ...], situation: Situation) -> dict[str, str]:
    """Let each thinking phase write its text; record a role that breaks and continue without its text."""
    texts: dict[str, str] = dict(situation.texts)
    for phase in phases:
        now = Situation(
            iteration=situation.iteration,
            findings=situation.findings,
            failures=situation.failures,
            suspects=situation.suspects,
            texts=texts,
        )
        texts[phase.name] = await _thought(run, phase, now)
    return texts


async def replan(run: RunContext, last: Round, iteration: int) -> dict[str, str]:
    """Repeat the thinking phases from the bounce target on, with the findings."""
    before = run.order.pipeline.before_making()
    names = [phase.name for phase in before]
    if last.bounced_to not in names:
        return {}
    now = Situation(
        iteration=iteration,
        findings=blocking(last),
        failures=failures(last),
        suspects=last.latest.suspects,
    )
    return await write_texts(run, before[names.index(last.bounced_to) :], now)


async def explain_failures(run: RunContext, rounds: tuple[Round, ...], iteration: int) -> dict[str, str]:
    """Let the tester, if there is one, explain failing tests; drop an older analysis."""
    last = rounds[-1]
    if Role.TESTER not in run.ports.agents or not failures(last):
        return {ANALYSIS: ""}
    diff = await run.ports.workspace.diff(run.copy, run.order.base, last.snapshot.commit)
    now = Situation(
        iteration=iteration,
        failures=failures(last),
        suspects=last.latest.suspects,
        reason=outcome_line(last),
        tried=earlier_rounds([(each, "") for each in rounds[-5:]]),
        diff=diff,
    )
    return {ANALYSIS: await _thought(run, ANALYSING, now)}


async def _thought(run: RunContext, phase: Phase, now: Situation) -> str:
    key = f"{phase.name}-{now.iteration}"
    run.journal.note(f"{key}:entered", PhaseEntered(phase=phase.name, iteration=now.iteration))

    async def act() -> PhaseCompleted:
        asked = brief(run, phase, now)
        agent = run.ports.agents[asked.role]
        place = Place(phase.name, now.iteration, key)
        attempt, _ = await watched(run, agent, await informed(run, agent, asked, place), place)
        return PhaseCompleted(
            phase=phase.name,
            iteration=now.iteration,
            text=attempt.text[:MOST_TEXT],
            usage=attempt.usage,
            breakage=attempt.breakage,
        )

    return (await run.journal.step(key, act, PhaseCompleted)).text
