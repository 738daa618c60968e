"""The phase loop: make, measure, review, test; bounce until it is verified or a guard stops it (spec §3).

Every step is recorded once under a key of its own, and the loop decides from what is recorded alone,
so a run that was killed goes on from its last finished step.
"""

from __future__ import annotations

from typing import assert_never

from setpoint.domain.attempt import Mode
from setpoint.domain.evaluation import Evaluation, Stage
from setpoint.domain.events import (
    AgentFinished,
    BaselineMeasured,
    BudgetWarned,
    DiminishingReturns,
    GuardFired,
    HaltingDecided,
    LoopRestarted,
    PhaseApproved,
    PhaseBounce,
    PhaseCompleted,
    PhaseEntered,
    PhasePassed,
    RunStarted,
)
from setpoint.domain.evidence import CheckState
from setpoint.domain.finding import Finding
from setpoint.domain.ids import Commit, Tree
from setpoint.domain.pipeline import Phase, PhaseKind
from setpoint.domain.run import Action, Decision, Ending, Halt, Round, RunOrder, RunOutcome
from setpoint.domain.verdict import Judgement
from setpoint.loops.attempt import Start, make
from setpoint.loops.briefs import Situation, brief, left, outcome_line, tried
from setpoint.loops.ending import finish
from setpoint.loops.inner import InnerLoop
from setpoint.loops.journal import Journal
from setpoint.loops.review import review
from setpoint.loops.running import Running
from setpoint.policies.best import best_first
from setpoint.policies.budget import attempt_limits, warnings
from setpoint.policies.gates import hard_gates
from setpoint.policies.guards import wall_time
from setpoint.policies.halting import rules_v1
from setpoint.policies.past import Past, blocking, failures, open_count
from setpoint.policies.routing import bounce_target
from setpoint.ports import Durable, Measured, World

DIMINISHING_AFTER = 2
"""Bounces without fewer problems after which the maker is told so."""
ADVICE = (
    "The last rounds brought no fewer problems. Before you edit, name the assumption behind your changes, "
    "say why it may be wrong, and choose another way."
)


async def drive(order: RunOrder, world: World, durable: Durable) -> RunOutcome:
    """Drive a run from its order to its outcome; called again after a crash, it goes on where it was."""
    world = world._replace(durable=durable)
    run = await _opened(order, world)
    try:
        return await _driven(run)
    finally:
        for agent in {id(agent): agent for agent in world.agents.values()}.values():
            await agent.close()


async def _driven(run: Running) -> RunOutcome:
    base = await _baseline(run)
    texts = await _think(
        run, run.order.pipeline.before_making(), Situation(findings=base.findings, failures=base.failures)
    )
    rounds: tuple[Round, ...] = ()
    mode, chain, parent = Mode.FRESH, 0, run.order.base
    while True:
        number = len(rounds) + 1
        situation = await _situation(run, base, rounds, mode, chain, texts)
        made = await _made(run, situation, parent)
        if made.snapshot.attempt is not None and made.snapshot.attempt.breakage is not None:
            broken, breakage = made.snapshot.attempt.agent, made.snapshot.attempt.breakage
            reason = f"{broken} broke {made.lost + 1} times: {breakage.kind}: {breakage.message}"
            past = run.past(base, rounds)
            if halt := wall_time(run.order.limits)(past):
                # The run's own time ended the attempt, so nothing is said against the agent.
                return await finish(run, past, Ending.STOPPED, halt.reason, halt)
            return await finish(run, past, Ending.BROKEN_AGENT, reason, None)
        rounds = (*rounds, await _judged(run, base, rounds, made, situation))
        if rounds[-1].verdict is not None and rounds[-1].verdict.judgement is Judgement.FAILED:
            # A broken reviewer never counts as an iteration, so the maker is not sent back for it.
            reason = f"the reviewer {rounds[-1].verdict.reviewer} broke: {rounds[-1].verdict.feedback}"
            return await finish(run, run.past(base, rounds[:-1]), Ending.BROKEN_AGENT, reason, None)
        decision, halt = await _decided(run, base, rounds, f"decide-{number}")
        if decision.action is Action.CONFIRM:
            rounds = (*rounds[:-1], await _confirmed(run, rounds[-1]))
            decision, halt = await _decided(run, base, rounds, f"decide-{number}-confirmed")
        run.world.publish(run.order.trace_id)
        match decision.action:
            case Action.HALT:
                return await finish(run, run.past(base, rounds), Ending.VERIFIED, decision.reason, None)
            case Action.ESCALATE:
                ending = Ending.STOPPED if halt is not None else Ending.ESCALATED
                return await finish(run, run.past(base, rounds), ending, decision.reason, halt)
            case Action.RESTART:
                mode, chain, parent = Mode.RESTART, chain + 1, _best(run, base, rounds)
                body = LoopRestarted(iteration=number, commit=parent, reason=decision.reason)
                run.journal.note(f"restart-{number}", body)
            case Action.CONTINUE:
                mode, parent = Mode.FIX, rounds[-1].snapshot.commit
                texts = {**texts, **await _rethought(run, rounds[-1])}
            case Action.CONFIRM:
                msg = "a confirmed round was asked to be confirmed again"
                raise AssertionError(msg)
            case _:
                assert_never(decision.action)


async def _opened(order: RunOrder, world: World) -> Running:
    copy = await world.workspace.open(order.trace_id, order.base)
    tools = await world.evaluator.prepare(order, copy)
    journal = Journal(order.trace_id, world.log, world.durable)
    started = RunStarted(order=order, workdir=copy.path, python=tools.python, checks=tools.checks)
    journal.note("run", started)
    return Running(order=order, world=world, copy=copy, tools=tools, journal=journal)


async def _baseline(run: Running) -> Evaluation:
    async def act() -> BaselineMeasured:
        await run.world.workspace.restore(run.copy, run.order.base)
        measured = Measured(run.copy, run.order.base, Tree(""), Stage.BASE)
        return BaselineMeasured(evaluation=await run.world.evaluator.evaluate(run.order, measured))

    return (await run.journal.step("baseline", act, BaselineMeasured)).evaluation


async def _think(run: Running, phases: tuple[Phase, ...], situation: Situation) -> dict[str, str]:
    """Let each thinking phase write its text; a role that breaks leaves its text out, and says so."""
    texts: dict[str, str] = dict(situation.texts)
    for phase in phases:
        key = f"{phase.name}-{situation.iteration}"
        run.journal.note(f"{key}:entered", PhaseEntered(phase=phase.name, iteration=situation.iteration))
        now = Situation(
            iteration=situation.iteration,
            findings=situation.findings,
            failures=situation.failures,
            texts=texts,
        )
        texts[phase.name] = await _thought(run, phase, key, now)
    return texts


async def _thought(run: Running, phase: Phase, key: str, now: Situation) -> str:
    async def act() -> PhaseCompleted:
        asked = brief(run.order, run.world, run.copy, run.tools, phase, now)
        agent = run.world.agents[asked.role]
        attempt = await agent.attempt(asked, InnerLoop(run.journal, phase.name, now.iteration, key, 1))
        return PhaseCompleted(
            phase=phase.name,
            iteration=now.iteration,
            text=attempt.text[:20_000],
            usage=attempt.usage,
            breakage=attempt.breakage,
        )

    return (await run.journal.step(key, act, PhaseCompleted)).text


async def _rethought(run: Running, last: Round) -> dict[str, str]:
    """Run the thinking phases from the bounce target on again, with what was found."""
    before = run.order.pipeline.before_making()
    names = [phase.name for phase in before]
    if last.bounced_to not in names:
        return {}
    now = Situation(iteration=last.number, findings=blocking(last), failures=failures(last))
    return await _think(run, before[names.index(last.bounced_to) :], now)


async def _situation(
    run: Running, base: Evaluation, rounds: tuple[Round, ...], mode: Mode, chain: int, texts: dict[str, str]
) -> Situation:
    past = run.past(base, rounds)
    if not rounds:
        return Situation(iteration=1, findings=base.blocking, failures=base.failures, texts=texts)
    last = rounds[-1]
    diff = run.world.workspace.diff
    diffs = [(each, await diff(run.copy, each.snapshot.parent, each.snapshot.commit)) for each in rounds[-5:]]
    start = best_first(past)[0] if mode is Mode.RESTART and best_first(past) else last
    return Situation(
        iteration=last.number + 1,
        mode=mode,
        chain=chain,
        findings=blocking(start),
        failures=failures(start),
        reason=outcome_line(last),
        advice=_advice(run, rounds),
        tried=tried(diffs),
        texts=texts,
        budget=left(run.order.limits, float(past.cost_usd), past.active_s),
    )


def _advice(run: Running, rounds: tuple[Round, ...]) -> str:
    counts = tuple(open_count(each) for each in rounds[-DIMINISHING_AFTER - 1 :])
    if len(counts) <= DIMINISHING_AFTER or min(counts[1:]) < counts[0]:
        return ""
    body = DiminishingReturns(phase=rounds[-1].bounced_from, bounces=len(rounds), counts=counts)
    run.journal.note(f"diminishing-{len(rounds)}", body)
    return ADVICE


async def _made(run: Running, situation: Situation, parent: Commit) -> AgentFinished:
    phase = run.order.pipeline.making
    entered = PhaseEntered(phase=phase.name, iteration=situation.iteration)
    run.journal.note(f"{phase.name}-{situation.iteration}:entered", entered)
    asked = brief(run.order, run.world, run.copy, run.tools, phase, situation)
    past = run.past(_NOTHING, ())
    limits = attempt_limits(run.order.limits, run.order.attempt, past.cost_usd, past.active_s)
    start = Start(phase=phase, iteration=situation.iteration, mode=situation.mode, parent=parent)
    return await make(run, start, asked.model_copy(update={"limits": limits}))


async def _judged(
    run: Running, base: Evaluation, rounds: tuple[Round, ...], made: AgentFinished, situation: Situation
) -> Round:
    """Send a change through the phases behind the making, cheapest first; what blocks ends the round."""
    current: Round | None = None
    suspects = tuple(failure.test for failure in situation.failures) or tuple(
        failure.test for failure in base.failures
    )
    for phase in run.order.pipeline.behind_making():
        if phase.kind is PhaseKind.DELIVER:
            break
        key = f"{phase.name}-{made.iteration}"
        run.journal.note(f"{key}:entered", PhaseEntered(phase=phase.name, iteration=made.iteration))
        if phase.kind is PhaseKind.REVIEW and current is not None:
            current = await _reviewed(run, phase, current, rounds, situation)
        else:
            tree = (made.snapshot.commit, made.snapshot.tree)
            stage = phase.stage or Stage.EVALUATE
            evaluation = await run.measure(key, stage, tree, iteration=made.iteration, suspects=suspects)
            current = _with(current, made, situation, evaluation)
        if _blocked(current, phase):
            current = current.model_copy(update={"bounced_from": phase.name})
            break
        passed = PhaseApproved if phase.kind is PhaseKind.REVIEW else PhasePassed
        bounces = sum(1 for each in rounds if each.bounced_from == phase.name)
        run.journal.note(f"{key}:passed", passed(phase=phase.name, bounces=bounces))
    if current is None:
        msg = f"pipeline '{run.order.pipeline.name}' measures nothing behind its making phase"
        raise AssertionError(msg)
    return _with_gates(run, current)


def _with(current: Round | None, made: AgentFinished, situation: Situation, evaluation: Evaluation) -> Round:
    if current is not None:
        return current.model_copy(update={"tests": evaluation})
    return Round(
        number=made.iteration,
        chain=situation.chain,
        mode=made.mode,
        snapshot=made.snapshot,
        changed_against_base=made.changed_against_base,
        diff_hash=made.diff_hash,
        evaluation=evaluation,
    )


def _blocked(current: Round, phase: Phase) -> bool:
    if phase.kind is PhaseKind.REVIEW and current.verdict is not None:
        return bool(current.verdict.blocking) or current.verdict.judgement in (
            Judgement.FAILED,
            Judgement.REQUIRE_HUMAN,
        )
    newest = current.tests or current.evaluation
    commands = [
        each
        for each in newest.evidence
        if each.check.startswith("acceptance:") and each.state is CheckState.FAIL
    ]
    return bool(newest.failures or newest.blocking or newest.broken or commands)


async def _reviewed(
    run: Running, phase: Phase, current: Round, rounds: tuple[Round, ...], situation: Situation
) -> Round:
    """Have a change reviewed: the whole of it at first, later only what came since the last review."""
    seen = [each for each in rounds if each.verdict is not None and each.chain == current.chain]
    since = seen[-1].snapshot.commit if seen else run.order.base
    now = Situation(
        iteration=current.number,
        chain=current.chain,
        findings=current.evaluation.findings,
        texts=situation.texts,
        diff=await run.world.workspace.diff(run.copy, since, current.snapshot.commit),
    )
    asked = brief(run.order, run.world, run.copy, run.tools, phase, now)
    verdict = await review(
        run, f"{phase.name}-{current.number}", asked, current.snapshot.commit, current.number
    )
    return current.model_copy(update={"verdict": verdict})


def _with_gates(run: Running, current: Round) -> Round:
    gates = hard_gates(current)
    update: dict[str, object] = {"gates": gates}
    if not all(gate.passed for gate in gates):
        found: tuple[Finding, ...] = (
            *current.latest.findings,
            *(current.verdict.findings if current.verdict else ()),
        )
        update["bounced_to"] = bounce_target(found, run.order.pipeline)
        update["bounced_from"] = current.bounced_from or "gates"
    return current.model_copy(update=update)


async def _confirmed(run: Running, current: Round) -> Round:
    tree = (current.snapshot.commit, current.snapshot.tree)
    evaluation = await run.measure(f"confirm-{current.number}", Stage.CONFIRM, tree, iteration=current.number)
    confirmed = current.model_copy(update={"confirmation": evaluation})
    if evaluation.failures or evaluation.broken:
        confirmed = confirmed.model_copy(update={"bounced_from": "confirm"})
    return _with_gates(run, confirmed)


async def _decided(
    run: Running, base: Evaluation, rounds: tuple[Round, ...], key: str
) -> tuple[Decision, Halt | None]:
    """Ask the halting policy, record its decision with its figures, and what follows from it."""

    async def act() -> HaltingDecided:
        past = run.past(base, rounds)
        decision, halt = rules_v1(past)
        return HaltingDecided(
            iteration=rounds[-1].number, decision=decision, gates=rounds[-1].gates, halt=halt
        )

    decided = await run.journal.step(key, act, HaltingDecided)
    last = rounds[-1]
    _warn(run, run.past(base, rounds))
    if decided.halt is not None:
        run.journal.note(f"guard-{last.number}", GuardFired(iteration=last.number, halt=decided.halt))
    if decided.decision.action in (Action.CONTINUE, Action.RESTART):
        body = PhaseBounce(
            source=last.bounced_from,
            target=last.bounced_to,
            bounce=sum(1 for each in rounds if each.bounced_to),
            iteration=last.number,
            findings=tuple(finding.fingerprint for finding in blocking(last)),
            failures=len(failures(last)),
            reason=outcome_line(last),
        )
        run.journal.note(f"bounce-{last.number}", body)
    return decided.decision, decided.halt


def _warn(run: Running, past: Past) -> None:
    for name, share, used, limit in warnings(past):
        body = BudgetWarned(budget=name, share=share, used=round(used, 4), limit=limit)
        run.journal.note(f"warned-{name}-{share}", body)


def _best(run: Running, base: Evaluation, rounds: tuple[Round, ...]) -> Commit:
    """Give the state to start afresh from: the best round with fewer red tests than the base, or the base."""
    for candidate in best_first(run.past(base, rounds)):
        if not candidate.latest.blocking and len(failures(candidate)) < len(base.failures):
            return candidate.snapshot.commit
    return run.order.base


_NOTHING = Evaluation(stage=Stage.BASE, commit=Commit(""), tree=Tree(""), evidence=())
