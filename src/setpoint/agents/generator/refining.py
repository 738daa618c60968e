"""The last look at new tests: all run together; what fails is taken out, and what makes older tests fail."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from setpoint.agents.generator.engine import BROKEN, Engine
from setpoint.agents.generator.pinned import without
from setpoint.domain.attempt import Breakage
from setpoint.mutation.engine.cover.wire import ReachResult

_MOST_ROUNDS = 6

Owns = Callable[[str], bool]
"""Whether a test, by its id, is one that may be taken out."""


async def refine(engine: Engine, green: Collection[str], owns: Owns) -> tuple[list[str], ReachResult | None]:
    """Take out new tests that fail among all, and those that make tests fail which were green before.

    Gives what was done, in words, and what the tests reach in the end; none where that could not be measured.
    """
    lines: list[str] = []
    reach = await engine.reach()
    for _ in range(_MOST_ROUNDS):
        if isinstance(reach, Breakage):
            return [*lines, f"Whether all hold together could not be measured: {reach.message}"], None
        failing = [test for test, outcome in reach.outcomes.items() if outcome in BROKEN]
        if broken := sorted(set(failing).intersection(green)):
            said = await _cleaned(engine, broken[0], [test for test in reach.outcomes if owns(test)])
        else:
            said = take_out(
                engine.tree, [test for test in failing if owns(test)], "it fails among the others"
            )
        if not said:
            return lines, reach
        lines += said
        reach = await engine.reach()
    return lines, None if isinstance(reach, Breakage) else reach


async def _cleaned(engine: Engine, victim: str, suspects: Sequence[str]) -> list[str]:
    """Take out the new test that makes an older one fail; all of them where no single one does."""
    polluter = await polluting(engine, victim, suspects)
    return take_out(engine.tree, [polluter] if polluter else suspects, f"with it, {victim} fails")


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


def take_out(tree: Path, tests: Collection[str], why: str) -> list[str]:
    """Take tests out of their files by id; a file without any left goes. Gives what was done, in words."""
    by_file: dict[str, set[str]] = {}
    for test in tests:
        file, _, name = test.partition("::")
        by_file.setdefault(file, set()).add(name.partition("[")[0])
    lines = []
    for file, names in by_file.items():
        path = tree / file
        left = without(path.read_text(encoding="utf-8", errors="replace"), names) if path.is_file() else ""
        if left:
            path.write_text(left, encoding="utf-8")
            lines.append(f"{', '.join(sorted(names))} in {file}: taken out, {why}.")
        else:
            path.unlink(missing_ok=True)
            lines.append(f"{file} was taken away again: {why}.")
    return lines
