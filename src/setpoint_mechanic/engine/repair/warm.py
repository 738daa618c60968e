"""The warm session as a child process: diagnosis and search happen there, what they gave comes back."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from setpoint_probe.localise.ochiai import Line
from setpoint_probe.process.children import Limits, Report, cpu_timer, run_child
from setpoint_probe.session.session import Suite, collect, prepare_path, pytest_words
from setpoint_probe.source.files import SourceFiles
from setpoint_probe.source.source import Source
from setpoint_probe.wire.exchange import Progress, fault_in

from ..localise.diagnosis import Diagnosis, diagnose
from ..wire.repair import Request
from .candidates import Candidate
from .search import Found, Outcome, Search

_COLLECTING = 0.6
"""Share of the time after which collecting the tests counts as endless."""
_Thin = tuple[str, int, Any, str, int, int, float, float, int, bool]


@dataclass
class Warm:
    """What a warm session gave."""

    problems: tuple[str, ...] = ()
    """What could not be collected."""
    fault: str = ""
    """Why there is no more than this."""
    tests: int = 0
    failing: tuple[str, ...] = ()
    not_failing: tuple[str, ...] = ()
    untraced: tuple[str, ...] = ()
    scores: dict[Line, float] = field(default_factory=dict)
    order_matters: bool = False
    leads: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For tests that lean on tests before them: those that run first."""
    errors: tuple[str, ...] = ()
    """How the tests fail that stand for all, in one line each."""
    from_import: bool = False
    """A test may fail for what the project made when it was imported."""
    outcome: Outcome = field(default_factory=Outcome)
    touching: dict[str, list[str]] = field(default_factory=dict)
    """Passing tests that reach the edited unit, else those beside the failing, by `key_of` the candidate."""
    seconds: dict[str, float] = field(default_factory=dict)
    """CPU seconds of one run by test."""
    stages: dict[str, float] = field(default_factory=dict)
    """Wall seconds by stage."""


def key_of(candidate: Candidate) -> str:
    """Name a candidate across processes."""
    return f"{candidate.source.path}\0{candidate.edits}"


def run_warm(request: Request, started: float, progress: Progress) -> Warm:
    """Collect, diagnose and search in a child; a project that breaks its process leaves a `fault`."""
    warm = Warm()
    session = _Session(request, started, progress)

    def take(record: tuple[str, Any]) -> None:
        kind, value = record
        if kind == "stage":
            warm.stages[value[0]] = value[1]
        elif kind == "warm":
            _fill(warm, value)
        else:
            setattr(warm, kind, value)

    log = Path(request.scratch) / "warm.log"
    ended = run_child(
        lambda report: session.run(report, log), Limits(request.memory_bytes, request.wall_s + 30), take
    )
    if not warm.tests and ended.cpu_limit:
        warm.fault = (
            f"collecting the tests does not come to an end within {request.wall_s * _COLLECTING:.0f} s: "
            "an import of the project or of its tests hangs or takes too long"
        )
    if not warm.tests and not warm.problems and not warm.fault:
        said = log.read_text(encoding="utf-8", errors="replace").strip()[-600:] if log.exists() else ""
        warm.fault = f"pytest did not get as far as running tests: {ended.error or 'it ended'}; {said}"
    return warm


class _Session:
    """The child's side."""

    def __init__(self, request: Request, started: float, progress: Progress) -> None:
        self._request = request
        self._started = started
        self._progress = progress
        self._told = time.monotonic()

    def run(self, report: Report, log: Path) -> None:
        request = self._request
        _log_to(log)
        prepare_path(request.tree)

        def act(suite: Suite) -> None:
            cpu_timer(0.0)
            report(("problems", suite.problems))
            report(("tests", len(suite.items)))
            # pytest would swallow it; the parent says it in the result.
            if fault := fault_in(lambda: self._in_session(suite, report)):
                report(("fault", fault))

        cpu_timer(request.cpu_s * _COLLECTING, request.wall_s * _COLLECTING)
        collect(pytest_words(request.tree, request.scratch, request.pytest_args), act)

    def _in_session(self, suite: Suite, report: Report) -> None:
        tests = {os.path.realpath(suite.path_of(test)) for test in suite.ids if not suite.is_doctest(test)}
        files = SourceFiles(self._request.tree, self._request.sources, tests)
        self._stage("collect", report)
        diagnosis = diagnose(suite, self._request, files, self._started)
        self._stage("localise", report)
        outcome = Outcome()
        if diagnosis.scores:
            outcome = Search(suite, diagnosis, files, self._request).run(self._started, self._progress)
        self._stage("search", report)
        report(("leads", suite.leads))
        report(("warm", _light(diagnosis, outcome)))

    def _stage(self, name: str, report: Report) -> None:
        now = time.monotonic()
        seconds, self._told = round(now - self._told, 3), now
        report(("stage", (name, seconds)))
        self._progress.tell("stage", name=name, seconds=seconds)


def _log_to(log: Path) -> None:
    """Let what pytest says before its session go to a file, for the reason of a failure."""
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for number in (1, 2):
        os.dup2(target, number)


def _light(diagnosis: Diagnosis, outcome: Outcome) -> dict[str, Any]:
    """Make it picklable: candidates without their trees."""
    found = [(_thin(each.candidate), each.cleared, each.checked, each.place) for each in outcome.found]
    touching = {
        key_of(each.candidate): [
            test
            for unit in each.candidate.units()
            for test in diagnosis.guards(each.candidate.source.path, unit)
        ]
        or diagnosis.neighbours()
        for each in outcome.found
    }
    return {
        "failing": diagnosis.failing,
        "not_failing": diagnosis.not_failing,
        "untraced": diagnosis.untraced,
        "scores": diagnosis.scores,
        "order_matters": diagnosis.order_matters,
        "errors": tuple(diagnosis.spectra.tests[test].error for test in diagnosis.representatives),
        "from_import": any(diagnosis.spectra.tests[test].from_import for test in diagnosis.failing),
        "outcome": replace(outcome, found=[], fresh=[]),
        "touching": touching,
        "seconds": diagnosis.seconds,
        "found": found,
        "fresh": [_thin(each) for each in outcome.fresh],
    }


def _thin(candidate: Candidate) -> _Thin:
    units = candidate.source.units
    return (
        candidate.source.path,
        units.index(candidate.unit),
        candidate.edits,
        candidate.template,
        candidate.size,
        candidate.line,
        candidate.score,
        candidate.leaning,
        -1 if candidate.also is None else units.index(candidate.also),
        candidate.double,
    )


def _fill(warm: Warm, plain: dict[str, Any]) -> None:
    sources: dict[str, Source] = {}

    def thick(thin: _Thin) -> Candidate:
        path, unit, edits, template, size, line, score, leaning, also, double = thin
        if path not in sources:
            sources[path] = Source.read(path)
        units = sources[path].units
        other = None if also < 0 else units[also]
        return Candidate(
            sources[path], units[unit], edits, template, size, line, score, leaning, other, double
        )

    found, fresh = plain.pop("found"), plain.pop("fresh")
    for name, value in plain.items():
        setattr(warm, name, value)
    warm.outcome.fresh = [thick(each) for each in fresh]
    warm.outcome.found = [Found(thick(candidate), *facts) for candidate, *facts in found]
