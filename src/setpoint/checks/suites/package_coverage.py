"""What the tests in other languages reach: they run once more, watched, so that no verdict depends on it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.formats.coverage.covered_lines import Reached, counted
from setpoint.checks.formats.coverage.statements import Start, statements_of
from setpoint.checks.parsing import GO, RUST, is_script, suffix_of
from setpoint.checks.run import Group
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.checks.suites.runner import file_of, read
from setpoint.checks.suites.watched_runs import WATCHERS, Branches, Gathered, Hits
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import COVERAGE_OF, CheckResult, CheckState
from setpoint.model.ids import Commit
from setpoint.ports import Measured
from setpoint.system.git.git import changed_lines, contents, files_at

NO_PARSER = "statements cannot be recognised: install the extra, pip install 'setpoint[languages]'"
_CONFIGURATION = (".config.js", ".config.cjs", ".config.mjs", ".config.ts", ".config.cts", ".config.mts")
_FITS: Mapping[str, Callable[[str], bool]] = {
    "vitest": is_script,
    "jest": is_script,
    "node_test": is_script,
    "mocha": is_script,
    "go_test": lambda suffix: suffix == GO,
    "cargo_test": lambda suffix: suffix == RUST,
}
"""Sources that the tests of a runner may test, by suffix."""
HOW: Mapping[str, str] = {
    "vitest": "coverage of V8",
    "jest": "jest --coverage",
    "node_test": "coverage of V8",
    "mocha": "coverage of V8",
    "go_test": "go test -coverprofile",
    "cargo_test": "rustc -C instrument-coverage",
}
"""With what the tests of a runner are watched."""


@dataclass(frozen=True, kw_only=True)
class PackageCoverage:
    """Runs the tests of all packages of a runner watched, and counts statements."""

    suite: PackageSuite

    @property
    def name(self) -> str:
        """Name the check after what runs the tests."""
        return f"{COVERAGE_OF}{self.suite.name}"

    async def run(self, measured: Measured) -> CheckResult:
        """Measure what the tests of a tree reach; a failing test does not matter here."""
        tree = Path(measured.copy.path)
        statements = await statements_at(tree, measured.commit, self.suite)
        if not statements:
            reason = "no source outside the tests has a statement" if statements == {} else NO_PARSER
            return results.unmeasured(self.name, measured.tree, reason)
        runs = [await watched(self.suite, tree, folder, statements) for folder in self.suite.folders]
        broken = next((each for each in runs if each.why), None)
        last = broken or runs[-1]
        tool = f"{HOW[self.suite.name]}, {self.suite.program.version}".strip(", ")
        ran = results.Ran(
            check=self.name,
            tree=measured.tree,
            done=last.done,
            artifacts=self.suite.artifacts,
            tool=tool,
        )
        if broken is not None:
            return ran.gave(CheckState.NOT_MEASURED, broken.why)
        reached = reached_by(runs, statements)
        changed = await changed_lines(tree, measured.copy.base, measured.commit)
        counts = {"statements": reached.statements, "covered": reached.covered}
        made = ran.gave(CheckState.PASS, counts=counts)
        return made.model_copy(update={"coverage": reached.coverage(changed)})


def coverage_beside(suite: Group) -> Iterator[Group]:
    """Make the check of what the tests of a runner reach, where the runner is installed."""
    for check in suite.checks:
        if isinstance(check, PackageSuite) and suite.identity is not None:
            watched = PackageCoverage(suite=check)
            yield Group(checks=(watched,), identity=(watched.name, *suite.identity))


async def statements_at(
    tree: Path, commit: Commit, suite: PackageSuite
) -> dict[str, tuple[Start, ...]] | None:
    """Return where statements begin, by source that a runner may test; none where nothing can parse them."""
    fits = _FITS[suite.name]
    wanted = [
        file
        for file in await files_at(tree, commit)
        if fits(suffix_of(file)) and is_code(file) and any(_under(file, each) for each in suite.folders)
    ]
    texts = await contents(tree, commit, wanted)
    found = await asyncio.to_thread(lambda: {file: statements_of(file, text) for file, text in texts.items()})
    if found and all(each is None for each in found.values()):
        return None
    return {file: each for file, each in found.items() if each}


def is_code(file: str) -> bool:
    """Whether a source in another language is neither a test nor the configuration of a tool."""
    name = file.rpartition("/")[2]
    return not (is_test_path(file) or name.endswith(_CONFIGURATION) or name.startswith(".") or ".d." in name)


async def watched(
    suite: PackageSuite,
    tree: Path,
    folder: str,
    statements: Mapping[str, tuple[Start, ...]],
    words: tuple[str, ...] = (),
) -> Gathered:
    """Run the tests of one package once, all or what the words select, and read what they reached."""
    with tempfile.TemporaryDirectory(prefix="setpoint-", ignore_cleanup_errors=True) as scratch:
        run = suite.start(tree.resolve(), folder, Path(scratch).resolve())
        gathered = await WATCHERS[suite.name](run, statements, words)
        text = await file_of(run)
        told = read(run, gathered.done, text).report if text is not None else None
        return replace(gathered, report=told)


def _under(file: str, folder: str) -> bool:
    return not folder or file.startswith(f"{folder}/")


def reached_by(runs: Iterable[Gathered], statements: Mapping[str, tuple[Start, ...]]) -> Reached:
    """Add up what packages reached; of files that nothing loaded no statement ran."""
    hits: Hits = {}
    branches: Branches = {}
    for gathered in runs:
        for place, taken in gathered.branches.items():
            branches[place] = branches.get(place, False) or taken
        for file, lines in gathered.hits.items():
            known = hits.setdefault(file, {})
            for line, times in lines.items():
                known[line] = known.get(line, 0) + times
    for file, starts in statements.items():
        if file not in hits:
            hits[file] = dict.fromkeys((each.line for each in starts), 0)
    return counted(hits, (sum(branches.values()), len(branches)))
