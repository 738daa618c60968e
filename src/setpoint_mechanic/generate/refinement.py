"""The last look at new tests: all run together; what fails is taken out, and what makes older tests fail."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from setpoint.model.attempt import Breakage
from setpoint_mechanic.generate.engine import BROKEN, Engine
from setpoint_mechanic.generate.test_files import has_tests, is_test_name, without
from setpoint_probe.wire.reach import ReachResult

_MOST_ROUNDS = 6

Texts = Mapping[str, bytes]
"""Files of tests by path from the tree's root."""
Owns = Callable[[str], bool]
"""Whether a test, by its id, is one that may be taken out."""


async def refine(
    engine: Engine, green: Collection[str], owns: Owns, before: Texts
) -> tuple[list[str], ReachResult | None]:
    """Take out new tests that fail among all, and those that make tests fail which were green before.

    `before` holds the files of tests as they stood. Gives what was done, in words, and what
    the tests reach in the end; none where that could not be measured.
    """
    lines: list[str] = []
    reach = await engine.reach()
    for _ in range(_MOST_ROUNDS):
        if isinstance(reach, Breakage):
            return [*lines, f"Whether all hold together could not be measured: {reach.message}"], None
        failing = [test for test, outcome in reach.outcomes.items() if outcome in BROKEN]
        if broken := sorted(set(failing).intersection(green)):
            said = await _cleaned(engine, broken[0], [test for test in reach.outcomes if owns(test)], before)
        else:
            wrong = [test for test in failing if owns(test)]
            said = take_out(engine.tree, wrong, "it fails among the others", before)
        lines += said.lines
        if not said.changed:
            return lines, reach
        reach = await engine.reach()
    return lines, None if isinstance(reach, Breakage) else reach


async def _cleaned(engine: Engine, victim: str, suspects: Sequence[str], before: Texts) -> RemovedTests:
    """Take out the new test that makes an older one fail; all of them where no single one does."""
    polluter = await polluting(engine, victim, suspects)
    return take_out(engine.tree, [polluter] if polluter else suspects, f"with it, {victim} fails", before)


async def polluting(engine: Engine, victim: str, suspects: Sequence[str]) -> str:
    """Find by halving which test makes another fail that comes behind it; empty where no single one does."""

    async def spoils(tests: Sequence[str]) -> bool:
        reach = await engine.reach(*tests, victim)
        return not isinstance(reach, Breakage) and reach.outcomes.get(victim) in BROKEN

    left = list(suspects)
    if not left or not await spoils(left):
        return ""
    while len(left) > 1:
        half = len(left) // 2
        if await spoils(left[:half]):
            left = left[:half]
        elif await spoils(left[half:]):
            left = left[half:]
        else:
            return ""
    return left[0]


class RemovedTests(NamedTuple):
    """What became of tests that are to go."""

    lines: list[str]
    """In words."""
    changed: bool
    """Whether any file is another now."""


def take_out(tree: Path, tests: Collection[str], why: str, before: Texts) -> RemovedTests:
    """Take tests out of their files by id.

    A file without any left goes if it is new; one of `before` is put back as it was. What cannot be taken
    out of a file, for it is no Python or comes from elsewhere, stays and is told.
    """
    by_file: dict[str, set[str]] = {}
    for test in tests:
        file, _, name = test.partition("::")
        by_file.setdefault(file, set()).add(name.partition("[")[0])
    lines, changed = [], False
    for file, names in by_file.items():
        path = tree / file
        stands = path.read_bytes() if path.is_file() else b""
        left = without(stands, names)
        new = file not in before and is_test_name(path.name)
        if new and (left is None or not has_tests(left)):
            path.unlink(missing_ok=True)
            lines.append(f"{file} was taken away again: {why}.")
        elif left is not None:
            path.write_bytes(left)
            lines.append(f"{', '.join(sorted(names))} in {file}: taken out, {why}.")
        elif before.get(file, stands) != stands:
            path.write_bytes(before[file])
            lines.append(f"{file}: put back as it was, {why}.")
        else:
            lines.append(f"{file}: {', '.join(sorted(names))} cannot be taken out of it: {why}.")
            continue
        changed = True
    return RemovedTests(lines, changed)
