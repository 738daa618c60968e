"""Stryker's report of mutants of scripts (the schema `mutation-testing-report`), and how it is run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from setpoint.checks.formats.bad_report import BadReport
from setpoint.model.mutation import Fate, Mutant, MutationReport

PACKAGES = ("@stryker-mutator/core", "@stryker-mutator/vitest-runner", "@stryker-mutator/jest-runner")
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


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Place(_Part):
    line: int
    column: int


class _Span(_Part):
    start: _Place
    end: _Place


class _Mutant(_Part):
    operator: str = Field(alias="mutatorName")
    replacement: str = ""
    status: str
    location: _Span
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


def _mutant(file: str, lines: Sequence[str], each: _Mutant, names: Mapping[str, str]) -> Mutant:
    start, end = each.location.start, each.location.end
    before = lines[start.line - 1 : end.line]
    head = before[0][: start.column - 1] if before else ""
    tail = before[-1][end.column - 1 :] if before else ""
    killer = next(iter(each.killers), "")
    return Mutant(
        file=file,
        line=start.line,
        operator=each.operator,
        before="\n".join(before),
        after=f"{head}{each.replacement}{tail}",
        verdict=_FATES[each.status],
        test=names.get(killer, killer),
        tests=len(each.covering),
    )


def configuration(runner: str, mutate: Sequence[str], report: Path, jobs: int) -> str:
    """Return Stryker's settings for a run in a copy; `mutate` are files, or `FILE:FIRST-LAST`."""
    known = runner in ("vitest", "jest")
    settings: dict[str, Any] = {
        "testRunner": runner if known else "command",
        "plugins": [f"@stryker-mutator/{runner}-runner"] if known else [],
        "mutate": list(mutate),
        "reporters": ["json"],
        "jsonReporter": {"fileName": str(report)},
        "coverageAnalysis": "perTest" if known else "off",
        "allowConsoleColors": False,
        "concurrency": jobs,
        "checkers": [],
        "inPlace": True,  # it works in a copy that is thrown away
        "tsconfigFile": ".setpoint-none.json",  # else it loads TypeScript to rewrite references
        "tempDirName": ".stryker-tmp",
    }
    if not known:
        settings["commandRunner"] = {"command": "npm test"}
    return json.dumps(settings)


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
