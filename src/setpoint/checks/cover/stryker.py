"""Stryker's report of mutants of scripts (the schema `mutation-testing-report`), and how it is run."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from setpoint.checks.formats.bad_report import BadReport
from setpoint.model.mutation import Fate, Mutant, MutationReport

PACKAGES = (
    "@stryker-mutator/core",
    "@stryker-mutator/vitest-runner",
    "@stryker-mutator/jest-runner",
    "@stryker-mutator/tap-runner",
)
_COPIED = ("vitest-runner", "jest-runner")
"""Packages that load the project's runner by its name, which a link would not find."""
_FATES = {
    "Killed": Fate.KILLED,
    "Timeout": Fate.TIMEOUT,
    "Survived": Fate.SURVIVED,
    "NoCoverage": Fate.UNCOVERED,
    "Pending": Fate.UNTRIED,
}
"""What became of mutants; others (of which nothing compiles) count neither way and are left out."""
_RUNNERS = {"vitest": "vitest", "jest": "jest", "node_test": "tap"}
"""Stryker's name of each runner; the output of `node --test` is TAP."""
_WITH_VALUE = frozenset(
    ("--import", "--require", "-r", "--loader", "--experimental-loader", "--conditions", "-C", "--env-file")
)
_OF_THE_RUNNER = ("--test", "--experimental-test")
_PATTERN = re.compile(r"[\[{(*?]")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Place(_Part):
    """A place in a source."""

    line: int
    """1-based."""
    column: int
    """1-based, in characters."""


class Span(_Part):
    """What a mutant replaces."""

    start: Place
    end: Place
    """Where the rest begins."""


class _Mutant(_Part):
    operator: str = Field(alias="mutatorName")
    replacement: str = ""
    status: str
    location: Span
    killers: tuple[str, ...] = Field(alias="killedBy", default=())
    covering: tuple[str, ...] = Field(alias="coveredBy", default=())


class _File(_Part):
    source: str
    mutants: tuple[_Mutant, ...]


class _Test(_Part):
    id: str
    name: str


class _Tests(_Part):
    tests: tuple[_Test, ...] = ()


class _Report(_Part):
    files: Mapping[str, _File]
    tests: Mapping[str, _Tests] = Field(alias="testFiles", default={})


def read_report(text: bytes) -> MutationReport:
    """Read a report; raises `BadReport` where it is none."""
    try:
        known = _Report.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise BadReport(f"Stryker's report is not readable at '{place}': {first['msg']}") from None
    names = {test.id: f"{file}::{test.name}" for file, held in known.tests.items() for test in held.tests}
    mutants = tuple(
        _mutant(file, held.source.split("\n"), each, names)
        for file, held in sorted(known.files.items())
        for each in held.mutants
        if each.status in _FATES
    )
    every = sum(len(held.mutants) for held in known.files.values())
    return MutationReport(mutants=mutants, made=len(mutants), same=every - len(mutants), tests=len(names))


def spliced(lines: Sequence[str], span: Span, replacement: str) -> tuple[str, str]:
    """Return the lines of a span as they are, and as they read with a replacement."""
    start, end = span.start, span.end
    before = lines[start.line - 1 : end.line]
    head = before[0][: start.column - 1] if before else ""
    tail = before[-1][end.column - 1 :] if before else ""
    return "\n".join(before), f"{head}{replacement}{tail}"


def _mutant(file: str, lines: Sequence[str], each: _Mutant, names: Mapping[str, str]) -> Mutant:
    start, end = each.location.start, each.location.end
    # A body begins behind what decides about it, on a line that may well run.
    body = each.status == "NoCoverage" and each.replacement == "{}" and end.line > start.line + 1
    before, after = spliced(lines, each.location, each.replacement)
    killer = next(iter(each.killers), "")
    return Mutant(
        file=file,
        line=start.line + body,
        operator=each.operator,
        before=before,
        after=after,
        verdict=_FATES[each.status],
        test=names.get(killer, killer),
        tests=len(each.covering),
    )


@dataclass(frozen=True, kw_only=True)
class StrykerRun:
    """One run of Stryker in a copy of a package."""

    runner: str
    """The preset that runs the tests."""
    mutate: tuple[str, ...]
    """Files, or `FILE:FIRST-LAST`, from the folder of the package."""
    report: Path
    jobs: int
    tests: tuple[str, ...] = ()
    """Files of tests, where Stryker starts them itself: with `node --test`."""
    args: tuple[str, ...] = ()
    """Arguments of the settings for `node --test`."""

    def configuration(self) -> str:
        """Return Stryker's settings, as JSON."""
        runner = _RUNNERS[self.runner]
        settings: dict[str, Any] = {
            "testRunner": runner,
            "plugins": [f"@stryker-mutator/{runner}-runner"],
            "mutate": [as_pattern(each) for each in self.mutate],
            "reporters": ["json"],
            "jsonReporter": {"fileName": str(self.report)},
            "coverageAnalysis": "perTest",
            "allowConsoleColors": False,
            "concurrency": self.jobs,
            "checkers": [],
            "inPlace": True,  # it works in a copy that is thrown away
            "tsconfigFile": ".setpoint-none.json",  # else it loads TypeScript to rewrite references
            "tempDirName": ".stryker-tmp",
        }
        if runner == "tap":
            files = [as_pattern(each) for each in self.tests]
            settings["tap"] = {
                "testFiles": files,
                "nodeArgs": ["--test-reporter=tap", *options_of_node(self.args)],
            }
        return json.dumps(settings)


def as_pattern(path: str) -> str:
    """Return a pattern of Stryker that matches one path alone, such as that of `[id].ts`."""
    return _PATTERN.sub(r"[\g<0>]", path)


def options_of_node(args: Iterable[str]) -> tuple[str, ...]:
    """Return the words that go to Node itself, without test files and the options of its test runner."""
    kept, words = [], iter(args)
    for word in words:
        if word in _WITH_VALUE:
            kept += [word, next(words, "")]
        elif word.startswith("-") and not word.startswith(_OF_THE_RUNNER):
            kept.append(word)
    return tuple(kept)


def lend(own: Path, place: Path) -> None:
    """Bring Stryker's packages to a copy of the project, beside the project's own, which go first."""
    place.mkdir(exist_ok=True)
    for entry in own.iterdir():
        there = place / entry.name
        if entry.name.startswith("@"):
            lend(entry, there)
        elif entry.name.startswith(".") or there.exists() or there.is_symlink():
            continue
        elif entry.name in _COPIED:
            shutil.copytree(entry, there, symlinks=True)
        else:
            there.symlink_to(entry)
