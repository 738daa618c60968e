"""Sabotage the functions that new tests name, where mutants cannot be judged."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Sabotage
from setpoint.checks.proof.sensitivity.other_functions import changed_elsewhere, suffix_of
from setpoint.checks.proof.sensitivity.python_functions import changed_python
from setpoint.checks.proof.sensitivity.sabotage import (
    OTHER,
    RAISES,
    Limit,
    failing,
    limits_of,
    new_mark,
    speaking,
)
from setpoint.checks.proof.subject import Subject
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import runs
from setpoint.ports import Measured
from setpoint.system.git.git import contents

_MOST_FUNCTIONS = 12
_MOST_FILES = 400


async def noticed_by_sabotage(subject: Subject, new: list[str]) -> tuple[int, frozenset[str]]:
    """Return how many functions were sabotaged, and which of the new tests failed on any of them.

    A function returns nothing or another value; it raises only where it can do nothing else, as a test that
    calls it and asserts nothing notices that, too.
    """
    functions, sources = await _named(subject)
    there = await subject.checked_out()
    began_s = time.monotonic()
    await subject.run_tests(new, there)
    limit = limits_of(subject, new, time.monotonic() - began_s)
    until = began_s + subject.terms.seconds
    tried, noticed = 0, set[str]()
    for function in functions:
        asked = [test for test in speaking(subject, function, frozenset(new)) if test not in noticed]
        if not asked or time.monotonic() > until:
            continue
        tried += 1
        place = _Place(
            subject=subject, there=there, function=function, source=sources[function.path], limit=limit
        )
        noticed |= await place.noticed(asked)
    return tried, frozenset(noticed)


@dataclass(frozen=True, kw_only=True)
class _Place:
    """One function, and where it is sabotaged."""

    subject: Subject
    there: Measured
    function: ChangedFunction
    source: bytes
    limit: Limit

    async def noticed(self, tests: list[str]) -> frozenset[str]:
        """Return the tests that notice when the function returns nothing or another value.

        One that notices only that nothing comes back does not count, if it sees values that could be others.
        """
        ways = {does: way for does, way in self.function.sabotages.items() if does != RAISES}
        seen = {does: await self._red(way, tests) for does, way in (ways or self.function.sabotages).items()}
        every = frozenset[str]().union(*seen.values())
        doubtful = every - seen.get(OTHER, every)
        if not doubtful or not self.function.probe:
            return every
        return every - await self._red(self.function.probe, sorted(doubtful))

    async def _red(self, sabotage: Sabotage, tests: list[str]) -> frozenset[str]:
        file = Path(self.there.copy.path) / self.function.path
        made_useless = self.function.sabotaged(self.source, sabotage, new_mark(self.there))
        await asyncio.to_thread(file.write_bytes, made_useless)
        red = failing(self.subject, tests, await self.subject.run_tests(tests, self.there, *self.limit))
        await asyncio.to_thread(file.write_bytes, self.source)
        return red


async def _named(subject: Subject) -> tuple[list[ChangedFunction], dict[str, bytes]]:
    """Return functions of the project that the files of the new tests mention, and the files they are in."""
    spoken = b"\n".join(subject.after[path] for path in subject.of_tests if path in subject.after)
    words = frozenset(re.findall(r"\w+", spoken.decode("utf-8", "replace")))
    files = [
        path
        for path in sorted(subject.target.files)
        if (path.endswith(".py") or suffix_of(path)) and runs(path) and not is_test_path(path)
    ]
    sources = await contents(subject.place.copy.path, subject.place.commit, files[:_MOST_FILES])
    found: list[ChangedFunction] = []
    for path, content in sources.items():
        python = path.endswith(".py")
        every = changed_python(path, None, content)[0] if python else changed_elsewhere(path, None, content)
        found += [each for each in every or () if re.findall(r"\w+", each.name)[-1] in words]
    return found[:_MOST_FUNCTIONS], sources
