"""Measure the witnesses of a change: what fails without it and passes with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from setpoint.checks.proof.subject import MOST_NAMED, Subject
from setpoint.checks.proof.witness import witness
from setpoint.checks.proof.witness.added_names import added_names
from setpoint.checks.proof.witness.right_cause import Lack
from setpoint.checks.proof.witness.witness import Witness
from setpoint.model.changes.work_kind import is_code
from setpoint.model.evidence import TestReport
from setpoint.model.proof import NOBODY, Obligation, ObligationState, Trust, Vouched, WorkKind

_NAME = "witness"
_SHOWN = 3
_NEEDS_WITNESS = (WorkKind.BEHAVIOUR, WorkKind.REPAIR)
_ORDER = tuple(Trust)


async def find_witnesses(
    subject: Subject, vouched: Vouched = NOBODY, sealed: tuple[Witness, ...] = ()
) -> tuple[Obligation, tuple[Witness, ...]]:
    """Look for witnesses: failing tests that pass now, acceptance commands, the change's own tests.

    `sealed` are those that the maker never saw, which are already found.
    """
    if subject.work not in _NEEDS_WITNESS:
        return Obligation(
            name=_NAME, state=ObligationState.NOT_APPLICABLE, reason=_no_witness(subject.work)
        ), ()
    passed = witness.passed_in(subject.now.tests)
    removed = witness.removed(subject.task.gone)
    found = [*witness.mended(subject.base.tests, passed), *sealed, *removed]
    if subject.work is WorkKind.REPAIR:
        found += witness.built(subject.base.results, subject.now.results)
    reasons: list[str] = []
    enough = any(_ORDER.index(each.trust) <= _ORDER.index(subject.terms.witness) for each in found)
    if subject.task.story.acceptance or not enough:
        more, reasons = await _beside_the_base(subject, passed)
        found += [lifted(each, vouched) for each in more]
    least = subject.terms.witness
    counting = [each for each in found if _ORDER.index(each.trust) <= _ORDER.index(least)]
    if counting:
        shown = "; ".join(map(str, counting[:_SHOWN]))
        trust = strongest(counting) or Trust.ANY
        reason = f"{len(counting)} fail without the change and pass with it: {shown}"
        reason += f"; trust '{trust}' (it rests on {trust.words})"
        reason += "".join(f"; {other}" for other in reasons if "proves nothing" in other)
        names = tuple(each.name for each in counting[:MOST_NAMED])
        return Obligation(name=_NAME, state=ObligationState.MET, reason=reason, evidence=names), tuple(
            counting
        )
    if found:
        reasons.append(f"proof.witness asks for '{least}', and there is only '{strongest(found)}'")
    missing = "no test and no acceptance command fails without the change and passes with it"
    reason = f"{'; '.join([missing, *reasons])}: write a test that fails without the change"
    return Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason), ()


def lack_of(subject: Subject) -> Lack:
    """Return what a test has to fail for: the code of the change is missing."""
    before, after = (
        {path: text for path, text in each.items() if path not in subject.of_tests and is_code(path)}
        for each in (subject.before, subject.after)
    )
    tests = {path: _text(subject.after[path]) for path in subject.of_tests if path in subject.after}
    return Lack(
        added=added_names(before, after),
        request=subject.task.story.wish,
        tests=tests,
        inline=subject.added_inline,
    )


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def lifted(found: Witness, vouched: Vouched) -> Witness:
    """Return a witness with the trust that it has after a review."""
    if found.trust is not Trust.ANY:
        return found
    last = found.name.rpartition("::")[2].partition("[")[0]
    named = any(each in (found.name, last) or found.name.endswith(f"::{each}") for each in vouched.reviewed)
    return replace(found, trust=Trust.REVIEWED) if named or vouched.all_reviewed else found


def strongest(witnesses: Sequence[Witness]) -> Trust | None:
    """Return the trust of the strongest witness; none without one."""
    return min((each.trust for each in witnesses), key=_ORDER.index, default=None)


def weakest(trusts: Iterable[Trust]) -> Trust | None:
    """Return the least trust; none where there is none."""
    return max(trusts, key=_ORDER.index, default=None)


async def _beside_the_base(subject: Subject, passed: frozenset[str]) -> tuple[list[Witness], list[str]]:
    """Ask the change's own tests, and the acceptance commands, of the code of the base."""
    before = subject.base.tests.outcomes if subject.base.tests else {}
    data = [path for path in subject.of_tests if not path.endswith(".py")]
    asked = [
        test
        for test in sorted(passed)
        if test not in before
        or (file := test.partition("::")[0]) in subject.of_tests
        or any(path.startswith(f"{file.rpartition('/')[0]}/".lstrip("/")) for path in data)
    ]
    checks = subject.plan.acceptance()
    if not asked and not checks:
        return [], ["the change adds no test"]
    found: list[Witness] = []
    reasons = ["the change adds no test"]
    files = sorted({test.partition("::")[0] for test in asked if "::" in test})
    control = TestReport(outcomes={})
    if asked:
        control = await subject.run_tests(asked, await subject.checked_out())
    there = await subject.without_its_code()
    if asked:
        report = await subject.run_tests((*asked, *files), there)
        own, other = witness.added(asked, report, witness.passed_in(control), lack_of(subject))
        found += own
        reasons = [other] if other and not own else []
    if checks:
        at_base = [await check.run(there) for check in checks]
        words = {each.name: each.command for each in checks}
        ran, other = witness.commands(at_base, subject.now.results, words)
        found += ran
        reasons += [other] if other else []
    return found, reasons


def _no_witness(work: WorkKind) -> str:
    return {
        WorkKind.REFACTOR: "a refactoring must change no outcome; the tests of the base say whether it does",
        WorkKind.TESTS: "tests alone change",
        WorkKind.DOCS: "nothing that runs changes",
        WorkKind.CHORE: "configuration alone changes; all tests of the base must come out as before",
    }[work]
