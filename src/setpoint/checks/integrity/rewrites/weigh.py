"""Weigh rewritten tests against the old ones: which small changes of the code does each of the two notice?

The code of the result is changed, one small change at a time. What the old tests notice, set aside and as
they were at the base, the new suite has to notice as well; and the old tests have to pass on the result.

Names that the request asks to rename or to remove are followed (`followed_names`): tests of what was removed
are weighed on the code of the base, where all that they noticed of code that stays has to be noticed.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.baseline import Measurements
from setpoint.checks.integrity.paths.protected_paths import collected
from setpoint.checks.integrity.rewrites.followed_names import FollowedNames, followed_names, removed_lines
from setpoint.checks.integrity.rewrites.neutral_change import neutrally_changed
from setpoint.checks.integrity.rewrites.settings_effect import with_less
from setpoint.checks.integrity.rewrites.weighed import CHECK, Offer, Weighed
from setpoint.checks.integrity.syntax_comparison import bodies
from setpoint.checks.mutation.check import MutationEngine, is_source
from setpoint.checks.suites.pytest import Runner, TestSuite, outcomes_of
from setpoint.checks.trees.checkout import put_at
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState, Evidence, Outcome
from setpoint.model.ids import Commit, Tree
from setpoint.model.mutation import Fate, Mutant, MutationReport
from setpoint.ports import Measured, WorkCopy
from setpoint.system.git.git import changed_files, contents, files_at, git
from setpoint.system.processes import Completed
from setpoint.version import __version__

_NOTICED = (Fate.KILLED, Fate.TIMEOUT)
_COUNTED = (Outcome.PASSED, Outcome.XPASSED, Outcome.FLAKY)
_RED = (Outcome.FAILED, Outcome.ERROR)
_SHARE = 0.6
"""Share of the time that is left which one measurement may take, except the last."""
_MOST_MUTANTS = 20_000
_SHOWN = 3
_MOST_TOLD = 80
_DATES = {"GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}
_Key = tuple[str, int, str, str, str]


class _NotEqualError(Exception):
    """The old tests count, for a reason."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """What is needed to weigh tests of one project."""

    engine: MutationEngine
    runner: Runner
    place: Path
    """Where trees are checked out for it."""
    repository: Path
    """Holds the objects of all trees."""
    copy: WorkCopy
    base: Measurements
    wish: str
    """What the story asks for."""
    within_s: float
    link: Callable[[Path], None]
    """Brings installed packages to the place."""

    async def weigh(self, offer: Offer) -> Weighed:
        """Say whether the rewritten tests and the changed settings count, with the evidence."""
        weighed = await self._weigh_tests(offer) if offer.paths else Weighed()
        lower = await self._lower(offer.settings)
        if lower or (offer.paths and not weighed.paths):
            # Rewritten tests and new settings may rest on each other: one without the other proves nothing.
            return weighed.model_copy(update={"paths": (), "followed": (), "gone": (), "lower": lower})
        return weighed.model_copy(update={"settings": tuple(offer.settings)})

    async def _lower(self, settings: Mapping[str, str]) -> str:
        """Say what settings demand less, measured on the base; empty for nothing."""
        tests = self.base.tests
        files = collected(tests.outcomes if tests else ())
        if not settings:
            return ""
        if tests is None or not files:
            return "no test of the base can show what they demand"
        await put_at(self.place, self.repository, self.base.commit)
        await asyncio.to_thread(self.link, self.place)
        copy = self.copy._replace(path=str(self.place))
        there = Measured(copy=copy, commit=self.base.commit, tree=self.base.tree, stage=Stage.TEST)
        return await with_less(replace(self.runner, cover=None, reach=None), there, tests, settings, files)

    async def _weigh_tests(self, offer: Offer) -> Weighed:
        weighing = await self._weighing(offer)
        try:
            noticed = await weighing.compared()
        except _NotEqualError as error:
            return Weighed(reason=str(error), evidence=weighing.evidence(str(error), proven=False))
        said = f"{', '.join(offer.paths[:_SHOWN])}{' and more' if len(offer.paths) > _SHOWN else ''}"
        reason = (
            f"the new tests notice all {noticed} small changes of the code that the old ones noticed: {said}"
        )
        return Weighed(
            paths=offer.paths,
            followed=offer.paths if weighing.follows else (),
            gone=tuple(sorted(weighing.gone)),
            judges=tuple(sorted(weighing.judges)),
            reason=reason,
            evidence=weighing.evidence(reason, proven=True),
        )

    async def _weighing(self, offer: Offer) -> _Weighing:
        old, new = [await self._commit(tree) for tree in (offer.old, offer.new)]
        of_tests = collected(self.base.tests.outcomes if self.base.tests else ())
        work = await changed_files(self.repository, self.base.commit, new)
        code = [path for path in work if is_source(path) and path not in of_tests]
        before, after = [
            _texts(await contents(self.repository, commit, work)) for commit in (self.base.commit, new)
        ]
        names = followed_names(
            self.wish,
            {path: text for path, text in before.items() if path in code},
            {path: text for path, text in after.items() if path in code},
        )
        return _Weighing(
            scale=self, old=old, new=new, names=names, before=before, after=after, of_tests=of_tests,
            differ=await changed_files(self.repository, old, new), until=time.monotonic() + self.within_s,
        )  # fmt: skip

    async def _commit(self, tree: Tree) -> Commit:
        made = await git(
            self.repository, "commit-tree", tree, "-m", "Tests to be weighed", environment=_DATES
        )
        return Commit(made.text)


@dataclass(kw_only=True)
class _Weighing:
    """One comparison."""

    scale: Scale
    old: Commit
    new: Commit
    names: FollowedNames
    before: Mapping[str, str]
    """Files that the work changes, as they were at the base, by path."""
    after: Mapping[str, str]
    of_tests: frozenset[str]
    """Files that held tests at the base."""
    differ: tuple[str, ...]
    """Paths in which the two trees differ."""
    until: float
    follows: bool = False
    """Whether old tests had to be adapted to names that were renamed or removed."""
    done: Completed | None = None
    noticed: int = 0
    missed: int = 0

    def __post_init__(self) -> None:
        self.judges = set[str]()
        self.gone = frozenset[str]()

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Return the files of old tests to be run; none for all, where what they share differs."""
        shared = [path for path in self.differ if path not in self.of_tests and path in self.before]
        steering = [path for path in self.differ if path.endswith("conftest.py")]
        return () if shared or steering else tuple(each for each in self.differ if each in self.of_tests)

    @cached_property
    def standing(self) -> frozenset[str]:
        """Return the old tests that passed at the base; raises where one of the changed ones failed."""
        base = self.scale.base.tests
        outcomes = base.outcomes if base else {}
        changed = {test: how for test, how in outcomes.items() if test.partition("::")[0] in self.differ}
        if red := [test for test, how in changed.items() if how in _RED]:
            raise _NotEqualError(f"{red[0]} failed at the base, and a test to be repaired is never rewritten")
        asked = changed if self.files else outcomes
        return frozenset(test for test, how in asked.items() if how in _COUNTED)

    async def compared(self) -> int:
        """Compare the two; returns how many changes both notice, raises where the new tests miss one."""
        if not self.standing:
            raise _NotEqualError("no test of these files passed at the base, so there is nothing to compare")
        sources = await self._sources(self.new)
        await self._old_tests_at(self.old, self.names)
        old = await self._judged(dict.fromkeys(sources, ()), self.files)
        gone = await self._gone(old)
        self._all_judged(old, self.standing - gone)
        noticed = _noticed(old)
        await self._put(self.new)
        await self._covers(noticed)
        await self._reads_results_only(noticed)
        if gone:
            noticed += await self._compared_at_base(gone)
        self.gone = gone
        if not noticed and not gone:
            raise _NotEqualError("the old tests notice no change of Python code, so nothing can be compared")
        return len(noticed)

    async def _covers(self, noticed: Sequence[Mutant]) -> None:
        """Raise if the suite in the place misses a change that the old tests noticed."""
        self.noticed += len(noticed)
        if not noticed:
            return
        new = await self._judged(_lines(noticed), (), last=True)
        seen = _noticed(new)
        short = Counter(map(_key, noticed)) - Counter(map(_key, seen))
        missed = [mutant for mutant in noticed if _key(mutant) in short]
        self.missed += len(missed)
        self.judges |= {mutant.test.partition("::")[0] for mutant in seen if "::" in mutant.test}
        if red := [test for test in new.red if test.partition("::")[0] in self.after]:
            raise _NotEqualError(f"{red[0]} fails")
        if missed:
            untried = sum(each.verdict is Fate.UNTRIED for each in new.mutants)
            late = f"; {untried} were not tried in the time (integrity.rewrites_s)" if untried else ""
            shown = "; ".join(_told(each) for each in missed[:_SHOWN])
            raise _NotEqualError(
                f"the new tests miss {len(missed)} of {len(noticed)} small changes of the code that the old "
                f"ones noticed: {shown}{late}"
            )

    async def _reads_results_only(self, noticed: Sequence[Mutant]) -> None:
        """Raise if a new test fails where the code reads otherwise and does the same."""
        place = self.scale.place
        tests = [file for file in sorted(self.judges) if file in self.after]
        for file in {mutant.file for mutant in noticed}:
            source = place / file
            text = await asyncio.to_thread(source.read_text, "utf-8", "surrogateescape")
            await asyncio.to_thread(source.write_text, neutrally_changed(text), "utf-8", "surrogateescape")
        if not tests:
            return
        outcomes = await outcomes_of(self.scale.runner, self._measured(self.new), tuple(tests))
        if outcomes is None:
            raise _NotEqualError("the new tests end the test runner where the code reads otherwise")
        if red := [test for test, how in outcomes.items() if how in _RED]:
            raise _NotEqualError(f"{red[0]} fails where the code reads otherwise and does the same")

    async def _gone(self, old: MutationReport) -> frozenset[str]:
        """Return the old tests that fail because of what was removed as asked; raises for other failures."""
        red = tuple(sorted({*old.red} & self.standing))
        if not red:
            return frozenset()
        suite = TestSuite(runner=replace(self.scale.runner, cover=None, reach=None), only=red)
        report = (await suite.run(self._measured(self.old))).tests
        failures = {each.test: each for each in report.failures} if report else {}
        for test in red:
            if test not in failures or not self.names.excuses(failures[test]):
                why = f": {failures[test].message}" if test in failures else ""
                raise _NotEqualError(f"{test} fails on the result as it was at the base{why}")
        self.follows = True
        return frozenset(red)

    async def _compared_at_base(self, gone: frozenset[str]) -> list[Mutant]:
        """Compare, on the code of the base, what tests of removed code noticed of code that stays."""
        base = self.scale.base.commit
        await self._put(base)
        lines = await self._lines_that_stay(base)
        old = await self._judged(lines, tuple(sorted(gone)))
        self._all_judged(old, gone, reach=False)
        noticed = _noticed(old)
        sides = {path for path in (*self.before, *self.after) if is_test_path(path) or path in self.of_tests}
        for path in sides:
            target = self.scale.place / path
            target.unlink(missing_ok=True)
            if path in self.after:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(self.after[path], "utf-8", "surrogateescape")
        await self._covers(noticed)
        return noticed

    async def _lines_that_stay(self, base: Commit) -> dict[str, tuple[int, ...]]:
        """Return the lines of the base's code, except what was removed."""
        found: dict[str, tuple[int, ...]] = {}
        for path in await self._sources(base):
            if path in self.before and path not in self.after:
                continue
            text = self.before.get(path)
            if text is None:
                found[path] = ()
                continue
            removed = removed_lines(text, self.names.removed)
            found[path] = tuple(each for each in range(1, text.count("\n") + 2) if each not in removed)
        return found

    def _all_judged(self, report: MutationReport, expected: Collection[str], *, reach: bool = True) -> None:
        """Raise where some of the old tests could not be asked of every change."""
        if report.tests < len(expected):
            raise _NotEqualError(f"old tests cannot be collected on the result: {report.reason}")
        late = sum(each.verdict is Fate.UNTRIED for each in report.mutants)
        if report.traced < report.tests or late or report.made > len(report.mutants):
            late_said = "the time was over before the old tests were asked of every change of the code"
            raise _NotEqualError(f"{late_said} (integrity.rewrites_s)")
        if unsteady := sorted({*report.unsteady} & {*expected}):
            raise _NotEqualError(
                f"{unsteady[0]} came out otherwise when it ran again, so it cannot be compared"
            )
        silent = sorted({*expected} - {*report.reaching}) if reach else []
        standing = {body for path, text in self.after.items() for body in bodies(text).values()}
        for test in silent:
            path, _, name = test.partition("::")
            if path in self.differ and bodies(self.before[path]).get(name.partition("[")[0]) not in standing:
                raise _NotEqualError(
                    f"{test} reaches no Python code of the project, so it cannot be compared"
                )

    async def _judged(
        self, lines: Mapping[str, Collection[int]], tests: tuple[str, ...], *, last: bool = False
    ) -> MutationReport:
        left = self.until - time.monotonic()
        if left <= 1:
            raise _NotEqualError("the time was over before the tests were compared (integrity.rewrites_s)")
        engine = self.scale.engine
        asked = replace(
            engine, thorough=True, most=_MOST_MUTANTS, budget_s=left if last else left * _SHARE,
            args=(*engine.args, *tests),
        )  # fmt: skip
        done, report, reason = await asked.judge(self.scale.place, lines)
        self.done = self.done or done
        if report is None:
            raise _NotEqualError(f"it could not be measured: {reason}")
        return report

    async def _sources(self, commit: Commit) -> list[str]:
        files = await files_at(self.scale.repository, commit)
        return [path for path in files if is_source(path) and path not in self.of_tests]

    async def _old_tests_at(self, commit: Commit, names: FollowedNames) -> None:
        """Check out the result with the old tests, adapted to what the request asks to rename or remove."""
        await self._put(commit)
        for path in self.files or [each for each in self.differ if each in self.before]:
            text = names.adapted(self.before[path]) if path.endswith(".py") else self.before[path]
            if text != self.before[path]:
                self.follows = True
                target = self.scale.place / path
                await asyncio.to_thread(target.write_text, text, "utf-8", "surrogateescape")

    async def _put(self, commit: Commit) -> None:
        await put_at(self.scale.place, self.scale.repository, commit)
        await asyncio.to_thread(self.scale.link, self.scale.place)

    def _measured(self, commit: Commit) -> Measured:
        copy = self.scale.copy._replace(path=str(self.scale.place))
        return Measured(copy=copy, commit=commit, tree=self.scale.base.tree, stage=Stage.TEST)

    def evidence(self, reason: str, *, proven: bool) -> Evidence | None:
        """Return the record of the comparison; none where nothing was run."""
        if self.done is None:
            return None
        scale = self.scale
        ran = results.Ran(
            check=CHECK, tree=scale.base.tree, done=self.done, artifacts=scale.runner.artifacts,
            tool=f"setpoint mutation {__version__}, Python {scale.engine.interpreter.version}",
        )  # fmt: skip
        state = CheckState.PASS if proven else CheckState.NOT_MEASURED
        counts = {"noticed": self.noticed, "missed": self.missed}
        return ran.gave(state, reason, counts=counts).evidence


def _noticed(report: MutationReport) -> list[Mutant]:
    return [each for each in report.mutants if each.verdict in _NOTICED]


def _key(each: Mutant) -> _Key:
    return (each.file, each.line, each.operator, each.before, each.after)


def _lines(mutants: Iterable[Mutant]) -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for each in mutants:
        found.setdefault(each.file, set()).add(each.line)
    return {file: tuple(sorted(lines)) for file, lines in found.items()}


def _told(each: Mutant) -> str:
    after = " ".join(each.after.split())
    what = after if len(after) <= _MOST_TOLD else f"{each.operator} of {each.before[:_MOST_TOLD]}"
    return f"{each.file}:{each.line}: {what}"


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: held.decode("utf-8", "surrogateescape") for path, held in files.items()}
