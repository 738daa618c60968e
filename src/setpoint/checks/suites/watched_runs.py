"""One run of a project's tests in which it is watched which statements run, for each runner."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.coverage import lcov
from setpoint.checks.formats.coverage.branches import Arm, arms_of
from setpoint.checks.formats.coverage.go_profile import blocks_of, hits_of
from setpoint.checks.formats.coverage.statements import Start
from setpoint.checks.formats.coverage.v8 import Counted
from setpoint.checks.formats.linters import cargo
from setpoint.checks.formats.parsing import MOST_BYTES
from setpoint.checks.formats.report import Sources
from setpoint.checks.suites.go import narrowed
from setpoint.checks.suites.llvm import INSTRUMENTED, LlvmTools, find_llvm
from setpoint.checks.suites.runner import Start as Run
from setpoint.model.evidence import TestReport
from setpoint.system.processes import Completed

PRELOAD = "node_coverage.cjs"
"""Lent to Node; it lies beside the reporters."""
Statements = Mapping[str, tuple[Start, ...]]
Hits = dict[str, dict[int, int]]
"""How often each line ran on which a statement begins, by file."""
Branches = dict[tuple[str, str], bool]
"""Whether a branch was taken, by file and place in it."""


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """What one watched run of a package gave."""

    done: Completed
    hits: Hits
    """By path from the root of the tree; files that nothing loaded are missing."""
    branches: Branches = field(default_factory=dict)
    """Whether each branch was taken; empty where nothing counts them."""
    why: str = ""
    """Why nothing is known; empty where it is."""
    report: TestReport | None = None
    """How the tests came out, where the runner writes that into a file of its own."""


Watcher = Callable[[Run, Statements, tuple[str, ...]], Awaitable[Gathered]]
"""Runs the tests of a package once, all or those that the words select, and reads what they reached."""


async def by_v8(run: Run, statements: Statements, words: tuple[str, ...]) -> Gathered:
    """Watch a runner that loads the code in processes of Node: each writes what V8 counted."""
    folder = run.scratch / "v8"
    folder.mkdir()
    options = f"{run.variables.get('NODE_OPTIONS', '')} --require={run.inside / PRELOAD}".strip()
    lent = {
        "NODE_OPTIONS": options,
        "SETPOINT_COVERAGE_FOLDER": str(folder),
        "SETPOINT_COVERAGE_TREE": str(run.tree),
    }
    # Threads are ended from outside, and write nothing then.
    pool = ("--pool=forks",) if run.name == "vitest" else ()
    watched = replace(run, variables={**run.variables, **lent})
    done = await watched.call(watched.argv(*pool, *words))

    def read() -> tuple[Hits, Branches]:
        arms = _arms(run, statements)
        counted = Counted(folder=folder, tree=run.tree, statements=statements, arms=arms)
        counted.read()
        return counted.hits, counted.taken | _untaken(arms, counted.hits)

    return await _read(done, read, "no process of the tests said what it ran")


async def by_jest(run: Run, statements: Statements, words: tuple[str, ...]) -> Gathered:
    """Watch jest by what it brings itself: it runs code in places that V8 forgets before they can be read."""
    folder = run.scratch / "istanbul"
    asking = tuple(word for word in run.preset.argv if word != "--coverage=false")
    run = replace(run, preset=run.preset.model_copy(update={"argv": asking}))
    asked = (
        "--coverage",
        "--coverageReporters=lcovonly",
        f"--coverageDirectory={folder}",
        "--coverageThreshold={}",
    )
    done = await run.call(run.argv(*asked, *words))
    return await _of_lcov(done, folder / "lcov.info", run, statements)


async def by_go(run: Run, statements: Statements, words: tuple[str, ...]) -> Gathered:
    """Watch Go by its own profile, of all packages of the module."""
    profile = run.scratch / "cover.out"
    place = run.scratch / "tmp"
    place.mkdir()
    watched = replace(run, variables={**run.variables, "GOTMPDIR": str(place)})
    argv = watched.argv(*narrowed(watched), "-covermode=count", "-coverpkg=./...", f"-coverprofile={profile}")
    done = await watched.call((*argv, *words, "./..."))
    module = module_of(run.place)
    if not module:
        return Gathered(done=done, hits={}, why="go.mod names no module")

    def read() -> tuple[Hits, Branches]:
        within = f"{run.folder}/" if run.folder else ""
        blocks = blocks_of(_text(profile), run.sources()).items()
        files = {within + name.removeprefix(f"{module}/"): each for name, each in blocks}
        known = {file: each for file, each in files.items() if file in statements}
        return {file: dict(hits_of(each, statements[file])) for file, each in known.items()}, {}

    return await _read(done, read, "go test wrote no profile")


async def by_cargo(run: Run, statements: Statements, words: tuple[str, ...]) -> Gathered:
    """Watch crates by the instrumentation of rustc, read with the LLVM of the toolchain."""
    tools = await find_llvm(run)
    if isinstance(tools, str):
        return Gathered(done=await run.call(("rustc", "--version")), hits={}, why=tools)
    profiles = run.scratch / "profiles"
    profiles.mkdir()
    lent = {
        "LLVM_PROFILE_FILE": str(profiles / "%p-%m.profraw"),
        "CARGO_TARGET_DIR": f"{run.cache}/coverage",
    }
    watched = replace(run, variables={**run.variables, **lent})
    building = await watched.call(watched.argv(*INSTRUMENTED, "--no-run", "--message-format=json", "--quiet"))
    try:
        built = cargo.built(building.stdout, run.sources())
    except BadReport as error:
        return Gathered(done=building, hits={}, why=f"{error}{results.tail(building)}")
    if not built.success:
        return Gathered(done=building, hits={}, why=f"it does not build instrumented{results.tail(building)}")
    done = await watched.call(watched.argv(*INSTRUMENTED, *words))
    report = run.scratch / "lcov.info"
    if why := await _exported(watched, tools, tuple(built.executables), report):
        return Gathered(done=done, hits={}, why=why)
    return await _of_lcov(done, report, run, statements)


async def _exported(run: Run, tools: LlvmTools, programs: tuple[str, ...], report: Path) -> str:
    """Merge the profiles and write them as LCOV; says why where that fails."""
    raw = sorted(map(str, (run.scratch / "profiles").glob("*.profraw")))
    if not raw:
        return "no program of the tests wrote a profile: target.*.rustflags of the project go before ours"
    merged = run.scratch / "merged.profdata"
    done = await run.call((tools.profdata, "merge", "-sparse", *raw, "-o", str(merged)))
    if not done.ok:
        return f"llvm-profdata: {done.ending}{results.tail(done)}"
    objects = tuple(word for each in programs[1:] for word in ("--object", each))
    words = ("export", "--format=lcov", "--skip-functions", f"--instr-profile={merged}")
    done = await run.call((tools.cov, *words, *programs[:1], *objects))
    if not done.ok:
        return f"llvm-cov: {done.ending}{results.tail(done)}"
    await asyncio.to_thread(report.write_bytes, done.stdout)
    return ""


async def _of_lcov(done: Completed, report: Path, run: Run, statements: Statements) -> Gathered:
    sources = Sources(tree=run.tree, report=f"the coverage of {run.name}")

    def read() -> tuple[Hits, Branches]:
        if not report.is_file():
            return {}, {}
        lines, branches = lcov.lines_and_branches(_text(report), sources)
        hits = {file: _on(statements[file], each) for file, each in lines.items() if file in statements}
        taken = {place: each for place, each in branches.items() if place[0] in hits}
        return hits, taken | _untaken(_arms(run, statements), hits)

    return await _read(done, read, f"{run.name} wrote no coverage")


def _on(statements: tuple[Start, ...], lines: Mapping[int, int]) -> dict[int, int]:
    """Keep the lines on which statements begin."""
    return {each.line: lines[each.line] for each in statements if each.line in lines}


def _arms(run: Run, statements: Statements) -> dict[str, tuple[Arm, ...]]:
    """Return the ways that conditions of a package can go: in scripts, whose engine counts them."""
    within = f"{run.folder}/" if run.folder else ""
    mine = (file for file in statements if file.startswith(within) and (run.tree / file).is_file())
    return {file: arms_of(file, (run.tree / file).read_bytes()) for file in mine}


def _untaken(arms: Mapping[str, tuple[Arm, ...]], loaded: Collection[str]) -> Branches:
    """Count the arms of files that nothing loaded: none was taken."""
    return {(file, arm.place): False for file, each in arms.items() if file not in loaded for arm in each}


async def _read(done: Completed, read: Callable[[], tuple[Hits, Branches]], nothing: str) -> Gathered:
    if done.timed_out or done.idled:
        return Gathered(done=done, hits={}, why=f"the watched run {done.ending}")
    try:
        hits, branches = await asyncio.to_thread(read)
    except FileNotFoundError:  # the tests did not build, or ended before it was written
        hits, branches = {}, {}
    except (BadReport, OSError) as error:
        return Gathered(done=done, hits={}, why=f"{error} ({done.ending}){results.tail(done)}")
    why = "" if hits else f"{nothing}: {done.ending}{results.tail(done)}"
    return Gathered(done=done, hits=hits, branches=branches, why=why)


def _text(file: Path) -> bytes:
    with file.open("rb") as held:
        return held.read(MOST_BYTES + 1)


def module_of(folder: Path) -> str:
    """Return the module that a folder of Go holds; empty where it holds none."""
    try:
        lines = (folder / "go.mod").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    named = (line.split() for line in lines if line.startswith("module "))
    return next((words[1].strip('"') for words in named if len(words) > 1), "")


WATCHERS: Mapping[str, Watcher] = {
    "vitest": by_v8,
    "node_test": by_v8,
    "mocha": by_v8,
    "jest": by_jest,
    "go_test": by_go,
    "cargo_test": by_cargo,
}
"""How the tests of each runner are watched."""
