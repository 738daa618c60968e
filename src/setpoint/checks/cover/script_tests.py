"""Judge the tests of scripts that somebody wrote, one by one, and remove the bad ones.

A new test stays if it passes alone twice and with all others, and reaches a line that neither the older tests
nor those kept before it reach.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.checks.cover.script_reach import ScriptReach, reach_of
from setpoint.checks.cover.script_spans import JOINED, named, spans_of, without
from setpoint.checks.parsing import is_script, suffix_of
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.checks.tools.argv import as_word
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import Outcome
from setpoint.system.git.git import ask

_META = re.compile(r"[\\^$.*+?()\[\]{}|/]")
_GOOD = (Outcome.PASSED, Outcome.FLAKY)
_MOST_TOLD = 12


@dataclass(kw_only=True)
class ScriptTests:
    """Judges what an agent left in a tree."""

    suite: PackageSuite
    tree: Path
    files: Sequence[str]
    """The files that are to be covered."""
    kept: list[str] = field(default_factory=list)
    dropped: dict[str, str] = field(default_factory=dict)
    """Tests that were removed, with the reason."""

    async def sift(self) -> tuple[str, ...]:
        """Judge all new tests and remove the bad ones; say what became of each."""
        changed = await self._changed()
        if not changed:
            return ("No file of tests was changed.",)
        written = {file: (self.tree / file).read_bytes() for file in changed}
        await self._put({file: await self._before(file) for file in changed})
        before = await reach_of(self.suite, self.tree, self.files)
        await self._put(dict(written))
        if before.why:
            return (f"The tests could not be judged: {before.why}",)
        after = await reach_of(self.suite, self.tree, self.files)
        if after.why or after.tests is None:
            return (f"The new tests could not be judged: {after.why}",)
        old = before.tests.outcomes if before.tests else {}
        lost = {
            test.partition("::")[0] for test, was in old.items() if was in _GOOD and not _passed(after, test)
        }
        for file in lost & set(changed):
            written[file] = await self._before(file) or b""
            self.dropped[file] = "a test that passed before is missing or fails, so the file was restored"
        reached = set(before.reached)
        for test, outcome in after.tests.outcomes.items():
            file = test.partition("::")[0]
            if test in old or file not in written or file in self.dropped:
                continue
            why = "it does not pass" if outcome not in _GOOD else await self._alone(test, reached)
            if why:
                self.dropped[test] = why
            else:
                self.kept.append(test)
        await self._put({file: self._left(file, text) for file, text in written.items()})
        await self._together(old)
        return self._told()

    async def _changed(self) -> list[str]:
        done = await ask(self.tree, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
        entries = done.stdout.decode("utf-8", "surrogateescape").split("\0")
        names = [entry[3:] for entry in entries if entry and "D" not in entry[:2]]
        return [
            name
            for name in names
            if is_test_path(name) and is_script(suffix_of(name)) and (self.tree / name).is_file()
        ]

    async def _before(self, file: str) -> bytes | None:
        done = await ask(self.tree, "cat-file", "blob", f"HEAD:{file}")
        return done.stdout if done.ok else None

    async def _put(self, texts: dict[str, bytes | None]) -> None:
        def put() -> None:
            for file, text in texts.items():
                place = self.tree / file
                if text is None:
                    place.unlink(missing_ok=True)
                else:
                    place.write_bytes(text)

        await asyncio.to_thread(put)

    async def _alone(self, test: str, reached: set[tuple[str, int]]) -> str:
        """Say why a test is bad by itself; what it reaches is added where it is."""
        file, _, name = test.partition("::")
        folder = max(
            (each for each in self.suite.folders if file.startswith(f"{each}/")), key=len, default=""
        )
        words = _selecting(self.suite.name, file.removeprefix(f"{folder}/"), name)
        seen: set[tuple[str, int]] = set()
        for _ in range(2):
            run = await reach_of(self.suite, self.tree, self.files, folder=folder, words=words)
            if not _passed(run, test):
                return "it does not pass again and again by itself"
            seen |= run.reached
        if seen <= reached:
            return "it reaches nothing that the tests before it do not reach"
        reached |= seen
        return ""

    def _left(self, file: str, text: bytes) -> bytes | None:
        """Return a file without what is dropped; none where no test is left in it."""
        own = {test.partition("::")[2] for test in self.dropped if test.startswith(f"{file}::")}
        if not own:
            return text
        spans = spans_of(file, text)
        known = named(spans)
        if own <= known:
            return without(text, spans, own) if known - own else None
        for test in [each for each in self.kept if each.startswith(f"{file}::")]:
            self.kept.remove(test)
            self.dropped[test] = "its file holds bad tests that are not written one by one"
        return None

    async def _together(self, old: dict[str, Outcome]) -> None:
        """Run all that is left together; where that fails, the files of new tests go."""
        if not self.kept:
            return
        last = await reach_of(self.suite, self.tree, self.files)
        bad = [test for test in self.kept if not _passed(last, test)]
        broken = [test for test, was in old.items() if was in _GOOD and not _passed(last, test)]
        for test in self.kept if broken else bad:
            file = test.partition("::")[0]
            await self._put({file: await self._before(file)})
            why = f"with it {broken[0]} fails" if broken else "it does not pass with the others"
            self.dropped[test] = why
        self.kept = [test for test in self.kept if test not in self.dropped]

    def _told(self) -> tuple[str, ...]:
        lines = [f"kept {test}" for test in self.kept[:_MOST_TOLD]]
        lines += [f"removed {test}: {why}" for test, why in list(self.dropped.items())[:_MOST_TOLD]]
        count = f"Judged one by one: {len(self.kept)} new tests kept, {len(self.dropped)} removed."
        return (count, *lines)


def _passed(run: ScriptReach, test: str) -> bool:
    return run.tests is not None and run.tests.outcomes.get(test) in _GOOD


def _selecting(runner: str, file: str, name: str) -> tuple[str, ...]:
    """Return the words that make a runner run one test."""
    escaped = _META.sub(r"\\\g<0>", name)
    if runner == "node_test":
        return (f"--test-name-pattern=^{escaped.rpartition(JOINED)[2]}$", as_word(file))
    pattern = f"^{escaped.replace(JOINED, ' ')}$"
    return ("-t", pattern, *(("--runTestsByPath",) if runner == "jest" else ()), as_word(file))
