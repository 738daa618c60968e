"""Which deployment and which commits may have caused a signal: a scored hypothesis, with its reasons.

What counts, the strongest first: the release that the signal names, lines of its stack that a commit changed,
nearness in time. A score combines the evidence for a commit as independent hints (one less the product of
what each leaves open); the weights are a judgement, not a measurement, so a score is not a probability.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import NamedTuple

from setpoint.model.production import Blame, Change, Deployment, Hypothesis, Signal, Suspicion
from setpoint.model.wording import counted

RELEASE_WEIGHT = 0.6
"""The signal names the release that brought the commit; shared by all commits that it brought."""
LINE_WEIGHT = 0.5
"""The commit changed the very line that the innermost frame names."""
FILE_WEIGHT = 0.15
"""The commit changed a file that the stack names."""
TIME_WEIGHT = 0.2
"""The commit was deployed just before the signal began; shared by all commits that came along."""
PER_FRAME = 0.7
"""How much a frame counts of the one inside it."""
PER_LINE = 0.75
"""How much a change counts of one that lies a line nearer."""
FADES_S = 6 * 3600.0
"""Seconds after which nearness in time counts a third."""
SKEW = timedelta(minutes=2)
"""How far two clocks may disagree."""
MOST_SUSPECTS = 10
_LEAST_COMMIT = 7
_COMMIT = re.compile(rf"[0-9a-f]{{{_LEAST_COMMIT},40}}")
_MOST_NAMED = 3


class Ran(NamedTuple):
    """What ran when a signal began."""

    deployment: Deployment | None = None
    previous: Deployment | None = None
    """What ran before that in the same environment."""
    how: str = ""
    exact: bool = False
    """The signal itself names the release."""


class _Hint(NamedTuple):
    weight: float
    reason: str


def ran(signal: Signal, deployments: Iterable[Deployment], default: str) -> Ran:
    """Find the deployment that ran when a signal began: the release that it names, or else by its time."""
    environment = signal.environment or default
    there = sorted(
        (each for each in deployments if each.environment == environment), key=lambda each: each.at
    )
    if not there:
        return Ran(how=f"no deployment to {environment} is recorded")
    begun = [each for each in there if each.at <= signal.occurred_at + SKEW]
    named = [each for each in begun or there if is_release(signal.release, each)]
    if named:
        found = named[-1]
        how = (
            f"the signal names {signal.release}, which runs in {environment} since {found.at:%Y-%m-%d %H:%M}Z"
        )
        return Ran(found, _before(there, found), how, exact=True)
    if not begun:
        return Ran(how=f"it began before anything that is recorded was deployed to {environment}")
    found = begun[-1]
    how = f"it ran in {environment} when the signal began"
    if signal.release:
        how += f"; the signal names {signal.release}, of which no deployment is recorded"
    return Ran(found, _before(there, found), how)


def is_release(name: str, deployment: Deployment) -> bool:
    """Return whether a deployment is the release that a signal names, by name or by commit prefix."""
    if not name:
        return False
    if name == deployment.release:
        return True
    stem = name.rpartition("@")[2].lower()
    return stem == deployment.release or bool(_COMMIT.fullmatch(stem) and deployment.commit.startswith(stem))


def _before(there: Sequence[Deployment], found: Deployment) -> Deployment | None:
    """Return what ran before: the newest earlier deployment of another commit."""
    earlier = [each for each in there if each.at < found.at and each.commit != found.commit]
    return earlier[-1] if earlier else None


def hypothesis(signal: Signal, what: Ran, brought: Sequence[Change], blamed: Sequence[Blame]) -> Hypothesis:
    """Weigh the commits that a deployment brought against the evidence of a signal."""
    if what.deployment is None:
        return Hypothesis(how=what.how, notes=(what.how,))
    hinted = ((change, _hints(change, signal, what, len(brought), blamed)) for change in brought)
    suspects = [_suspicion(change, hints) for change, hints in hinted if hints]
    suspects.sort(key=lambda each: (-each.score, -each.at.timestamp(), each.commit))
    return Hypothesis(
        deployment=what.deployment,
        previous=what.previous,
        how=what.how,
        brought=len(brought),
        suspects=tuple(suspects[:MOST_SUSPECTS]),
        notes=tuple(_notes(signal, what, brought, blamed)),
    )


def _suspicion(change: Change, hints: list[_Hint]) -> Suspicion:
    hints.sort(key=lambda each: -each.weight)
    score = 1 - math.prod(1 - each.weight for each in hints)
    return Suspicion(
        commit=change.commit,
        title=change.title,
        at=change.at,
        score=round(score, 4),
        reasons=tuple(each.reason for each in hints),
    )


def _hints(change: Change, signal: Signal, what: Ran, count: int, blamed: Sequence[Blame]) -> list[_Hint]:
    assert what.deployment is not None  # noqa: S101 - `hypothesis` looked
    hints: list[_Hint] = []
    along = f", with {count - 1} other{'s' if count > 2 else ''}" if count > 1 else ""  # noqa: PLR2004 - more than one other
    if what.previous is not None:
        # Without an earlier deployment nobody knows what came along with this one.
        hints += _of_deployment(what.deployment, signal, what.exact, count, along)
    own = [each for each in blamed if each.commit == change.commit]
    hints += [_of_line(each) for each in own]
    paths = {each.path for each in own}
    touched = sorted({each.path for each in blamed} & set(change.files) - paths)
    if touched:
        hints.append(_Hint(FILE_WEIGHT, f"changes {', '.join(touched[:_MOST_NAMED])}, which the stack names"))
    return hints


def _of_deployment(made: Deployment, signal: Signal, exact: bool, count: int, along: str) -> list[_Hint]:  # noqa: FBT001 - a field of `Ran`
    late_s = max((signal.occurred_at - made.at).total_seconds(), 0.0)
    near = f"was deployed {_span(late_s)} before the signal began{along}"
    hints = [_Hint(TIME_WEIGHT * math.exp(-late_s / FADES_S) / count, near)]
    if exact:
        hints.append(_Hint(RELEASE_WEIGHT / count, f"came with {made.shown}, which the signal names{along}"))
    return hints


def _of_line(blame: Blame) -> _Hint:
    weight = LINE_WEIGHT * PER_FRAME**blame.place * PER_LINE**blame.distance
    frame = "the innermost frame" if blame.place == 0 else f"frame {blame.place + 1}"
    where = f"{blame.path}:{blame.line} ({frame} of the stack)"
    if blame.distance:
        return _Hint(weight, f"changed a line {blame.distance} from {where}")
    return _Hint(weight, f"last changed {where}")


def _notes(signal: Signal, what: Ran, brought: Sequence[Change], blamed: Sequence[Blame]) -> Iterable[str]:
    if what.previous is None:
        yield "no earlier deployment is recorded: what this one brought is unknown, only the stack tells"
    elif not brought:
        yield "it brought no commit that the one before did not hold: a way back, or the same again"
    if not signal.frames:
        yield "the signal names no stack"
    elif not blamed:
        yield "no frame of the stack lies in the repository"
    elif not {each.commit for each in blamed} & {each.commit for each in brought}:
        yield "the lines that the stack names are older than this deployment"


def _span(seconds: float) -> str:
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            count = int(seconds // size)
            return counted(count, unit)
    return "less than a minute"
