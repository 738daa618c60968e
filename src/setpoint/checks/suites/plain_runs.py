"""Run a project's tests as its people would: without Setpoint's plug-in and coverage, in another order.

pytest's own report is JUnit XML, which names tests by their address; unittest's is what it prints at its end.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import environment
from setpoint.checks.discovery.own_commands.variables import with_own
from setpoint.checks.discovery.project import Project
from setpoint.checks.discovery.python_packages import TestRoot
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.parsing import from_xml
from setpoint.checks.formats.report import Sources
from setpoint.checks.suites.package_suite import RUNNERS, PackageSuite, owner
from setpoint.checks.suites.pytest import Runner, TestSuite
from setpoint.checks.suites.pytest_packages import ignored, inside, parts_of
from setpoint.checks.tools.argv import as_word, in_chunks
from setpoint.model.evidence import Outcome
from setpoint.ports import Check
from setpoint.system.processes import Command, Completed, run

_INVALID = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufddf￾￿]")
"""What pytest writes as `#x1B` into its XML."""
_RAN = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
_RED = re.compile(r"^(?:FAIL|ERROR): (\w+) \(([\w.<>]+)\)", re.MULTILINE)
_PARTS = {"failure": Outcome.FAILED, "error": Outcome.ERROR, "skipped": Outcome.SKIPPED}
_VERSION = re.compile(r"(\d+)\.(\d+)")
_OF_CHECKS = ("GIT_TERMINAL_PROMPT", "GIT_CEILING_DIRECTORIES", "PYTHONPYCACHEPREFIX")
"""Variables of every other check that a person's own shell would not have."""


@dataclass(frozen=True, kw_only=True)
class PlainPlace:
    """Where tests are run plainly."""

    project: Project
    tree: Path
    left: Path
    """A folder beside the tree for what runs write."""
    seed: int
    """Decides the order of files, and of hashes."""
    limit_s: float

    def scratch(self) -> Path:
        """Make a new folder for what one run writes."""
        self.left.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=self.left))

    def variables(self, root: TestRoot | None = None) -> dict[str, str]:
        """Return what a person's shell would give a command of the project."""
        layout = self.project.layout
        known = environment(self.project.interpreter, self.tree, layout.imports)
        path = dict.fromkeys(
            str(self.tree / folder) for folder in (*(root.imports if root else ()), *layout.imports)
        )
        plain = {name: text for name, text in known.items() if name not in _OF_CHECKS}
        found = {**plain, "PYTHONPATH": ":".join(path), "PYTHONHASHSEED": str(self.seed)}
        return with_own(layout.python_call.variables, found, self.tree) if layout.python_call else found

    async def call(
        self,
        argv: tuple[str, ...],
        variables: Mapping[str, str],
        *,
        root: TestRoot | None = None,
        memory_bytes: int | None = None,
    ) -> Completed:
        """Run a command in the tree, or in a package of it."""
        return await run(
            Command(
                argv=argv,
                cwd=self.tree / root.folder if root else self.tree,
                environment=variables,
                timeout_s=self.limit_s,
                memory_bytes=memory_bytes,
                merge_stderr=True,
                writes=(self.tree, self.left),
            )
        )


@dataclass(frozen=True, kw_only=True)
class PlainRun:
    """What plain runs gave."""

    outcomes: Mapping[str, Outcome]
    broken: str = ""
    """Why a runner said nothing; empty where each did."""
    argv: tuple[str, ...] = ()


def show_packages(trees: Path, above: tuple[Path, Path]) -> None:
    """Let programs of Node find above a place what they find above the folder of all trees."""
    for source, here in zip((trees, trees.parent), above, strict=True):
        packages, link = source / "node_modules", here / "node_modules"
        if packages.is_symlink() and not link.is_symlink():
            link.symlink_to(packages.resolve())


async def plain_run(
    checks: Collection[Check], place: PlainPlace, tests: Collection[str], *, alone: bool
) -> PlainRun:
    """Run tests; `alone` names them to their runners, else these run the files that hold them."""
    made: list[PlainRun] = []
    for check in checks:
        name = "" if isinstance(check, TestSuite) else check.name
        own = sorted(test for test in tests if owner(test, place.project.chosen) == name)
        if own and isinstance(check, TestSuite):
            made.append(await _python(check.runner, place, own, alone=alone))
        elif own and isinstance(check, PackageSuite):
            made.append(await _package(check, place, tuple(own) if alone else None))
    return PlainRun(
        outcomes={test: outcome for each in made for test, outcome in each.outcomes.items()},
        broken="; ".join(each.broken for each in made if each.broken),
        argv=made[0].argv if made else (),
    )


async def _python(runner: Runner, place: PlainPlace, known: list[str], *, alone: bool) -> PlainRun:
    words = known if alone else sorted({test.partition("::")[0] for test in known})
    words = [word for word in words if (place.tree / word.partition("::")[0]).exists()]
    random.Random(place.seed).shuffle(words)  # noqa: S311 -- an order, no secret
    if not words:
        return PlainRun(outcomes={}, broken="none of the files is there")
    if runner.name == "unittest":
        return await _unittest(runner, place, known, words)
    parts = parts_of(runner.roots, place.tree, words) if runner.roots else [(None, tuple(words))]
    made = [
        await _pytest(runner, place, known, (inside(share or (), root) if root else share or (), root))
        for root, share in parts
    ]
    return PlainRun(
        outcomes={test: outcome for each in made for test, outcome in each.outcomes.items()},
        broken="; ".join(each.broken for each in made if each.broken),
        argv=made[0].argv,
    )


async def _pytest(
    runner: Runner, place: PlainPlace, known: list[str], share: tuple[Collection[str], TestRoot | None]
) -> PlainRun:
    """Run pytest on files or tests, at the root or in a package, and read its own report."""
    words, root = share
    report = place.scratch() / "junit.xml"
    argv = [runner.interpreter.path, "-m", "pytest", "--maxfail=0", "--color=no", f"--junitxml={report}"]
    if runner.interpreter.has("pytest-cov") and "no:pytest_cov" not in runner.args:
        argv.append("--no-cov")
    own = runner.layout.python_call
    argv += [*(ignored(root, runner.roots) if root else ()), *(own.options if own else ()), *runner.args]
    given = [as_word(word) for word in words]
    argv += given if len([*in_chunks(given)]) <= 1 else ()
    done = await place.call(tuple(argv), place.variables(root), root=root, memory_bytes=runner.memory_bytes)
    try:
        cases = _cases(report.read_bytes())
    except (OSError, BadReport) as error:
        why = f"pytest wrote no report: {done.ending}{results.tail(done)}"
        return PlainRun(
            outcomes={}, broken=why if isinstance(error, OSError) else str(error), argv=tuple(argv)
        )
    prefix = _escaped(f"{root.folder.replace('/', '.')}.") if root and root.folder else ""
    named = {_address(test): test for test in known}
    outcomes: dict[str, Outcome] = {}
    for (group, name), outcome in cases:
        test = named.get((prefix + group, name), f"{prefix}{group}::{name}")
        if test not in outcomes or not outcomes[test].red:  # of a test that ran twice the worse one counts
            outcomes[test] = outcome
    return PlainRun(outcomes=outcomes, argv=tuple(argv))


def _address(test: str) -> tuple[str, str]:
    """Return class name and name by which pytest's XML names a test."""
    path, bracket, parameters = test.partition("[")
    names = path.split("::")
    names[0] = re.sub(r"\.py$", "", names[0].replace("/", "."))
    names[-1] += bracket + parameters
    return ".".join(map(_escaped, names[:-1])), _escaped(names[-1])


def _escaped(name: str) -> str:
    return _INVALID.sub(lambda found: f"#x{ord(found[0]):02X}", name)


def _cases(text: bytes) -> list[tuple[tuple[str, str], Outcome]]:
    """Read pytest's XML: address and outcome of each test that ran."""
    root = from_xml(text, Sources(tree=Path(), report="pytest's XML"), ("testsuites", "testsuite"))
    found: list[tuple[tuple[str, str], Outcome]] = []
    for case in root.iter("testcase"):
        parts = [_PARTS[each.tag] for each in case if each.tag in _PARTS]
        outcome = next((each for each in parts if each.red), parts[0] if parts else Outcome.PASSED)
        found.append(((case.get("classname", ""), case.get("name", "")), outcome))
    return found


async def _unittest(runner: Runner, place: PlainPlace, known: list[str], words: list[str]) -> PlainRun:
    """Run unittest's own program on the modules of the files, or on tests in them."""
    names = {_dotted(place.tree, test)[1]: test for test in known}
    asked = [_dotted(place.tree, word) for word in words]
    argv = (runner.interpreter.path, "-m", "unittest", *(name for _, name in asked))
    variables = place.variables()
    more = (str(place.tree / root) for root, _ in asked)
    variables["PYTHONPATH"] = ":".join(dict.fromkeys((*variables["PYTHONPATH"].split(":"), *more)))
    done = await place.call(argv, variables, memory_bytes=runner.memory_bytes)
    if _RAN.search(done.text) is None:
        why = f"unittest ran nothing: {done.ending}{results.tail(done)}"
        return PlainRun(outcomes={}, argv=argv, broken=why)
    red = {
        where if where.rpartition(".")[2] == name else f"{where}.{name}"
        for name, where in _RED.findall(done.text)
    }
    outcomes = {test: Outcome.FAILED if name in red else Outcome.PASSED for name, test in names.items()}
    modules = {name.rpartition(".")[2] for name in red}  # one that does not load takes its tests with it
    outcomes |= {test: Outcome.ERROR for name, test in names.items() if {*name.split(".")[:-2]} & modules}
    return PlainRun(outcomes=outcomes, argv=argv)


def _dotted(tree: Path, test: str) -> tuple[str, str]:
    """Return the folder from which a test is imported, and its dotted name."""
    file, _, inner = test.partition("::")
    folder = Path(file).parent
    while folder != Path() and (tree / folder / "__init__.py").is_file():
        folder = folder.parent
    module = ".".join(Path(file).relative_to(folder).with_suffix("").parts)
    return folder.as_posix(), f"{module}.{inner.replace('::', '.')}" if inner else module


async def _package(suite: PackageSuite, place: PlainPlace, only: tuple[str, ...] | None) -> PlainRun:
    """Run all packages of a suite, or some tests; nothing is run again."""
    outcomes: dict[str, Outcome] = {}
    argv: tuple[str, ...] = ()
    broken: list[str] = []
    for folder, share in suite.shares(place.tree, only):
        start = suite.start(place.tree, folder, place.scratch())
        variables = {name: text for name, text in start.variables.items() if name not in _OF_CHECKS}
        if suite.name == "cargo_test":
            variables["RUST_TEST_THREADS"] = "1"
        args = (*start.args, *_another_order(suite, place.seed))
        start = replace(start, variables=variables, args=args, timeout_s=min(start.timeout_s, place.limit_s))
        once = await RUNNERS[suite.name].run(start, share)
        argv = once.done.command.argv
        outcomes |= once.report.outcomes if once.report else {}
        broken += [once.broken] if once.broken and once.report is None else []
    return PlainRun(outcomes=outcomes, argv=argv, broken="; ".join(broken))


def _another_order(suite: PackageSuite, seed: int) -> tuple[str, ...]:
    found = _VERSION.search(suite.program.version)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    if suite.name == "go_test" and version >= (1, 17):
        return (f"-shuffle={seed}",)
    if suite.name == "vitest" and version >= (2, 0):
        return ("--sequence.shuffle.files=true", f"--sequence.seed={seed}")
    return ()
