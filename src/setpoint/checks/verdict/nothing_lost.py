"""Judge whether the tests of the base still pass on the result, as they were at the base.

The suite has run them already, in a place of its own; what it found is read here. An old test that the change
contradicts leaves the maker's word alone, unless the request, a person or a reviewer wants it so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from setpoint.checks.verdict.impacted import reached
from setpoint.checks.verdict.subject import MOST_NAMED, Subject, listed
from setpoint.checks.verdict.witness import passed_in
from setpoint.model.evidence import TestReport
from setpoint.model.proof import NOTHING_LOST, Obligation, ObligationState, Vouched, WorkKind

_NO_CODE = (WorkKind.DOCS, WorkKind.CHORE)
_CALLED = re.compile(r"\b([A-Za-z_]\w{2,})\(")
_MARKED = re.compile(r"\b([A-Za-z_]\w{2,})\(|`(\w+)`")


async def nothing_lost(subject: Subject, vouched: Vouched) -> tuple[Obligation, tuple[str, ...]]:
    """Judge the tests of the base; return with it those that the change contradicts on the maker's word."""
    stood, now = passed_in(subject.base.tests), subject.now.tests
    if open_ones := await _still_red(subject, vouched):
        reason = (
            f"{len(open_ones)} failed before, still fail, and reach what the change touches: "
            f"{listed(open_ones)}: make them pass, or say why they are not part of the work"
        )
        evidence = tuple(open_ones[:MOST_NAMED])
        return Obligation(
            name=NOTHING_LOST, state=ObligationState.NOT_MET, reason=reason, evidence=evidence
        ), ()
    against = [test for test in (now.contradicted if now else ()) if not _accepted(subject, vouched, test)]
    left = [test for test in vouched.still_red if now is not None and test in now.red]
    if not stood and not left:
        reason = "no test passes at the base"
        return Obligation(name=NOTHING_LOST, state=ObligationState.NOT_APPLICABLE, reason=reason), ()
    ran = TestReport(outcomes={**now.outcomes, **(now.as_they_were or {})}) if now else None
    kept = len(stood & passed_in(ran))
    notes = [f"{kept} of {len(stood)} tests that passed at the base pass as they were"]
    notes += [f"the change contradicts {listed(against)}, and only the maker says why"] if against else []
    if accepted := [each for each in (now.contradicted if now else ()) if each not in against]:
        notes.append(f"the change contradicts {listed(accepted)}, as wanted")
    notes += [f"failed before and still fails: {listed(left)}"] if left else []
    unstable = subject.base.tests.unstable if subject.base.tests else ()
    notes += [f"unstable at the base: {listed(unstable)}"] if unstable else []
    obligation = Obligation(
        name=NOTHING_LOST,
        state=ObligationState.MET,
        reason="; ".join(notes),
        evidence=tuple((*against, *left)[:MOST_NAMED]),
        count=len(stood),
    )
    return obligation, tuple(against[:MOST_NAMED])


async def _still_red(subject: Subject, vouched: Vouched) -> list[str]:
    """Return tests that failed before and still do, that reach the change, and that the maker has to answer.

    Each is sent back once; what the request itself names is sent back until it passes.
    """
    before, now = subject.base.tests, subject.now.tests
    if before is None or now is None or subject.work in _NO_CODE:
        return []
    red = before.red & now.red - frozenset(before.unstable)
    known = {*(await reached(subject) or ())} if red else set[str]()
    near = [test for test in sorted(red) if test in known or test.partition("::")[0] in known]
    asked = [test for test in sorted(red) if _is_named(subject, test)]
    return [*asked, *(test for test in near if test not in asked and test not in vouched.still_red)]


def _is_named(subject: Subject, test: str) -> bool:
    """Whether a request names a failing test, or a function that it is called after or calls."""
    failures = subject.now.tests.failures if subject.now.tests else ()
    said = next((f"{each.message} {each.detail}" for each in failures if each.test == test), "")
    last = test.rpartition("::")[2].partition("[")[0]
    wish = subject.task.story.wish
    # "Add a login" names no function `add`: a word of the language is one only where it is written as code.
    marked = {name for pair in _MARKED.findall(wish) for name in pair}
    called = [each for each in _CALLED.findall(said) if each in marked or not _is_plain(each)]
    return _speaks_of(wish, (last, last.removeprefix("test_"), *called))


def _is_plain(name: str) -> bool:
    return name.isalpha() and name.islower()


def _accepted(subject: Subject, vouched: Vouched, test: str) -> bool:
    """Whether a reviewer or the request wants a test to be contradicted."""
    story, last = subject.task.story, test.rpartition("::")[2].partition("[")[0]
    return vouched.expresses(test) or (not story.external and _speaks_of(story.wish, (last,)))


def _speaks_of(request: str, names: Iterable[str]) -> bool:
    return any(len(name) > 1 and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", request) for name in names)
