"""The production loop: from what monitoring saw to the change that is suspected, to a story on the board.

It works on what is recorded alone, and each of its facts has a key: whatever ends it, the next pass goes on
where it was, and nothing is done twice.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from setpoint.domain.ids import StoryId
from setpoint.domain.production import Change, Hypothesis, ProductionTerms
from setpoint.domain.production_events import (
    TRACE,
    CauseSuspected,
    FixDeployed,
    FixHeld,
    ProblemReturned,
    StoryDeferred,
    StoryOpened,
)
from setpoint.domain.story import Status
from setpoint.policies.production import Move, Problem, Production, Sighting, Step, leave, next_step
from setpoint.policies.production_story import story_of
from setpoint.policies.suspects import Ran, hypothesis, ran
from setpoint.policies.watching import Outcome, Seen, afterword, candidates, watched
from setpoint.ports import Board, Clock, EventLog, Lineage

RECENT = timedelta(days=7)
"""For so long deployments that are told late are taken into account."""


class Outlook(NamedTuple):
    """The neighbours of the production loop."""

    log: EventLog
    lineage: Lineage
    board: Board
    clock: Clock
    terms: ProductionTerms


async def work_off(outlook: Outlook, known: Production | None = None) -> Production:
    """Make of all signals what is to be made of them now; `known` is what was read of the record before.

    Only one process of a project may do so at a time.
    """
    production = refreshed(outlook.log, known or Production())
    since = outlook.clock.now() - RECENT
    for sighting in production.sightings.values():
        if sighting.hypothesis is None or sighting.seen_at > since:
            await _explain(outlook, production, sighting)
    production = refreshed(outlook.log, production)
    for fingerprint in production.problems:
        problem = production.problems[fingerprint]
        if await _watch(outlook, production, problem) or _act(outlook, production, problem):
            production = refreshed(outlook.log, production)
    return production


def refreshed(log: EventLog, known: Production) -> Production:
    """Take in what was recorded meanwhile."""
    return known.after(log.replay(TRACE, after=known.seq))


async def _explain(outlook: Outlook, production: Production, sighting: Sighting) -> None:
    """Say which change may have caused a signal, once for each deployment that it is held to have run in."""
    what = ran(sighting.signal, production.deployments, outlook.terms.environment)
    known = sighting.hypothesis
    if known is not None and (known.deployment, known.previous) == (what.deployment, what.previous):
        return
    made = await explained(outlook.lineage, sighting, what)
    of = [
        f"{each.environment}:{each.commit}:{each.at.isoformat()}"
        for each in (what.deployment, what.previous)
        if each
    ]
    name = sighting.signal.name
    outlook.log.append(TRACE, f"cause:{name}:{'/'.join(of)}", [CauseSuspected(signal=name, hypothesis=made)])


async def explained(lineage: Lineage, sighting: Sighting, what: Ran) -> Hypothesis:
    """Ask how the code came to be, and weigh what it says."""
    if what.deployment is None:
        return hypothesis(sighting.signal, what, (), ())
    commit = what.deployment.commit
    blamed = await lineage.blamed(commit, sighting.signal.frames)
    brought: tuple[Change, ...]
    if what.previous is not None:
        brought = await lineage.brought(what.previous.commit, commit)
    else:
        brought = await lineage.told({each.commit for each in blamed})
    return hypothesis(sighting.signal, what, brought, blamed)


def _act(outlook: Outlook, production: Production, problem: Problem) -> bool:
    """Do what is to be done about a problem; gives whether anything was recorded."""
    status = outlook.board.status(problem.stories[-1]) if problem.stories else None
    closed = _closed_by_hand(outlook, problem) if status is Status.DONE else None
    step = next_step(production, problem, outlook.terms, outlook.clock.now(), status, closed=closed)
    if step.sighting is None or step.move is Move.LEAVE:
        return False
    if step.move is Move.OPEN and closed is not None:
        _reopen(outlook, problem, step, closed)
        return True
    if step.move is Move.OPEN:
        open_story(outlook, problem, step.sighting, approved=step.approved, reason=step.reason)
        return True
    if step.until is None or step.until == problem.deferred_until:
        return False
    deferred = StoryDeferred(
        fingerprint=problem.fingerprint,
        signal=step.sighting.signal.name,
        until=step.until,
        reason=step.reason,
    )
    outlook.log.append(TRACE, f"deferred:{problem.fingerprint}:{step.until.isoformat()}", [deferred])
    return True


def _closed_by_hand(outlook: Outlook, problem: Problem) -> datetime | None:
    """Say when a person closed the newest story of a problem; none where a run mended it."""
    story = problem.stories[-1]
    run = outlook.board.mended_by(story)
    if problem.fix is not None or (run is not None and run not in problem.failed):
        return None
    return outlook.board.changed_at(story)


def _reopen(outlook: Outlook, problem: Problem, step: Step, closed: datetime) -> None:
    """Open the story of a problem again that is there though a person closed it."""
    if step.sighting is None:
        return
    story, signal = problem.stories[-1], step.sighting.signal
    reason = f"seen again after the story was closed by hand on {closed:%Y-%m-%d %H:%M:%S} UTC"
    # The story first: opening it twice changes nothing.
    outlook.board.reopen(story, afterword(Seen(Outcome.RETURNED, reason, step.sighting)), ready=step.approved)
    opened = StoryOpened(
        fingerprint=problem.fingerprint,
        story=story,
        signal=signal.name,
        approved=step.approved,
        reason=f"{reason}; {step.reason}",
    )
    outlook.log.append(TRACE, f"reopened:{problem.fingerprint}:{signal.name}", [opened])


def open_story(
    outlook: Outlook, problem: Problem, sighting: Sighting, *, approved: bool, reason: str
) -> StoryId:
    """Write the story of a problem and record it."""
    # The file first: its name follows from the problem, so that a second try finds it.
    story = outlook.board.put(story_of(problem, sighting), ready=approved)
    opened = StoryOpened(
        fingerprint=problem.fingerprint,
        story=story,
        signal=sighting.signal.name,
        approved=approved,
        reason=reason,
    )
    outlook.log.append(TRACE, f"story:{problem.fingerprint}:{len(problem.stories) + 1}", [opened])
    return story


async def _watch(outlook: Outlook, production: Production, problem: Problem) -> bool:
    """See whether the fix of a problem runs, and whether it held; gives whether anything was recorded."""
    if problem.dismissed or not problem.stories:
        return False
    if problem.fix is None:
        return await _find_fix(outlook, production, problem, problem.stories[-1])
    seen = watched(production, problem, problem.fix, outlook.terms, outlook.clock.now())
    fix = problem.fix
    body: FixHeld | ProblemReturned
    if seen.outcome is Outcome.HELD:
        body = FixHeld(fingerprint=problem.fingerprint, story=fix.story, run=fix.run, reason=seen.reason)
    elif seen.sighting is not None:
        approved, _ = leave(seen.sighting.signal, outlook.terms)
        # The story first: opening it twice changes nothing.
        outlook.board.reopen(fix.story, afterword(seen), ready=approved)
        body = ProblemReturned(
            fingerprint=problem.fingerprint,
            story=fix.story,
            run=fix.run,
            signal=seen.sighting.signal.name,
            approved=approved,
            reason=seen.reason,
        )
    else:
        return False
    outlook.log.append(TRACE, f"{seen.outcome}:{problem.fingerprint}:{fix.run}", [body])
    return True


async def _find_fix(outlook: Outlook, production: Production, problem: Problem, story: StoryId) -> bool:
    """Look for the first deployment that holds what the story's run delivered."""
    run = outlook.board.mended_by(story) if outlook.board.status(story) is Status.DONE else None
    if run is None or run in problem.failed or problem.opened_at is None:
        return False
    for each in candidates(production, problem, outlook.terms):
        if await outlook.lineage.holds(each.commit, run, problem.opened_at):
            body = FixDeployed(fingerprint=problem.fingerprint, story=story, run=run, deployment=each)
            outlook.log.append(TRACE, f"fix:{problem.fingerprint}:{run}", [body])
            return True
    return False
