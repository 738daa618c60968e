"""Sabotage each changed function: a test that passes on the result must notice."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.proof import witness
from setpoint.checks.proof.changed_function import ChangedFunction
from setpoint.checks.proof.other_functions import changed_elsewhere, suffix_of
from setpoint.checks.proof.python_functions import changed_python
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.checks.proof.witness import Witness
from setpoint.checks.suites.package_suite import owner
from setpoint.model.changes.work_kind import runs
from setpoint.model.proof import Obligation, ObligationState, WorkKind
from setpoint.ports import Measured

_NAME = "sensitivity"
_SHOWN = 3


class Sabotaged(NamedTuple):
    """What the tests made of one function's sabotage."""

    function: ChangedFunction
    reached: bool
    """Whether any test entered it."""
    survived: str
    """What no test noticed, in words; empty where each sabotage was noticed."""


async def sensitivity(subject: Subject, witnesses: tuple[Witness, ...]) -> Obligation:
    """Sabotage each changed function and see whether the tests notice."""
    functions, outside = _changed(subject)
    if not functions:
        reason = outside or "no function of a language that Setpoint can sabotage is changed"
        return Obligation(name=_NAME, state=ObligationState.NOT_APPLICABLE, reason=reason)
    there = await subject.checked_out()
    passed = _asked_of(subject)
    named = frozenset(each.name for each in witnesses) & passed
    until = time.monotonic() + subject.terms.seconds
    made = list[Sabotaged]()
    for number, function in enumerate(functions):
        if time.monotonic() > until:
            break
        mark = subject.scratch / str(number)
        made.append(await _sabotage(subject, function, there, (named, passed), mark))
    return _judged(functions, made, outside)


async def _sabotage(
    subject: Subject,
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


def _speaking(subject: Subject, function: ChangedFunction, tests: frozenset[str]) -> list[str]:
    """Return the tests in the language of a function."""
    chosen, own = subject.task.project.chosen, suffix_of(function.path)
    runners = {".go": ("go_test",), ".rs": ("cargo_test",), "": ("",)}.get(
        own, ("vitest", "jest", "node_test")
    )
    return sorted(test for test in tests if owner(test, chosen) in runners)


async def _notices(subject: Subject, asked: list[list[str]], there: Measured) -> bool:
    """Run the witnesses, and where they stay green every test that passes on the result.

    In languages that are compiled a failing build does not count as a failing test.
    """
    for tests in asked:
        red = (await subject.run_tests(tests, there)).red if tests else frozenset[str]()
        python = bool(tests) and not owner(tests[0], subject.task.project.chosen)
        if red and (python or red & set(tests)):
            return True
    return False


def _asked_of(subject: Subject) -> frozenset[str]:
    """Return the tests that have to notice: for a refactoring those of the base."""
    passed = witness.passed_in(subject.now.tests)
    return passed & witness.passed_in(subject.base.tests) if subject.work is WorkKind.REFACTOR else passed


def _changed(subject: Subject) -> tuple[tuple[ChangedFunction, ...], str]:
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
    names = tuple(str(each.function) for each in reached[:MOST_NAMED])
    if survived:
        reason = f"no test notices when {listed(survived)}: write a test that asserts what it does"
        return Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason, evidence=names)
    if not reached:
        reason = f"no test enters {listed(unreached)}: write a test that does, and asserts what comes out"
        return Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason)
    notes = [f"tests notice when {len(reached)} of {len(functions)} changed functions are sabotaged"]
    if unreached:
        notes.append(f"no test enters {listed(unreached)}")
    if left := [str(each) for each in functions[len(made) :]]:
        notes.append(f"no time was left for {listed(left)}")
    notes += [outside] if outside else []
    return Obligation(name=_NAME, state=ObligationState.MET, reason="; ".join(notes), evidence=names)
