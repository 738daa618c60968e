"""Which rounds of a run brought the work nearer to green, judged by what both rounds measured.

A round that is stopped early runs part of the tests: those that failed before. So the failing tests of two
rounds are compared on the tests that both ran, and a value is compared with the best one so far: a test that
is broken and mended in turns is mended once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import Cause, Failure
from setpoint.model.facts.cover_gain import gains, strength_of_tests
from setpoint.model.facts.rounds import RunFacts, blocking, failures, review_findings
from setpoint.model.run import Round

_LEVEL = {Cause.RUNTIME: 1, Cause.ASSERTION: 2, Cause.FLAKY: 2}
"""How near to green a failure is: 0 where the test does not run to an assertion, 2 at one."""
_GREEN = (9, 0)


class _Seen(NamedTuple):
    """What a round, or the base, showed."""

    red: dict[str, tuple[int, int]]
    """Failing tests, each with its level and the last line of it that ran."""
    known: frozenset[str]
    """Tests that are known to have run, where only part of the suite did."""
    full: bool
    reach: int
    """How far the round came: checks, review, full suite, proof, verified."""
    blocking: int
    goals: dict[str, float]
    """How far it is from each goal that is a gate."""
    newly: frozenset[str]
    """Tests that were red in no round before."""
    asked: frozenset[str] | None
    """What the reviewers request; none where no review was reached."""
    measured: Evaluation


def gained(past: RunFacts) -> tuple[bool, ...]:
    """Return for each round whether it brought anything nearer to green than every state before it.

    It did where a test that fails at the base passes or gets further than ever and no other breaks for it,
    fewer tests fail, fewer findings block, reviewers drop a request, the run gets further than ever, or a
    goal is nearer.
    """
    seen = _seen(past)
    best = dict(seen[0].red)
    told = []
    for place, now in enumerate(seen[1:], start=1):
        nearer = _nearer_tests(now, best, seen[0].red)
        told.append(nearer or _gains(now, seen[:place]))
    return tuple(told)


def without_gain(past: RunFacts) -> int:
    """Count the rounds in a row, up to the newest, that brought nothing nearer to green."""
    return _in_a_row([not each for each in gained(past)[past.since :]])


def worse(past: RunFacts) -> tuple[int, ...]:
    """Return the numbers of failing tests of the newest rounds in a row that each had more than before.

    The first number is that of the round before them; empty where the newest round is not worse.
    """
    seen, nearer = _seen(past), gained(past)
    steps = [
        not nearer[place] and _more_red(seen[place + 1], seen[place])
        for place in range(past.since, len(past.rounds))
    ]
    run = _in_a_row(steps)
    return tuple(len(each.red) for each in seen[-run - 1 :]) if run else ()


def _in_a_row(steps: Sequence[bool]) -> int:
    run = 0
    for each in reversed(steps):
        if not each:
            break
        run += 1
    return run


def _seen(past: RunFacts) -> tuple[_Seen, ...]:
    """Return what the base and each round showed, oldest first."""
    base = _Seen(
        red=_red(past.base.failures, ()),
        known=frozenset(),
        full=True,
        reach=0,
        blocking=0,
        goals={},
        newly=frozenset(),
        asked=None,
        measured=past.base,
    )
    told, before = [base], set(base.red)
    edited: list[str] = []
    for each in past.rounds:
        edited += each.snapshot.files
        red = _red(failures(each), edited)
        told.append(
            _Seen(
                red=red,
                known=frozenset(before | red.keys()),
                full=each.tests is not None,
                reach=_reach(each),
                blocking=len(blocking(each)) + len(each.latest.broken),
                goals={goal.name: goal.distance for goal in each.latest.goals if goal.gated},
                newly=frozenset(red.keys() - before),
                asked=_asked(each),
                measured=each.latest,
            )
        )
        before |= red.keys()
    return tuple(told)


def _red(failed: Sequence[Failure], edited: Sequence[str]) -> dict[str, tuple[int, int]]:
    return {each.test: (_LEVEL.get(each.cause, 0), _line_of(each, edited)) for each in failed}


def _line_of(failure: Failure, edited: Sequence[str]) -> int:
    """Return the last line of the test that ran; 0 where it is not known, or the work changed the file."""
    file = failure.test.partition("::")[0]
    if file in edited:
        return 0
    return max((frame.line for frame in failure.frames if frame.file == file), default=0)


def _asked(past: Round) -> frozenset[str] | None:
    if past.verdict is None:
        return None
    return frozenset(finding.fingerprint for finding in review_findings(past))


def _reach(past: Round) -> int:
    if past.verified:
        return 4
    if past.proof is not None:
        return 3
    return 2 if past.tests is not None else int(past.verdict is not None)


def _nearer_tests(now: _Seen, best: dict[str, tuple[int, int]], base: dict[str, tuple[int, int]]) -> bool:
    """Whether a test is in a better state than ever, and none that passed fails; update the best states."""
    nearer, back = False, bool(now.newly) or any(best.get(test) == _GREEN for test in now.red)
    for test in [*best, *(each for each in now.red if each not in best)]:
        ran = now.full or test in now.known
        state = now.red.get(test, _GREEN) if ran else (0, 0)
        first = test not in best
        if first or state > best[test]:
            # A test that the work broke itself is no gain when it is mended; the count of red tests tells.
            nearer = nearer or (not first and (state != _GREEN or test in base))
            best[test] = state
    return nearer and not back


def _gains(now: _Seen, before: Sequence[_Seen]) -> bool:
    """Whether a round is better than all before it, the base first."""
    rounds = before[1:]
    return (
        now.reach > max((each.reach for each in rounds), default=0)
        or _fewer_red(now, before)
        or _fewer_blocking(now, rounds)
        or _answers_reviewers(now, rounds)
        or _nearer_goal(now, rounds)
        or _stronger(now, before)
    )


def _fewer_red(now: _Seen, before: Sequence[_Seen]) -> bool:
    """Whether fewer tests fail than in every earlier round, or in the first round than at the base."""
    states = before[1:] or (before if before[0].red else ())  # a green base lacks the tests of the work
    pairs = [(_red_in_both(now, each), len(each.red)) for each in states if each.red or each.full]
    return bool(pairs) and all(here < there for here, there in pairs)


def _red_in_both(now: _Seen, earlier: _Seen) -> int:
    """Count the failing tests of a round that an earlier one ran too, and those that it broke itself."""
    if earlier.full:
        return len(now.red)
    broken = frozenset() if now.full else now.newly
    return len(now.red.keys() & (earlier.known | broken))


def _fewer_blocking(now: _Seen, rounds: Sequence[_Seen]) -> bool:
    alike = [each.blocking for each in rounds if each.reach == now.reach]
    further = any(each.reach > now.reach for each in rounds)
    return bool(alike) and not further and now.blocking < min(alike)


def _answers_reviewers(now: _Seen, rounds: Sequence[_Seen]) -> bool:
    """Whether the reviewers drop a request for the first time; what they find next is no step back."""
    known = [each.asked for each in rounds if each.asked is not None]
    if now.asked is None or not known:
        return False
    never_dropped = [wish for wish in known[-1] if all(wish in asked for asked in _since_first(wish, known))]
    return any(wish not in now.asked for wish in never_dropped)


def _since_first(wish: str, known: Sequence[frozenset[str]]) -> Sequence[frozenset[str]]:
    first = next(place for place, asked in enumerate(known) if wish in asked)
    return known[first:]


def _nearer_goal(now: _Seen, rounds: Sequence[_Seen]) -> bool:
    return any(
        all(away < each.goals[name] for each in known)
        for name, away in now.goals.items()
        if (known := [each for each in rounds if name in each.goals])
    )


def _stronger(now: _Seen, before: Sequence[_Seen]) -> bool:
    known = [each.measured for each in before if strength_of_tests(each.measured) is not None]
    return bool(known) and all(gains(now.measured, each) for each in known)


def _more_red(now: _Seen, before: _Seen) -> bool:
    if now.full and not before.full:
        return len(now.red.keys() & before.known) > len(before.red)
    return len(now.red) > len(before.red)


def in_words(base: Evaluation, best: Round | None) -> str:
    """Say what the best state gained over the base, in figures that both measured."""
    if best is None:
        return "nothing: no state is better than the base"
    before, now, told = base.failures, failures(best), []
    if len(before) != len(now):
        told.append(f"failing tests {len(before)} -> {len(now)}")
    reached = base.coverage, best.latest.coverage
    if best.tests is not None and reached[0] and reached[1] and reached[0].lines != reached[1].lines:
        told.append(f"coverage {reached[0].lines:.0%} -> {reached[1].lines:.0%}")
    tests = base.quality.test_count, best.latest.quality.test_count
    if best.tests is not None and None not in tests and tests[0] != tests[1]:
        told.append(f"tests {tests[0]} -> {tests[1]}")
    part = "" if best.tests is not None else " (the full suite was not reached)"
    return f"{', '.join(told) or 'nothing that was measured'}{part}"
