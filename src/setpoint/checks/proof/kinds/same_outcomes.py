"""Compare what the tests of the base give on the result with what they gave before."""

from __future__ import annotations

from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.model.evidence import Outcome
from setpoint.model.proof import Obligation, ObligationState, WorkKind

_NAME = "outcomes"
_GREEN = (Outcome.PASSED, Outcome.FLAKY)
_KINDS = (WorkKind.REFACTOR, WorkKind.CHORE)
"""Kinds of work that must change no outcome."""


def same_outcomes(subject: Subject) -> tuple[Obligation, ...]:
    """Judge whether each test of the base that passed there still runs and passes.

    A test that fails here and passed there is in quarantine, or another gate would
    not have passed. Tests whose own file the change touches are compared by the check of test integrity.
    """
    if subject.work not in _KINDS:
        return ()
    before = subject.base.tests.outcomes if subject.base.tests else {}
    now = subject.now.tests.outcomes if subject.now.tests else {}
    green = sorted(test for test, outcome in before.items() if outcome in _GREEN)
    if not green:
        reason = "no test passes at the base, so there is nothing to compare with"
        return (Obligation(name=_NAME, state=ObligationState.NOT_APPLICABLE, reason=reason),)
    gone = [test for test in green if test not in now]
    unseen = [test for test in gone if test.partition("::")[0] not in subject.of_tests]
    left_out = [
        f"{test} ({now[test]})"
        for test in green
        if test in now and now[test] not in _GREEN and not now[test].red
    ]
    if unseen or left_out:
        said = [f"{listed(unseen)} passed at the base and is not run any more"] if unseen else []
        said += [f"passed at the base and does not pass now: {listed(left_out)}"] if left_out else []
        reason = f"{'; '.join(said)}: let them run and pass as before"
        return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)
    kept = [test for test in green if test in now and now[test] in _GREEN]
    notes = [f"{len(kept)} of {len(green)} tests that passed at the base pass as before"]
    if excused := [test for test in green if test in now and now[test].red]:
        notes.append(f"in quarantine: {listed(excused)}")
    if gone:
        notes.append(f"rewritten or moved, which test integrity compares: {listed(gone)}")
    if mended := [test for test, outcome in before.items() if outcome.red and now.get(test) in _GREEN]:
        notes.append(f"failed at the base and passes now: {listed(sorted(mended))}")
    evidence = tuple(kept[:MOST_NAMED])
    return (Obligation(name=_NAME, state=ObligationState.MET, reason="; ".join(notes), evidence=evidence),)
