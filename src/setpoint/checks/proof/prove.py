"""Prove one tree: who witnesses the change, and whether the tests notice when its functions are sabotaged."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.baseline import Measurements
from setpoint.checks.integrity.isolation import Aside
from setpoint.checks.integrity.paths.protected_paths import collected
from setpoint.checks.measurement import Measuring, Task, link, tests_of
from setpoint.checks.plan import Plan
from setpoint.checks.proof import witness
from setpoint.checks.proof.changed_function import ChangedFunction
from setpoint.checks.proof.other_functions import changed_elsewhere, suffix_of
from setpoint.checks.proof.python_functions import changed_python
from setpoint.checks.proof.witness import Witness
from setpoint.checks.suites.package_suite import owner
from setpoint.checks.target import Target
from setpoint.checks.trees.checkout import place_beside, put_at, repository_of
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import is_code, kind_of_change, kind_of_request, runs
from setpoint.model.evidence import TestReport, whole_suite
from setpoint.model.proof import Obligation, ObligationState, Proof, ProofTerms, Trust, WorkKind
from setpoint.ports import Measured
from setpoint.system.git.git import changed_files, contents

_MOST_NAMED = 20
_SHOWN = 3
_NEEDS_WITNESS = (WorkKind.BEHAVIOUR, WorkKind.REPAIR)
_MET, _NOT_MET, _NONE = ObligationState.MET, ObligationState.NOT_MET, ObligationState.NOT_APPLICABLE
_ORDER = tuple(Trust)


class Sabotaged(NamedTuple):
    """What the tests made of one function's sabotage."""

    function: ChangedFunction
    reached: bool
    """Whether any test entered it."""
    survived: str
    """What no test noticed, in words; empty where each sabotage was noticed."""


@dataclass(frozen=True, kw_only=True)
class _Subject:
    """The change that is to be proved."""

    task: Task
    base: Measurements
    place: Measured
    """The result, checked out."""
    plan: Plan
    target: Target
    now: Measurements
    before: Mapping[str, bytes]
    """Changed files at the base, by path."""
    after: Mapping[str, bytes]

    @property
    def paths(self) -> tuple[str, ...]:
        """Return all paths that differ from the base."""
        return tuple(dict.fromkeys((*self.before, *self.after)))

    @property
    def of_tests(self) -> tuple[str, ...]:
        """Return those of them that hold tests, or belong to tests."""
        known = collected(tests_of(self.base))
        return tuple(path for path in self.paths if is_test_path(path) or path in known)


@dataclass(frozen=True, kw_only=True)
class Prover:
    """Proves trees of one project."""

    measuring: Measuring

    async def prove(self, task: Task, place: Measured, terms: ProofTerms) -> Proof:
        """Measure what the change of a tree must prove; the tree itself has passed every other check."""
        if task.base is None:
            raise ValueError("nothing can be proved of the base itself")
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            subject = await self._subject(task, task.base, place, Path(scratch))
            wanted = kind_of_request(task.story)
            work, why = kind_of_change(*wanted, subject.paths)
            witnesses, seen = await self._witness(subject, work, terms)
            noticed = await self._sensitivity(subject, work, seen, terms.seconds, Path(scratch))
        return Proof(
            work=work,
            why=why,
            required=terms.required,
            obligations=(witnesses, noticed),
            trust=min((each.trust for each in seen), key=_ORDER.index, default=None),
        )

    async def _subject(self, task: Task, base: Measurements, place: Measured, scratch: Path) -> _Subject:
        quiet = replace(self.measuring, told=lambda *_: None)
        root = place.copy.path
        changed = await changed_files(root, base.commit, place.commit)
        return _Subject(
            task=task,
            base=base,
            place=place,
            plan=quiet.plan(task, place.copy.trace_id, scratch),
            target=await quiet.target(task, place),
            now=await quiet.measure(task, place),
            before=await contents(root, base.commit, changed),
            after=await contents(root, place.commit, changed),
        )

    async def _witness(
        self, subject: _Subject, work: WorkKind, terms: ProofTerms
    ) -> tuple[Obligation, tuple[Witness, ...]]:
        """Look for witnesses: failing tests that pass now, acceptance commands, the change's own tests."""
        if work not in _NEEDS_WITNESS:
            return Obligation(name="witness", state=_NONE, reason=_no_witness(work)), ()
        passed = witness.passed_in(subject.now.tests)
        found = list(witness.mended(subject.base.tests, passed))
        if work is WorkKind.REPAIR:
            found += witness.built(subject.base.results, subject.now.results)
        reasons: list[str] = []
        if subject.task.story.acceptance or not found:
            more, reasons = await self._beside_the_base(subject, passed)
            found += more
        counting = [each for each in found if _ORDER.index(each.trust) <= _ORDER.index(terms.witness)]
        if counting:
            shown = "; ".join(map(str, counting[:_SHOWN]))
            reason = f"{len(counting)} fail without the change and pass with it: {shown}"
            reason += "".join(f"; {other}" for other in reasons if "proves nothing" in other)
            names = tuple(each.name for each in counting[:_MOST_NAMED])
            return Obligation(name="witness", state=_MET, reason=reason, evidence=names), tuple(counting)
        if found:
            reasons.append(f"proof.witness asks for '{terms.witness}', and there is only '{found[0].trust}'")
        missing = "no test and no acceptance command fails without the change and passes with it"
        reason = f"{'; '.join([missing, *reasons])}: write a test that fails without the change"
        return Obligation(name="witness", state=_NOT_MET, reason=reason), ()

    async def _beside_the_base(
        self, subject: _Subject, passed: frozenset[str]
    ) -> tuple[list[Witness], list[str]]:
        """Ask the change's own tests, and the acceptance commands, of the code of the base."""
        before = subject.base.tests.outcomes if subject.base.tests else {}
        asked = [
            test
            for test in sorted(passed)
            if test not in before or test.partition("::")[0] in subject.of_tests
        ]
        checks = subject.plan.acceptance()
        if not asked and not checks:
            return [], ["the change adds no test"]
        found: list[Witness] = []
        reasons = ["the change adds no test"]
        files = sorted({test.partition("::")[0] for test in asked if "::" in test})
        control = TestReport(outcomes={})
        if asked:
            control = await _run(subject, asked, await _checked_out(subject))
        there = await self._base_with_all_but_code(subject)
        if asked:
            report = await _run(subject, (*asked, *files), there)
            own, other = witness.added(asked, report, witness.passed_in(control))
            found += own
            reasons = [other] if other and not own else []
        if checks:
            at_base = [await check.run(there) for check in checks]
            words = {each.name: each.command for each in checks}
            ran, other = witness.commands(at_base, subject.now.results, words)
            found += ran
            reasons += [other] if other else []
        return found, reasons

    async def _base_with_all_but_code(self, subject: _Subject) -> Measured:
        """Check out the base with all of the change but its code: tests, documents and data are there."""
        place = _other_place(subject)
        code = subject.place._replace(commit=subject.base.commit)
        paths = tuple(path for path in subject.paths if path in subject.of_tests or not is_code(path))
        aside = Aside(place=place, base=subject.place.commit, paths=paths, known=frozenset())
        there = await (aside.as_at_base(code) if aside.paths else aside.as_it_is(code))
        await asyncio.to_thread(link, subject.task.project, place)
        return there

    async def _sensitivity(
        self,
        subject: _Subject,
        work: WorkKind,
        seen: tuple[Witness, ...],
        most_s: float,
        scratch: Path,
    ) -> Obligation:
        """Sabotage each changed function and see whether the tests notice."""
        functions, outside = _changed(subject)
        if not functions:
            reason = outside or "no function of a language that Setpoint can sabotage is changed"
            return Obligation(name="sensitivity", state=_NONE, reason=reason)
        there = await _checked_out(subject)
        passed = _asked_of(subject, work)
        witnesses = frozenset(each.name for each in seen) & passed
        until = time.monotonic() + most_s
        made = list[Sabotaged]()
        for number, function in enumerate(functions):
            if time.monotonic() > until:
                break
            mark = scratch / str(number)
            made.append(await _sabotage(subject, function, there, (witnesses, passed), mark))
        return _judged(functions, made, outside)


def _other_place(subject: _Subject) -> Path:
    return place_beside(Path(subject.place.copy.path), "other")


async def _checked_out(subject: _Subject) -> Measured:
    """Check out the result in the place in which it is compared and sabotaged."""
    place = _other_place(subject)
    await put_at(place, repository_of(subject.place.copy), subject.place.commit)
    await asyncio.to_thread(link, subject.task.project, place)
    return subject.place._replace(copy=subject.place.copy._replace(path=str(place)))


async def _sabotage(
    subject: _Subject,
    function: ChangedFunction,
    there: Measured,
    asked: tuple[frozenset[str], frozenset[str]],
    mark: Path,
) -> Sabotaged:
    """Let a function raise, then return nothing: each time a test that passes on the result must fail."""
    file, source = Path(there.copy.path) / function.path, subject.after[function.path]
    tests = [_speaking(subject, function, each) for each in asked]
    for number, (does, sabotage) in enumerate(function.sabotages.items()):
        done = mark.with_name(f"{mark.name}-{number}")
        await asyncio.to_thread(file.write_bytes, function.sabotaged(source, sabotage, done))
        noticed = await _notices(subject, tests, there)
        await asyncio.to_thread(file.write_bytes, source)
        if not noticed and does == "raises" and not done.exists():
            return Sabotaged(function, reached=False, survived="")
        if not noticed and (done.exists() or not function.marks):
            return Sabotaged(function, reached=True, survived=does)
    return Sabotaged(function, reached=True, survived="")


def _speaking(subject: _Subject, function: ChangedFunction, tests: frozenset[str]) -> list[str]:
    """Return the tests in the language of a function."""
    chosen, own = subject.task.project.chosen, suffix_of(function.path)
    runners = {".go": ("go_test",), ".rs": ("cargo_test",), "": ("",)}.get(
        own, ("vitest", "jest", "node_test")
    )
    return sorted(test for test in tests if owner(test, chosen) in runners)


async def _notices(subject: _Subject, asked: list[list[str]], there: Measured) -> bool:
    """Run the witnesses, and where they stay green every test that passes on the result.

    In languages that are compiled a failing build does not count as a failing test.
    """
    for tests in asked:
        red = (await _run(subject, tests, there)).red if tests else frozenset[str]()
        python = bool(tests) and not owner(tests[0], subject.task.project.chosen)
        if red and (python or red & set(tests)):
            return True
    return False


async def _run(subject: _Subject, tests: Collection[str], there: Measured) -> TestReport:
    """Run some tests in a place; what broke altogether gives an empty report."""
    checks = subject.plan.selection(subject.target, tuple(tests))
    results = [await check.run(there) for check in checks]
    return whole_suite(each.tests for each in results if each.tests is not None) or TestReport(outcomes={})


def _asked_of(subject: _Subject, work: WorkKind) -> frozenset[str]:
    """Return the tests that have to notice: for a refactoring those of the base."""
    passed = witness.passed_in(subject.now.tests)
    return passed & witness.passed_in(subject.base.tests) if work is WorkKind.REFACTOR else passed


def _changed(subject: _Subject) -> tuple[tuple[ChangedFunction, ...], str]:
    """Return the changed functions outside the tests, and what else changed, in words."""
    functions: list[ChangedFunction] = []
    others: list[str] = []
    for path, new in subject.after.items():
        if path in subject.of_tests or not runs(path):
            continue
        old = subject.before.get(path)
        if path.endswith(".py"):
            found, outside = changed_python(path, old, new)
            functions += found
            others += outside
        elif suffix_of(path) and (found_here := changed_elsewhere(path, old, new)) is not None:
            functions += found_here
            others += [] if found_here else [f"code outside functions in {path}"]
        elif suffix_of(path):
            others.append(f"{path}, for which the extra `setpoint[languages]` is not installed")
        else:
            others.append(f"{path}, which Setpoint cannot sabotage")
    named = f"changed, but not sabotaged: {', '.join(others[:_SHOWN])}" if others else ""
    return tuple(functions), named


def _judged(functions: tuple[ChangedFunction, ...], made: list[Sabotaged], outside: str) -> Obligation:
    survived = list(dict.fromkeys(f"{each.function} {each.survived}" for each in made if each.survived))
    reached = [each for each in made if each.reached]
    unreached = list(dict.fromkeys(str(each.function) for each in made if not each.reached))
    names = tuple(str(each.function) for each in reached[:_MOST_NAMED])
    if survived:
        reason = f"no test notices when {_listed(survived)}: write a test that asserts what it does"
        return Obligation(name="sensitivity", state=_NOT_MET, reason=reason, evidence=names)
    if not reached:
        reason = f"no test enters {_listed(unreached)}: write a test that does, and asserts what comes out"
        return Obligation(name="sensitivity", state=_NOT_MET, reason=reason)
    notes = [f"tests notice when {len(reached)} of {len(functions)} changed functions are sabotaged"]
    if unreached:
        notes.append(f"no test enters {_listed(unreached)}")
    if left := [str(each) for each in functions[len(made) :]]:
        notes.append(f"no time was left for {_listed(left)}")
    notes += [outside] if outside else []
    return Obligation(name="sensitivity", state=_MET, reason="; ".join(notes), evidence=names)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def _no_witness(work: WorkKind) -> str:
    return {
        WorkKind.REFACTOR: "a refactoring must change no outcome; the tests of the base say whether it does",
        WorkKind.TESTS: "tests alone change; what the new ones notice is not measured",
        WorkKind.DOCS: "nothing that runs changes",
        WorkKind.CHORE: "configuration alone changes; all tests of the base must come out as before",
    }[work]
