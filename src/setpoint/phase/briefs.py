"""Briefs for roles: the same facts as a prompt and as data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from setpoint.learning.loop import TAUGHT, recalled
from setpoint.learning.policy.at_hand import at_hand
from setpoint.model.answers.change_request import ChangeRequest
from setpoint.model.answers.role_answers import (
    AnsweredTestsShape,
    OpinionsShape,
    ReviewShape,
    Shape,
    TestDesignShape,
    example_of,
    schema_of,
)
from setpoint.model.attempt import Brief, Mode, Role, Tried
from setpoint.model.changes.diff import added_lines
from setpoint.model.config.limits import Limits
from setpoint.model.events import Event
from setpoint.model.events.run import AgentStarted, ToolExecuted
from setpoint.model.evidence import Failure, Suspect
from setpoint.model.facts.human_answers import instructions
from setpoint.model.facts.releases import settled_requests
from setpoint.model.finding import Finding, Note, worst_first
from setpoint.model.learning import Recollection
from setpoint.model.pipeline import Phase, PhaseKind
from setpoint.model.run import Round
from setpoint.phase.policy.bouncing import outcome_line
from setpoint.phase.policy.maker_feedback import feedback, whole_text
from setpoint.phase.policy.review import NOTHING_REVIEWED, Docket, is_frozen
from setpoint.ports import Reviewing
from setpoint.presets import languages_of
from setpoint.runs.context import RunContext

ANALYSIS = "analysis"
"""Key of the tester's text among the texts of thinking phases."""
SHOWN = ".setpoint/evidence"
"""The folder in the work copy with the files that prompts name."""
HISTORY = "history.txt"
WRITING = "hidden-tests"
"""Label of the question to the test designer, which works beside the maker."""
ANSWERING = "withdraw"
"""Label of the question to an author of hidden tests that fail for the second time."""
_OF_HIDDEN_TESTS: dict[str, type[Shape]] = {WRITING: TestDesignShape, ANSWERING: AnsweredTestsShape}
MOST_DIFF = 60_000
MOST_REFUSALS = 5
MOST_NOTES = 40
MOST_CONTRADICTED = 40
MOST_TRIED_DIFF = 3000
_PATH = re.compile(r"(?<![\w/.-])[\w-][\w.-]*(?:/[\w.-]+)+\.\w{1,5}\b")
"""A path that a plan names."""


@dataclass(frozen=True, kw_only=True)
class Situation:
    """What Setpoint knows when it asks a role."""

    iteration: int = 0
    mode: Mode = Mode.FRESH
    chain: int = 0
    findings: tuple[Finding, ...] = ()
    failures: tuple[Failure, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    """Probable locations of the causes of the failures."""
    reason: str = ""
    """Why the work came back."""
    advice: str = ""
    """What the loop noticed about the rounds so far."""
    tried: tuple[Tried, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    """Texts of the thinking phases, by phase."""
    diff: str = ""
    """The change under review."""
    requests: tuple[ChangeRequest, ...] = ()
    """Requests of the maker."""
    notes: tuple[Note, ...] = ()
    """What the change under review shows; makers are not told."""
    contradicted: tuple[str, ...] = ()
    """Tests of the base that the change under review contradicts."""
    budget: str = ""
    measured: tuple[str, ...] = ()
    """Results of the checks on the change under review, a line each."""
    review: str = ""
    """Kind of the requested review."""
    before: Docket = NOTHING_REVIEWED
    """Result of earlier reviews."""
    declined: dict[str, str] = field(default_factory=dict)
    """Objections that the maker declines: reason by fingerprint."""


def brief(run: RunContext, phase: Phase, now: Situation) -> Brief:
    """Build a role's brief; the prompt contains the worst problems, the data contain all."""
    order, ports = run.judged_by, run.ports
    answer = _shape(phase, now)
    about = f"{phase.name}-{now.review}" if now.review else phase.name
    label = f"{about}-{now.iteration}"
    learnings = _learnings(run, phase, now, label)
    evidence = _evidence(run, now)
    variables = _told(run, now, answer, learnings)
    template = template_of(phase, now.review or now.mode)
    return Brief(
        role=phase.role or Role.MAKER,
        mode=now.mode,
        session=f"{order.trace_id}:{about}:{now.chain}",
        label=label,
        prompt=ports.render(template, variables) if template else order.story.wish,
        prompt_version=_prompt_version(run, template, answer),
        workdir=run.copy.path,
        python=run.tools.python,
        environment=run.tools.environment,
        self_check=run.tools.self_check if phase.role is Role.MAKER or phase.role is None else (),
        story=order.story,
        findings=worst_first(now.findings),
        failures=now.failures,
        suspects=now.suspects,
        suite_commands=run.tools.suite_commands,
        tried=now.tried,
        diff=now.diff,
        review=now.review,
        requests=now.requests,
        recalled=learnings,
        notes=now.notes,
        contradicted=now.contradicted,
        evidence=evidence,
        answer=answer,
        limits=run.bounded(order.attempt),
    )


def template_of(phase: Phase, which: str) -> str:
    """Return the name of the prompt template for a kind of review or a mode."""
    return phase.prompts.get(which, phase.prompts.get(Mode.FRESH, ""))


def _prompt_version(run: RunContext, template: str, answer: type[Shape] | None) -> str:
    """Return a digest of what a review is asked with; none for other roles."""
    if answer is not ReviewShape:
        return ""
    return review_version(run.ports.reviewing, template)


def review_version(reviewing: Reviewing, template: str) -> str:
    """Return the version of a review's prompt: a digest of its template and the shape of the answer."""
    parts = (reviewing.prompt_version(template), schema_of(ReviewShape), example_of(ReviewShape))
    return sha256("\0".join(parts).encode()).hexdigest()[:12]


def _told(
    run: RunContext, now: Situation, answer: type[Shape] | None, learnings: tuple[Recollection, ...]
) -> dict[str, object]:
    """Return the variables of a prompt template."""
    return {
        "story": run.judged_by.story,
        "series": run.judged_by.series,
        "problems": feedback(now.failures, now.findings, now.suspects, f"{SHOWN}/{_problems_file(now)}"),
        "iteration": now.iteration,
        "max_iterations": run.limits.max_iterations,
        "instructions": instructions(run.journal.events),
        "reason": now.reason,
        "advice": now.advice,
        "tried": now.tried,
        "research": now.texts.get("research", now.texts.get("analyse", "")),
        "plan": now.texts.get("plan", now.texts.get("design", "")),
        "analysis": now.texts.get(ANALYSIS, ""),
        "checks": sorted(run.tools.checks),
        "languages": languages_of(run.tools.checks),
        "commands": run.tools.commands,
        "self_check": bool(run.tools.self_check),
        "refusals": _refusals(run.journal.events),
        "diff": now.diff[:MOST_DIFF],
        "budget": now.budget,
        "objections": now.before.open,
        "dismissed": now.before.dismissed,
        "declined": now.declined,
        "reviews": now.before.reviews,
        "schema": schema_of(answer) if answer else "",
        "scratchpad": f"{SHOWN}/{HISTORY}",
        "example": example_of(answer) if answer else "",
        "measured": now.measured,
        "learnings": learnings,
        "texts": now.texts,
        "notes": now.notes[:MOST_NOTES],
        "contradicted": now.contradicted[:MOST_CONTRADICTED],
        **_of_protected(run, now),
    }


def _learnings(run: RunContext, phase: Phase, now: Situation, label: str) -> tuple[Recollection, ...]:
    """Return recalled learnings for a role that works on the change itself."""
    if phase.role not in TAUGHT or now.requests:
        return ()
    changed = {line.file for line in added_lines(now.diff)} if now.diff else set()
    reached = {each.file for each in now.suspects}
    planned = {path for text in now.texts.values() for path in _PATH.findall(text)}
    at = at_hand(run.order.story.wish, now.failures, now.findings, changed | reached | planned)
    return recalled(run, phase.name, label, now.iteration, at)


def _shape(phase: Phase, now: Situation) -> type[Shape] | None:
    """Return the schema of the answer; none for a text."""
    if phase.name in _OF_HIDDEN_TESTS:
        return _OF_HIDDEN_TESTS[phase.name]
    if phase.kind is not PhaseKind.REVIEW:
        return None
    return OpinionsShape if now.requests else ReviewShape


def _of_protected(run: RunContext, now: Situation) -> dict[str, object]:
    """Return prompt variables on protected files, and on objections that are still possible."""
    settled = settled_requests(run.journal.events)
    return {
        "frozen": is_frozen(now.before, run.order.limits),
        "requests": now.requests,
        "released": (
            *run.order.story.may_change,
            *(path for each in settled if each.granted for path in each.paths),
        ),
        "refused": tuple(each for each in settled if not each.granted),
    }


def earlier_rounds(rounds: Sequence[tuple[Round, str]]) -> tuple[Tried, ...]:
    """Describe the outcome of earlier rounds, each given with its diff."""
    return tuple(
        Tried(iteration=past.number, diff=diff[:MOST_TRIED_DIFF], outcome=outcome_line(past))
        for past, diff in rounds
    )


def budget_left(limits: Limits, cost_usd: float, active_s: float) -> str:
    """Describe the remaining budget."""
    money = f"${max(float(limits.max_cost_usd) - cost_usd, 0):.2f}" if limits.max_cost_usd > 0 else ""
    minutes = f"{max(limits.max_wall_s - active_s, 0) / 60:.0f} minutes"
    return " and ".join(part for part in (money, minutes) if part)


def _evidence(run: RunContext, now: Situation) -> dict[str, str]:
    """Return the files that prompts name: the history of the run, and the problems in full."""
    files = {HISTORY: run.ports.scratchpad(run.order.trace_id)}
    if now.failures or now.findings:
        files[_problems_file(now)] = whole_text(now.failures, now.findings, now.suspects)
    return files


def _refusals(events: Sequence[Event]) -> tuple[str, ...]:
    """Return what the maker was refused in its last turn, with the way out."""
    begun = max((at for at, event in enumerate(events) if isinstance(event.body, AgentStarted)), default=0)
    calls = [event.body.call for event in events[begun:] if isinstance(event.body, ToolExecuted)]
    told = (f"{call.title or call.name}: {call.refused}" for call in calls if call.refused)
    return tuple(dict.fromkeys(told))[:MOST_REFUSALS]


def _problems_file(now: Situation) -> str:
    """Name the file with the problems: reviewers that work at the same time may be shown others."""
    return f"problems-{now.review or now.iteration}.txt"
