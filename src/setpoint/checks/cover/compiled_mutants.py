"""Mutants of Rust and Go in the user's current tree, by `cargo-mutants` and `gremlins` where installed."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.cover import cargo_mutants, gremlins
from setpoint.checks.cover.script_mutants import added_up, by_package, under
from setpoint.checks.cover.script_suite import found_suite
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.mutation.check import GREEN_FIRST
from setpoint.checks.mutation.tree import Wanted, lines_wanted, standing_copy
from setpoint.checks.parsing import GO, RUST, suffix_of
from setpoint.checks.suites.package_coverage import is_code
from setpoint.checks.suites.runner import Start
from setpoint.errors import UsageError, WorkspaceError
from setpoint.model.mutation import MutationReport
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import files_at
from setpoint.system.processes import Completed

Lines = Mapping[str, Collection[int]]


@dataclass(frozen=True, kw_only=True)
class CompiledTool:
    """A tool of a compiled language that judges mutants; people install it themselves."""

    program: str
    language: str
    suite: str
    """The preset that runs the tests of the language."""
    install: str
    """How people get it."""


TOOLS: Mapping[str, CompiledTool] = {
    RUST: CompiledTool(
        program="cargo-mutants",
        language="Rust",
        suite="cargo_test",
        install="cargo install --locked cargo-mutants",
    ),
    GO: CompiledTool(
        program="gremlins",
        language="Go",
        suite="go_test",
        install="go install github.com/go-gremlins/gremlins/cmd/gremlins@latest",
    ),
}
"""By suffix of the sources."""


async def compiled_mutants(
    folders: ProjectFolders, settings: Settings, wanted: Wanted, suffix: str
) -> MutationReport:
    """Judge the mutants of sources with a suffix by the tool of their language; the tree is not touched.

    Raises `UsageError` where nothing there can be mutated, `WorkspaceError` where the tool gives no report.
    """
    async with standing_copy(folders) as (place, commit):
        mine = partial(_is_source, suffix)
        lines = await lines_wanted(folders.root, place, commit, wanted, mine)
        sources = [file for file in await files_at(place, commit) if mine(file)]
        cache = folders.copies / "scratch" / "tools"
        artifacts = Artifacts(folders.state / "artifacts")
        suite = await found_suite(folders.root, place, settings, artifacts, cache, (TOOLS[suffix].suite,))
        if isinstance(suite, str):
            raise UsageError(f"mutants cannot be judged: {suite}", hint="see `setpoint doctor`")
        end, reports = time.monotonic() + wanted.budget_s, []
        for folder, within in by_package(suite, tuple(lines)).items():
            asked = {file.removeprefix(f"{folder}/"): lines[file] for file in within}
            beside = {file.removeprefix(f"{folder}/") for file in sources if not folder or _in(folder, file)}
            with tempfile.TemporaryDirectory(prefix="setpoint-", ignore_cleanup_errors=True) as temp:
                start = suite.start(place.resolve(), folder, Path(temp).resolve())
                judging = _Judging(
                    start=replace(start, timeout_s=max(1.0, end - time.monotonic())),
                    lines=asked,
                    others=beside - set(asked),
                    jobs=wanted.jobs or os.cpu_count() or 1,
                )
                judged = await (judging.by_cargo_mutants() if suffix == RUST else judging.by_gremlins())
            reports.append(under(folder, judged))
        return added_up(reports)


def _is_source(suffix: str, file: str) -> bool:
    return suffix_of(file) == suffix and is_code(file)


def _in(folder: str, file: str) -> bool:
    return file.startswith(f"{folder}/")


@dataclass(frozen=True, kw_only=True)
class _Judging:
    """One run of a tool in a package, whose paths all begin at its folder."""

    start: Start
    lines: Lines
    others: Collection[str]
    """Sources that are not mutated."""
    jobs: int

    async def by_cargo_mutants(self) -> MutationReport:
        """Judge by `cargo-mutants`; where the time is over, of what was tried by then."""
        scratch = self.start.scratch
        words = ("mutants", "--output", str(scratch), "--jobs", str(self.jobs), "--workspace")
        # Each job builds in a copy of its own, so they must not share the folder of the other checks.
        done = await self._call(
            "cargo-mutants",
            (*words, "--test-workspace=true", *cargo_mutants.words_of(self.lines)),
            without="CARGO_TARGET_DIR",
        )
        place = scratch / "mutants.out"

        def read() -> MutationReport:
            listed, outcomes = (place / "mutants.json").read_bytes(), place / "outcomes.json"
            told = outcomes.read_bytes() if outcomes.is_file() else b""
            return cargo_mutants.read_outcomes(listed, told, self.lines, self._source)

        report = self._believed("cargo-mutants", done, read)
        reason = f"cargo-mutants was ended after {self.start.timeout_s:.0f} s" if done.timed_out else ""
        return report.model_copy(update={"reason": reason})

    async def by_gremlins(self) -> MutationReport:
        """Judge by `gremlins`, which reports at its end alone."""
        report = self.start.scratch / "gremlins.json"
        words = ("unleash", "--output", str(report), "--workers", str(self.jobs))
        done = await self._call("gremlins", (*words, *gremlins.words_of(self.others)))
        if done.ok and not report.is_file():
            return MutationReport(mutants=())  # it writes no report where it finds no mutant
        return self._believed(
            "gremlins",
            done,
            lambda: gremlins.read_mutations(report.read_bytes(), self.lines, self._source),
        )

    async def _call(self, program: str, words: tuple[str, ...], without: str = "") -> Completed:
        variables = {name: text for name, text in self.start.variables.items() if name != without}
        found = shutil.which(program, path=variables["PATH"]) or program
        own = replace(self.start, variables={**variables, "TMPDIR": str(self.start.scratch)})
        return await own.call((found, *words), merged=True)

    def _source(self, file: str) -> str:
        return (self.start.place / file).read_text("utf-8", "surrogateescape")

    def _believed(self, name: str, done: Completed, read: Callable[[], MutationReport]) -> MutationReport:
        try:
            return read()
        except (OSError, BadReport) as error:
            if done.timed_out:
                raise WorkspaceError(
                    f"{name} did not end within {self.start.timeout_s:.0f} s and left no figures",
                    hint="give more time with --budget, or name fewer files or lines",
                ) from None
            said = str(error) if isinstance(error, BadReport) else results.tail(done)
            raise WorkspaceError(
                f"no mutant could be judged: {name} {done.ending}: {said}",
                hint=GREEN_FIRST,
            ) from None
