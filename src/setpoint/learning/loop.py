"""The run loop's memory (R3, loop 3): recalling before a role is asked, looking back when a run is over."""

from __future__ import annotations

from dataclasses import replace

from setpoint.learning.policy.adherence import Trace, followed, touched
from setpoint.learning.policy.at_hand import AtHand
from setpoint.learning.policy.causes import Step, Without, steps_of, to_take_out
from setpoint.learning.policy.changes import changes_of
from setpoint.learning.policy.lessons import Account, lessons
from setpoint.learning.policy.recall import held_out, recollections
from setpoint.learning.policy.reflection_triggers import advice, due
from setpoint.learning.reflection import Reflected, by_model
from setpoint.model.attempt import Role, ToolCall
from setpoint.model.changes.redaction import redacted
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage
from setpoint.model.events.learning import (
    Followed,
    LearningsJudged,
    MemoryRecalled,
    ReflectionCompleted,
    Trigger,
)
from setpoint.model.events.run import (
    BaselineMeasured,
    GateAnswered,
    HaltingDecided,
    PhaseBounce,
)
from setpoint.model.facts.human_answers import overridden, said
from setpoint.model.facts.rounds import RunFacts, blocking, failures
from setpoint.model.facts.sound_calls import sound_calls
from setpoint.model.ids import LearningId
from setpoint.model.learning import WEIGHTS, EvidenceKind, Hit, LearningEvidence, Recollection, Trust
from setpoint.model.proof import REVIEW
from setpoint.model.run import Round
from setpoint.ports import Measured, Memory, TakesOut
from setpoint.runs.context import RunContext

TAUGHT = (Role.PLANNER, Role.MAKER, Role.REVIEWER)
"""Roles that are shown what memory holds."""
MOST_KEYS = 12
"""Recorded facts that a learning names as what it rests on."""
_TELLING = (BaselineMeasured, PhaseBounce, GateAnswered, HaltingDecided)
_SAYS_NOTHING = (Ending.CANCELLED, Ending.BROKEN_AGENT, Ending.MET, Ending.UNPROVABLE)
"""Endings that say nothing about what was followed."""


def searched(memory: Memory, at: AtHand) -> tuple[Hit, ...]:
    """Return learnings that share words with what is at hand.

    `matched` and `telling` are of the request alone, except for a person's words that name no place: these
    may be about a failure, too.
    """
    by_request = {each.standing.learning.id: each for each in memory.search(at.request)}
    found = {**by_request, **{each.standing.learning.id: each for each in memory.search(at.text)}}
    return tuple(
        hit if _placeless(hit) else hit.model_copy(update=_told(by_request.get(id_)))
        for id_, hit in found.items()
    )


def _placeless(hit: Hit) -> bool:
    learning = hit.standing.learning
    return learning.trust is Trust.HUMAN and not learning.hint.places


def _told(by_request: Hit | None) -> dict[str, float]:
    return {
        "matched": by_request.matched if by_request else 0,
        "telling": by_request.telling if by_request else 0.0,
    }


def recalled(run: RunContext, phase: str, label: str, iteration: int, at: AtHand) -> tuple[Recollection, ...]:
    """Return what a role is shown of memory; the same label gives the same, also after a crash."""
    memory, wanted = run.ports.memory, run.order.memory
    if memory is None or not wanted.recall:
        return ()
    key = f"recall:{label}"
    known = run.journal.known(key)
    if known is None:
        items = recollections(searched(memory, at), at, run.order.trace_id, run.order.root, wanted)
        body = MemoryRecalled(
            phase=phase,
            iteration=iteration,
            question=redacted(" ".join(at.text.split()))[:400],
            items=items,
            held_out=held_out(run.order.trace_id, wanted.hold_out),
        )
        known = run.journal.note(key, body)
    return known.shown if isinstance(known, MemoryRecalled) else ()


def steered(run: RunContext, rounds: tuple[Round, ...]) -> str:
    """Reflect on a run while it works, if a trigger fires; return the text for its next prompt, or none."""
    if not run.order.memory.reflect or not rounds:
        return ""
    number = rounds[-1].number
    events = run.journal.events
    for trigger in due(events, run.limits, run.order.memory):
        body = ReflectionCompleted(trigger=trigger, iteration=number, advice=advice(trigger, events, rounds))
        run.journal.note(f"reflect:{trigger}", body)
    told = [
        event.body.advice
        for event in run.journal.events
        if isinstance(event.body, ReflectionCompleted) and event.body.iteration == number
    ]
    return "\n".join(text for text in told if text)


async def reflect_on_run(run: RunContext, past: RunFacts | None, ending: Ending, reason: str) -> None:
    """Judge what was recalled by what came of it, and keep what the run taught; never changes its outcome."""
    memory = run.ports.memory
    if memory is None or past is None or not past.rounds:
        return
    last = past.rounds[-1]
    diff = await run.ports.workspace.diff(run.copy, run.order.base, last.snapshot.commit)
    broken = ending is Ending.BROKEN_AGENT or {each.rule for each in blocking(last)} == {REVIEW}
    _judge(run, memory, past, diff, Ending.BROKEN_AGENT if broken else ending)
    if run.order.memory.reflect:
        account = await _account(run, past, diff, (ending, reason))
        await _reflect(run, memory, replace(account, broken=broken))


async def _steps(run: RunContext, past: RunFacts) -> tuple[Step, ...]:
    """Return what each round changed, where both trees were measured."""
    snapshots = [each.snapshot for each in past.rounds]
    diffs = {
        each.commit: await run.ports.workspace.diff(run.copy, each.parent, each.commit) for each in snapshots
    }
    return steps_of((run.order.base, past.base), past.rounds, lambda each: diffs[each.snapshot.commit])


async def _without(run: RunContext, past: RunFacts, steps: tuple[Step, ...]) -> Without:
    """Take changes out of the last tree, one by one, where it is open which of them cleared a test."""
    wanted, evaluator = to_take_out(steps), run.ports.evaluator
    if not wanted or not isinstance(evaluator, TakesOut):
        return {}
    last = past.rounds[-1].snapshot
    tree = Measured(copy=run.copy, commit=last.commit, tree=last.tree, stage=Stage.EVALUATE)
    tests = tuple(dict.fromkeys(failure.test for step in steps for failure in step.cleared))
    changes = [(number, change) for number, some in wanted.items() for change in some]
    came = await evaluator.without(run.order, tree, [change.patch for _, change in changes], tests)
    return {
        (number, (change.file, change.symbol)): red
        for (number, change), red in zip(changes, came, strict=True)
    }


async def _account(run: RunContext, past: RunFacts, diff: str, end: tuple[Ending, str]) -> Account:
    calls: dict[int, tuple[ToolCall, ...]] = {}
    making = run.order.pipeline.making.name
    for body in sound_calls(run.journal.events):
        if body.phase == making:
            calls[body.iteration] = (*calls.get(body.iteration, ()), body.call)
    ending, reason = end
    steps = await _steps(run, past)
    return Account(
        trace_id=run.order.trace_id,
        scope=run.order.root,
        title=run.order.story.title,
        verified=ending is Ending.VERIFIED,
        reason=reason,
        base=past.base,
        rounds=past.rounds,
        steps=steps,
        without=await _without(run, past, steps),
        diff=diff,
        calls=calls,
        said=said(run.journal.events),
    )


async def _reflect(run: RunContext, memory: Memory, account: Account) -> None:
    trigger = Trigger.OVERRIDDEN if overridden(run.journal.events) else Trigger.COMPLETED
    found = Reflected(by="rules", proposals=lessons(account))
    reflector = run.ports.agents.get(Role.REFLECTOR)
    if reflector is not None and reflector.name != found.by and not account.broken:
        found = await by_model(run, account, trigger, found.proposals)
    rests_on = tuple(event.key for event in run.journal.events if isinstance(event.body, _TELLING))[
        -MOST_KEYS:
    ]
    names = memory.learn([each.model_copy(update={"events": rests_on}) for each in found.proposals])
    titles = {each.learning.id: each.learning.title for each in memory.standings(names)}
    body = ReflectionCompleted(
        trigger=trigger,
        iteration=account.rounds[-1].number,
        by=found.by,
        learnings=tuple(titles),
        titles=tuple(titles.values()),
        usage=found.usage,
    )
    run.journal.note("reflect", body)


def _judge(run: RunContext, memory: Memory, past: RunFacts, diff: str, ending: Ending) -> None:
    """Say of each learning that was shown whether the run followed it; only then its outcome is evidence.

    What is recorded is weighed again after a crash: the same run counts once.
    """
    known = run.journal.known("followed")
    if known is None and (judged := _followed(run, past, diff, ending)):
        known = run.journal.note("followed", LearningsJudged(items=judged))
    if isinstance(known, LearningsJudged):
        told = [_outcome(run, each, len(known.items)) for each in known.items]
        memory.weigh([each for each in told if each is not None])


def _followed(run: RunContext, past: RunFacts, diff: str, ending: Ending) -> tuple[Followed, ...]:
    shown: dict[LearningId, Recollection] = {}
    for event in run.journal.events:
        if isinstance(event.body, MemoryRecalled):
            shown |= {item.learning: item for item in event.body.shown}
    blocked = [
        *(each.rule for each in blocking(past.rounds[-1])),
        *(each.test for each in failures(past.rounds[-1])),
    ]
    trace = Trace(
        calls=tuple(body.call for body in sound_calls(run.journal.events)),
        changes=changes_of(diff),
        open=frozenset(filter(None, blocked)),
    )
    helped = None if ending in _SAYS_NOTHING else ending is Ending.VERIFIED
    judged = []
    for item in shown.values():
        how = followed(item.hint, trace)
        idle = helped is not None and item.hint.places and not touched(item.hint, trace)
        judged.append(
            Followed(
                learning=item.learning, followed=bool(how), how=how, helped=helped if how else None, idle=idle
            )
        )
    return tuple(judged)


def _outcome(run: RunContext, judged: Followed, shown: int) -> LearningEvidence | None:
    """Make evidence of a run: its outcome, shared by all that was shown, or that it was of no use."""
    if judged.helped is None and not judged.idle:
        return None
    kind = EvidenceKind.HELPED if judged.helped else EvidenceKind.IDLE if judged.idle else EvidenceKind.FAILED
    return LearningEvidence(
        learning=judged.learning,
        source=f"outcome:{run.order.trace_id}",
        kind=kind,
        weight=WEIGHTS[kind] / shown,
        at=run.ports.clock.now(),
        trace_id=run.order.trace_id,
        note=judged.how,
    )
