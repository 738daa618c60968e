"""Measure the witnesses of a change: what fails without its code and passes with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from setpoint.checks.verdict import witness
from setpoint.checks.verdict.public_names import takes_names_away
from setpoint.checks.verdict.subject import MOST_NAMED, Subject, listed
from setpoint.checks.verdict.witness import Witness, passed_in
from setpoint.model.evidence import TestReport
from setpoint.model.exam import Exam, Examiner
from setpoint.model.proof import WITNESS, Obligation, ObligationState, Vouched, WorkKind

_SHOWN = 3
_NEEDS_WITNESS = (WorkKind.BEHAVIOUR, WorkKind.REPAIR)


async def find_witnesses(
    subject: Subject, vouched: Vouched, hidden: tuple[Witness, ...] = ()
) -> tuple[Obligation, tuple[Witness, ...]]:
    """Look for witnesses: failing tests that pass now, acceptance commands, the change's own tests.

    `hidden` are those that the maker never saw, which are already found.
    """
    if subject.work not in _NEEDS_WITNESS:
        reason = f"work of the kind '{subject.work}' has none"
        return Obligation(name=WITNESS, state=ObligationState.NOT_APPLICABLE, reason=reason), ()
    passed = passed_in(subject.now.tests)
    found = [*witness.mended(subject.base.tests, subject.now.tests), *hidden]
    found += witness.removed(subject.base.tests, subject.now.tests) if takes_names_away(subject) else ()
    found += witness.built(subject.base.results, subject.now.results)
    reasons: list[str] = []
    if subject.task.story.acceptance or not found:
        more, reasons = await _beside_the_base(subject, passed)
        found += [confirmed(each, vouched) for each in more]
    if found:
        notes = [each for each in reasons if "proves nothing" in each]
        return _met(found, [*notes, *await _beside_the_code(subject, found)]), tuple(found)
    reason = "; ".join(["nothing fails without the change and passes with it", *reasons])
    if subject.kind.promises_nothing:
        return Obligation(name=WITNESS, state=ObligationState.NOT_APPLICABLE, reason=reason), ()
    return Obligation(name=WITNESS, state=ObligationState.NOT_MET, reason=f"{reason}: {_hint(subject)}"), ()


def _met(counted: Sequence[Witness], notes: Iterable[str]) -> Obligation:
    shown = "; ".join(map(str, counted[:_SHOWN]))
    gone = all(each.why == witness.GONE for each in counted)
    what = "test what the change removes" if gone else "fail without the change and pass with it"
    reason = f"{len(counted)} {what}: {shown}"
    reason += "".join(f"; {note}" for note in notes)
    names = tuple(each.name for each in counted[:MOST_NAMED])
    return Obligation(
        name=WITNESS, state=ObligationState.MET, reason=reason, evidence=names, count=len(counted)
    )


def _hint(subject: Subject) -> str:
    """Say what to do where nothing is a witness: for each kind of work that it may be, the exact flag."""
    if (kind := subject.kind.files_say) is not None:
        return f"nothing that runs is changed; if that is what you want, say --kind {kind}"
    told = "write a test that fails without the change, or name a command that does (--accept)"
    return f"{told}; for a clean-up or a speed-up, say --kind refactor"


def confirmed(found: Witness, vouched: Vouched) -> Witness:
    """Return a witness of the maker as that of a reviewer who found that it expresses the request."""
    if found.by is not Examiner.MAKER or not vouched.expresses(found.name):
        return found
    return found.model_copy(update={"by": Examiner.REVIEWER, "author": vouched.by})


def exams_of(witnesses: Sequence[Witness], readable: str = "") -> tuple[Exam, ...]:
    """Return the exams that witnesses make up; `readable` says why the maker could read hidden tests."""
    parts = dict.fromkeys((each.by, each.author) for each in witnesses)
    order = list(Examiner)
    return tuple(
        Exam(
            examiner=by,
            author=author,
            count=sum((each.by, each.author) == (by, author) for each in witnesses),
            readable=readable if by is Examiner.HIDDEN_TESTS else "",
        )
        for by, author in sorted(parts, key=lambda part: order.index(part[0]))
    )


async def _beside_the_base(subject: Subject, passed: frozenset[str]) -> tuple[list[Witness], list[str]]:
    """Ask the change's own tests, and the acceptance commands, of the code of the base."""
    asked, checks = _own_tests(subject, passed), subject.plan.acceptance()
    of_tests = [path for path in subject.of_tests if path in subject.after]
    lack = (
        f"the change writes {listed(of_tests)}, and no test of it runs"
        if of_tests
        else "the change adds no test"
    )
    reasons = [] if asked else [lack]
    if not asked and not checks:
        return [], reasons
    found: list[Witness] = []
    control = (
        await subject.run_tests(asked, await subject.checked_out()) if asked else TestReport(outcomes={})
    )
    there = await subject.without_its_code()
    if asked:
        files = sorted({test.partition("::")[0] for test in asked if "::" in test})
        report = await subject.run_tests((*asked, *files), there)
        own, other = witness.added(
            asked, report, passed_in(control), subject.added_inline, subject.added_modules
        )
        found += own
        reasons += [other] if other and not own else []
    if checks:
        at_base = [await check.run(there) for check in checks]
        words = {each.name: each.command for each in checks}
        ran, other = witness.commands(at_base, subject.now.results, words)
        found += ran
        reasons += [other] if other else []
    return found, reasons


def _own_tests(subject: Subject, passed: frozenset[str]) -> list[str]:
    """Return the tests that are new, in files that changed, or beside data of tests that changed."""
    before = subject.base.tests.outcomes if subject.base.tests else {}
    files = {test.partition("::")[0] for test in passed}
    data = [path for path in subject.of_tests if path not in files]
    return [
        test
        for test in sorted(passed)
        if test not in before
        or (file := test.partition("::")[0]) in subject.of_tests
        or any(path.startswith(f"{file.rpartition('/')[0]}/".lstrip("/")) for path in data)
    ]


async def _beside_the_code(subject: Subject, found: Iterable[Witness]) -> list[str]:
    """Say which witnesses pass only with changed settings or documents; files that are new count as code."""
    others = subject.beside_code
    tests = sorted({each.name for each in found} & passed_in(subject.now.tests))
    if not others or not tests:
        return []
    report = await subject.run_tests(tests, await subject.with_those_of_base(others))
    failing = [test for test in tests if test not in passed_in(report)]
    return [f"{listed(failing)} passes only with the changed {listed(others)}"] if failing else []
