"""Whether a deployed fix held: the same problem is watched once the fix runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from setpoint.model.config.production import ProductionTerms
from setpoint.model.events import production as p
from setpoint.model.production import Deployment
from setpoint.production.policy.incidents import Problem, Production, Sighting, quoted

MOST_DEPLOYMENTS = 20
"""Deployments that are asked whether they hold a fix, the newest."""


class Outcome(StrEnum):
    """What watching a fix came to."""

    WAIT = "wait"
    """Nothing is known yet, or nothing new."""
    HELD = "held"
    """The problem stayed away."""
    RETURNED = "returned"
    """It is there though the fix runs."""


class FixObservation(NamedTuple):
    """What watching a fix came to, and why."""

    outcome: Outcome
    reason: str = ""
    sighting: Sighting | None = None
    """The signal that shows that the problem is there."""


def candidates(production: Production, problem: Problem, terms: ProductionTerms) -> Iterator[Deployment]:
    """Yield deployments that may hold a fix, oldest first: where the problem was seen, since its story."""
    if problem.opened_at is None:
        return
    places = {each.signal.environment or terms.environment for each in production.of(problem)}
    later = [
        each for each in production.deployments if each.environment in places and each.at >= problem.opened_at
    ]
    yield from sorted(later, key=lambda each: each.at)[-MOST_DEPLOYMENTS:]


def watched(
    production: Production, problem: Problem, fix: p.FixDeployed, terms: ProductionTerms, now: datetime
) -> FixObservation:
    """Return whether a problem came back, lasts, or stayed away since its fix runs."""
    runs = fix.deployment
    there = [
        each
        for each in production.of(problem)
        if (each.signal.environment or terms.environment) == runs.environment
    ]
    back = [each for each in there if _ran_with(each, runs)]
    if back:
        reason = f"seen again in {runs.environment} with {runs.shown}, which holds the work of {fix.run}"
        return FixObservation(Outcome.RETURNED, reason, back[-1])
    if problem.held or now < until(fix, terms):
        return FixObservation(Outcome.WAIT)
    hours = f"{terms.watch_s / 3600:g} hours"
    lasting = [each for each in there if each.signal.ends and each.ended_at is None]
    if lasting:
        reason = f"not over {hours} after {runs.shown} was deployed, which holds the work of {fix.run}"
        return FixObservation(Outcome.RETURNED, reason, lasting[-1])
    return FixObservation(Outcome.HELD, f"not seen in {runs.environment} for {hours} with {runs.shown}")


def until(fix: p.FixDeployed, terms: ProductionTerms) -> datetime:
    """Return until when a fix is watched."""
    return fix.deployment.at + timedelta(seconds=terms.watch_s)


def _ran_with(sighting: Sighting, fixed: Deployment) -> bool:
    """Whether a signal began when the fix ran already; signals of an older release prove nothing."""
    if sighting.signal.occurred_at <= fixed.at:
        return False
    known = sighting.hypothesis.deployment if sighting.hypothesis else None
    return known is None or known.at >= fixed.at


def afterword(seen: FixObservation) -> str:
    """Say in the story that it is open again, with what shows it."""
    lines = ["## It came back", "", f"{seen.reason[:1].upper()}{seen.reason[1:]}.", ""]
    if seen.sighting is not None:
        signal = seen.sighting.signal
        lines += [f"Signal {signal.name}, since {signal.occurred_at:%Y-%m-%d %H:%M:%S} UTC:", ""]
        lines += quoted(f"{signal.title}\n{signal.body}".strip())
        lines += quoted("\n".join(each.shown for each in signal.frames))
    return "\n".join(lines)
