"""Prove that code under test does not hide a failing test from a command that is judged by its exit code.

Each statement of the tests says that it is reached, at the base and on the result. The result must reach the
statement at which the base failed; what waits has to continue; and failures in blocks that other code
runs have to be noticed.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks.proof.instrument.given import never_called
from setpoint.checks.proof.instrument.python_steps import python_steps
from setpoint.checks.proof.instrument.script_steps import script_steps
from setpoint.checks.proof.instrument.steps import Step, Stepped
from setpoint.checks.proof.subject import Subject
from setpoint.checks.proof.witness import witness
from setpoint.ports import Measured

_ANSWER = "let the code under test answer, so that each test runs to its end"
_RAISE = "let each failure of a test end the command with a failure"
_MOST_TRIED = 8
_LOGS = ".setpoint-steps"
"""A folder of the measured copy, as commands may write to that alone; it is removed."""
_JUDGES = re.compile(r"[=!<>]=|\bassert|\bexpect|\bcheck|\bequal|\bthrow\b|\braise\b|\bfail", re.IGNORECASE)
_ASSERTS = re.compile(r"^assert\s|\b(?:assert|expect)[\w.]*\s*\(", re.IGNORECASE)
_FORBIDS = re.compile(r"\.(?:fail|ifError)\(|\bassert (?:False|0)\b")
_ENDS = re.compile(r"\b(?:_?exit|quit|abort|SystemExit|kill)\b")
_FAILS = re.compile(r"\bthrow\b|\braise\b|\b_?exit\b|\bexitCode\b|\bfail", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Followed:
    """What following the statements of the tests showed."""

    hidden: str = ""
    """What hides a failure, and what to do; empty where nothing does."""
    note: str = ""
    """Why nothing could be said; empty where something was."""


@dataclass(frozen=True, kw_only=True)
class _Reached:
    """What became of one file of tests with its steps."""

    file: Stepped
    now: Sequence[int]
    """The steps that the result reached, in their order."""
    base: Sequence[int]
    """The same at the base; empty where it did not fail there."""


async def steps_fail(
    subject: Subject, tests: tuple[str, ...], paths: Iterable[str], until: float
) -> Followed:
    """Follow the statements of the files of tests, and make some of them fail."""
    there = await subject.checked_out()
    files = [each for path in paths if (each := await asyncio.to_thread(_read, there, path)) is not None]
    if not files:
        return Followed()
    failed = not _passed_at_base(subject, tests)
    base = await _logged(subject, await subject.without_its_code(), tests, files) if failed else None
    there = await subject.checked_out()
    now = await _logged(subject, there, tests, files)
    if not now.passed:
        return Followed(
            note="statements were not followed: the command does not pass while they are numbered"
        )
    reached = [
        _Reached(file=file, now=now.of(file.path), base=base.of(file.path) if base else ()) for file in files
    ]
    for one in reached:
        said = _never_reached(one) or _unasserted(one, subject.after) or _uncalled(one, subject.after)
        if one.now and said:
            return Followed(hidden=f"{said}: {_ANSWER}")
    tried = [(one, *each) for one in reached for each in _to_try(one, subject.after)]
    for one, number, certain in sorted(tried, key=lambda each: not each[2])[:_MOST_TRIED]:
        if time.monotonic() > until:
            return Followed(note="no time was left to make more statements fail")
        like = one.file.own_text(one.base[-1]) if one.base else ""
        for how in dict.fromkeys(("", like)):
            step = (one.file, number, how)
            if said := await _swallowed(subject, there, tests, step, certain=certain):
                return Followed(hidden=f"{said}: {_RAISE}")
    return Followed()


@dataclass(frozen=True, kw_only=True)
class _Logged:
    passed: bool
    numbers: dict[str, tuple[int, ...]]

    def of(self, path: str) -> tuple[int, ...]:
        return self.numbers.get(path, ())


def _passed_at_base(subject: Subject, tests: Collection[str]) -> bool:
    return witness.passed_in(subject.base.tests).issuperset(tests)


def _read(there: Measured, path: str) -> Stepped | None:
    file = Path(there.copy.path) / path
    if not file.is_file():
        return None
    text = file.read_bytes().decode("utf-8", "replace")
    return python_steps(path, text) if path.endswith(".py") else script_steps(path, text)


async def _logged(
    subject: Subject, there: Measured, tests: tuple[str, ...], files: Sequence[Stepped]
) -> _Logged:
    """Run the command with all steps numbered, and read which it reached."""
    tree = Path(there.copy.path).resolve()
    logs = tree / _LOGS
    logs.mkdir(exist_ok=True)
    same = [each for each in files if _read(there, each.path) == each]
    for number, each in enumerate(same):
        (tree / each.path).write_text(each.marked(logs / str(number), tree), "utf-8")
    report = await subject.run_tests(tests, there)
    numbers = {each.path: _numbers(logs / str(number)) for number, each in enumerate(same)}
    for each in same:
        (tree / each.path).write_text(each.text, "utf-8")
    await asyncio.to_thread(shutil.rmtree, logs, ignore_errors=True)
    return _Logged(passed=witness.passed_in(report).issuperset(tests), numbers=numbers)


def _numbers(log: Path) -> tuple[int, ...]:
    return tuple(map(int, log.read_text("ascii").split())) if log.exists() else ()


def _never_reached(reached: _Reached) -> str:
    """Say which step of the tests the result does not reach though it has to."""
    steps, there = reached.file.steps, set(reached.now)
    stopped = _where_base_failed(reached)
    if stopped is not None and stopped not in there:
        return _said(reached.file, steps[stopped], "is never reached, where it failed before")
    last = _last_of_file(steps)
    ends = any(_ENDS.search(reached.file.own_text(number)) for number in there)
    if last is not None and last not in there and not ends:
        return _said(reached.file, steps[last], "is never reached: something ends the process before")
    entered = {steps[number].function for number in there}
    for number, step in enumerate(steps):
        judges = step.is_end and _JUDGES.search(reached.file.text[slice(*step.block)])
        if judges and step.function in entered and number not in there:
            return _said(reached.file, step, "never comes to its end: what it waits for never comes")
    for number in there:
        step = steps[number]
        after = next((other for other in range(number + 1, len(steps)) if _follows(steps[other], step)), None)
        if step.waits and after is not None and after not in there:
            return _said(reached.file, steps[after], "is never reached: what it waits for never comes")
        if step.callbacks and entered.isdisjoint(step.callbacks):
            return _said(reached.file, step, "waits for a promise that never settles")
    return ""


def _unasserted(reached: _Reached, changed: Iterable[str]) -> str:
    """Say that no assertion is reached of those in the statement at which the base failed, or of the file."""
    file, there = reached.file, set(reached.now)
    asserts = {number for number in range(len(file.steps)) if _asserts(file.own_text(number))}
    stopped = _where_base_failed(reached)
    if stopped is not None:
        within = file.steps[stopped]
        inside = {each for each in asserts if within.start < file.steps[each].start < within.end}
        if inside and inside.isdisjoint(there):
            return _said(
                file, file.steps[min(inside)], "is never reached, and the base failed at what contains it"
            )
    if not asserts or not there.isdisjoint(asserts) or not _names(file.text, changed):
        return ""
    return _said(file, file.steps[min(asserts)], "is never reached, and neither is another assertion")


def _uncalled(reached: _Reached, changed: Iterable[str]) -> str:
    """Say that a function with an assertion, which the code under test is given, is never called."""
    file, steps = reached.file, [reached.file.steps[number] for number in reached.now]
    if not _names(file.text, changed):
        return ""
    entered, places = {each.function for each in steps}, {(each.start, each.end) for each in steps}
    numbered = {each.function for each in file.steps}
    given = [each for each in file.given if each.start in numbered]
    found = never_called(file.text, given, entered, places)
    if found is None:
        return ""
    first = next(each for each in file.steps if each.function == found.start)
    return _said(file, first, "is never reached, in a function that other code is given to call")


def _asserts(text: str) -> bool:
    """Whether a statement asserts something, other than that it is not reached."""
    return _ASSERTS.search(text) is not None and _FORBIDS.search(text) is None


def _names(text: str, changed: Iterable[str]) -> bool:
    """Whether a text names one of some files without its folder and ending."""
    stems = [re.escape(path.rpartition("/")[2].partition(".")[0]) for path in changed]
    return bool(stems) and re.search(rf"\b(?:{'|'.join(stems)})\b", text) is not None


def _last_of_file(steps: Sequence[Step]) -> int | None:
    """Return the last step outside of functions that each run has to reach."""
    outside = [number for number, step in enumerate(steps) if step.function < 0 and not step.depends]
    return outside[-1] if outside else None


def _follows(step: Step, other: Step) -> bool:
    return step.block == other.block and step.start >= other.end and not step.is_end


def _where_base_failed(reached: _Reached) -> int | None:
    """Return the last step at the base that the result has to reach as well."""
    steps, there = reached.file.steps, set(reached.now)
    entered = {steps[number].function for number in there}
    for number in reversed(reached.base):
        step = steps[number]
        if step.is_end:
            continue
        if number in there:
            return number
        fails = _FAILS.search(reached.file.text[step.start : step.end]) is not None
        if step.settled and not fails:
            return number
        if step.function in entered and not step.depends:
            return number
    return None


def _to_try(reached: _Reached, changed: Iterable[str]) -> Iterator[tuple[int, bool]]:
    """Yield steps that should be noticed when they fail, and whether the base shows that they are."""
    steps, there = reached.file.steps, set(reached.now)
    stopped = _where_base_failed(reached)
    if stopped is not None:
        yield stopped, stopped == reached.base[-1]
    speaks = _names(reached.file.text, changed)
    for number, step in enumerate(steps):
        judges = _JUDGES.search(reached.file.text[slice(*step.block)])
        if speaks and number in there and step.guarded and judges and number != stopped:
            yield number, False


async def _swallowed(
    subject: Subject,
    there: Measured,
    tests: tuple[str, ...],
    step: tuple[Stepped, int, str],
    *,
    certain: bool,
) -> str:
    """Say that a failure in a step is kept from the command.

    A block that wants a failure notices when it does nothing; one that notices neither shows nothing.
    """
    file, number, like = step
    tree = Path(there.copy.path).resolve()
    logs = tree / _LOGS
    logs.mkdir(exist_ok=True)
    try:
        (tree / file.path).write_text(file.marked(logs / "0", tree, fails=number, like=like), "utf-8")
        noticed = await _notices(subject, there, tests) or number not in _numbers(logs / "0")
        if not noticed and not certain:
            (tree / file.path).write_text(file.without(file.steps[number]), "utf-8")
            noticed = await _notices(subject, there, tests)
    finally:
        (tree / file.path).write_text(file.text, "utf-8")
        await asyncio.to_thread(shutil.rmtree, logs, ignore_errors=True)
    return "" if noticed else _said(file, file.steps[number], "may fail and nothing notices it")


async def _notices(subject: Subject, there: Measured, tests: tuple[str, ...]) -> bool:
    return not witness.passed_in(await subject.run_tests(tests, there)).issuperset(tests)


def _said(file: Stepped, step: Step, what: str) -> str:
    return f"line {step.line} of {file.path} (`{file.shown(step)}`) {what}"
