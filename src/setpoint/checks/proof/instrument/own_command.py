"""Prove that a command judged by its exit code runs its tests to their end.

Code under test can end the process with success before the first assertion, and a command of several programs
still fails elsewhere. So one file of tests after the other gets a last statement that fails.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Collection, Iterator
from fnmatch import fnmatch
from pathlib import Path

from setpoint.checks.proof.instrument.last_statement import ENDS, at_its_end, with_last
from setpoint.checks.proof.instrument.own_steps import Followed, steps_fail
from setpoint.checks.proof.instrument.shell_words import words_changed
from setpoint.checks.proof.subject import Subject
from setpoint.checks.proof.witness import witness
from setpoint.checks.suites.failing_copy import BROKEN, STATEMENTS, is_named
from setpoint.checks.suites.package_suite import PackageSuite, owner
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import OWN_TESTS
from setpoint.model.proof import INSTRUMENT, Obligation, ObligationState
from setpoint.ports import Measured
from setpoint.system.git.git import files_at

_MOST_FILES = 6
_WORD = re.compile(r"[^\s\"'`;|&()<>=]+")
_SHELLS = ("sh", "bash")
_WORDS = "leave it as it was, or give it another name, so that the test decides by what it had before"
_STRICT = re.compile(r"^#!.*\s-\w*e|^\s*set\s+-(?:\w*e|o\s+errexit)", re.MULTILINE)
_LAX = re.compile(r"\bset\s+\+|\btrap\b")


async def runs_to_the_end(subject: Subject) -> Obligation | None:
    """Let files of tests fail in their last statement; none where no such command passed."""
    passed = [each for each in witness.passed_in(subject.now.tests) if _is_own(subject, each)]
    if not passed:
        return None
    there, tests = await subject.checked_out(), tuple(passed)
    until = time.monotonic() + subject.terms.seconds
    name = passed[0].partition("::")[2]
    known, ends, notes = list[str](), list[str](), list[str]()
    for path in await _files(subject, there, tests):
        if known and time.monotonic() > until:
            notes.append("no time was left for more")
            break
        file = Path(there.copy.path) / path
        text = await asyncio.to_thread(file.read_bytes)
        said = text.decode("utf-8", "replace")
        if await _notices(subject, there, tests, (file, with_last(said, statement_of(path, said)))):
            known.append(path)
        elif await _notices(subject, there, tests, (file, with_first(said, path))):
            if ENDS.search(at_its_end(said)[0]):
                ends.append(path)
                notes.append(f"{path} ends its process itself")
                continue
            reason = (
                f"`{name}` passes where {path} fails in its last statement: something ends its process with "
                "success before, or lets it continue after a failure; remove that, so that each test runs to "
                "its end"
            )
            return Obligation(name=INSTRUMENT, state=ObligationState.NOT_MET, reason=reason)
    followed = await _followed(subject, tests, (*known, *ends), until)
    if followed.hidden:
        reason = f"`{name}` passes, but {followed.hidden}"
        return Obligation(name=INSTRUMENT, state=ObligationState.NOT_MET, reason=reason)
    notes += [followed.note] if followed.note else []
    if not known:
        return None
    more = "".join(f"; {each}" for each in notes)
    reason = f"the command notices a failure in the last statement of {', '.join(known)}{more}"
    return Obligation(name=INSTRUMENT, state=ObligationState.MET, reason=reason)


async def _followed(
    subject: Subject, tests: tuple[str, ...], paths: tuple[str, ...], until: float
) -> Followed:
    """Ask shells for their words, and follow the statements of other files."""
    for path in paths:
        if path.rpartition(".")[2] in _SHELLS and (said := await words_changed(subject, tests, path)):
            return Followed(hidden=f"{said}: {_WORDS}")
    return await steps_fail(subject, tests, paths, until)


def with_first(text: str, path: str) -> str:
    """Let a file fail as soon as it is loaded, before what it imports."""
    broken = STATEMENTS["sh"] if path.rpartition(".")[2] in _SHELLS else BROKEN
    first, rest = text.split("\n", 1) if text.startswith("#!") and "\n" in text else ("", text)
    return f"{first}\n{broken}\n{rest}" if first else f"{broken}\n{rest}"


async def _notices(
    subject: Subject, there: Measured, tests: tuple[str, ...], change: tuple[Path, str]
) -> bool:
    """Whether a command fails with another text of a file."""
    file, text = change
    plain = await asyncio.to_thread(file.read_bytes)
    await asyncio.to_thread(file.write_text, text, "utf-8")
    report = await subject.run_tests(tests, there)
    await asyncio.to_thread(file.write_bytes, plain)
    return not witness.passed_in(report).issuperset(tests)


async def _files(subject: Subject, there: Measured, tests: tuple[str, ...]) -> list[str]:
    """Name the files of tests that the commands may run, those first that speak of the changed code."""
    commands = [*commands_of(subject, tests)]
    every = await files_at(there.copy.path, subject.place.commit)
    found = [
        path
        for path in every
        if path.rpartition(".")[2] in STATEMENTS
        and (is_test_path(path) or any(is_run_by(path, command) for command in commands))
        and (Path(there.copy.path) / path).is_file()
    ]
    names = {path.rpartition("/")[2].partition(".")[0] for path in subject.after}

    def far(path: str) -> bool:
        text = (Path(there.copy.path) / path).read_text("utf-8", "replace")
        return not any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)

    return (await asyncio.to_thread(lambda: sorted(found, key=lambda path: (far(path), path))))[:_MOST_FILES]


def is_run_by(path: str, command: str) -> bool:
    """Whether a command names a file, or by a pattern all files such as this."""
    patterns = (word.removeprefix("./") for word in _WORD.findall(command) if "*" in word)
    return is_named(path, command) or any(fnmatch(path, each.replace("**/", "*")) for each in patterns)


def commands_of(subject: Subject, tests: Collection[str]) -> Iterator[str]:
    """Yield the commands, judged by their exit code, that some tests are."""
    for check in subject.plan.selection(subject.target, tuple(tests)):
        if isinstance(check, PackageSuite) and check.name == OWN_TESTS:
            yield from (call.before for calls in check.calls.values() for call in calls)


def _is_own(subject: Subject, test: str) -> bool:
    return owner(test, subject.task.project.chosen) == OWN_TESTS


def statement_of(path: str, text: str) -> str:
    """Return what fails in a file; a shell that ends at a failure gets a command that fails."""
    ending = path.rpartition(".")[2]
    if ending in _SHELLS and _STRICT.search(text) and not _LAX.search(text):
        return "command false\ncommand true"
    return STATEMENTS[ending]
