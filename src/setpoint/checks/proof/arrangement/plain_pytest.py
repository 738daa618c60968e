"""Run a project's Python tests as its people would: no plug-in and no coverage of Setpoint's.

Setpoint's process takes the exit status, and reads the runner's own report. pytest's report is JUnit XML,
which names tests by their address; unittest's is what it prints at its end.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from setpoint.checks import results
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.parsing import from_xml
from setpoint.checks.formats.report import Sources
from setpoint.checks.proof.arrangement.neutral_place import NeutralPlace
from setpoint.checks.suites.pytest import Runner
from setpoint.checks.suites.pytest_packages import badness, ignored, inside, parts_of
from setpoint.checks.tools.argv import as_word, in_chunks
from setpoint.model.evidence import Outcome
from setpoint.system.processes import Completed

_INVALID = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufddf￾￿]")
"""What pytest writes as `#x1B` into its XML."""
_NO_TESTS = 5
_RAN = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
_RED = re.compile(r"^(?:FAIL|ERROR): (\w+) \(([\w.<>]+)\)", re.MULTILINE)
_PARTS = {"failure": Outcome.FAILED, "error": Outcome.ERROR, "skipped": Outcome.SKIPPED}


@dataclass(frozen=True, kw_only=True)
class PlainRun:
    """What one plain run gave."""

    outcomes: Mapping[str, Outcome]
    """By identifier of the test, of those that were asked for."""
    argv: tuple[str, ...] = ()
    broken: str = ""
    """Why the run as a whole says something else than its tests; empty where it does not."""


async def plain_python(
    runner: Runner, place: NeutralPlace, known: Collection[str], only: Collection[str] | None, seed: int
) -> PlainRun:
    """Run the files that hold the known tests in another order, or some tests alone.

    Args:
        runner: How the tests are started otherwise.
        place: Where the tree is checked out.
        known: Identifiers of the tests that the outcome is compared for.
        only: The tests that are run; none runs every file.
        seed: Decides the order of the files.

    """
    words = sorted({test.partition("::")[0] for test in known} if only is None else only)
    words = [word for word in words if (place.tree / word.partition("::")[0]).exists()]
    random.Random(seed).shuffle(words)  # noqa: S311 - an order, no secret
    if not words:
        return PlainRun(outcomes={}, broken="none of the files is there")
    if runner.name == "unittest":
        return await _unittest(runner, place, known, words)
    made = await started_pytest(runner, place, words, seed)
    if made.broken:
        return PlainRun(outcomes={}, argv=made.argv, broken=made.broken)
    named = {address(test): test for test in known}
    outcomes = {named.get(where, "::".join(where)): outcome for where, outcome in _worst(made.cases).items()}
    return PlainRun(outcomes=outcomes, argv=made.argv, broken=_disagrees(made.done, outcomes))


class Started(NamedTuple):
    """What one run of pytest left."""

    cases: list[tuple[tuple[str, str], Outcome]]
    """The address and the outcome of each test that ran, in its order; a test may run more than once."""
    argv: tuple[str, ...]
    done: Completed
    broken: str = ""
    """Why there is no report that can be read."""


async def started_pytest(runner: Runner, place: NeutralPlace, words: Collection[str], seed: int) -> Started:
    """Run pytest on files or tests, and read its own report; in each package where they run it apart."""
    if not runner.roots:
        return await _started_at(runner, place, words, seed)
    made = []
    for root, share in parts_of(runner.roots, place.tree, words):
        there = replace(runner, args=(*ignored(root, runner.roots), *runner.args))
        started = await _started_at(there, replace(place, root=root), inside(share or (), root), seed)
        made.append(_named_from_root(started, root.folder))
    return Started(
        [case for each in made for case in each.cases],
        made[0].argv,
        max((each.done for each in made), key=badness),
        "; ".join(each.broken for each in made if each.broken),
    )


def _named_from_root(started: Started, folder: str) -> Started:
    """Return a run with the classes of pytest's XML named from the root of the tree."""
    prefix = f"{folder.replace('/', '.')}." if folder else ""
    cases = [((_escaped(prefix) + held, name), outcome) for (held, name), outcome in started.cases]
    return started._replace(cases=cases)


async def _started_at(runner: Runner, place: NeutralPlace, words: Collection[str], seed: int) -> Started:
    scratch = place.scratch()
    report = scratch / "junit.xml"
    argv = [runner.interpreter.path, "-m", "pytest", "--maxfail=0", "--color=no", f"--junitxml={report}"]
    if runner.interpreter.has("pytest-cov") and "no:pytest_cov" not in runner.args:
        argv.append("--no-cov")
    argv += runner.args
    given = [as_word(word) for word in words]
    argv += given if len([*in_chunks(given)]) <= 1 else ()
    done = await _started(runner, place, tuple(argv), seed)
    try:
        with report.open("rb") as file:
            text = file.read()
    except FileNotFoundError:
        said = f"pytest wrote no report: {done.ending}{results.tail(done)}"
        return Started([], tuple(argv), done, said)
    try:
        return Started(_cases(text), tuple(argv), done)
    except BadReport as error:
        return Started([], tuple(argv), done, str(error))


def address(test: str) -> tuple[str, str]:
    """Return class name and name by which pytest's XML names a test."""
    path, bracket, parameters = test.partition("[")
    names = path.split("::")
    names[0] = re.sub(r"\.py$", "", names[0].replace("/", "."))
    names[-1] += bracket + parameters
    return ".".join(map(_escaped, names[:-1])), _escaped(names[-1])


def _escaped(name: str) -> str:
    return _INVALID.sub(lambda found: f"#x{ord(found[0]):02X}", name)


def _cases(text: bytes) -> list[tuple[tuple[str, str], Outcome]]:
    """Read pytest's XML."""
    root = from_xml(text, Sources(tree=Path(), report="pytest's XML"), ("testsuites", "testsuite"))
    found: list[tuple[tuple[str, str], Outcome]] = []
    for case in root.iter("testcase"):
        parts = [_PARTS[each.tag] for each in case if each.tag in _PARTS]
        outcome = next((each for each in parts if each.red), parts[0] if parts else Outcome.PASSED)
        found.append(((case.get("classname", ""), case.get("name", "")), outcome))
    return found


def _worst(cases: Iterable[tuple[tuple[str, str], Outcome]]) -> dict[tuple[str, str], Outcome]:
    """Return outcomes by address; of a test that is named twice the worse one counts."""
    found: dict[tuple[str, str], Outcome] = {}
    for where, outcome in cases:
        if where not in found or not found[where].red:
            found[where] = outcome
    return found


def _disagrees(done: Completed, outcomes: Mapping[str, Outcome]) -> str:
    """Say where the exit status is another than the report asks for."""
    red = any(outcome.red for outcome in outcomes.values())
    expected = (1, 2) if red else (0, _NO_TESTS)
    if done.exit_code in expected:
        return ""
    how = "failing tests" if red else "no failing test"
    return f"the report names {how}, and pytest ended otherwise: {done.ending}{results.tail(done)}"


async def _unittest(
    runner: Runner, place: NeutralPlace, known: Collection[str], words: Iterable[str]
) -> PlainRun:
    """Run unittest's own program on the modules of the files, or on tests in them."""
    roots: dict[str, None] = {}
    names: dict[str, str] = {}
    for test in known:
        root, name = _dotted(place.tree, test)
        names[name] = test
    asked = []
    for word in words:
        root, name = _dotted(place.tree, word)
        roots[root] = None
        asked.append(name)
    argv = (runner.interpreter.path, "-m", "unittest", *asked)
    done = await _started(runner, place, argv, 0, tuple(roots))
    ran = _RAN.search(done.errors)
    if ran is None:
        return PlainRun(
            outcomes={}, argv=argv, broken=f"unittest ran nothing: {done.ending}{results.tail(done)}"
        )
    chosen = {
        test: Outcome.PASSED
        for name, test in names.items()
        if any(name == each or name.startswith(f"{each}.") for each in asked)
    }
    red = {_of_summary(*found.groups()): Outcome.FAILED for found in _RED.finditer(done.errors)}
    outcomes = {**chosen, **{names.get(name, name): outcome for name, outcome in red.items()}}
    broken = _disagrees(done, outcomes)
    if not broken and int(ran[1]) < len(chosen):
        broken = f"{ran[1]} of {len(chosen)} tests ran"
    return PlainRun(outcomes=outcomes, argv=argv, broken=broken)


def _of_summary(method: str, where: str) -> str:
    return where if where.rpartition(".")[2] == method else f"{where}.{method}"


def _dotted(tree: Path, test: str) -> tuple[str, str]:
    """Return the folder from which a test is imported, and its dotted name."""
    file, _, inner = test.partition("::")
    folder = Path(file).parent
    while folder != Path() and (tree / folder / "__init__.py").is_file():
        folder = folder.parent
    module = ".".join(Path(file).relative_to(folder).with_suffix("").parts)
    return folder.as_posix(), f"{module}.{inner.replace('::', '.')}" if inner else module


async def _started(
    runner: Runner,
    place: NeutralPlace,
    argv: tuple[str, ...],
    seed: int,
    roots: tuple[str, ...] = (),
) -> Completed:
    variables = place.variables()
    variables["PYTHONHASHSEED"] = str(seed)
    more = (str(place.tree / root) for root in roots)
    variables["PYTHONPATH"] = ":".join(dict.fromkeys((*variables["PYTHONPATH"].split(":"), *more)))
    return await place.call(
        argv,
        variables,
        timeout_s=runner.timeout_s,
        memory_bytes=runner.memory_bytes,
        merge_stderr=runner.name == "pytest",
    )
