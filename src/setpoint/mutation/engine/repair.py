"""A whole repair: warm session, search, fresh trials for what cannot be swapped, confirmation, result.

This process never imports the project. The warm session lives in a forked child, so that a project that crashes on
import cannot take the result away, and fresh trials start from a clean state.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from .candidates import Candidate, stream
from .children import Limits, Report, cpu_used, run_child
from .diagnosis import Diagnosis, diagnose
from .files import SourceFiles
from .fresh import Fresh
from .importing import examine
from .search import Found, Outcome, Search
from .session import PASSED, Suite, collect, preload_plugins, prepare_path, pytest_words
from .source import Source, UnreadableSource
from .wire import Patch, Progress, Request, Result, Suspect, digest

_SUSPECTS = 15
_CONFIRM_TESTS = 400
_CONFIRM_ALTERNATIVES_S = 5.0
"""Seconds after which alternatives to a confirmed patch are given back as they are."""


@dataclass
class _Warm:
    """What the warm session hands back to this process."""

    found: list[Found]
    outcome: Outcome
    failing: tuple[str, ...]
    not_failing: tuple[str, ...]
    untraced: tuple[str, ...]
    scores: dict[tuple[str, int], float]
    tests: int
    order_matters: bool
    touching: dict[str, list[str]]
    """Passing tests that reach the edited unit, by patch key."""
    seconds: dict[str, float]


class Repair:
    """One order, from request to result."""

    def __init__(self, request: Request, progress: Progress) -> None:
        """Take the order; paths are made real so that they equal those of imported code."""
        scratch = request.scratch or tempfile.mkdtemp(prefix="repair-")
        self._request = replace(request, tree=os.path.realpath(request.tree), scratch=scratch)
        self._progress = progress
        self._result = Result()
        self._started = time.monotonic()
        self._files = SourceFiles(self._request.tree, request.sources, ())
        self._warm: _Warm | None = None
        self._problems: tuple[str, ...] = ()
        self._fault = ""

    def run(self) -> Result:
        """Do it; whatever goes wrong with the project ends in the result's reason."""
        preload_plugins(self._request.tree)
        ended = run_child(
            self._be_warm, Limits(self._request.memory_bytes, self._request.wall_s + 30), self._take
        )
        result = self._result
        if self._fault:
            result.reason = f"the engine broke: {self._fault}"
        elif self._warm is None and not self._problems:
            result.reason = (
                f"pytest did not get as far as running tests here: {ended.error or 'it ended its process'}"
            )
        elif self._warm is None or (not self._warm.failing and self._problems):
            self._repair_imports()
        elif not self._warm.failing:
            result.reason = "none of the failing tests fails when it is run here"
        else:
            self._conclude(self._warm)
        result.cpu_s = round(cpu_used(), 2)
        result.seconds["total"] = round(time.monotonic() - self._started, 2)
        return result

    # --- inside the warm child

    def _be_warm(self, report: Report) -> None:
        prepare_path(self._request.tree)

        def act(suite: Suite) -> None:
            report(("problems", suite.problems))
            try:
                self._in_session(suite, report)
            except Exception:  # noqa: BLE001 - pytest would swallow it; the parent says it in the result
                report(("fault", traceback.format_exc()[-1500:]))

        code = collect(pytest_words(self._request.pytest_args), act)
        report(("exit", code))

    def _in_session(self, suite: Suite, report: Report) -> None:
        tests = {
            os.path.realpath(suite.path_of(test))
            for test, item in suite.items.items()
            if type(item).__name__ != "DoctestItem"
        }
        files = SourceFiles(self._request.tree, self._request.sources, tests)
        self._tell_stage("collect", report)
        diagnosis = diagnose(suite, self._request, files, self._started)
        self._tell_stage("localise", report)
        outcome, touching = Outcome(), {}
        if diagnosis.scores:
            outcome = Search(suite, diagnosis, files, self._request).run(self._started, self._progress)
            touching = {_key(found.candidate): _guards(diagnosis, found.candidate) for found in outcome.found}
        self._tell_stage("search", report)
        found, outcome.found = outcome.found, []
        warm = _Warm(
            found,
            outcome,
            diagnosis.failing,
            diagnosis.not_failing,
            diagnosis.untraced,
            diagnosis.scores,
            len(suite.items),
            diagnosis.order_matters,
            touching,
            diagnosis.seconds,
        )
        report(("warm", _light(warm)))

    def _tell_stage(self, name: str, report: Report) -> None:
        seconds = round(time.monotonic() - self._started - sum(self._result.seconds.values()), 3)
        self._result.seconds[name] = seconds
        report(("stage", (name, seconds)))
        self._progress.tell("stage", name=name, seconds=seconds)

    # --- in this process

    def _take(self, record: tuple[str, Any]) -> None:
        kind, value = record
        if kind == "problems":
            self._problems = value
        elif kind == "fault":
            self._fault = value
        elif kind == "stage":
            self._result.seconds[value[0]] = value[1]
        elif kind == "warm":
            self._warm = _full(value)

    def _conclude(self, warm: _Warm) -> None:
        result = self._result
        result.tests, result.failing = warm.tests, [*warm.failing, *warm.untraced]
        result.not_failing = list(warm.not_failing)
        result.suspects = self._suspects(warm.scores)
        outcome = warm.outcome
        result.candidates, result.tried = outcome.candidates, outcome.tried
        result.timeouts, result.discarded = outcome.timeouts, outcome.discarded
        result.skipped_files = outcome.skipped_files
        result.mode_reason = "tests share state: one process for each candidate" if warm.order_matters else ""
        found = [] if not warm.scores else list(warm.found)
        if not any(len(each.cleared) == len(warm.failing) for each in found) and outcome.fresh:
            found += self._try_fresh(outcome.fresh, warm.failing, warm.touching)
        ranked = sorted(
            found, key=lambda each: (-len(each.cleared), each.candidate.size, -each.candidate.score)
        )
        result.patches = self._confirmed(ranked, warm)
        self._set_status(exhausted=outcome.exhausted and not self._late())
        if not warm.scores:
            result.status = "not_possible"
            result.reason = "the failing tests reach no file that may be changed; is the package installed from elsewhere?"

    def _set_status(self, *, exhausted: bool) -> None:
        result = self._result
        if result.patches:
            full = not result.patches[0].remaining
            result.status = "repaired" if full else "partial"
            result.reason = (
                "a patch clears all failing tests"
                if full
                else "the best patch clears a part of the failing tests"
            )
        elif exhausted:
            result.status, result.reason = (
                "exhausted",
                "no single edit of the known families clears a failing test and keeps the others",
            )
        else:
            result.status, result.reason = "budget", "the budget was used up before a repair was found"

    def _late(self, share: float = 1.0) -> bool:
        return time.monotonic() - self._started > self._request.wall_s * share

    def _fresh(self, seconds: float) -> Fresh:
        return Fresh(self._request, Limits(self._request.memory_bytes, max(5.0, seconds)), max(5.0, seconds))

    def _try_fresh(
        self, candidates: list[Candidate], failing: tuple[str, ...], touching: dict[str, list[str]]
    ) -> list[Found]:
        """Try edits that need a fresh import, best first, until one clears everything or time is up."""
        began = time.monotonic()
        found: list[Found] = []
        fresh = self._fresh(15.0)
        for candidate in candidates:
            if self._late(0.9) or cpu_used() > self._request.cpu_s:
                break
            self._result.tried += 1
            self._result.mode = "fresh_process"
            outcomes = fresh.outcomes(
                candidate.source.path, candidate.source.edited(candidate.edits), failing
            )
            cleared = tuple(test for test in failing if _all_passed(outcomes, test))
            if cleared:
                found.append(Found(candidate, cleared, 0))
                touching[_key(candidate)] = [*{test.split("::", 1)[0] for test in failing}]
            if len(cleared) == len(failing):
                break
        self._result.seconds["fresh"] = round(time.monotonic() - began, 3)
        return found

    def _confirmed(self, ranked: list[Found], warm: _Warm) -> list[Patch]:
        """Keep the best patches that work in a fresh process too; where time is up, say that it was not seen."""
        began = time.monotonic()
        patches: list[Patch] = []
        for found in ranked[: 3 * self._request.max_patches]:
            if len(patches) >= self._request.max_patches:
                break
            name = self._files.relative(found.candidate.source.path)
            patch = _patch(name, found, (*warm.failing, *warm.untraced))
            if patch.digest in self._request.avoid or any(each.text == patch.text for each in patches):
                continue
            shown_enough = bool(patches) and time.monotonic() - began > _CONFIRM_ALTERNATIVES_S
            if self._late(0.97) or shown_enough:
                patches.append(patch)
                continue
            guards = warm.touching.get(_key(found.candidate), [])[:_CONFIRM_TESTS]
            seconds = 10.0 + 10 * sum(warm.seconds.get(test, 0.02) for test in [*warm.failing, *guards])
            if (checked := self._confirm(patch, found, guards, seconds)) is not None:
                patches.append(checked)
        self._result.seconds["confirm"] = round(time.monotonic() - began, 3)
        self._progress.tell("stage", name="confirm", seconds=self._result.seconds["confirm"])
        return patches

    def _confirm(self, patch: Patch, found: Found, guards: list[str], seconds: float) -> Patch | None:
        wanted = [*patch.cleared, *patch.remaining, *guards]
        outcomes = self._fresh(seconds).outcomes(found.candidate.source.path, patch.text, wanted)
        named = [*patch.cleared, *patch.remaining]
        cleared = tuple(test for test in named if _all_passed(outcomes, test))
        broken = [test for test in guards if test in outcomes and outcomes[test] != PASSED]
        if not cleared or broken:
            return None
        remaining = tuple(test for test in named if test not in cleared)
        checked = sum(outcome == PASSED for outcome in outcomes.values()) - len(cleared)
        return replace(patch, cleared=cleared, remaining=remaining, checked=checked, confirmed=True)

    def _repair_imports(self) -> None:
        """Repair what breaks before tests can run, by fresh trials on the lines in the tracebacks."""
        result, request = self._result, self._request
        result.mode, result.mode_reason = "fresh_process", "the tests cannot be collected"
        failure = examine(request, self._files, request.failing)
        result.failing = list(request.failing)
        if not failure.scores:
            said = "; ".join(failure.messages[:3] or self._problems[:3])
            result.reason = (
                f"the tests cannot be collected, and no line of the project stands in the traceback: {said}"
            )
            return
        sources: dict[str, Source] = {}
        for path in {path for path, _ in failure.scores}:
            try:
                sources[path] = Source.read(path)
            except UnreadableSource as error:
                result.skipped_files.append(str(error))
        result.suspects = self._suspects(failure.scores)
        found: list[Found] = []
        for candidate in stream(sources, failure.scores, request.seed):
            if (
                self._late(0.9)
                or cpu_used() > request.cpu_s
                or any(len(each.cleared) == len(request.failing) for each in found)
            ):
                break
            result.candidates += 1
            found += self._try_fresh([candidate], request.failing, {})
        nothing = _Warm(found, Outcome(), request.failing, (), (), failure.scores, 0, False, {}, {})  # noqa: FBT003 - a record
        ranked = sorted(
            found, key=lambda each: (-len(each.cleared), each.candidate.size, -each.candidate.score)
        )
        result.patches = self._confirmed(ranked, nothing)
        self._set_status(exhausted=not self._late(0.9) and cpu_used() <= request.cpu_s)
        if not sources:
            result.status, result.reason = (
                "not_possible",
                "; ".join(result.skipped_files) or "no file can be edited",
            )

    def _suspects(self, scores: dict[tuple[str, int], float]) -> list[Suspect]:
        ranked = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))[:_SUSPECTS]
        suspects: list[Suspect] = []
        for (path, line), score in ranked:
            with open(path, encoding="utf-8", errors="replace") as stream_:  # noqa: PTH123 - plain strings, as code objects have them
                lines = stream_.read().split("\n")
            text = lines[line - 1].strip() if line <= len(lines) else ""
            suspects.append(Suspect(self._files.relative(path), line, round(score, 4), text[:160]))
        return suspects


def _patch(name: str, found: Found, failing: tuple[str, ...]) -> Patch:
    candidate = found.candidate
    diff = candidate.source.diff(candidate.edits, name)
    return Patch(
        file=name,
        line=candidate.line,
        template=candidate.template,
        diff=diff,
        text=candidate.source.edited(candidate.edits),
        size=candidate.size,
        score=round(candidate.score, 4),
        cleared=found.cleared,
        remaining=tuple(test for test in failing if test not in found.cleared),
        checked=found.checked,
        digest=digest(name, diff),
    )


def _guards(diagnosis: Diagnosis, candidate: Candidate) -> list[str]:
    unit = candidate.unit
    known = set(diagnosis.failing)
    if not unit.is_function:
        return [test for test in diagnosis.spectra.tests if test not in known]
    lines = range(unit.first_line, unit.last_line + 1)
    return [
        test
        for test in diagnosis.spectra.touching([(candidate.source.path, line) for line in lines])
        if test not in known
    ]


def _key(candidate: Candidate) -> str:
    return f"{candidate.source.path}\0{candidate.edits}"


def _all_passed(outcomes: dict[str, str], test: str) -> bool:
    """Whether a test, or all tests of a file or class that stands for them, ran and passed."""
    own = [
        outcome
        for each, outcome in outcomes.items()
        if each == test or each.startswith((f"{test}::", f"{test}["))
    ]
    return bool(own) and all(outcome == PASSED for outcome in own)


def _light(warm: _Warm) -> dict[str, Any]:
    """Make it picklable: candidates without their trees."""
    plain = vars(warm).copy()
    plain["found"] = [(_thin(each.candidate), each.cleared, each.checked) for each in warm.found]
    plain["fresh"] = [_thin(each) for each in warm.outcome.fresh]
    plain["outcome"] = replace(warm.outcome, fresh=[])
    return plain


_Thin = tuple[str, int, Any, str, int, int, float]


def _thin(candidate: Candidate) -> _Thin:
    unit = candidate.source.units.index(candidate.unit)
    return (
        candidate.source.path,
        unit,
        candidate.edits,
        candidate.template,
        candidate.size,
        candidate.line,
        candidate.score,
    )


def _full(plain: dict[str, Any]) -> _Warm:
    sources: dict[str, Source] = {}

    def thick(thin: _Thin) -> Candidate:
        path, unit, *rest = thin
        if path not in sources:
            sources[path] = Source.read(path)
        return Candidate(sources[path], sources[path].units[unit], *rest)

    fields = dict(plain)
    outcome: Outcome = fields["outcome"]
    outcome.fresh = [thick(each) for each in fields.pop("fresh")]
    fields["found"] = [
        Found(thick(candidate), cleared, checked) for candidate, cleared, checked in fields["found"]
    ]
    return _Warm(**fields)


def main(arguments: list[str], make_progress: Callable[[], Progress] = Progress) -> int:
    """Read the request named first, repair, write the result named second."""
    if len(arguments) != 2:  # noqa: PLR2004 - request and result
        sys.stderr.write("usage: engine REQUEST.json RESULT.json\n")
        return 2
    progress = make_progress()
    try:
        request = Request.read(arguments[0])
    except (OSError, ValueError, TypeError) as error:
        sys.stderr.write(f"the request cannot be read: {error}\n")
        return 2
    sys.dont_write_bytecode = True
    result = Repair(request, progress).run()
    result.write(arguments[1])
    progress.tell("end", status=result.status, patches=len(result.patches), tried=result.tried)
    return 0
