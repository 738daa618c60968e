"""An agent that writes tests: asked about one uncovered piece after the other, and told what came of it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from setpoint.model.attempt import (
    Attempt,
    AttemptLimits,
    Breakage,
    Brief,
    ModelCall,
    Role,
    Stop,
    ToolCall,
    Usage,
)
from setpoint.model.cover import CoverGoals
from setpoint.model.facts.spending import added, used
from setpoint.ports import Agent, Observer
from setpoint.ports.toolkit import Toolkit
from setpoint_mechanic.generate.engine import Engine
from setpoint_mechanic.generate.refinement import refine
from setpoint_mechanic.generate.segments import Segment, less, segments
from setpoint_mechanic.generate.selection import Sifted, sift, texts_of
from setpoint_mechanic.generate.test_files import HONEST
from setpoint_mechanic.own_tool_calls import OwnCalls
from setpoint_probe.wire.reach import FileReach, ReachResult

PROMPT = "cover-segment.md.j2"
_TRIES = 3
_MOST_TOLD = 3
"""Tests that failed of which the agent is shown what they said."""


class AskedAgent:
    """Lets another agent write tests piece by piece; what it leaves is sifted before the attempt ends."""

    def __init__(
        self,
        inner: Agent,
        toolkit: Toolkit,
        goals: CoverGoals,
        pytest_args: Sequence[str],
    ) -> None:
        """Ask `inner`, with the words that `toolkit` renders."""
        self.name = inner.name
        self._inner, self._toolkit, self._goals = inner, toolkit, goals
        self._args = tuple(pytest_args)

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Ask for each piece until it is reached, three times at most; other roles are played as ever."""
        if brief.role is not Role.MAKER or not self._goals.paths or not brief.python:
            return await self._inner.attempt(brief, observer)
        calls = OwnCalls(brief.label, observer)
        engine = Engine(self._toolkit, brief, calls, self._goals, self._args)
        reach = await engine.reach()
        pieces = [] if isinstance(reach, Breakage) else segments(reach.files)
        if isinstance(reach, Breakage) or not pieces:
            return await self._inner.attempt(brief, observer)
        work = _Asking(self._inner, brief, observer, engine)
        await work.make(reach, pieces[: self._goals.segments])
        return work.attempt(calls)

    async def close(self) -> None:
        """End what the other agent keeps running."""
        await self._inner.close()


@dataclass
class _Summing:
    """Observes one of several turns of an agent: what it used is added to what the turns before it used."""

    observer: Observer
    before: Sequence[Usage] = ()
    halted: bool = False

    def began(self, call: ToolCall) -> None:
        self.observer.began(call)

    def said(self, text: str) -> None:
        self.observer.said(text)

    def called(self, call: ToolCall) -> bool:
        return self.observer.called(call)

    def asked(self, call: ModelCall) -> None:
        self.observer.asked(call)

    def spent(self, usage: Usage) -> bool:
        self.halted = self.observer.spent(added([*self.before, usage]))
        return self.halted


class _Asking:
    """One attempt while it goes on."""

    def __init__(self, inner: Agent, brief: Brief, observer: Observer, engine: Engine) -> None:
        self._inner, self._brief, self._observer = inner, brief, observer
        self._engine = engine
        self._began, self._started_at = time.monotonic(), datetime.now(UTC)
        self._attempts: list[Attempt] = []
        self._lines: list[str] = []
        self._missed: tuple[FileReach, ...] = ()
        self._green: set[str] = set()
        """Tests that pass and have to go on passing."""
        self._old: frozenset[str] = frozenset()
        """Tests that were there, whatever came of them."""
        self._over = False

    async def make(self, reach: ReachResult, pieces: Sequence[Segment]) -> None:
        """Ask about each piece, then look at all tests together."""
        self._missed = tuple(reach.files)
        self._green = {test for test, outcome in reach.outcomes.items() if outcome == "passed"}
        self._old = frozenset(reach.outcomes)
        first, stood = True, texts_of(self._engine.tree)
        for number, piece in enumerate(pieces, start=1):
            left = piece.left(self._missed)
            if left.lines or left.branches:
                await self._ask(left, f"{number} of {len(pieces)}", first=first)
                first = False
            if self._over:
                break
        if self._gained:
            green = self._green & self._old
            said, _ = await refine(self._engine, green, lambda test: test not in self._old, stood)
            self._lines += said
            self._lines.append(HONEST)

    @property
    def _gained(self) -> bool:
        """Whether any new test was kept."""
        return bool(self._green - self._old)

    async def _ask(self, piece: Segment, number: str, *, first: bool) -> None:
        outcome, told = "", ""
        for number_of_try in range(1, _TRIES + 1):
            before, code = texts_of(self._engine.tree), self._code()
            variables = {
                "task": self._brief.prompt if first and number_of_try == 1 else "",
                "number": number,
                "file": piece.file,
                "names": list(piece.names),
                "code": piece.shown(self._engine.tree),
                "missing": piece.told(),
                "outcome": outcome,
                "told": told,
            }
            attempt = await self._turn(
                self._engine.toolkit.render(PROMPT, variables), f"{len(self._attempts) + 1}"
            )
            self._over = self._ends(attempt) or self._code() != code
            if self._code() != code:
                return  # the check sends changed code back
            spans = {piece.file: tuple(range(piece.first, piece.last + 1))}
            came = await sift(self._engine, before, self._missed, self._green, spans)
            outcome, told = self._took(came, piece)
            if attempt.breakage is not None and not came.kept:
                return
            piece = piece.left(self._missed)
            self._lines.append(f"{piece.file}:{piece.first}-{piece.last}, try {number_of_try}: {outcome}.")
            if self._over or outcome == "gain":
                return

    def _took(self, came: Sifted, piece: Segment) -> tuple[str, str]:
        """Take note of what was kept; gives the outcome and what the agent is told of it."""
        self._lines += came.lines
        self._missed = less(self._missed, came.kept)
        self._green |= {each.id for each in came.kept}
        if came.kept:
            return "gain", ""
        if came.bad or came.reason:
            told = [f"{each.id}: {each.why_not}\n{each.output}".strip() for each in came.bad[:_MOST_TOLD]]
            return "error", "\n\n".join([*filter(None, (came.reason,)), *told])
        return "no gain", f"Still not reached: {piece.left(self._missed).told()}."

    async def _turn(self, prompt: str, number: str) -> Attempt:
        usages = [each.usage for each in self._attempts]
        observer = _Summing(self._observer, usages)
        brief = self._brief.model_copy(
            update={"prompt": prompt, "label": f"{self._brief.label}-{number}", "limits": self._left(usages)}
        )
        attempt = await self._inner.attempt(brief, observer)
        self._attempts.append(attempt)
        self._over |= observer.halted
        return attempt

    def _left(self, usages: Sequence[Usage]) -> AttemptLimits:
        limits = self._brief.limits
        spent = added(usages) if usages else Usage(scope="none")
        cost = limits.cost_usd
        return limits.model_copy(
            update={
                "wall_s": max(limits.wall_s - (time.monotonic() - self._began), 1.0),
                "cost_usd": None if cost is None else cost - (spent.cost_usd or 0),
                "tokens": None if limits.tokens is None else limits.tokens - used(spent),
            }
        )

    def _ends(self, attempt: Attempt) -> bool:
        """Whether nothing more can be asked."""
        late = time.monotonic() - self._began > self._brief.limits.wall_s
        return late or self._over or attempt.stop not in (Stop.END_TURN, Stop.MAX_TOKENS, Stop.MAX_TURNS)

    def _code(self) -> tuple[bytes, ...]:
        """Return the files that are to be covered, as they stand."""
        paths = [Path(self._engine.tree, each.file) for each in self._missed]
        return tuple(path.read_bytes() if path.is_file() else b"" for path in paths)

    def attempt(self, calls: OwnCalls) -> Attempt:
        """Sum the attempt up: its end is that of the last turn."""
        last = self._attempts[-1]
        if last.breakage is not None and self._gained:  # what was kept is not lost for what broke later
            self._lines.append(f"{self._inner.name} broke and was not asked further: {last.breakage.message}")
            last = last.model_copy(update={"breakage": None, "stop": Stop.END_TURN})
        text = "\n".join([*self._lines, last.text]).strip()
        log = [*calls.log, *(f"transcript {each.transcript}" for each in self._attempts if each.transcript)]
        return last.model_copy(
            update={
                "text": text,
                "usage": added([each.usage for each in self._attempts]),
                "tool_calls": calls.made + sum(each.tool_calls for each in self._attempts),
                "tool_errors": calls.errors + sum(each.tool_errors for each in self._attempts),
                "started_at": self._started_at,
                "duration_s": time.monotonic() - self._began,
                "transcript": self._engine.toolkit.keep("\n".join([*log, text])),
            }
        )
