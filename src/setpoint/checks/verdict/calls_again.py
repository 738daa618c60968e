"""Record the calls of one language's functions in tests, and make them again."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.languages.all import language_of
from setpoint.checks.languages.replay import CallRecorder, Replay, Started
from setpoint.checks.suites.package_suite import owner
from setpoint.checks.verdict.broken_code import new_mark, suite_s
from setpoint.checks.verdict.impacted import impacted
from setpoint.checks.verdict.subject import Subject, listed
from setpoint.checks.verdict.witness import Witness, passed_in
from setpoint.model.changes.work_kind import runs
from setpoint.ports import Measured
from setpoint.system.processes import Command, Completed, run
from setpoint_probe.wire.calls import (
    Answer,
    Call,
    CallsRequest,
    Recorded,
    read_answers,
    recorded_in,
    write_order,
)

_MOST, _MOST_OF_FUNCTION = 200, 20
_WALL_S, _GRACE_S, _LEAST_S = 10.0, 10.0, 2.0
_SLOWER = 3
"""How many times as long as before tests may take while they are recorded."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """What came of recorded calls that were made again."""

    calls: tuple[Call, ...] = ()
    first: Mapping[int, Answer] = field(default_factory=dict)
    """Outside of any test, on the result; for a refactoring at the base."""
    second: Mapping[int, Answer] = field(default_factory=dict)
    """The same once more, in a new process."""
    control: Mapping[int, Answer] = field(default_factory=dict)
    """In a bare test."""
    now: Mapping[int, Answer] = field(default_factory=dict)
    """For a refactoring: on the result."""
    now_again: Mapping[int, Answer] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CallsAgain:
    """Records calls on one result or its base, and makes them again."""

    subject: Subject
    witnesses: tuple[Witness, ...]
    recorder: CallRecorder
    until: float

    async def outside(self) -> Made:
        """Make the witnesses' calls twice outside of any test; where they differ, once in a bare test."""
        passed = passed_in(self.subject.now.tests)
        tests = self._of_recorder({each.name for each in self.witnesses} & passed)
        if not tests:
            return Made(notes=("no witness is a test whose calls can be recorded",))
        there = await self.subject.checked_out()
        recorded, cut = await self._recorded(there, self.subject.after, self._changed_names(), tests)
        calls = _chosen(recorded.calls)
        if not calls:
            return Made(notes=_missed(recorded), cut=cut)
        there = await self.subject.checked_out()
        first, broken = await self._made(there, calls, recorded)
        second, _ = await self._made(there, calls, recorded)
        made = Made(calls=calls, first=first, second=second, notes=(*_missed(recorded), *broken), cut=cut)
        if not _needs_control(made):
            return made
        control, why = await self._made(there, calls, recorded, tests)
        return replace(made, control=control, notes=(*made.notes, *why))

    async def on_both(self) -> Made:
        """Make the calls that tests of the base make there twice at the base, and twice on the result."""
        subject = self.subject
        stood = passed_in(subject.base.tests) & passed_in(subject.now.tests)
        tests = self._of_recorder(stood)
        if suite_s(subject) > self.until - time.monotonic():
            tests = self._of_recorder(await impacted(subject, self.witnesses, frozenset(tests)))
        if not tests:
            return Made(notes=("no test of the base passes whose calls can be recorded",))
        there = await subject.base_checked_out()
        recorded, cut = await self._recorded(there, subject.before, None, tests)
        public = (each for each in recorded.calls if self.recorder.is_public(each.name.partition("::")[2]))
        calls = _chosen(public)
        if not calls:
            return Made(notes=_missed(recorded), cut=cut)
        there = await subject.base_checked_out()
        first, broken = await self._made(there, calls, recorded)
        second, _ = await self._made(there, calls, recorded)
        there = await subject.checked_out()
        now, why = await self._made(there, calls, recorded)
        again, _ = await self._made(there, calls, recorded)
        notes = (*_missed(recorded), *broken, *why)
        return Made(calls=calls, first=first, second=second, now=now, now_again=again, notes=notes, cut=cut)

    def _of_recorder(self, tests: Collection[str]) -> list[str]:
        chosen = self.subject.task.project.chosen
        return sorted(test for test in tests if owner(test, chosen) in self.recorder.runners)

    def _changed_names(self) -> dict[str, set[str]]:
        """Return the qualified names of the changed functions, by file."""
        names: dict[str, set[str]] = {}
        for path, text in self.subject.after.items():
            language = language_of(path)
            if language is not None and self._is_code(path):
                found = language.changed(path, self.subject.before.get(path), text).functions
                names[path] = {each.name for each in found}
        return names

    def _is_code(self, path: str) -> bool:
        return self.recorder.owns(path) and runs(path) and path not in self.subject.of_tests

    async def _recorded(
        self,
        there: Measured,
        sources: Mapping[str, bytes],
        names: Mapping[str, Collection[str]] | None,
        tests: list[str],
    ) -> tuple[Recorded, tuple[str, ...]]:
        """Run tests with sources that note their calls; tests that this breaks are left out."""
        folder, tree = new_mark(there), Path(there.copy.path)
        for path, source in sources.items():
            if self._is_code(path):
                wanted = None if names is None else names.get(path, ())
                text = self.recorder.instrumented(path, source, wanted, str(folder))
                if text is not None:
                    await asyncio.to_thread((tree / path).write_bytes, text)
        left_s = self.until - time.monotonic()
        limit_s = max(_LEAST_S, min(left_s, _LEAST_S + _SLOWER * suite_s(self.subject)))
        report = await self.subject.run_tests(tests, there, limit_s)
        recorded = await asyncio.to_thread(recorded_in, folder)
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        kept = tuple(each for each in recorded.calls if each.test not in report.red)
        cut = ("no time to record all calls",) if time.monotonic() >= self.until else ()
        return replace(recorded, calls=kept), cut

    async def _made(
        self, there: Measured, calls: tuple[Call, ...], recorded: Recorded, control: Iterable[str] = ()
    ) -> tuple[dict[int, Answer], tuple[str, ...]]:
        """Make calls in a process of their own; return the answers, and why there are none."""
        scratch = self.subject.scratch / f"calls-{secrets.token_hex(4)}"
        scratch.mkdir()
        order, answers = scratch / "order.json", scratch / "answers.jsonl"
        wall_s = max(_LEAST_S, min(_WALL_S, self.until - time.monotonic()))
        tree = Path(there.copy.path)
        request = CallsRequest(
            calls=str(scratch / "calls.jsonl"),
            answers=str(answers),
            environment=recorded.environment,
            path=recorded.path,
            wall_s=wall_s,
            tree=str(tree),
        )
        await asyncio.to_thread(write_order, request, calls, order)
        asked = Replay(
            project=self.subject.task.project, tree=tree, scratch=scratch, order=order, tests=tuple(control)
        )
        started = self.recorder.control(asked) if asked.tests else self.recorder.outside(asked)
        if started is None:
            return {}, ()
        done = await _run(started, tree, scratch, wall_s + _GRACE_S)
        found = await asyncio.to_thread(read_answers, answers)
        if not found and not asked.tests:
            return {}, (f"not measured: the calls were not answered: {done.ending}{results.tail(done)}",)
        return found, ()


async def _run(started: Started, tree: Path, scratch: Path, timeout_s: float) -> Completed:
    return await run(
        Command(
            argv=started.argv,
            cwd=tree,
            environment=started.variables,
            writes=(scratch,),
            timeout_s=timeout_s,
            merge_stderr=True,
        )
    )


def _chosen(calls: Iterable[Call]) -> tuple[Call, ...]:
    """Return some calls of each function, the shortest first, and number them."""
    counts: Counter[str] = Counter()
    found: list[Call] = []
    for each in calls:
        counts[each.name] += 1
        if counts[each.name] <= _MOST_OF_FUNCTION and len(found) < _MOST:
            found.append(replace(each, number=len(found) + 1))
    return tuple(found)


def _needs_control(made: Made) -> bool:
    """Whether any call has a steady answer outside that is not the recorded one."""
    both = ((call, made.first.get(call.number), made.second.get(call.number)) for call in made.calls)
    return any(
        (first.kind, first.told) == (second.kind, second.told) != (call.kind, call.told)
        for call, first, second in both
        if first is not None and second is not None
    )


def _missed(recorded: Recorded) -> tuple[str, ...]:
    """Say of which functions no call could be kept, and why."""
    if not recorded.missed:
        return ()
    return (
        f"no call of {listed(list(recorded.missed))} could be kept: {next(iter(recorded.missed.values()))}",
    )
