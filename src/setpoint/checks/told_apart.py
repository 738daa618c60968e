"""Tests that fail where they are measured and not in the user's tree: what they miss is found by trying.

Failing tests run once more in a full copy: with the ignored files, what lies beside the tree, and the user's
own variables, at the path of the tree where that can be. Where one passes there, or fails for another
reason, the files and variables that its failure named are brought to a plain copy. Those that explain it are
given to the checks from then on. A skipped test whose file names such files or variables runs with these,
too. Projects whose tests all pass pay nothing for this, and the user's tree is never written.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from setpoint.checks.baseline import LIES, Measurements, is_ours
from setpoint.checks.built_files import GENERATED, bring, build_of
from setpoint.checks.discovery.linked_packages import FOLDER
from setpoint.checks.needs.carried_files import (
    FAR,
    UP,
    asks_for,
    beside,
    empty_folders,
    ignored_files,
    left_out,
)
from setpoint.checks.needs.named_needs import named_in, texts_of, variables_beside
from setpoint.checks.needs.own_path import at_the_path_of
from setpoint.checks.old_tests.cannot_run import cannot_load
from setpoint.checks.own_variables import MOST, in_a_shell, marked, passing_in_a_shell
from setpoint.checks.plan import Plan
from setpoint.checks.results import unmeasured
from setpoint.checks.suites.order_dependence import Footing
from setpoint.checks.suites.pytest import TestSuite
from setpoint.checks.target import Target
from setpoint.model.config.local_needs import NOTHING, Needs, is_made
from setpoint.model.evidence import SUITES, CheckResult, CheckState, Failure, Outcome
from setpoint.ports import Check, Measured
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.atomic import write_atomic
from setpoint.system.processes import ambient, holding
from setpoint.system.processes.view import View, seeing

_GREEN = (Outcome.PASSED, Outcome.FLAKY, Outcome.XPASSED)
_MOST_FILES, _MOST_BYTES = 20_000, 500_000_000
_MOST_LEFT_OUT = 10
"""Most needs of which each is left out once, to see whether the others suffice."""
_VARYING = re.compile(r"0x[0-9a-f]+|\d+|/[\w./-]+")
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_ROOM = 2 * _MOST_BYTES
"""Bytes that have to be free where a full copy is made, unless it is made among the other copies."""
_AT_ITS_PATH = "only at the path of your tree, where no work can be measured"
_ANYTHING = "in a full copy of your tree, with its ignored files, what lies beside it, and your variables"
_SHORTER = "where the path of the copy is shorter; name a short folder in the setting cache_dir"
_ABOVE = "with {} two folders above the root, which copies cannot have"


class _Came(NamedTuple):
    """What became of a test."""

    green: bool
    why: str = ""
    """The first line of its failure, without what varies."""


@dataclass(frozen=True, kw_only=True)
class FullCopy:
    """Tries failing tests in other copies of the tree in which they failed."""

    plan: Plan
    target: Target
    measured: Measured
    place: Footing
    """Where a copy is made."""
    told: Callable[[CheckResult], None] = lambda _: None
    """Is given what is worth a line before it is done."""

    async def told_apart(self, made: Measurements) -> Measurements:
        """Say what of a measurement is Setpoint's making, and what tests need beside what they got."""
        root, report = self.plan.project.root, made.tests
        if report is not None and report.red:
            gone = await left_out(root)
            lost = [test for test in report.red if test.partition("::")[0] in gone]
            made = marked(made, dict.fromkeys(lost, "outside of your sparse checkout"), LIES)
        made = await self._of_failing(made)
        return made if made.needs else await self._of_skipped(made)

    async def _of_failing(self, made: Measurements) -> Measurements:
        """Find what failing tests need."""
        report = made.tests
        told = {each.test for each in report.failures if is_ours(each)} if report is not None else ()
        red = sorted(report.red.difference(told))[:MOST] if report is not None else []
        unloaded = [
            said for each in made.results if each.evidence.check in SUITES and (said := cannot_load(each))
        ]
        if not red and not unloaded:
            return made
        there_is = await self._beside_git()
        here = _came(red, made.results)
        everything = self._fitting(there_is)
        there = await self._tried(red, everything, whole=True, moved=True)
        there = there or await self._tried(red, everything, whole=True)
        other = [test for test in there if there[test] != here.get(test)]
        if not other:
            return made
        plain = await self._tried([test for test in red if test in other], everything, whole=True)
        fixed = [test for test in other if there[test].green and not (test in plain and plain[test].green)]
        made = marked(made, dict.fromkeys(fixed, _AT_ITS_PATH))
        wanted = {test: came for test, came in plain.items() if came != here.get(test)}
        if not wanted:
            return made
        texts = [f"{each.message}\n{each.detail}" for each in (report.failures if report else ())]
        said = "\n".join((*texts, *unloaded))
        words = set(_WORD.findall(said))
        files = [each for each in there_is.files if asks_for(said, _plain(each)) or _names(said, each)]
        asked = Needs(
            files=tuple(files), variables=tuple(name for name in there_is.variables if name in words)
        )
        return await self._explained(made, wanted, asked, here)

    async def _of_skipped(self, made: Measurements) -> Measurements:
        """Find what tests need that skip themselves without it, by what their own files name."""
        if (report := made.tests) is None:
            return made
        alone = [test for test, outcome in report.outcomes.items() if outcome is Outcome.SKIPPED]
        skipped = sorted((*report.skipped_files, *alone))[:MOST]
        if not skipped:
            return made
        files = {PurePosixPath(test.partition("::")[0]) for test in skipped}
        asking = {*map(str, files), *(str(each / "conftest.py") for file in files for each in file.parents)}
        text = await asyncio.to_thread(texts_of, self.plan.project.root, sorted(asking))
        there_is = await self._beside_git(around=False)
        named = self._fitting(named_in(text, self.target.files, there_is))
        tried, kept = sha256("\0".join((*skipped, str(named))).encode("utf-8", "replace")), self._vain
        if not named or (kept.is_file() and kept.read_text("utf-8") == tried.hexdigest()):
            return made
        here, came = _came(skipped, made.results), await self._tried(skipped, named)
        ran = {test: each for test, each in came.items() if each != here.get(test)}
        if ran:
            return made.model_copy(update={"needs": await self._least(ran, named, ran)})
        write_atomic(kept, tried.hexdigest(), flush=False)
        return made

    @property
    def _vain(self) -> Path:
        """Name the file that says which skipped tests were tried last with which needs, and skipped again."""
        return self.plan.shared / "skipped-with-needs"

    async def _beside_git(self, *, around: bool = True) -> Needs:
        """Name what the user's tree and shell have and checks do not get; `around`: and what lies above."""
        root, known = self.plan.project.root, self.plan.project.needs
        files = [*await ignored_files(root), *await empty_folders(root)]
        if around:
            files += await asyncio.to_thread(beside, root)
            files += await asyncio.to_thread(beside, root, FAR)
        variables = tuple(variables_beside(root, known.variables))
        return Needs(files=tuple(files), variables=variables).without(known.files)

    def _fitting(self, needs: Needs) -> Needs:
        """Return the files that a copy has room for, the smallest first, and all variables."""
        return needs.model_copy(update={"files": _fitting(self.plan.project.root, needs.files)})

    async def _explained(
        self, made: Measurements, wanted: Mapping[str, _Came], asked: Needs, here: Mapping[str, _Came]
    ) -> Measurements:
        """Find what of the needs that failures named explains them; name the rest.

        A need with which a test fails for another reason counts, too: it may miss one thing after the other.
        """
        explained = set[str]()
        for stage in (self._plain, self._built, self._with_made, self._named_anywhere):
            given = await stage(asked)
            explained = await self._those(wanted, given)
            if explained:
                made = made.model_copy(update={"needs": await self._least(wanted, given, explained)})
            elif given and (further := await self._those(here, given, otherwise=True)):
                made = made.model_copy(update={"needs": given})
                wanted = {test: came for test, came in wanted.items() if test not in further}
            if made.needs:
                break
        left = {test: came for test, came in wanted.items() if came.green and test not in explained}
        return marked(made, {**dict.fromkeys(left, _ANYTHING), **await self._blamed(left, asked)})

    async def _plain(self, asked: Needs) -> Needs:
        """Return what failures named, without what a build makes and what no copy can have."""
        return asked.without(path for path in asked.files if is_made(path) or path.startswith(FAR))

    async def _built(self, asked: Needs) -> Needs:
        """Return it with the project's own build step, where that may make what failures named; show it."""
        made, project = [path for path in asked.files if is_made(path)], self.plan.project
        build = build_of(project, made[0]) if made and not project.needs.build else ""
        if not build:
            return NOTHING
        told = f"tests need `{made[0]}`, which git ignores: `{build}` is run in a copy to make it"
        self.told(unmeasured(GENERATED, self.measured.tree, told))
        return (await self._plain(asked)).and_those(Needs(build=build))

    async def _with_made(self, asked: Needs) -> Needs:
        """Return it with what a build left in the user's tree, of each folder all of it."""
        if self.plan.project.needs.build:  # then what lies there would hide that the work breaks the build
            return NOTHING
        folders = tuple({path.rpartition("/")[0] + "/" for path in asked.files if is_made(path)} - {"/"})
        there_is = await self._beside_git(around=False)
        whole = tuple(path for path in there_is.files if is_made(path) and path.startswith(folders))
        own = tuple(path for path in asked.files if is_made(path))
        made = self._fitting(Needs(files=(*own, *whole)))
        return (await self._plain(asked)).and_those(made) if own else NOTHING

    async def _named_anywhere(self, asked: Needs) -> Needs:
        """Return what the project's files name, where it is little: some failures name nothing."""
        root, there_is = self.plan.project.root, await self._beside_git(around=False)
        text = await asyncio.to_thread(texts_of, root, sorted(self.target.files))
        plain = await self._plain(named_in(text, self.target.files, there_is))
        few = len(plain.grouped) + len(plain.variables) <= _MOST_LEFT_OUT and plain != asked
        return self._fitting(plain) if few else NOTHING

    async def _blamed(self, left: Mapping[str, _Came], asked: Needs) -> dict[str, str]:
        """Say what tests miss that cannot be given, as far as it can be found."""
        named = [test for test in left if test not in SUITES]
        found = await passing_in_a_shell(self.plan, self.target, self.measured, named)
        far = Needs(files=tuple(path for path in asked.files if path.startswith(FAR)))
        trials = ((NOTHING, _SHORTER), (asked, _ABOVE.format(far.words))) if far else ((NOTHING, _SHORTER),)
        for needs, words in trials:
            rest = {test: came for test, came in left.items() if test not in found}
            found |= dict.fromkeys(await self._those(rest, needs, whole=True), words)
        return found

    async def _least(self, wanted: Mapping[str, _Came], given: Needs, explained: Collection[str]) -> Needs:
        """Return the fewest of some needs that explain as much."""
        every = [*given.grouped.values(), *((name,) for name in given.variables)]
        if len(every) > _MOST_LEFT_OUT:
            return given
        for each in every:
            less = given.without(each)
            if less and set(explained) <= await self._those(wanted, less):
                given = less
        return given

    async def _those(
        self, wanted: Mapping[str, _Came], needs: Needs, *, otherwise: bool = False, whole: bool = False
    ) -> set[str]:
        """Return the tests that come out as in `wanted` with some needs, or else those that do not."""
        came = await self._tried(sorted(wanted), needs, whole=whole) if wanted and (needs or whole) else {}
        return {test for test, each in wanted.items() if test in came and (came[test] == each) != otherwise}

    async def _tried(
        self, tests: Collection[str], needs: Needs, *, whole: bool = False, moved: bool = False
    ) -> Mapping[str, _Came]:
        """Run tests in a copy with some files and variables.

        `whole`: in a person's own variables, and where paths are short. With `moved` Python's tests see it at
        the path of the user's tree. Without tests every suite runs, and stands for one test.
        """
        project = self.plan.project
        with self._place(short=whole) as footing:
            measured = await footing.there(self.measured)
            place = Path(measured.copy.path)
            await bring(project, place, needs)
            passed = (*project.interpreter.passed, *needs.variables)
            asked = replace(project, interpreter=replace(project.interpreter, passed=passed))
            apart = self.plan.scratch / "tried"  # what the measurement itself left there stays
            apart.mkdir(exist_ok=True)
            plan = replace(self.plan, project=asked, artifacts=Artifacts(apart), scratch=apart)
            named = any(test not in SUITES for test in tests)
            suites = (check for group in plan.suites(self.target) for check in group.checks)
            checks: list[Check] = [*(plan.selection(self.target, tuple(tests)) if named else suites)]
            checks = [in_a_shell(each)[0] or each for each in checks] if whole else checks
            view = await at_the_path_of(project.root, place, project.interpreter.path) if moved else View()
            results = []
            for each in checks:
                with seeing(view if isinstance(each, TestSuite) else View()):
                    results.append(await each.run(measured))
            return _came(tests, results) if named else _loaded(results)

    @contextmanager
    def _place(self, *, short: bool) -> Iterator[Footing]:
        """Yield a place for a copy; a short one has a short path, and room for links to what lies above."""
        place = self.place.place
        if not short:
            try:
                yield self.place
            finally:
                shutil.rmtree(place.parent, ignore_errors=True)
            return
        around = place.parents[2]
        room = shutil.disk_usage(tempfile.gettempdir()).free > _ROOM
        with tempfile.TemporaryDirectory(
            prefix="setpoint-", dir=None if room else around, ignore_cleanup_errors=True
        ) as made:
            top = Path(made).resolve()
            for packages in (each / FOLDER for each in (around.parent, around)):
                if packages.is_dir():  # Node looks above a tree for what is installed
                    (top / FOLDER).unlink(missing_ok=True)
                    (top / FOLDER).symlink_to(packages.resolve())
            place = top / "a" / "b" / place.name
            hold = ambient()
            opened = replace(hold, places=(*hold.places, place.parents[hold.depth - 1])) if hold else None
            with holding(opened):
                yield replace(self.place, place=place)


def _came(tests: Collection[str], results: Collection[CheckResult]) -> dict[str, _Came]:
    """Return what became of tests; of a file that did not load, what became of its tests together."""
    outcomes: dict[str, Outcome] = {}
    failures: dict[str, Failure] = {}
    for each in results:
        outcomes |= dict.fromkeys(each.tests.skipped_files, Outcome.SKIPPED) if each.tests else {}
        outcomes |= each.tests.outcomes if each.tests else {}
        failures |= {failure.test: failure for failure in each.tests.failures} if each.tests else {}
    came = {}
    for test in tests:
        inside = [each for each in outcomes if each.startswith((f"{test}::", f"{test}/"))]
        loads = test not in outcomes or not (outcomes[test].red or outcomes[test] is Outcome.SKIPPED)
        if "::" not in test and outcomes and loads:  # a file or folder
            came[test] = _Came(green=True)
            continue
        own = [each for each in outcomes if each == test or each in inside]
        red = [each for each in own if outcomes[each] not in _GREEN]
        first = failures.get(red[0]) if red else None
        said = f"{first.error} {first.message.partition(chr(10))[0]}" if first else ""
        if own:
            came[test] = _Came(not red, _VARYING.sub("", said))
    return came


def _loaded(results: Collection[CheckResult]) -> dict[str, _Came]:
    """Return the suites of which tests could be loaded."""
    ran = (each for each in results if each.evidence.state is not CheckState.ERROR and not cannot_load(each))
    return {each.evidence.check: _Came(green=True) for each in ran}


def _names(said: str, path: str) -> bool:
    """Whether a message holds the name of a file between quotes, as code joins it to a folder."""
    return re.search(rf"""['"`/]{re.escape(path.rpartition("/")[2])}['"`]""", said) is not None


def _plain(path: str) -> str:
    """Return a path as a message may name it: what lies above the tree by its own name."""
    return path.removeprefix(UP).removeprefix(UP)


def _fitting(root: Path, paths: Collection[str]) -> tuple[str, ...]:
    """Return what a copy has room for, the smallest first; links take none."""
    sizes = {}
    for path in (each for each in paths if not each.startswith(UP)):
        try:
            sizes[path] = (root / path).stat().st_size
        except OSError:  # a link that leads nowhere
            continue
    taken, left = [], _MOST_BYTES
    for path, size in sorted(sizes.items(), key=lambda each: each[1])[:_MOST_FILES]:
        left -= size
        if left < 0:
            break
        taken.append(path)
    return (*taken, *(each for each in paths if each.startswith(UP)))
