"""Tests that fail where they are measured and not in the user's tree: what they miss is found by trying.

Failing tests run once more in a full copy: with the ignored files, what lies beside the tree, and the user's
own variables, at the path of the tree where that can be. Where one passes there, or fails for another
reason, the files and variables that its failure named are brought to a plain copy. Those that explain it are
given to the checks from then on. Projects whose tests pass pay nothing for this, and the user's tree is never
written.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from setpoint.checks.baseline import Measurements
from setpoint.checks.needs.carried_files import UP, asks_for, beside, carry, ignored_files
from setpoint.checks.needs.own_path import at_the_path_of
from setpoint.checks.old_tests.cannot_run import cannot_load
from setpoint.checks.own_variables import MOST, in_a_shell, marked, passing_in_a_shell
from setpoint.checks.plan import Plan
from setpoint.checks.suites.order_dependence import Footing
from setpoint.checks.suites.pytest import TestSuite
from setpoint.checks.target import Target
from setpoint.model.config.local_needs import Needs
from setpoint.model.evidence import SUITES, CheckResult, CheckState, Failure, Outcome
from setpoint.ports import Check, Measured
from setpoint.settings import whole_environment
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import clean_environment
from setpoint.system.processes.view import View, seeing

_GREEN = (Outcome.PASSED, Outcome.FLAKY, Outcome.XPASSED)
_MOST_FILES, _MOST_BYTES = 20_000, 500_000_000
_MOST_LEFT_OUT = 10
"""Most needs of which each is left out once, to see whether the others suffice."""
_VARYING = re.compile(r"0x[0-9a-f]+|\d+|/[\w./-]+")
_KEPT_BACK = re.compile(r"SETPOINT_.*|PYTHON.*|VIRTUAL_ENV|GIT_.*|HOME|PATH|(OLD)?PWD|TMPDIR|TE?MP|_|SHLVL")
"""Variables that say where a process runs, or belong to Setpoint."""
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_MADE_IN = frozenset({"build", "dist", "out", "target", "bin", "obj", "lib"})
_MADE = frozenset({".js", ".mjs", ".cjs", ".so", ".pyd", ".jar", ".class", ".wasm", ".o", ".a", ".exe"})
_AT_ITS_PATH = "only at the path of your tree, where no work can be measured"
_ANYTHING = "in a full copy of your tree, with its ignored files, what lies beside it, and your variables"


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

    async def told_apart(self, made: Measurements) -> Measurements:
        """Say what of a measurement is Setpoint's making, and what tests need beside what they got."""
        report, root = made.tests, self.plan.project.root
        red = sorted(report.red)[:MOST] if report is not None else []
        unloaded = [
            said for each in made.results if each.evidence.check in SUITES and (said := cannot_load(each))
        ]
        if not red and not unloaded:
            return made
        known = self.plan.project.needs
        ignored = [each for each in await ignored_files(root) if each not in known.files]
        around = [each for each in await asyncio.to_thread(beside, root) if each not in known.files]
        usual = {*clean_environment(), *known.variables}
        variables = [
            name
            for name, value in whole_environment().items()
            # What leads to the user's own tree would have its code measured instead of the work's.
            if not (_KEPT_BACK.fullmatch(name) or name in usual or str(root) in value)
        ]
        everything = Needs(files=(*_fitting(root, ignored), *around), variables=tuple(variables))
        here = _came(red, made.results)
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
        files = [each for each in ignored if asks_for(said, each) or _names(said, each)]
        files += [each for each in around if asks_for(said, each[len(UP) :])]
        asked = Needs(files=tuple(files), variables=tuple(name for name in variables if name in words))
        return await self._explained(made, wanted, asked, here)

    async def _explained(
        self, made: Measurements, wanted: Mapping[str, _Came], asked: Needs, here: Mapping[str, _Came]
    ) -> Measurements:
        """Find what of the needs that failures named explains them; name the rest.

        A need with which a test fails for another reason counts, too: it may miss one thing after the other.
        """
        given = asked.without(path for path in asked.files if _is_made(path))
        explained = await self._those(wanted, given)
        if explained:
            made = made.model_copy(update={"needs": await self._least(wanted, given, explained)})
        elif given and (further := await self._those(here, given, otherwise=True)):
            made = made.model_copy(update={"needs": given})
            wanted = {test: came for test, came in wanted.items() if test not in further}
        left = [test for test, came in wanted.items() if came.green and test not in explained]
        built = await self._those({test: wanted[test] for test in left}, asked) if asked != given else set()
        names = ", ".join(f"`{path}`" for path in asked.files if _is_made(path))
        lack = f"with {names}, which git ignores and a build makes ([copy] files carries yours)"
        blamed = await passing_in_a_shell(
            self.plan, self.target, self.measured, [test for test in left if test not in {*built, *SUITES}]
        )
        return marked(made, {**dict.fromkeys(left, _ANYTHING), **dict.fromkeys(built, lack), **blamed})

    async def _least(self, wanted: Mapping[str, _Came], given: Needs, explained: Collection[str]) -> Needs:
        """Return the fewest of some needs that explain as much."""
        every = (*given.files, *given.variables)
        if not 1 < len(every) <= _MOST_LEFT_OUT:
            return given
        for each in every:
            less = given.without((each,))
            if less and set(explained) <= await self._those(wanted, less):
                given = less
        return given

    async def _those(self, wanted: Mapping[str, _Came], needs: Needs, *, otherwise: bool = False) -> set[str]:
        """Return the tests that come out as in `wanted` with some needs, or else those that do not."""
        came = await self._tried(sorted(wanted), needs) if wanted and needs else {}
        return {test for test, each in wanted.items() if test in came and (came[test] == each) != otherwise}

    async def _tried(
        self, tests: Collection[str], needs: Needs, *, whole: bool = False, moved: bool = False
    ) -> Mapping[str, _Came]:
        """Run tests in a copy with some files and variables; `whole`: in a person's own variables.

        With `moved` Python's tests see it at the path of the user's tree. Without tests every suite runs, and
        stands for one test.
        """
        project = self.plan.project
        measured = await self.place.there(self.measured)
        place = Path(measured.copy.path)
        try:
            await carry(project.root, place, needs.files)
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
        finally:
            await asyncio.to_thread(shutil.rmtree, place.parent, ignore_errors=True)


def _came(tests: Collection[str], results: Collection[CheckResult]) -> dict[str, _Came]:
    """Return what became of tests; of a file that did not load, what became of its tests together."""
    outcomes: dict[str, Outcome] = {}
    failures: dict[str, Failure] = {}
    for each in results:
        outcomes |= each.tests.outcomes if each.tests else {}
        failures |= {failure.test: failure for failure in each.tests.failures} if each.tests else {}
    came = {}
    for test in tests:
        inside = [each for each in outcomes if each.startswith((f"{test}::", f"{test}/"))]
        if (
            "::" not in test and outcomes and not (test in outcomes and outcomes[test].red)
        ):  # a file or folder that loads
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


def _is_made(path: str) -> bool:
    """Whether a build may have made a file, from sources that the work changes: it would be out of date."""
    place = PurePosixPath(path)
    return place.suffix in _MADE or not _MADE_IN.isdisjoint(place.parts[:-1])


def _fitting(root: Path, paths: Collection[str]) -> tuple[str, ...]:
    """Return the ignored files that a copy has room for, the smallest first."""
    sizes = {}
    for path in paths:
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
    return tuple(taken)
