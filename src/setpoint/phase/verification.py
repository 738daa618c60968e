"""Verify one change: run the phases after the making and combine their results."""

from __future__ import annotations

from dataclasses import replace

from setpoint.model.attempt import Brief, Role
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events.run import (
    AgentFinished,
    PhaseApproved,
    PhaseEntered,
    PhasePassed,
    ProofMeasured,
    ReviewCompleted,
)
from setpoint.model.facts.human_answers import dismissed
from setpoint.model.facts.rounds import failures
from setpoint.model.pipeline import Phase, PhaseKind
from setpoint.model.proof import REVIEW, Obligation, ObligationState, Proof, Vouched
from setpoint.model.run import Round
from setpoint.model.verdict import Judgement
from setpoint.phase.briefs import Situation, brief
from setpoint.phase.candidates import PREFIX
from setpoint.phase.hidden_tests import ask_authors, hidden_tests, with_answers
from setpoint.phase.policy.bouncing import asks_for_bounce, bounce_count, with_bounce
from setpoint.phase.policy.hard_gates import hard_gates
from setpoint.phase.policy.measured_results import measured_results
from setpoint.phase.policy.provable import with_measured
from setpoint.phase.policy.review import declined_in, docket, weighed
from setpoint.phase.policy.verifiers import unmeasured_suites
from setpoint.phase.policy.vouched import reproductions, vouched
from setpoint.phase.review import Submission, review
from setpoint.ports import Measured
from setpoint.runs.context import RunContext

MOST_REASON = 600
"""Characters of the reasons why a review is missing."""


async def verify_change(
    run: RunContext, base: Evaluation, rounds: tuple[Round, ...], made: AgentFinished, situation: Situation
) -> Round:
    """Run the phases after the making, cheapest first; a blocking phase ends the round."""
    suspects = suspects_of(base, rounds, situation)
    # Setpoint rejects pipelines whose phase after the making does not measure the evaluate stage.
    first, *others = run.order.pipeline.behind_making()
    evaluation = await _measured(run, first, made, suspects)
    current = _left(run, first, _begun(made, situation, evaluation), rounds)
    for phase in others:
        if current.bounced_from or phase.kind is PhaseKind.DELIVER:
            break
        if phase.kind is PhaseKind.REVIEW:
            current = await _reviewed(run, phase, current, rounds, situation)
        else:
            evaluation = await _measured(run, phase, made, suspects)
            field = "tests" if evaluation.stage is Stage.TEST else "evaluation"
            current = current.model_copy(update={field: evaluation})
        current = _left(run, phase, current, rounds)
    unmeasured = unmeasured_suites(base, run.order.story)
    gates = hard_gates(current, unmeasured)
    if current.tests is not None and all(gate.passed for gate in gates):
        current = await _proved(run, (*rounds, current))
        gates = hard_gates(current, unmeasured)
    return with_bounce(current, gates, run.order.pipeline)


def again_mark(again: int) -> str:
    """Return the end of the keys of steps that judge a round again."""
    return f":again-{again}"


async def judged_again(run: RunContext, base: Evaluation, rounds: tuple[Round, ...], again: int) -> Round:
    """Judge the last round's tree by what a person added to the order since; `again` counts these, from 1."""
    mark, (*earlier, current) = again_mark(again), rounds
    tree = (current.snapshot.commit, current.snapshot.tree)
    tests = await run.measure(f"test-{current.number}{mark}", Stage.TEST, tree, iteration=current.number)
    current = await _reviewed_again(run, current, tuple(earlier), mark)
    current = await _dismissed(run, current, tuple(earlier), mark)
    cleared = {"tests": tests, "confirmation": None, "proof": None, "bounced_from": "", "bounced_to": ""}
    current = current.model_copy(update=cleared)
    unmeasured = unmeasured_suites(base, run.order.story)
    gates = hard_gates(current, unmeasured)
    if all(gate.passed for gate in gates):
        current = await _proved(run, (*earlier, current), mark)
        gates = hard_gates(current, unmeasured)
    return with_bounce(current, gates, run.order.pipeline)


async def _reviewed_again(run: RunContext, current: Round, earlier: tuple[Round, ...], mark: str) -> Round:
    """Ask the reviewers once more where they gave no answer."""
    phases = [each for each in run.order.pipeline.behind_making() if each.kind is PhaseKind.REVIEW]
    if current.verdict is None or not current.verdict.missing or not phases:
        return current
    again = Situation(iteration=current.number, chain=current.chain)
    return await _reviewed(run, phases[0], current, earlier, again, mark)


async def _dismissed(run: RunContext, current: Round, earlier: tuple[Round, ...], mark: str) -> Round:
    """Weigh the review of a round without the objections that a person found wrong since."""
    wrong, verdict = dismissed(run.journal.events), current.verdict
    if verdict is None or not set(verdict.for_a_person) & wrong.keys():
        return current

    async def act() -> ReviewCompleted:
        now = weighed(verdict, docket(earlier, wrong, run.order.suppressed))
        return ReviewCompleted(iteration=current.number, verdict=now)

    done = await run.journal.step(f"dismiss-{current.number}{mark}", act, ReviewCompleted)
    return current.model_copy(update={"verdict": done.verdict})


async def _proved(run: RunContext, rounds: tuple[Round, ...], mark: str = "") -> Round:
    """Measure what proves the last round, which has passed everything else."""
    current = rounds[-1]

    async def act() -> ProofMeasured:
        tree = (current.snapshot.commit, current.snapshot.tree)
        measured = Measured(run.copy, *tree, Stage.TEST)
        others = await _others(run, rounds)
        proof = await run.ports.evaluator.prove(run.judged_by, measured, others)
        return ProofMeasured(iteration=current.number, proof=proof)

    key = f"prove-{current.number}{mark}"
    made = await run.journal.step(key, act, ProofMeasured)
    if await ask_authors(run, made.proof, rounds):
        made = await run.journal.step(f"{key}-withdrawn", act, ProofMeasured)
    proof = with_measured(with_answers(run, made.proof), hard_gates(current))
    return current.model_copy(update={"proof": _with_review(proof, current)})


async def _others(run: RunContext, rounds: tuple[Round, ...]) -> Vouched:
    """Return what others than the maker contribute to the proof of the last round."""
    hidden, attempt = hidden_tests(run), rounds[-1].snapshot.attempt
    if hidden.tests:  # no process of an earlier attempt may be there while they run
        for role, agent in run.ports.agents.items():
            if role == Role.MAKER or role.startswith(PREFIX):
                await agent.close()
    maker, why = attempt.agent if attempt else "", dict[str, None]()
    if run.ports.readable is not None:
        for author in dict.fromkeys(test.author for test in hidden.tests):
            why[await run.ports.readable(maker, author)] = None
    readable = "; ".join(each for each in why if each)
    return vouched(rounds, hidden.tests, readable, hidden.lacking)


def _with_review(proof: Proof, current: Round) -> Proof:
    """Add the obligation to be reviewed, where no reviewer that the run names gave an answer."""
    missing = current.verdict.missing if current.verdict else ""
    if not missing:
        return proof
    owed = Obligation(
        name=REVIEW, state=ObligationState.NOT_MET, reason=f"review missing: {missing[:MOST_REASON]}"
    )
    return proof.model_copy(update={"obligations": (*proof.obligations, owed)})


def suspects_of(base: Evaluation, rounds: tuple[Round, ...], situation: Situation) -> tuple[str, ...]:
    """Return every test that ever failed in the run, those of the last round first.

    With fewer of them, a round that breaks an already fixed test would look as good as the fix.
    """
    seen = (situation.failures, base.failures, *(failures(each) for each in rounds))
    return tuple(dict.fromkeys(failure.test for failed in seen for failure in failed))


def _entered(run: RunContext, phase: Phase, iteration: int) -> str:
    key = f"{phase.name}-{iteration}"
    run.journal.note(f"{key}:entered", PhaseEntered(phase=phase.name, iteration=iteration))
    return key


async def _measured(
    run: RunContext, phase: Phase, made: AgentFinished, suspects: tuple[str, ...]
) -> Evaluation:
    key = _entered(run, phase, made.iteration)
    tree = (made.snapshot.commit, made.snapshot.tree)
    stage = phase.stage or Stage.EVALUATE
    return await run.measure(key, stage, tree, iteration=made.iteration, suspects=suspects)


def _left(run: RunContext, phase: Phase, current: Round, rounds: tuple[Round, ...]) -> Round:
    """Record that a phase passed, or mark the round as sent back by it."""
    if asks_for_bounce(current, phase):
        return current.model_copy(update={"bounced_from": phase.name})
    passed = PhaseApproved if phase.kind is PhaseKind.REVIEW else PhasePassed
    bounces = bounce_count(rounds, phase.name)
    run.journal.note(f"{phase.name}-{current.number}:passed", passed(phase=phase.name, bounces=bounces))
    return current


def _begun(made: AgentFinished, situation: Situation, evaluation: Evaluation) -> Round:
    return Round(
        number=made.iteration,
        chain=situation.chain,
        mode=made.mode,
        snapshot=made.snapshot,
        changed_against_base=made.changed_against_base,
        diff_hash=made.diff_hash,
        lines=made.lines,
        evaluation=evaluation,
    )


async def _reviewed(
    run: RunContext,
    phase: Phase,
    current: Round,
    rounds: tuple[Round, ...],
    situation: Situation,
    mark: str = "",
) -> Round:
    """Review all of a change that is not approved yet, including what was objected to."""
    change = await submission(run, phase, (*rounds, current), situation.texts, mark)
    return current.model_copy(update={"verdict": await review(run, change)})


async def submission(
    run: RunContext, phase: Phase, rounds: tuple[Round, ...], texts: dict[str, str], mark: str = ""
) -> Submission:
    """Return what reviewers receive of the last round, after the earlier ones; `mark` ends the key of it."""
    *earlier, current = rounds
    approved = [each for each in earlier if each.chain == current.chain and _approved(each)]
    since = approved[-1].snapshot.commit if approved else run.order.base
    before = docket(tuple(earlier), dismissed(run.journal.events), run.order.suppressed)
    open_now = {finding.fingerprint for finding in before.open}
    declined = {each: reason for each, reason in declined_in(current).items() if each in open_now}
    now = Situation(
        iteration=current.number,
        chain=current.chain,
        findings=current.evaluation.findings,
        measured=measured_results(current.evaluation, run.judged_by.story.acceptance),
        texts=texts,
        diff=await run.ports.workspace.diff(run.copy, since, current.snapshot.commit),
        before=before,
        declined=declined,
        notes=current.evaluation.notes,
        contradicted=current.evaluation.contradicted,
    )
    return Submission(
        key=f"{_entered(run, phase, current.number)}{mark}",
        iteration=current.number,
        briefs={kind: _asked(run, phase, now, kind) for kind in phase.reviews},
        before=before,
        declined=declined,
        measured=Measured(run.copy, current.snapshot.commit, current.snapshot.tree, Stage.EVALUATE),
        earlier=reproductions([each.verdict for each in earlier if each.verdict]),
    )


def _asked(run: RunContext, phase: Phase, now: Situation, kind: str) -> Brief:
    """Return one reviewer's brief; all reviewers share the remaining money and tokens."""
    asked = brief(run, phase, replace(now, review=kind))
    money, tokens = asked.limits.cost_usd, asked.limits.tokens
    share = {
        "cost_usd": None if money is None else money / len(phase.reviews),
        "tokens": None if tokens is None else tokens // len(phase.reviews),
    }
    return asked.model_copy(update={"limits": asked.limits.model_copy(update=share)})


def _approved(past: Round) -> bool:
    verdict = past.verdict
    if verdict is None or verdict.missing:
        return False
    return verdict.judgement is Judgement.APPROVE and not verdict.blocking


async def confirmed(run: RunContext, base: Evaluation, current: Round, mark: str = "") -> Round:
    """Measure a round's tree once more, without a cache."""
    tree = (current.snapshot.commit, current.snapshot.tree)
    key = f"confirm-{current.number}{mark}"
    evaluation = await run.measure(key, Stage.CONFIRM, tree, iteration=current.number)
    again = current.model_copy(update={"confirmation": evaluation})
    if evaluation.failures or evaluation.broken:
        again = again.model_copy(update={"bounced_from": "confirm"})
    return with_bounce(again, hard_gates(again, unmeasured_suites(base, run.order.story)), run.order.pipeline)
