"""The phase loop: make, measure, review, test; bounce until it is verified or a guard stops it.

Every step is recorded once under its own key, and the loop decides from recorded events alone,
so a killed run continues after its last finished step.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import assert_never

from setpoint.inner.attempt import Start, make
from setpoint.inner.recovery import handed_over
from setpoint.inner.tool_calls import warn
from setpoint.learning.loop import steered
from setpoint.model.attempt import BreakageKind, Mode
from setpoint.model.ending import EXAMINED, Ending
from setpoint.model.evaluation import Evaluation
from setpoint.model.events.run import (
    AgentFinished,
    DiminishingReturns,
    HaltingDecided,
    LoopRestarted,
    PhaseEntered,
)
from setpoint.model.exam import Least
from setpoint.model.facts.human_answers import edited_since
from setpoint.model.facts.rounds import RunFacts, blocking, failures, fewer_problems, open_counts, unproven
from setpoint.model.gate import Answer
from setpoint.model.ids import Commit
from setpoint.model.proof import REVIEW
from setpoint.model.run import Action, Decision, Halt, Round, RunOrder, RunOutcome
from setpoint.model.verdict import Judgement
from setpoint.phase.briefs import Situation, brief, budget_left, earlier_rounds
from setpoint.phase.candidates import Contest, contest, is_contested, with_chosen_maker
from setpoint.phase.change_requests import settle_requests
from setpoint.phase.escalation import settled
from setpoint.phase.finish_run import Close, finish
from setpoint.phase.guard_notes import note_guards
from setpoint.phase.hidden_tests import write_hidden_tests
from setpoint.phase.open_run import measure_base, open_run
from setpoint.phase.planning import explain_failures, replan, write_texts
from setpoint.phase.plugin_decisions import decide
from setpoint.phase.policy.best_state import best_first
from setpoint.phase.policy.bouncing import bounce_of, outcome_line
from setpoint.phase.policy.halting_policy import RULES
from setpoint.phase.policy.halting_shadow import shadowed
from setpoint.phase.policy.loop_guards import deadline, unpaid, wall_time
from setpoint.phase.policy.progress_guards import DIMINISHING_AFTER
from setpoint.phase.policy.whose_exam import examined
from setpoint.phase.readiness import checked_readiness
from setpoint.phase.verification import again_mark, confirmed, judged_again, suspects_of, verify_change
from setpoint.ports import Durable, RunPorts
from setpoint.runs.context import RunContext
from setpoint.runs.journal import CancelDuringStep
from setpoint.runs.policy.budget import warnings

ADVICE = (
    "The last rounds brought no fewer problems. Before you edit, name the assumption behind your changes, "
    "say why it may be wrong, and choose another way."
)


async def drive(order: RunOrder, ports: RunPorts, durable: Durable) -> RunOutcome:
    """Drive a run from its order to its outcome; a second call after a crash resumes it."""
    ports = ports._replace(durable=durable)
    run = await open_run(order, ports)
    async with AsyncExitStack() as open_agents:  # closes each one, also where closing another fails
        for agent in {id(agent): agent for agent in ports.agents.values()}.values():
            open_agents.push_async_callback(agent.close)
        return await _driven(run)


@dataclass(frozen=True, kw_only=True)
class _Turn:
    """How the next round begins."""

    number: int = 1
    mode: Mode
    chain: int
    parent: Commit
    texts: dict[str, str]


@dataclass(kw_only=True)
class _Course:
    """What the run knows so far; kept here because a person may end it in the middle of a round."""

    run: RunContext
    base: Evaluation
    rounds: tuple[Round, ...] = ()
    writing: asyncio.Task[None] | None = None
    """Writes hidden tests beside the maker."""

    def past(self) -> RunFacts:
        """Return the history that policies read."""
        return self.run.past(self.base, self.rounds)


async def _driven(run: RunContext) -> RunOutcome:
    course: _Course | None = None
    try:
        course = _Course(run=run, base=await measure_base(run))
        close = await _steered(course)
    except CancelDuringStep as asked:
        wish = asked.wish
        reason = f"cancelled by {wish.by}{f' ({wish.reason})' if wish.reason else ''}"
        close = Close(Ending.CANCELLED, reason, at_once=True)
    return await finish(run, course.past() if course else None, close)


async def _steered(course: _Course) -> Close:
    run, base = course.run, course.base
    if close := await checked_readiness(run, base):
        answer = await settled(run, course.past(), close, 0)
        if isinstance(answer, Close):
            return answer
    course.writing = asyncio.create_task(write_hidden_tests(run))
    try:
        return await _worked(course)
    finally:
        course.writing.cancel()
        await asyncio.wait([course.writing])


async def _worked(course: _Course) -> Close:
    """Let round follow round until the run ends."""
    run, base = course.run, course.base
    wanted = Situation(findings=base.findings, failures=base.failures, suspects=base.suspects)
    texts = await write_texts(run, run.order.pipeline.before_making(), wanted)
    turn = _Turn(mode=Mode.FRESH, chain=0, parent=run.order.base, texts=texts)
    while True:
        came = await _round(course, turn)
        again = 0
        while not isinstance(came, Decision):
            answer = await settled(run, course.past(), came, turn.number, again)
            if isinstance(answer, Close):
                return answer
            if not answer.choice.judges_again and not _owes_review(course):
                turn = await _granted_turn(course, turn, answer)
                break
            again += 1
            came = await _judged_again(course, again)
        else:
            turn = await _next_turn(course, turn, came)


async def _round(course: _Course, turn: _Turn) -> Decision | Close:
    """Make and judge one change; return the next turn, or why the run stops."""
    run, base = course.run, course.base
    situation = await _situation(course, turn)
    made = await _made(course, situation, turn.parent)
    broken = _is_broken(made)
    if broken and not made.snapshot.files:
        return await _broken_maker(course, made)
    if course.writing is not None:
        await course.writing
    current = await verify_change(run, base, course.rounds, made, situation)
    course.rounds = (*course.rounds, current)
    if close := await _broken_reviewer(course, current):
        return close
    course.rounds, decision, halt = await _settled(run, base, course.rounds)
    run.ports.publish(run.order.trace_id)
    close = _close(course.rounds[-1], decision, halt, run.order.proof.least)
    if broken and not (close and close.ending in EXAMINED and _shows_the_end(course)):
        return (await _broken_maker(course, made))._replace(uncounted=1)
    if close is not None:
        return close
    await settle_requests(run, course.rounds, made.iteration)
    return decision


def _is_broken(made: AgentFinished) -> bool:
    attempt = made.snapshot.attempt
    return attempt is not None and attempt.breakage is not None


def _shows_the_end(course: _Course) -> bool:
    """Whether what passes now and failed at the base shows that nothing of the request is missing."""
    return bool(course.base.failures or course.run.order.story.acceptance)


def _owes_review(course: _Course) -> bool:
    """Whether the newest round lacks nothing but a review, which no change of the maker can bring."""
    if not course.rounds or (last := course.rounds[-1]).snapshot.attempt is None:
        return False
    broken = last.snapshot.attempt.breakage is not None
    return not broken and {each.rule for each in blocking(last)} == {REVIEW}


async def _judged_again(course: _Course, again: int) -> Decision | Close:
    """Judge the newest round by a person's command; no agent works for it."""
    run = course.run
    current = await judged_again(run, course.base, course.rounds, again)
    rounds = (*course.rounds[:-1], current)
    course.rounds, decision, halt = await _settled(run, course.base, rounds, again_mark(again))
    run.ports.publish(run.order.trace_id)
    return _close(course.rounds[-1], decision, halt, run.order.proof.least) or decision


async def _broken_maker(course: _Course, made: AgentFinished) -> Close:
    """End the round of an agent that stayed broken; what it left was judged and did not suffice."""
    attempt, run = made.snapshot.attempt, course.run
    if attempt is None or attempt.breakage is None:
        raise ValueError(made.snapshot.label)
    who = dict.fromkeys((*handed_over(run), attempt.agent))
    last = f"{attempt.breakage.kind}: {attempt.breakage.message}"
    broke = f"{' and '.join(who)} broke {made.lost + 1} times: {last}"

    async def act() -> HaltingDecided:
        # If the time of the run ended the attempt, the agent is not to blame.
        halt = (deadline(run.limits) | wall_time(run.limits) | unpaid(run.limits))(course.past())
        decision = Decision(policy=RULES, action=Action.ESCALATE, reason=halt.reason if halt else broke)
        return HaltingDecided(iteration=made.iteration, decision=decision, halt=halt)

    decided = await run.journal.step(f"broken-{made.iteration}", act, HaltingDecided)
    ending = Ending.STOPPED if decided.halt else Ending.BROKEN_AGENT
    only = attempt.breakage.kind in (BreakageKind.MISSING, BreakageKind.AUTH)
    repair = "" if decided.halt else next(iter(who))
    return Close(ending, decided.decision.reason, decided.halt, repair=repair, repair_only=only)


async def _broken_reviewer(course: _Course, current: Round) -> Close | None:
    """End the round without counting an iteration: a broken reviewer is not the maker's fault."""
    verdict, run = current.verdict, course.run
    if verdict is None or verdict.judgement is not Judgement.FAILED:
        return None
    broke = f"the reviewer {verdict.reviewer} broke: {verdict.feedback}"

    async def act() -> HaltingDecided:
        # Recorded, because after a person's grant the same question has another answer.
        halt = unpaid(run.limits)(course.past())
        reason = f"{halt.reason}, so the change is not reviewed" if halt else broke
        decision = Decision(policy=RULES, action=Action.ESCALATE, reason=reason)
        return HaltingDecided(iteration=current.number, decision=decision, halt=halt, gates=current.gates)

    decided = await run.journal.step(f"unreviewed-{current.number}", act, HaltingDecided)
    ending = Ending.STOPPED if decided.halt else Ending.BROKEN_AGENT
    return Close(ending, decided.decision.reason, decided.halt, uncounted=1)


async def _settled(
    run: RunContext, base: Evaluation, rounds: tuple[Round, ...], mark: str = ""
) -> tuple[tuple[Round, ...], Decision, Halt | None]:
    """Decide on the newest round; measure it once more if the policy asks for confirmation."""
    key = f"decide-{rounds[-1].number}{mark}"
    decision, halt = await _decided(run, base, rounds, key)
    if decision.action is Action.CONFIRM:
        rounds = (*rounds[:-1], await confirmed(run, base, rounds[-1], mark))
        decision, halt = await _decided(run, base, rounds, f"{key}-confirmed")
    return rounds, decision, halt


def _close(last: Round, decision: Decision, halt: Halt | None, least: Least) -> Close | None:
    match decision.action:
        case Action.HALT:
            end = examined(last.proof, least)
            return Close(end.ending, end.lack or decision.reason, asked=not end.enough)
        case Action.ESCALATE:
            if unproven(last) or (last.verdict is not None and last.verdict.standing):
                return Close(Ending.UNPROVEN, decision.reason, halt)
            return Close(Ending.STOPPED if halt else Ending.ESCALATED, decision.reason, halt)
        case Action.CONTINUE | Action.RESTART | Action.CONFIRM:
            return None
        case _:
            assert_never(decision.action)


async def _next_turn(course: _Course, turn: _Turn, decision: Decision) -> _Turn:
    if decision.action is Action.RESTART and edited_since(course.run.journal.events) is None:
        return _restarted(course, turn, decision.reason, decision.policy)
    return await _mending(course, turn)


async def _mending(course: _Course, turn: _Turn) -> _Turn:
    """Continue from the last state; some findings need a new plan first."""
    last = course.rounds[-1]
    texts = {**turn.texts, **await replan(course.run, last, turn.number)}
    texts |= await explain_failures(course.run, course.rounds, turn.number)
    edited = edited_since(course.run.journal.events)
    parent = edited.commit if edited else last.snapshot.commit
    return replace(turn, number=turn.number + 1, mode=Mode.FIX, parent=parent, texts=texts)


def _restarted(course: _Course, turn: _Turn, reason: str, policy: str = "") -> _Turn:
    """Continue from the best state with a fresh context."""
    parent = _best(course)
    body = LoopRestarted(iteration=turn.number, commit=parent, reason=reason, policy=policy)
    course.run.journal.note(f"restart-{turn.number}", body)
    return replace(turn, number=turn.number + 1, mode=Mode.RESTART, chain=turn.chain + 1, parent=parent)


async def _granted_turn(course: _Course, turn: _Turn, answer: Answer) -> _Turn:
    """Continue as a person decided: from the last state, or with a new approach from the best one."""
    if not course.rounds:
        return replace(turn, number=turn.number + 1)
    run = course.run
    run.journal.note(f"bounce-{course.rounds[-1].number}", bounce_of(course.rounds, run.limits))
    if answer.new_approach:
        return _restarted(course, turn, f"{answer.by} wants a new approach")
    return await _mending(course, turn)


async def _situation(course: _Course, turn: _Turn) -> Situation:
    run, base, rounds = course.run, course.base, course.rounds
    if not rounds:
        return Situation(
            iteration=turn.number,
            findings=base.blocking,
            failures=base.failures,
            suspects=base.suspects,
            texts=turn.texts,
        )
    past, last = course.past(), rounds[-1]
    diff = run.ports.workspace.diff
    diffs = [(each, await diff(run.copy, each.snapshot.parent, each.snapshot.commit)) for each in rounds[-5:]]
    start = best_first(past)[0] if turn.mode is Mode.RESTART and best_first(past) else last
    return Situation(
        iteration=turn.number,
        mode=turn.mode,
        chain=turn.chain,
        findings=blocking(start),
        failures=failures(start),
        suspects=start.latest.suspects,
        reason=outcome_line(last),
        advice="\n".join(text for text in (_advice(run, rounds), steered(run, rounds)) if text),
        tried=earlier_rounds(diffs),
        texts=turn.texts,
        budget=budget_left(run.limits, float(past.cost_usd), past.active_s),
    )


def _advice(run: RunContext, rounds: tuple[Round, ...]) -> str:
    if fewer_problems(rounds, DIMINISHING_AFTER):
        return ""
    counts = open_counts(rounds, DIMINISHING_AFTER)
    body = DiminishingReturns(phase=rounds[-1].bounced_from, bounces=len(rounds), counts=counts)
    run.journal.note(f"diminishing-{len(rounds)}", body)
    return ADVICE


async def _made(course: _Course, situation: Situation, parent: Commit) -> AgentFinished:
    run, phase = course.run, course.run.order.pipeline.making
    entered = PhaseEntered(phase=phase.name, iteration=situation.iteration)
    run.journal.note(f"{phase.name}-{situation.iteration}:entered", entered)
    asked = brief(run, phase, situation)
    start = Start(phase=phase, iteration=situation.iteration, mode=situation.mode, parent=parent)
    if is_contested(run, situation.mode):
        suspects = suspects_of(course.base, course.rounds, situation)
        return await contest(run, Contest(start=start, brief=asked, suspects=suspects))
    return await make(with_chosen_maker(run), start, asked)


async def _decided(
    run: RunContext, base: Evaluation, rounds: tuple[Round, ...], key: str
) -> tuple[Decision, Halt | None]:
    """Ask the halting policy; record its decision, its figures and the consequences."""

    async def act() -> HaltingDecided:
        past, ports = run.past(base, rounds), run.ports
        decision, halt = decide(past, ports.guards, ports.policies)
        return HaltingDecided(
            iteration=rounds[-1].number,
            decision=shadowed(decision, past),
            gates=rounds[-1].gates,
            halt=halt,
        )

    decided = await run.journal.step(key, act, HaltingDecided)
    last = rounds[-1]
    past = run.past(base, rounds)
    warn(run.journal, warnings(past))
    note_guards(run, past, decided)
    if decided.decision.action in (Action.CONTINUE, Action.RESTART):
        run.journal.note(f"bounce-{last.number}", bounce_of(rounds, run.limits))
    return decided.decision, decided.halt


def _best(course: _Course) -> Commit:
    """Return the commit to restart from: the best round with fewer failing tests, or the base."""
    for candidate in best_first(course.past()):
        if not candidate.latest.blocking and len(failures(candidate)) < len(course.base.failures):
            return candidate.snapshot.commit
    return course.run.order.base
