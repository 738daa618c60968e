"""New tests of others, sifted: those stay that pass every time and reach something new or notice a mutant."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from setpoint_mechanic.engine.wire.cover import JudgedTest
from setpoint_mechanic.generate.engine import Engine
from setpoint_mechanic.generate.refinement import Texts, take_out
from setpoint_mechanic.generate.test_files import test_files
from setpoint_probe.wire.reach import FileReach


@dataclass(frozen=True)
class Sifted:
    """What came of new tests."""

    kept: tuple[JudgedTest, ...] = ()
    bad: tuple[JudgedTest, ...] = ()
    """Those that do not pass every time."""
    idle: tuple[JudgedTest, ...] = ()
    """Those that pass and neither reach nor notice anything that others do not."""
    reason: str = ""
    """Why none could be judged."""
    lines: list[str] = field(default_factory=list)
    """What was taken out or put back, in words."""


def texts_of(tree: Path) -> Texts:
    """Return the files of tests as they stand."""
    return {path.relative_to(tree).as_posix(): path.read_bytes() for path in test_files(tree)}


def changed_since(tree: Path, before: Texts) -> tuple[str, ...]:
    """Return the files of tests that are new, or others than before."""
    return tuple(file for file, text in texts_of(tree).items() if before.get(file) != text)


async def sift(
    engine: Engine,
    before: Texts,
    missed: Sequence[FileReach],
    green: Collection[str],
    spans: Mapping[str, tuple[int, ...]],
    order: Sequence[str] = (),
) -> Sifted:
    """Judge what was written since `before`, and take out what is no good.

    A file in which a test of `green` is gone or fails is put back as it was. Of tests that reach nothing new
    those stay that notice a mutant of the lines in `spans` which no test before them does. Files named in
    `order` go first.
    """
    lines = _put_back(engine.tree, before)
    found = changed_since(engine.tree, before)
    changed = [*(file for file in order if file in found), *(file for file in found if file not in order)]
    if not changed:
        return Sifted(reason="no file of tests was written or changed", lines=lines)
    result = await engine.judge(changed, missed)
    if result.status != "judged":
        _restore(engine.tree, changed, before)
        return Sifted(reason=result.reason, lines=lines)
    good = {each.id for each in result.tests if not each.why_not}
    harmed = {
        test.partition("::")[0] for test in green if test.partition("::")[0] in changed and test not in good
    }
    if harmed:
        _restore(engine.tree, sorted(harmed), before)
        lines.append(f"{', '.join(sorted(harmed))}: put back, for tests that passed before are gone or fail.")
    new = [each for each in result.tests if each.id not in green and each.id.partition("::")[0] not in harmed]
    bad = [each for each in new if each.why_not]
    rest = [each for each in new if not each.why_not and not each.gains]
    lines += take_out(engine.tree, [each.id for each in bad], "it does not pass every time", before).lines
    noticing = await engine.noticing(dict(spans), [each.id for each in rest]) if rest else frozenset()
    idle = [each for each in rest if each.id not in noticing]
    lines += take_out(engine.tree, [each.id for each in idle], "it adds nothing to the others", before).lines
    kept = [each for each in new if each.gains or each.id in noticing]
    reason = result.reason if not new else ""
    if harmed and not new:
        reason = "tests that passed before are gone or fail; they have to stay as they are"
    return Sifted(tuple(kept), tuple(bad), tuple(idle), reason, lines)


def _put_back(tree: Path, before: Texts) -> list[str]:
    gone = [file for file in before if not (tree / file).is_file()]
    _restore(tree, gone, before)
    return [f"{file}: put back, for tests that are there stay." for file in gone]


def _restore(tree: Path, files: Sequence[str], before: Texts) -> None:
    for file in files:
        path = tree / file
        if file in before:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(before[file])
        else:
            path.unlink(missing_ok=True)
