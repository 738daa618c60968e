"""Judges tests that somebody wrote, a person, an agent or another tool, in the same way as Setpoint's own."""

from __future__ import annotations

import os
import tempfile
import time
import traceback
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from setpoint_probe.process.children import Limits, Report, cpu_timer, run_child
from setpoint_probe.reach.anatomy import UNREADABLE, Anatomy, Arc, Branch, dissect, text_of
from setpoint_probe.reach.arcs import ArcTracer
from setpoint_probe.session.session import (
    PASSED,
    SKIPPED,
    Suite,
    collect,
    prepare_path,
    pytest_words,
    warm_up,
)
from setpoint_probe.source.import_roots import import_roots
from setpoint_probe.wire.exchange import answer_order

from ..wire.cover import JudgedTest, JudgeRequest, JudgeResult
from .replay import NOT_JUDGED, Replay, in_orders

_TEST_S = 10.0
_MOST_OUTPUT = 1200
_MOST_FRAMES = 5
_ORDERS = 2

Arcs = dict[str, frozenset[Arc]]
"""What was traced, by real path."""


@dataclass
class _Looked:
    """What was seen of the tests so far; it outlives the child that looked."""

    tests: list[str] = field(default_factory=list)
    arcs: dict[str, Arcs] = field(default_factory=dict)
    imported: dict[str, frozenset[Arc]] = field(default_factory=dict)
    bad: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Why a test is no good, and what it said."""
    skipped: set[str] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    """Tests that were run alone as often as is wanted, or until they failed."""
    problems: list[str] = field(default_factory=list)


def judge(request: JudgeRequest) -> JudgeResult:
    """Work on one order; whatever goes wrong with the tests ends in the result's reason."""
    began = time.monotonic()
    scratch = request.scratch or tempfile.mkdtemp(prefix="judge-")
    request = replace(request, tree=os.path.realpath(request.tree), scratch=scratch)
    result = JudgeResult()
    anatomies: dict[str, Anatomy] = {}
    for file, _, _ in request.missed:
        try:
            anatomies[file] = dissect(text_of(Path(request.tree, file)), file)
        except UNREADABLE as error:
            result.reason = f"{file} cannot be read: {error}"
            return result
    roots = import_roots(request.tree, [file for file, _, _ in request.missed])
    warm_up(request.tree, scratch)
    looked = _Looked()
    log = Path(scratch) / "judge.log"
    limits = Limits(request.memory_bytes, _TEST_S * 3)
    ended = run_child(_looking(request, log, limits, roots), limits, lambda entry: _take(looked, entry))
    if not looked.tests:
        said = log.read_text(encoding="utf-8", errors="replace").strip() if log.exists() else ""
        result.reason = (
            "\n".join(looked.problems) or ended.error or said[-_MOST_OUTPUT:] or "there is no test"
        )
        return result
    result.status, result.reason = "judged", "\n".join(looked.problems)
    how = Replay(
        request.tree,
        request.tests,
        scratch,
        limits,
        alone=0,
        shuffled=_ORDERS,
        pytest_args=request.pytest_args,
        roots=roots,
    )
    if not ended.finished:
        why = NOT_JUDGED.format(ended.error or "the process that ran the tests ended early")
        for test in looked.tests:
            if test not in looked.done:
                looked.bad.setdefault(test, (why, ""))
    good = [test for test in looked.tests if test not in looked.bad]
    bad, _ = in_orders(how, good, began + request.wall_s)
    looked.bad.update((test, (why, "")) for test, why in bad.items())
    result.tests = _compared(request, anatomies, looked)
    return result


def _take(looked: _Looked, entry: tuple[str, Any]) -> None:
    kind, value = entry
    if kind == "tests":
        looked.tests = value
    elif kind == "imported":
        looked.imported = value
    elif kind == "problems":
        looked.problems = value
    elif kind == "bad":
        looked.bad.setdefault(value[0], (value[1], value[2]))
    elif kind == "skipped":
        looked.skipped.add(value)
    elif kind == "done":
        looked.done.add(value)
    elif kind == "arcs":
        looked.arcs[value[0]] = value[1]


def _looking(
    request: JudgeRequest, log: Path, limits: Limits, roots: tuple[str, ...]
) -> Callable[[Report], None]:
    def act(report: Report) -> None:
        target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for number in (1, 2):
            os.dup2(target, number)
        prepare_path(request.tree, roots)
        tracer = ArcTracer(str(Path(request.tree, file)) for file, _, _ in request.missed)

        def look(suite: Suite) -> None:
            tracer.stop()
            report(("imported", tracer.take()))
            report(("problems", list(suite.problems)))
            report(("tests", list(suite.ids)))
            for test in suite.ids:
                report(("at", test))
                if why := _steady(suite, test, tracer, request.repeats - _ORDERS, limits, report):
                    report(("bad", (test, *why)))
                report(("done", test))

        tracer.start()
        try:
            words = pytest_words(request.tree, request.scratch, request.pytest_args)
            collect([*words, *request.tests], look)
        finally:
            tracer.stop()

    return act


def _steady(
    suite: Suite, test: str, tracer: ArcTracer, times: int, limits: Limits, report: Report
) -> tuple[str, str] | None:
    """Say why a test is no good, with what it said: in a process of its own it does not pass every time."""

    def act(tell: Report) -> None:
        cpu_timer(_TEST_S, _TEST_S * 2)
        for number in range(max(times, 1)):
            tracer.take()
            if number == 0:
                tracer.start()
            ran = suite.run(test)
            tracer.stop()
            tell((ran.outcome, _said(ran.error), tracer.take() if number == 0 else {}))

    came: list[tuple[str, str, Arcs]] = []
    ended = run_child(act, limits._replace(silence_s=_TEST_S * 2.5), came.append)
    if not ended.finished:
        return f"ends its process: {ended.error or 'killed, or out of time'}", ""
    for outcome, said, arcs in came:
        if arcs:
            report(("arcs", (test, arcs)))
        if outcome == SKIPPED:
            report(("skipped", test))
        if outcome != PASSED:
            return f"{outcome} when run alone", said
    return None


def _said(error: BaseException | None) -> str:
    """Return the end of an error's story, frames of pytest and of the engine left out."""
    if error is None:
        return ""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not any(part in frame.filename for part in ("_pytest", "pluggy", "setpoint/mutation", "importlib"))
    ]
    lines = traceback.format_list(frames[-_MOST_FRAMES:]) + traceback.format_exception_only(
        type(error), error
    )
    return "".join(lines)[-_MOST_OUTPUT:]


def _compared(request: JudgeRequest, anatomies: dict[str, Anatomy], looked: _Looked) -> list[JudgedTest]:
    """Say of each test what it adds to the others and to those before it."""
    lines = {file: set(missed) for file, missed, _ in request.missed}
    ways = {file: {Branch(*way) for way in missed} for file, _, missed in request.missed}
    found = []
    for test in looked.tests:
        why, output = looked.bad.get(test, ("", ""))
        each = JudgedTest(test, why, output, skipped=test in looked.skipped)
        if not why:
            for file, anatomy in anatomies.items():
                real = os.path.realpath(Path(request.tree, file))
                arcs: Collection[Arc] = {
                    *looked.arcs.get(test, {}).get(real, ()),
                    *looked.imported.get(real, ()),
                }
                if new := lines[file] & anatomy.lines_in(arcs):
                    each.gained[file] = sorted(new)
                if taken := ways[file] & anatomy.branches_in(arcs):
                    each.taken[file] = [(way.line, way.taken) for way in sorted(taken)]
                lines[file] -= anatomy.lines_in(arcs)
                ways[file] -= anatomy.branches_in(arcs)
        found.append(each)
    return found


def main(words: list[str]) -> int:
    """Read a request, work on it and write the result; the words are the two paths."""
    return answer_order(words, JudgeRequest, judge, lambda reason: JudgeResult(reason=reason))
