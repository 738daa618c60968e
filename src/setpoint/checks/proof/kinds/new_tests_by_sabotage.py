"""Sabotage the functions that new tests name, where mutants cannot be judged."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path

from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction
from setpoint.checks.proof.sensitivity.other_functions import changed_elsewhere, suffix_of
from setpoint.checks.proof.sensitivity.python_functions import changed_python
from setpoint.checks.proof.sensitivity.sabotage import RAISES, limit_of, new_mark, speaking
from setpoint.checks.proof.subject import Subject
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import runs
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
    limit_s = limit_of(time.monotonic() - began_s)
    until = began_s + subject.terms.seconds
    tried, noticed = 0, set[str]()
    for function in functions:
        asked = [test for test in speaking(subject, function, frozenset(new)) if test not in noticed]
        if not asked or time.monotonic() > until:
            continue
        tried += 1
        file, source = Path(there.copy.path) / function.path, sources[function.path]
        for does, sabotage in function.sabotages.items():
            if does == RAISES and len(function.sabotages) > 1:
                continue
            made_useless = function.sabotaged(source, sabotage, new_mark(there))
            await asyncio.to_thread(file.write_bytes, made_useless)
            noticed |= (await subject.run_tests(asked, there, limit_s)).red & set(asked)
            await asyncio.to_thread(file.write_bytes, source)
    return tried, frozenset(noticed)


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
