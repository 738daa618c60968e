"""The lines that tests of JavaScript and TypeScript run: V8 is asked between any two tests of one run."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import Field, ValidationError

from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.coverage.statements import Start as Statement
from setpoint.checks.formats.coverage.v8 import Counted, Script
from setpoint.checks.formats.parsing import MOST_BYTES, Part
from setpoint.checks.localise.spectra import GRACE_S, Ran, Watched
from setpoint.checks.suites.package_coverage import NO_PARSER, statements_at
from setpoint.checks.suites.package_suite import RUNNERS, PackageSuite
from setpoint.checks.suites.runner import Start
from setpoint.model.evidence import Failure, TestReport
from setpoint.model.value import Value
from setpoint.ports import Measured
from setpoint_probe.localise.ochiai import Line

PRELOAD = "node_spectra.cjs"
SCRIPTS = ("vitest", "jest", "node_test", "mocha")
"""Runners whose tests are seen apart within a run."""
Statements = Mapping[str, tuple[Statement, ...]]


class Recorded(Value):
    """What a process counted while one test ran, or outside of all tests."""

    file: str
    """Empty: outside of all tests."""
    name: str
    """Whole name, with a space between a group and what is in it."""
    mixed: bool
    """Whether other tests ran at the same time in the same process."""
    scripts: tuple[Script, ...]


class _Config(Part):
    setup: tuple[str, ...] = Field(default=(), alias="setupFilesAfterEnv")


class _Shown(Part):
    """What jest shows of its configuration."""

    configs: tuple[_Config, ...]


@dataclass(frozen=True, kw_only=True)
class ScriptSpectra:
    """Runs the files of the failing tests once, by their own runner."""

    suite: PackageSuite

    def owns(self, test: str) -> bool:
        """Whether a test is one of the runner; a file that could not be loaded is none."""
        return "::" in test and RUNNERS[self.suite.name].owns(test)

    async def watch(self, measured: Measured, failing: Sequence[Failure], limit_s: float) -> Watched:
        """Run whole files: the failing tests, and beside them the other tests there."""
        tree, began = Path(measured.copy.path).resolve(), time.monotonic()
        statements = await statements_at(tree, measured.commit, self.suite)
        if statements is None:
            return Watched(why=NO_PARSER)
        files = tuple(dict.fromkeys(each.test.partition("::")[0] for each in failing))
        seen, reports, whys = _Seen(tree=tree, statements=statements), list[TestReport](), list[str]()
        for folder, share in self.suite.shares(tree, files):
            with tempfile.TemporaryDirectory(prefix="setpoint-", ignore_cleanup_errors=True) as scratch:
                place = Path(scratch).resolve()
                setup = await self._setup(tree, folder, place) if self.suite.name == "jest" else ()
                if isinstance(setup, str):
                    whys.append(setup)
                    continue
                lent = _Lent(self.suite.name, place, failing, limit_s, setup)
                once = await self.suite.once(tree, folder, share, lent.to)
                if once.report is not None:
                    reports.append(once.report)
                else:
                    whys.append(once.broken or once.unusable or f"the watched run {once.done.ending}")
                try:
                    await asyncio.to_thread(seen.read, place)
                except (BadReport, OSError, ValueError) as error:
                    whys.append(str(error).splitlines()[0])
        outcomes = {test: each.red for report in reports for test, each in report.outcomes.items()}
        tests = tuple(seen.ran(outcomes, failing))
        heard = seen.lines or seen.mixed
        why = "; ".join(filter(None, whys)) or ("" if heard else "the runner did not say when a test begins")
        return Watched(tests=tests, took_s=time.monotonic() - began, why=why, note=seen.note)

    async def _setup(self, tree: Path, folder: str, scratch: Path) -> tuple[str, ...] | str:
        """Ask jest for the project's own set-up files, whose place an argument takes; a text says why not."""
        start = self.suite.start(tree, folder, scratch)
        done = await start.call(start.argv("--showConfig"))
        said = done.stdout.decode("utf-8", "replace")
        try:
            shown = _Shown.model_validate_json(said[said.find("{") :])
        except ValidationError:
            return f"jest does not show its configuration: {done.ending}"
        if len(shown.configs) != 1 or len(self.suite.calls.get(folder, ())) > 1:
            return "jest runs several projects here"
        return shown.configs[0].setup


@dataclass(frozen=True)
class _Lent:
    """What a runner is started with so that it says what each test runs."""

    name: str
    folder: Path
    failing: Sequence[Failure]
    limit_s: float
    setup: tuple[str, ...] = ()
    """The project's own set-up files of jest."""

    def to(self, start: Start) -> Start:
        """Change how it is started."""
        order = {
            "folder": str(self.folder),
            "tree": str(start.tree),
            "runner": self.name,
            "failing": sorted({_spaced(each.test) for each in self.failing}),
            "limit_ms": self.limit_s * 1000,
        }
        variables = {**start.variables, "SETPOINT_SPECTRA": json.dumps(order)}
        start = replace(
            start,
            writable=(*start.writable, self.folder),
            timeout_s=min(start.timeout_s, self.limit_s + GRACE_S),
        )
        if self.name == "jest":  # what it runs lies in places of their own, which a set-up file reaches
            files = (str(start.inside / "jest_spectra.cjs"), *self.setup)
            asked = (f"--setupFilesAfterEnv={each}" for each in files)
            return replace(start, variables=variables, args=(*start.args, *asked))
        preload = f"--require={start.inside / PRELOAD}"
        variables["NODE_OPTIONS"] = f"{start.variables.get('NODE_OPTIONS', '')} {preload}".strip()
        if self.name != "vitest":
            return replace(start, variables=variables)
        program = replace(start.program, argv=("node", str(start.inside / "vitest_spectra.mjs")))
        return replace(start, variables=variables, program=program, args=(*start.args, "--pool=forks"))


@dataclass(kw_only=True)
class _Seen:
    """What the processes of the runs wrote."""

    tree: Path
    statements: Statements
    lines: dict[tuple[str, str], frozenset[Line]] = field(default_factory=dict)
    """What a test ran itself, by file and spaced name."""
    outside: dict[tuple[str, str], frozenset[Line]] = field(default_factory=dict)
    """What its process ran outside of all tests."""
    mixed: set[tuple[str, str]] = field(default_factory=set)

    @property
    def note(self) -> str:
        """Say which tests overlap; empty where none do."""
        if not self.mixed:
            return ""
        return f"{len(self.mixed)} tests run at the same time as others of their file and are left out"

    def read(self, folder: Path) -> None:
        """Read one folder; raises `BadReport` or `ValueError` where a file is not what it should be."""
        counted = Counted(folder=folder, tree=self.tree, statements=self.statements)
        for place in sorted(folder.glob("*.jsonl")):
            outside: frozenset[Line] = frozenset()
            own: dict[tuple[str, str], frozenset[Line]] = {}
            for record in _records(place):
                lines = _lines(counted, record.scripts)
                test = (self._relative(record.file), record.name)
                if not record.name:
                    outside |= lines
                elif record.mixed:
                    self.mixed.add(test)
                else:
                    own[test] = own.get(test, frozenset()) | lines
            for test, lines in own.items():
                self.lines[test], self.outside[test] = lines, outside

    def ran(self, outcomes: Mapping[str, bool], failing: Sequence[Failure]) -> list[Ran]:
        """Give tests their outcomes; several tests of one name are left out.

        What ran outside of all tests counts for each of them, except lines that a failing test runs itself:
        of these it matters which other tests run them themselves.
        """
        known = {test: _key(test) for test in outcomes}
        times = Counter(known.values())
        red = (self.lines.get(key, frozenset()) for test, key in known.items() if outcomes[test])
        by_red = frozenset[Line]().union(*red)
        before = {key: lines - by_red - self.lines[key] for key, lines in self.outside.items()}
        place = {each.test: ((each.file, each.line),) for each in failing if each.file in self.statements}
        return [
            Ran(
                test=test,
                failed=outcomes[test],
                lines=self.lines[key] | before[key],
                frames=place.get(test, ()) if outcomes[test] else (),
                before=before[key],
            )
            for test, key in known.items()
            if times[key] == 1 and key in self.lines and key not in self.mixed
        ]

    def _relative(self, file: str) -> str:
        place = Path(file).resolve() if file else Path()
        return place.relative_to(self.tree).as_posix() if place.is_relative_to(self.tree) else file


def _records(place: Path) -> list[Recorded]:
    if place.stat().st_size > MOST_BYTES:
        raise BadReport(f"what the tests ran takes more than {MOST_BYTES:,} bytes")
    try:
        return [Recorded.model_validate_json(line) for line in place.read_bytes().splitlines()]
    except ValidationError as error:
        raise BadReport(f"what the tests ran is not readable: {str(error).splitlines()[0]}") from None


def _lines(counted: Counted, scripts: tuple[Script, ...]) -> frozenset[Line]:
    hits = counted.only(scripts)
    return frozenset((file, line) for file, lines in hits.items() for line, times in lines.items() if times)


def _spaced(test: str) -> str:
    return test.partition("::")[2].replace(" > ", " ")


def _key(test: str) -> tuple[str, str]:
    return test.partition("::")[0], _spaced(test)
