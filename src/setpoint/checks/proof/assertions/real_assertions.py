"""Judge whether each new assertion can fail: turned round, it has to turn its test red."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.checks.proof.assertions.assertion import Assertion, Assertions, Owner, edited
from setpoint.checks.proof.assertions.other_assertions import other_assertions
from setpoint.checks.proof.assertions.python_assertions import python_assertions
from setpoint.checks.proof.sensitivity.sabotage import limit_of
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.checks.proof.witness import witness
from setpoint.model.proof import Obligation, ObligationState, WorkKind
from setpoint.ports import Measured

_NAME = "assertions"
_LEAVES_OUT = (WorkKind.DOCS, WorkKind.CHORE)
_SHARE = 0.25
"""Of the time for sabotage, what turning assertions round may take; all of it where tests are the work."""

_IDLE = "stays green when it is turned round, as nothing reaches it or its failure is caught"


async def real_assertions(subject: Subject) -> tuple[Obligation, ...]:
    """Turn each assertion of the new tests round, one of each test at a time: the test has to fail."""
    new = frozenset() if subject.work in _LEAVES_OUT else _new_tests(subject)
    held = _held(subject, new)
    if not held:
        return ()
    every = [each for file in held for owner in file.owners for each in owner.assertions]
    if not every:
        return ()
    turned = await _Turned.of(subject, held, new)
    empty = [f"{each} ({each.empty})" for each in every if each.empty]
    idle = [str(each) for each in every if not each.empty and turned.is_idle(each, every)]
    if empty or idle:
        said = [f"can never fail: {listed(empty)}"] if empty else []
        said += [f"{_IDLE}: {listed(idle)}"] if idle else []
        reason = f"{'; '.join(said)}: let it fail where the code is wrong, or remove it"
        return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)
    red = [str(each) for each in every if each in turned.red]
    if not red:
        return ()
    notes = [f"{len(red)} of {len(every)} assertions of the new tests fail when they are turned round"]
    if left := len(every) - len(turned.tried):
        notes.append(f"no time was left for {left}")
    evidence = tuple(red[:MOST_NAMED])
    return (Obligation(name=_NAME, state=ObligationState.MET, reason="; ".join(notes), evidence=evidence),)


def _new_tests(subject: Subject) -> frozenset[str]:
    before = subject.base.tests.outcomes if subject.base.tests else {}
    return witness.passed_in(subject.now.tests) - before.keys()


@dataclass(frozen=True, kw_only=True)
class _File:
    """One file of tests, with what is new in it."""

    path: str
    source: bytes
    more: str
    owners: tuple[Owner, ...]
    tests: dict[str, tuple[str, ...]]
    """New tests by the name of the owner; those that may call it, where it is none itself."""


def _held(subject: Subject, new: frozenset[str]) -> list[_File]:
    """Return the changed files of tests, with owners that are new or changed and that a new test runs."""
    found: list[_File] = []
    for path in subject.after if new else ():
        inline = path.endswith(".rs")
        if path not in subject.of_tests and not inline:
            continue
        now, before = _read(path, subject.after[path]), _read(path, subject.before.get(path, b""))
        known = {each.body for each in before.owners}
        tests = {each.name: _tests_of(path, each, new) for each in now.owners if each.is_test}
        every = tuple(dict.fromkeys(test for each in tests.values() for test in each))
        if not every:
            continue
        spoken = _spoken(now.owners, {name for name, own in tests.items() if own})
        tests |= {each.name: every for each in now.owners if not each.is_test and _last(each.name) in spoken}
        owners = tuple(each for each in now.owners if tests.get(each.name) and each.body not in known)
        found.append(_File(path=path, source=subject.after[path], more=now.more, owners=owners, tests=tests))
    return found


def _read(path: str, source: bytes) -> Assertions:
    return python_assertions(path, source) if path.endswith(".py") else other_assertions(path, source)


def _tests_of(path: str, owner: Owner, new: frozenset[str]) -> tuple[str, ...]:
    """Return the new tests that are cases of a function, or of a title."""
    if path.endswith(".py"):
        return tuple(test for test in sorted(new) if test.partition("[")[0] == f"{path}::{owner.name}")
    if path.endswith((".go", ".rs")):
        return tuple(test for test in sorted(new) if owner.name in re.split(r"::|/", test.partition("::")[2]))
    return tuple(test for test in sorted(new) if test.startswith(f"{path}::") and test.endswith(owner.name))


def _spoken(owners: Sequence[Owner], tests: Iterable[str]) -> set[str]:
    """Return the names that new tests mention, and what these mention in turn."""
    by_name: dict[str, list[Owner]] = {}
    for each in owners:
        by_name.setdefault(_last(each.name), []).append(each)
    words: set[str] = set()
    waiting = [each for each in owners if each.name in set(tests)]
    while waiting:
        more = waiting.pop().words - words
        words |= more
        waiting += [owner for word in more for owner in by_name.get(word, ()) if not owner.is_test]
    return words


def _last(name: str) -> str:
    return name.rpartition("::")[2]


@dataclass(kw_only=True)
class _Turned:
    """Assertions that were turned round, and what became of the tests."""

    subject: Subject
    there: Measured
    files: list[_File]
    limit_s: float
    until: float
    red: set[Assertion] = field(default_factory=set)
    tried: set[Assertion] = field(default_factory=set)

    @classmethod
    async def of(cls, subject: Subject, files: list[_File], new: frozenset[str]) -> _Turned:
        """Turn assertions round while there is time; what stays green is tried once more by itself."""
        there = await subject.checked_out()
        share = 1.0 if subject.work is WorkKind.TESTS else _SHARE
        began_s = time.monotonic()
        asked = sorted({test for file in files for own in file.tests.values() for test in own} & new)
        await subject.run_tests(asked, there)
        limit_s = limit_of(subject, asked, time.monotonic() - began_s)
        until = began_s + share * subject.terms.seconds
        made = cls(subject=subject, there=there, files=files, limit_s=limit_s, until=until)
        for each in made._rounds():
            await made._turn(each)
        for assertion in [each for each in made.tried if each not in made.red]:
            await made._turn([assertion])
        return made

    def is_idle(self, assertion: Assertion, every: Sequence[Assertion]) -> bool:
        """Whether a test stays green; not where another branch is taken, or for another platform."""
        if assertion not in self.tried or assertion in self.red or assertion.elsewhere:
            return False
        return not any(
            mine.condition == other.condition and each.path == assertion.path and mine.branch != other.branch
            for each in every
            if each in self.red
            for mine in assertion.arms
            for other in each.arms
        )

    def _rounds(self) -> Iterable[list[Assertion]]:
        """Yield assertions that are turned round together: one of each test, then those of others alone."""
        owners = [owner for file in self.files for owner in file.owners]
        tests = [[each for each in owner.assertions if each.edits] for owner in owners if owner.is_test]
        for place in range(max(map(len, tests), default=0)):
            yield [own[place] for own in tests if place < len(own)]
        for owner in owners:
            if not owner.is_test:
                yield from ([each] for each in owner.assertions if each.edits)

    async def _turn(self, assertions: list[Assertion]) -> None:
        """Run the tests of some assertions with these turned round."""
        if time.monotonic() > self.until:
            return
        paths = {each.path for each in assertions}
        files = [file for file in self.files if file.path in paths]
        for file in files:
            edits = [edit for each in assertions if each.path == file.path for edit in each.edits]
            await self._write(file.path, edited(file.source, edits, file.more))
        asked = {each: self._tests(each) for each in assertions}
        tests = sorted({test for own in asked.values() for test in own})
        report = await self.subject.run_tests(tests, self.there, self.limit_s)
        for file in files:
            await self._write(file.path, file.source)
        passed = witness.passed_in(report)
        for each, own in asked.items():
            self.tried.add(each)
            if not set(own) <= passed:
                self.red.add(each)

    def _tests(self, assertion: Assertion) -> tuple[str, ...]:
        return next(file.tests[assertion.owner] for file in self.files if file.path == assertion.path)

    async def _write(self, path: str, content: bytes) -> None:
        await asyncio.to_thread((Path(self.there.copy.path) / path).write_bytes, content)
