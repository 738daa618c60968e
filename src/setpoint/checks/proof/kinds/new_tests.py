"""Judge whether new tests notice anything that no other test notices."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.checks.mutation.check import is_source
from setpoint.checks.proof.kinds.asked_functions import unnoticed_functions, with_other_calls
from setpoint.checks.proof.kinds.new_tests_by_sabotage import noticed_by_sabotage
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.checks.proof.witness import witness
from setpoint.checks.suites.package_suite import owner
from setpoint.model.mutation import Fate, MutationReport
from setpoint.model.proof import Obligation, ObligationState, WorkKind

_NAME = "new tests"
_PROGRAMS = re.compile(
    rb"\b(subprocess|[Pp]open|os\.system|spawn\w*|multiprocessing|runpy|pexpect|pytester|testdir)\b"
)

_TEST_FILE = re.compile(r"(?:^|/)test_[^/]*\.py$|_test\.\w+$|[./](?:test|spec)\.[cm]?[jt]sx?$")


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What new tests notice; the cases of one function count together."""

    tests: tuple[str, ...]
    """The new tests that were asked."""
    blind: frozenset[str] = frozenset()
    """Those that notice nothing at all."""
    doubles: frozenset[str] = frozenset()
    """Those that notice only what others notice too."""
    how: str = ""
    """What those that are neither notice, in words."""
    why: str = ""
    """Why they could not be asked."""
    cases: frozenset[str] = frozenset()
    """Those that try another case where the tests of the base notice every mutant: none could notice more."""

    def joined(self, other: Seen) -> Seen:
        """Return both."""
        return Seen(
            tests=(*self.tests, *other.tests),
            blind=self.blind | other.blind,
            doubles=self.doubles | other.doubles,
            how="; ".join(filter(None, (self.how, other.how))),
            why="; ".join(filter(None, (self.why, other.why))),
            cases=self.cases | other.cases,
        )


async def new_tests(subject: Subject) -> tuple[Obligation, ...]:
    """Try mutants, or sabotage, on what the new tests reach: each must notice something."""
    if subject.work is not WorkKind.TESTS:
        return ()
    before = subject.base.tests.outcomes if subject.base.tests else {}
    new = [test for test in sorted(witness.passed_in(subject.now.tests)) if test not in before]
    if not new:
        return (_without_new_tests(subject, before),)
    chosen = subject.task.project.chosen
    python = [test for test in new if not owner(test, chosen)]
    others = [test for test in new if owner(test, chosen)]
    seen = Seen(tests=())
    if python:
        by_mutants = await _by_mutants(subject, python)
        seen = by_mutants or await _by_sabotage(subject, python)
    if others:
        seen = seen.joined(await _by_sabotage(subject, others))
    rewritten = {function_of(test) for test in new if test.partition("::")[0] in subject.task.judges}
    return (_judged(seen, rewritten),)


def _without_new_tests(subject: Subject, before: Collection[str]) -> Obligation:
    """Judge work on tests after which no new test passes; test integrity judges changes of old ones."""
    after = subject.now.tests.outcomes if subject.now.tests else {}
    idle = [test for test in sorted(after) if test not in before]
    if idle:
        reason = f"no new test passes: {listed(idle)} {after[idle[0]]}: let them run, and assert something"
        return Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason)
    if not subject.of_tests:
        reason = "tests are asked for, and no test is new or changed: write one"
        return Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason)
    if silent := [
        path for path in subject.of_tests if path not in subject.before and _TEST_FILE.search(path)
    ]:
        reason = f"{listed(silent)} is new, and no test in it ran: let its tests run, and assert something"
        return Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason)
    reason = "no test is new; test integrity compares those that were changed"
    return Obligation(name=_NAME, state=ObligationState.NOT_APPLICABLE, reason=reason)


def _judged(seen: Seen, rewritten: Collection[str]) -> Obligation:
    """Judge new tests; rewritten ones notice together what the old ones did, each of them something."""
    if not seen.tests:
        return Obligation(name=_NAME, state=ObligationState.NOT_APPLICABLE, reason=seen.why)
    telling = [test for test in seen.tests if test not in seen.blind | seen.doubles]
    blind = [test for test in seen.tests if test in seen.blind]
    doubles = [test for test in seen.tests if test in seen.doubles]
    as_before = [test for test in doubles if test in rewritten]
    if blind or not (telling or as_before or seen.cases):
        said = [f"{listed(blind)} notices nothing"] if blind else []
        said += [f"{listed(doubles)} notices nothing that no other test notices"] if doubles else []
        reason = f"{'; '.join(said)}: assert more, or remove it"
        return Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason, evidence=tuple(telling))
    notes = [f"{len(telling)} of {len(seen.tests)} new tests {seen.how}"]
    notes += [f"other cases of what the tests of the base notice: {listed(seen.cases)}"] if seen.cases else []
    notes += [f"{listed(doubles)} notices nothing that no other test notices"] if doubles else []
    notes += [seen.why] if seen.why else []
    evidence = tuple(telling[:MOST_NAMED])
    return Obligation(name=_NAME, state=ObligationState.MET, reason="; ".join(notes), evidence=evidence)


async def _by_mutants(subject: Subject, new: list[str]) -> Seen | None:
    """Ask the new tests about mutants of all lines that they reach; none where mutants cannot be judged."""
    engine = subject.plan.engine(subject.terms.seconds)
    if isinstance(engine, str):
        return None
    sources = {file: () for file in subject.target.files if is_source(file)}
    if not sources:
        return None
    there = await subject.checked_out()
    _, report, _ = await engine.judge(Path(there.copy.path), sources, each=new)
    if report is None or not report.mutants:
        return None
    seen = _seen_in(report, new)
    if seen.doubles and _all_noticed(report) and not await unnoticed_functions(subject, report, new):
        seen = replace(seen, cases=seen.doubles & await with_other_calls(subject, new))
    apart = [test for test in new if test in report.unreached and function_of(test) in seen.blind]
    if not apart:
        return seen
    # What they run may be in a process of its own, which sees files and no mutants.
    left = frozenset(map(function_of, apart))
    seen = replace(
        seen, tests=tuple(test for test in seen.tests if test not in left), blind=seen.blind - left
    )
    return seen.joined(await _by_sabotage(subject, apart))


def _runs_nothing(subject: Subject, test: str) -> bool:
    """Whether a test of Python, which names no function, cannot start a program either."""
    file = test.partition("::")[0]
    return file.endswith(".py") and _PROGRAMS.search(subject.after.get(file, b"")) is None


def _seen_in(report: MutationReport, new: list[str]) -> Seen:
    """Tell the new tests apart by the mutants that they notice, those first that notice most of their own."""
    known, own = frozenset(new), dict[str, set[int]]()
    every: dict[str, set[int]] = {function_of(test): set() for test in new}
    for place, mutant in enumerate(report.mutants):
        for test in mutant.noticed:
            every[function_of(test)].add(place)
            if mutant.test in known:
                own.setdefault(function_of(test), set()).add(place)
    untried = any(each.verdict is Fate.UNTRIED for each in report.mutants)
    unsure = {function_of(test) for test in (*report.unsteady, *report.red)}
    blind = {test for test, places in every.items() if not places and not untried and test not in unsure}
    doubles, taken = {test for test in every if test not in blind and test not in own}, set[int]()
    for test, places in sorted(own.items(), key=lambda each: (-len(each[1]), each[0])):
        if places <= taken:
            doubles.add(test)
        taken |= places
    tried = sum(each.verdict not in (Fate.UNTRIED, Fate.UNCOVERED) for each in report.mutants)
    looked = f", {report.traced} of {report.tests} tests looked at" if report.traced < report.tests else ""
    return Seen(
        tests=tuple(every),
        blind=frozenset(blind),
        doubles=frozenset(doubles),
        how=f"notice what no other test notices ({tried} mutants{looked})",
    )


def _all_noticed(report: MutationReport) -> bool:
    """Whether no test could notice more; what takes the same path as before may be the same program."""
    left = (Fate.UNTRIED, Fate.UNCOVERED)
    alive = [each for each in report.mutants if each.verdict is Fate.SURVIVED and not each.same_path]
    return not alive and not any(each.verdict in left for each in report.mutants)


async def _by_sabotage(subject: Subject, new: list[str]) -> Seen:
    """Let functions that the new tests name return nothing, and see which tests notice."""
    tried, noticed = await noticed_by_sabotage(subject, new)
    if not tried:
        why = f"no function that {listed(new)} names could be sabotaged, so what it notices is not measured"
        silent = {function_of(test): None for test in new if _runs_nothing(subject, test)}
        return Seen(tests=tuple(silent), blind=frozenset(silent), why=why)
    functions: Mapping[str, None] = dict.fromkeys(map(function_of, new))
    seeing = {function_of(test) for test in noticed}
    return Seen(
        tests=tuple(functions),
        blind=frozenset(test for test in functions if test not in seeing),
        how=f"notice the sabotage of {tried} functions (whether other tests do was not asked)",
    )


def function_of(test: str) -> str:
    """Return the function that a test is a case of."""
    return test.partition("[")[0] if ".py::" in test else test
