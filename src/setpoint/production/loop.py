"""The production loop: from what monitoring saw to the change that is suspected, to a story on the board.

It works on what is recorded alone, and each of its facts has a key: whatever ends it, the next pass continues
where it was, and nothing is done twice.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from setpoint.model.config.production import ProductionTerms
from setpoint.model.events.production import (
    TRACE,
    CauseSuspected,
    FixDeployed,
    FixHeld,
    ProblemReturned,
    StoryDeferred,
    StoryOpened,
)
from setpoint.model.ids import StoryId
from setpoint.model.production import Change, Hypothesis
from setpoint.model.stories.story import Status
from setpoint.ports import Board, Clock, EventLog, Lineage
from setpoint.production.policy.correlation import Ran, hypothesis, ran
from setpoint.production.policy.fix_watch import FixObservation, Outcome, afterword, candidates, watched
from setpoint.production.policy.incidents import (
    Move,
    Problem,
    Production,
    Sighting,
    Step,
    next_step,
    permission,
    story_of,
)

RECENT = timedelta(days=7)
"""How long the loop takes late reports of deployments into account."""


class LoopPorts(NamedTuple):
    """The neighbours of the production loop."""

    log: EventLog
    lineage: Lineage
    board: Board
    clock: Clock
    terms: ProductionTerms


async def work_through(ports: LoopPorts, known: Production | None = None) -> Production:
    """Explain all signals, and act on each problem; `known` is what was read of the record before.

    Only one process of a project may do so at a time.
    """
    production = refreshed(ports.log, known or Production())
    since = ports.clock.now() - RECENT
    for sighting in production.sightings.values():
        if sighting.hypothesis is None or sighting.seen_at > since:
            await _explain(ports, production, sighting)
    production = refreshed(ports.log, production)
    for fingerprint in production.problems:
        problem = production.problems[fingerprint]
        if await _watch(ports, production, problem) or _act(ports, production, problem):
            production = refreshed(ports.log, production)
    return production


def refreshed(log: EventLog, known: Production) -> Production:
    """Add what was recorded meanwhile."""
    return known.after(log.replay(TRACE, after=known.seq))


async def _explain(ports: LoopPorts, production: Production, sighting: Sighting) -> None:
    """Record which change may have caused a signal, once for each deployment it may have run in."""
    what = ran(sighting.signal, production.deployments, ports.terms.environment)
    known = sighting.hypothesis
    if known is not None and (known.deployment, known.previous) == (what.deployment, what.previous):
        return
    made = await explained(ports.lineage, sighting, what)
    of = [
        f"{each.environment}:{each.commit}:{each.at.isoformat()}"
        for each in (what.deployment, what.previous)
        if each
    ]
    name = sighting.signal.name
    ports.log.append(TRACE, f"cause:{name}:{'/'.join(of)}", [CauseSuspected(signal=name, hypothesis=made)])


async def explained(lineage: Lineage, sighting: Sighting, what: Ran) -> Hypothesis:
    """Return the hypothesis by the history of the code."""
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


def _act(ports: LoopPorts, production: Production, problem: Problem) -> bool:
    """Take the next step for a problem; return whether anything was recorded."""
    status = ports.board.status(problem.stories[-1]) if problem.stories else None
    closed = _closed_by_hand(ports, problem) if status is Status.DONE else None
    step = next_step(production, problem, ports.terms, ports.clock.now(), status, closed=closed)
    if step.sighting is None or step.move is Move.LEAVE:
        return False
    if step.move is Move.OPEN and closed is not None:
        _reopen(ports, problem, step, closed)
        return True
    if step.move is Move.OPEN:
        open_story(ports, problem, step.sighting, approved=step.approved, reason=step.reason)
        return True
    if step.until is None or step.until == problem.deferred_until:
        return False
    deferred = StoryDeferred(
        fingerprint=problem.fingerprint,
        signal=step.sighting.signal.name,
        until=step.until,
        reason=step.reason,
    )
    ports.log.append(TRACE, f"deferred:{problem.fingerprint}:{step.until.isoformat()}", [deferred])
    return True


def _closed_by_hand(ports: LoopPorts, problem: Problem) -> datetime | None:
    """Return when a person closed the newest story of a problem; none where a run fixed it."""
    story = problem.stories[-1]
    run = ports.board.fixed_by(story)
    if problem.fix is not None or (run is not None and run not in problem.failed):
        return None
    return ports.board.changed_at(story)


def _reopen(ports: LoopPorts, problem: Problem, step: Step, closed: datetime) -> None:
    """Open the story of a problem again that is there though a person closed it."""
    if step.sighting is None:
        return
    story, signal = problem.stories[-1], step.sighting.signal
    reason = f"seen again after the story was closed by hand on {closed:%Y-%m-%d %H:%M:%S} UTC"
    # The story first: opening it twice changes nothing.
    ports.board.reopen(
        story, afterword(FixObservation(Outcome.RETURNED, reason, step.sighting)), ready=step.approved
    )
    opened = StoryOpened(
        fingerprint=problem.fingerprint,
        story=story,
        signal=signal.name,
        approved=step.approved,
        reason=f"{reason}; {step.reason}",
    )
    ports.log.append(TRACE, f"reopened:{problem.fingerprint}:{signal.name}", [opened])


def open_story(
    ports: LoopPorts, problem: Problem, sighting: Sighting, *, approved: bool, reason: str
) -> StoryId:
    """Write the story of a problem and record it."""
    # The file first: its name follows from the problem, so that a second try finds it.
    story = ports.board.put(story_of(problem, sighting), ready=approved)
    opened = StoryOpened(
        fingerprint=problem.fingerprint,
        story=story,
        signal=sighting.signal.name,
        approved=approved,
        reason=reason,
    )
    ports.log.append(TRACE, f"story:{problem.fingerprint}:{len(problem.stories) + 1}", [opened])
    return story


async def _watch(ports: LoopPorts, production: Production, problem: Problem) -> bool:
    """Check whether the fix of a problem runs and held; return whether anything was recorded."""
    if problem.dismissed or not problem.stories:
        return False
    if problem.fix is None:
        return await _find_fix(ports, production, problem, problem.stories[-1])
    seen = watched(production, problem, problem.fix, ports.terms, ports.clock.now())
    fix = problem.fix
    body: FixHeld | ProblemReturned
    if seen.outcome is Outcome.HELD:
        body = FixHeld(fingerprint=problem.fingerprint, story=fix.story, run=fix.run, reason=seen.reason)
    elif seen.sighting is not None:
        approved, _ = permission(seen.sighting.signal, ports.terms)
        # The story first: opening it twice changes nothing.
        ports.board.reopen(fix.story, afterword(seen), ready=approved)
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
    ports.log.append(TRACE, f"{seen.outcome}:{problem.fingerprint}:{fix.run}", [body])
    return True


async def _find_fix(ports: LoopPorts, production: Production, problem: Problem, story: StoryId) -> bool:
    """Look for the first deployment that holds what the story's run delivered."""
    run = ports.board.fixed_by(story) if ports.board.status(story) is Status.DONE else None
    if run is None or run in problem.failed or problem.opened_at is None:
        return False
    for each in candidates(production, problem, ports.terms):
        if await ports.lineage.holds(each.commit, run, problem.opened_at):
            body = FixDeployed(fingerprint=problem.fingerprint, story=story, run=run, deployment=each)
            ports.log.append(TRACE, f"fix:{problem.fingerprint}:{run}", [body])
            return True
    return False
