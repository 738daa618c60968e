"""Call the changed functions at the base and on the result, with what tests pass and near values."""

from __future__ import annotations

import asyncio
import secrets
import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from setpoint.checks import results
from setpoint.checks.discovery.environment_of_tests import environment_of_tests
from setpoint.checks.proof.differential.comparison import Compared
from setpoint.checks.proof.differential.functions import Comparable, instrumented
from setpoint.checks.proof.differential.removed_guards import with_removed
from setpoint.checks.proof.impacted import impacted
from setpoint.checks.proof.sensitivity.sabotage import new_mark
from setpoint.checks.proof.subject import Subject
from setpoint.checks.proof.witness import witness
from setpoint.checks.proof.witness.witness import Witness
from setpoint.checks.suites.package_suite import owner
from setpoint.ports import Measured
from setpoint.system.processes import Command, run
from setpoint_probe.wire.calls import RAISES, REFUSED, TIME, VALUE, Answer, Call, CallsRequest, CallsResult
from setpoint_probe.wire.calls_order import read_calls

_WALL_S, _GRACE_S = 8.0, 30.0
_LARGE_SUITE_S = 10.0
"""Seconds of a suite above which only tests that the change can reach are run once more for their calls."""
_ANSWERED = (VALUE, RAISES)
_WHY = {
    TIME: "its calls take too long",
    REFUSED: "it writes files, starts processes or uses the network",
}


class Caller(Protocol):
    """Calls functions of one language."""

    @property
    def functions(self) -> Comparable:
        """What is called."""

    @property
    def runners(self) -> frozenset[str]:
        """Presets of the runners whose tests call them; the empty text for those of Python."""

    @property
    def again(self) -> int:
        """How often answers that differ are asked for again: chance differs from itself, too."""

    async def answered(
        self, subject: Subject, there: Measured, request: CallsRequest, hashes: int, /
    ) -> CallsResult:
        """Answer calls in a place; what is recorded is chosen from and varied first."""


@dataclass(frozen=True, kw_only=True)
class EngineCaller:
    """Calls functions by an engine that a command starts."""

    functions: Comparable
    runners: frozenset[str]
    argv: Callable[[CallsRequest, Path, Path], tuple[str, ...]]
    """Writes an order, and gives the command that answers it."""
    again: int = 3

    async def answered(
        self, subject: Subject, there: Measured, request: CallsRequest, hashes: int
    ) -> CallsResult:
        """Answer calls in a process that is held as those of tests are; its home is a new folder."""
        return await _answered(subject, self, there, request, hashes)


async def compared(subject: Subject, witnesses: tuple[Witness, ...], caller: Caller) -> Compared:
    """Record the calls that the tests make, vary them, and answer them on both sides.

    What a tree does not answer alike each time, with other hashes, is left out.
    """
    functions = with_removed(subject, caller.functions)
    tests = await _asked(subject, witnesses, caller) if functions.now else []
    if not tests:
        return Compared(functions=functions, why="no function of a changed file is tested")
    recorded = await _record(subject, functions, tests)
    chosen = subject.scratch / "chosen-calls"
    chosen.mkdir(exist_ok=True)
    request = CallsRequest(
        tree="",
        calls=str(chosen / "calls.bin"),
        functions=dict(functions.now),
        recorded=str(recorded),
        texts=dict(functions.texts),
        first=tuple(each.name for each in witnesses),
        loose=dict(functions.loose),
        lost=functions.lost_names,
        guarded=functions.guarded,
        wall_s=_WALL_S,
    )
    result = await caller.answered(subject, await subject.checked_out(), request, 0)
    calls = {each.number: each for each in result.calls}
    now = _by_number(result, calls)
    if not functions.before:
        altered, why = tuple(result.altered), "the base has no such function"
        return Compared(functions=functions, calls=calls, now=now, why=why, altered=altered)
    request = replace(request, recorded="", functions=dict(functions.before))
    at_base = await caller.answered(subject, await subject.without_its_code(), request, 0)
    before = _by_number(at_base, calls)
    left = result.left | _left_at_base(calls, at_base)
    first = Compared(
        functions=functions,
        calls=calls,
        now=now,
        before=before,
        why=result.reason,
        left=left,
        altered=tuple(name for name in result.altered if name not in at_base.altered),
    )
    return await _confirmed(subject, caller, first, request)


async def _confirmed(subject: Subject, caller: Caller, first: Compared, request: CallsRequest) -> Compared:
    """Ask for answers that differ again, and leave out what one side does not answer alike."""
    functions = first.functions
    for hashes in range(1, caller.again + 1):
        open_ones = tuple(number for number in first.calls if first.differs(number))
        if not open_ones:
            break
        request = replace(request, only=open_ones, functions=dict(functions.before))
        then = await caller.answered(subject, await subject.without_its_code(), request, hashes)
        request = replace(request, functions=dict(functions.now))
        again = await caller.answered(subject, await subject.checked_out(), request, hashes)
        first = replace(
            first, before=_steady(first.before, then, open_ones), now=_steady(first.now, again, open_ones)
        )
    return first


async def _asked(subject: Subject, witnesses: tuple[Witness, ...], caller: Caller) -> list[str]:
    """Return the tests whose calls are recorded."""
    chosen = subject.task.project.chosen
    passed = frozenset(
        test for test in witness.passed_in(subject.now.tests) if owner(test, chosen) in caller.runners
    )
    checks = caller.runners | {"pytest"}
    suite_s = sum(each.evidence.duration_s for each in subject.base.results if each.evidence.check in checks)
    return sorted(await impacted(subject, witnesses, passed) if suite_s > _LARGE_SUITE_S else passed)


async def _record(subject: Subject, functions: Comparable, tests: list[str]) -> Path:
    """Run tests with sources that record, for lost functions at the base too; return the folder."""
    kept = subject.scratch / f"calls-{secrets.token_hex(4)}"
    kept.mkdir()
    ways = [(subject.checked_out, functions.recording, subject.after)]
    ways += [(subject.without_its_code, functions.lost, subject.before)] if functions.lost else []
    for number, (place, recording, sources) in enumerate(ways):
        there = await place()
        folder = new_mark(there)
        for path, text in instrumented(recording, sources, folder).items():
            await asyncio.to_thread((Path(there.copy.path) / path).write_bytes, text)
        await subject.run_tests(tests, there)
        for each in folder.glob("*.jsonl"):
            await asyncio.to_thread(shutil.move, each, kept / f"{number}-{each.name}")
    return kept


async def _answered(
    subject: Subject, caller: EngineCaller, there: Measured, request: CallsRequest, hashes: int
) -> CallsResult:
    project, tree = subject.task.project, Path(there.copy.path)
    scratch = subject.scratch / f"answers-{hashes}"
    shutil.rmtree(scratch, ignore_errors=True)
    (scratch / "home").mkdir(parents=True)
    asked, answered = scratch / "request.json", scratch / "answers.json"
    request = replace(request, tree=str(tree), scratch=str(scratch / "home"))
    variables = {
        **environment_of_tests(project.interpreter, tree, project.layout),
        "HOME": request.scratch,
        "TMPDIR": request.scratch,
        "PYTHONHASHSEED": str(hashes),
    }
    done = await run(
        Command(
            argv=caller.argv(request, asked, answered),
            cwd=tree,
            environment=variables,
            # Only the process that chooses the calls may write them: later ones run what the agent wrote.
            writes=(scratch, *([Path(request.calls).parent] if request.recorded else [])),
            timeout_s=request.wall_s + _GRACE_S,
        )
    )
    try:
        return await asyncio.to_thread(read_calls, answered)
    except ValueError as error:
        return CallsResult(reason=f"the calls were not answered: {done.ending}{results.tail(done) or error}")


def _left_at_base(calls: Mapping[int, Call], result: CallsResult) -> dict[str, str]:
    """Say why calls of functions have no answer at the base."""
    return {
        calls[each.number].name: _WHY.get(each.kind, each.shown)
        for each in reversed(result.answers)
        if each.kind not in _ANSWERED and each.number in calls
    }


def _by_number(result: CallsResult, calls: Collection[int]) -> dict[int, Answer]:
    """Return the answers to known calls: the project's own process has written them."""
    known = (each for each in result.answers if each.number in calls)
    return {each.number: each for each in known if each.kind in _ANSWERED}


def _steady(first: Mapping[int, Answer], again: CallsResult, asked: Collection[int]) -> dict[int, Answer]:
    """Return the answers that are the same the second time, as far as they were asked for again."""
    second = {each.number: (each.kind, each.told) for each in again.answers}
    return {
        number: each
        for number, each in first.items()
        if number not in asked or second.get(number) == (each.kind, each.told)
    }
