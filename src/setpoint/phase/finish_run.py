"""Finish a run: choose the best state, measure it in full, deliver and record it."""

from __future__ import annotations

from typing import NamedTuple

from setpoint.inner.unjudged_edits import unjudged_edits
from setpoint.learning.loop import reflect_on_run
from setpoint.model.ending import EXAMINED, UNVERIFIED_PREFIX, Ending
from setpoint.model.evaluation import Stage
from setpoint.model.events.run import Delivered, PhaseBounce, RunFinished
from setpoint.model.facts.cover_gain import hindering
from setpoint.model.facts.rounds import RunFacts, goals_of
from setpoint.model.facts.spending import in_words
from setpoint.model.gate import Answer
from setpoint.model.run import KNOWN_ISSUES_SUBJECT, Halt, Round, RunOutcome, verdict_words
from setpoint.model.verdict import HardGate
from setpoint.phase.candidates import place_of
from setpoint.phase.policy.best_state import best_first, may_be_better, rank, worth_delivering
from setpoint.phase.policy.known_issues import TITLE, entry, known_issues
from setpoint.phase.policy.whose_exam import examined
from setpoint.phase.product import show_product
from setpoint.ports import Appendix, BranchName
from setpoint.runs.context import RunContext
from setpoint.version import __version__

_SUFFICIENT = frozenset({*EXAMINED, Ending.MET})
"""Endings after which nobody looks for other edits."""
MOST_CANDIDATES = 4
"""How many of the best unproved rounds are measured in full before the base is kept."""


class Close(NamedTuple):
    """Why a run ends."""

    ending: Ending
    reason: str
    halt: Halt | None = None
    """The guard that stopped it, if one did."""
    uncounted: int = 0
    """Rounds that do not count as iterations, because a reviewer broke in them."""
    answer: Answer | None = None
    """The person's answer that ended it, if one did."""
    at_once: bool = False
    """End without further measurements: only a state that was measured in full is offered."""
    asked: bool = True
    """Whether an answer of a person could let the run continue."""
    repair: str = ""
    """The agent that can try again once a person has repaired what broke it; empty: no agent broke."""
    repair_only: bool = False
    """Whether nothing else lets the run continue, because another try would break in the same way."""


class _Offered(NamedTuple):
    """The result that a run delivers."""

    best: Round | None
    branch: str = ""
    issues: tuple[str, ...] = ()


async def finish(run: RunContext, past: RunFacts | None, close: Close) -> RunOutcome:
    """End a run with its best state, never with one that is worse than the base.

    A person may accept a worse one; Setpoint then records its known issues. Without a history
    the base was never measured, and Setpoint offers nothing.
    """
    run.journal.wind_up()
    offered = _Offered(None) if past is None else await _offered(run, past, close)
    best = offered.best
    if best is not None and best.changed_against_base and not close.at_once:
        await show_product(run, best)
    unjudged = () if close.ending in _SUFFICIENT else await unjudged_edits(run, place_of)
    await reflect_on_run(run, past, close.ending, close.reason)

    async def act() -> RunFinished:
        budget = run.journal.account
        used = budget.used
        state = (best.latest if best else past.base) if past else None
        weighed = state.quality.weighed(run.order.weights) if state else ()
        proof = best.proof if best and close.ending in EXAMINED else None
        outcome = RunOutcome(
            trace_id=run.order.trace_id,
            ending=close.ending,
            reason=close.reason,
            halt=close.halt,
            iterations=(len(past.rounds) if past else 0) - close.uncounted,
            bounces=sum(1 for event in run.journal.events if isinstance(event.body, PhaseBounce)),
            best=best.snapshot.commit if best else run.order.base,
            best_iteration=best.number if best else 0,
            by=proof.exams if proof else (),
            rests_on=proof.by if proof else "",
            sufficient=_suffices(run, close, best),
            branch=offered.branch,
            score=state.score if state else None,
            score_of=weighed,
            goals=goals_of(best) if best else (),
            known_issues=offered.issues,
            cost_usd=used.cost_usd,
            cost_known=used.known,
            cost_shown=in_words(used),
            tokens=used.tokens,
            duration_s=round(budget.active_s, 3),
            unjudged=unjudged,
        )
        return RunFinished(outcome=outcome)

    finished = await run.journal.step("finish", act, RunFinished)
    run.ports.publish(run.order.trace_id)
    return finished.outcome


async def _offered(run: RunContext, past: RunFacts, close: Close) -> _Offered:
    if close.ending in EXAMINED:
        return _Offered(past.last, await _delivered(run, past.last, close))
    proved: dict[int, Round] = {}
    best = await _best_proved(run, past, proved, most=0 if close.at_once else MOST_CANDIDATES)
    if close.ending is Ending.ACCEPTED:
        best = best or await _first_of_the_worse(run, past, proved)
        issues = known_issues(best, past.base)
        return _Offered(best, await _delivered(run, best, close, issues), issues)
    return _Offered(best, await _delivered(run, best, close) if best else "")


def _suffices(run: RunContext, close: Close, best: Round | None) -> bool:
    """Whether the work passed the exam that the order asks for."""
    if close.ending not in EXAMINED or best is None:
        return False
    return examined(best.proof, run.order.proof.least).enough


async def _first_of_the_worse(run: RunContext, past: RunFacts, proved: dict[int, Round]) -> Round:
    """Return the best round of a run in which none may replace the base, because a person accepted it."""
    best = best_first(past)[0]
    if best.tests is not None:
        return best
    return proved.get(best.number) or await _proved(run, best)


async def _best_proved(
    run: RunContext, past: RunFacts, proved: dict[int, Round], *, most: int
) -> Round | None:
    """Return the best round that a full measurement shows to be better than the base, if there is one.

    A round that never reached the full suite looks better than it may be, so it is measured before it is
    compared, `most` of them at most, and put into `proved`; what was measured already never gives way to it
    unmeasured.
    """
    better: list[Round] = []
    left = most
    for candidate in (each for each in best_first(past) if not hindering(each.evaluation)):
        if candidate.tests is not None:
            if worth_delivering(candidate, past.base):
                better.append(candidate)
                break
        elif left > 0 and (not better or may_be_better(candidate, max(better, key=rank))):
            left -= 1
            proved[candidate.number] = await _proved(run, candidate)
            if worth_delivering(proved[candidate.number], past.base):
                better.append(proved[candidate.number])
    return max(better, key=rank, default=None)


async def _proved(run: RunContext, candidate: Round) -> Round:
    """Measure a round in full, unless that was done."""
    tree = (candidate.snapshot.commit, candidate.snapshot.tree)
    tests = await run.measure(f"appraise-{candidate.number}", Stage.TEST, tree, iteration=candidate.number)
    return candidate.model_copy(update={"tests": tests})


async def _delivered(run: RunContext, best: Round, close: Close, issues: tuple[str, ...] = ()) -> str:
    enough, answer = _suffices(run, close, best) or close.ending is Ending.ACCEPTED, close.answer

    async def act() -> Delivered:
        debts = None
        if close.ending is Ending.ACCEPTED and answer is not None:
            text = entry(run.order, best, issues, answer, run.ports.clock.now())
            told = f"{KNOWN_ISSUES_SUBJECT}{run.order.story.title}\n\nSetpoint-Run: {run.order.trace_id}\n"
            debts = Appendix(run.order.escalation.debt_file, TITLE, text, message=told)
        message = _message(run, best, close, issues)
        name = run.order.branch
        if not enough:
            name = f"{UNVERIFIED_PREFIX}{name}"
        branch = await run.ports.forge.deliver(
            run.copy, best.snapshot.commit, name, message=message, appendix=debts
        )
        notes = branch.notes if isinstance(branch, BranchName) else ()
        return Delivered(
            branch=str(branch),
            commit=best.snapshot.commit,
            verified=close.ending is Ending.VERIFIED,
            ending=close.ending,
            notes=notes,
        )

    return (await run.journal.step("deliver", act, Delivered)).branch


def _message(run: RunContext, best: Round, close: Close, issues: tuple[str, ...]) -> str:
    state = "not verified: the best state so far"
    if close.ending in EXAMINED:
        state = verdict_words(close.ending, best.proof.by if best.proof else "")
    if close.ending is Ending.ACCEPTED and close.answer is not None:
        state = f"not verified: accepted as it is by {close.answer.by}"
    known = "".join(f"- {issue}\n" for issue in issues)
    gates, attempt = "\n".join(_gate(gate) for gate in best.gates), best.snapshot.attempt
    return (
        f"{run.order.story.title}\n\n{state}\n\n"
        + (f"Known issues:\n{known}\n" if known else "")
        + f"Gates, measured by Setpoint on tree {best.snapshot.tree}:\n{gates}\n\n"
        f"Setpoint-Run: {run.order.trace_id}\nSetpoint-Iteration: {best.number}\n"
        f"Assisted-by: {attempt.agent if attempt else 'unknown'} (Setpoint {__version__})\n"
    )


def _gate(gate: HardGate) -> str:
    return f"  {gate.name}: {gate.state}{f' ({gate.reason})' if gate.reason else ''}"
