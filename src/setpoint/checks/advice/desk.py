"""Setpoint's side of `setpoint_check`: questions of an agent are answered while its turn lasts.

A question is the bare existence of a file, so nothing that an agent writes is read. Answers are written by
descriptors, so no link leads them elsewhere. The work copy is measured as a snapshot, in a place of its own,
held like every check. What is measured is not kept: a process of the agent runs at the same time and could
help a test to pass.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from setpoint.model.config.self_check import SelfCheckSettings
from setpoint.system.files.agent_folder import FOLDER, QUESTIONS
from setpoint.system.files.untrusted_folder import entered, names_in, put, remove

Measure = Callable[[], Awaitable[str]]
"""Measures the work copy as it is now and describes the result."""
_POLL_S = 0.2
_PRESENT_S = 2.0
"""Age of a measurement up to which it counts as one of the files as they are."""
_QUESTION = re.compile(r"ask-([0-9a-f]{16})")
_MOST_AT_ONCE = 20


class Desk:
    """Answers the questions of one agent in one turn."""

    def __init__(self, workdir: Path, measure: Measure, terms: SelfCheckSettings) -> None:
        """Nothing is measured before the first question."""
        self._workdir, self._measure, self._terms = workdir, measure, terms
        self._running: asyncio.Task[str] | None = None
        self._began_s = self._ended_s = 0.0
        self._spent_s = 0.0
        self._done_s = 0.0
        self._last = ""
        self.measured = 0
        """How many measurements were begun."""

    async def serve(self) -> None:
        """Answer until cancelled; a measurement that still runs is then ended."""
        try:
            while True:
                await asyncio.sleep(_POLL_S)
                asked = await asyncio.to_thread(self._questions)
                if asked:
                    answer = await self._answer()
                    await asyncio.to_thread(self._reply, asked, answer)
        finally:
            if self._running is not None:
                self._running.cancel()
                await asyncio.wait({self._running})

    async def _answer(self) -> str:
        if self._running is None:
            if refusal := self._refused():
                return refusal
            self.measured += 1
            self._began_s = time.monotonic()
            self._running = asyncio.ensure_future(self._measure())
            self._running.add_done_callback(lambda _: self._ends())
        old_s = time.monotonic() - self._done_s if self._running.done() else 0.0
        await asyncio.wait({self._running}, timeout=self._terms.answer_s)
        now_s = time.monotonic()
        if not self._running.done():
            runs_s = now_s - self._began_s
            if self._spent_s + runs_s <= self._terms.total_s:
                return f"The checks still run, for {runs_s:.0f} s now. Ask again for the answer.\n"
            self._running.cancel()
            await asyncio.wait({self._running})
        done, self._running, self._ended_s = self._running, None, now_s
        self._spent_s += self._done_s - self._began_s
        self._last = "The checks took too long and were ended.\n" if done.cancelled() else done.result()
        if old_s > _PRESENT_S:
            return f"Measured {old_s:.0f} s ago; ask again for your files as they are now.\n{self._last}"
        return self._last

    def _ends(self) -> None:
        self._done_s = time.monotonic()

    def _refused(self) -> str:
        """Say why nothing is measured now; empty where it is."""
        terms = self._terms
        used_up = "End your turn when your work is done; Setpoint measures it then.\n"
        if self.measured >= terms.per_turn:
            return f"No check is left in this turn: {terms.per_turn} were made. {used_up}"
        if self._spent_s >= terms.total_s:
            return f"No time is left for checks in this turn: {terms.total_s:g} s were used. {used_up}"
        wait_s = self._ended_s + terms.every_s - time.monotonic() if self.measured else 0.0
        if wait_s > 0:
            return f"Asked too soon: ask again in {wait_s:.0f} s. The last answer was:\n{self._last}"
        return ""

    def _questions(self) -> list[str]:
        """Take the questions out of the folder; return their names."""
        try:
            with entered(self._workdir, (FOLDER, QUESTIONS)) as folder:
                found = [match[1] for name in names_in(folder) if (match := _QUESTION.fullmatch(name))]
                for token in found:
                    remove(folder, f"ask-{token}")
                return found[:_MOST_AT_ONCE]
        except OSError:  # the agent removed the folder, or put a link there
            return []

    def _reply(self, tokens: list[str], answer: str) -> None:
        try:
            with entered(self._workdir, (FOLDER, QUESTIONS)) as folder:
                for token in tokens:
                    put(folder, f"answer-{token}", answer.encode("utf-8", "replace"))
        except OSError:
            return
