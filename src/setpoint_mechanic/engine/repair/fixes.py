"""Tries fixes that tools and reviewers offer: each alone, all tests after each, in fresh processes.

A fix is kept where every test that passed before still passes; the next one is tried on top of it. Where
there is no time for that many runs, fixes are tried by halves: what breaks nothing together is kept together,
and only a half that breaks something is looked into.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from setpoint_probe.process.children import Limits
from setpoint_probe.session.fresh import Fresh
from setpoint_probe.session.session import PASSED, warm_up
from setpoint_probe.source.files import scratch_folder
from setpoint_probe.wire.exchange import Progress, follow

from ..wire.fixes import Fate, Fix, FixRequest, FixResult, spliced

_LONGEST_S = 600.0
_NO_JUDGE = "of the tests that passed at first, none passes every time without a fix too: none could judge"


class _Trial:
    """The tests that judge, and what is kept so far."""

    def __init__(self, request: FixRequest, progress: Progress) -> None:
        self.request = request
        self.result = FixResult(fates=[Fate() for _ in request.fixes])
        self._progress = progress
        self._end = time.monotonic() + request.wall_s
        self._fresh = self._processes(_LONGEST_S)
        self._green: list[str] = []
        self._kept: list[Fix] = []
        self._run_s = 0.0

    def run(self) -> FixResult:
        """Judge all fixes that there is time for."""
        began = time.monotonic()
        seen, ended = self._fresh.run_with({}, None)
        self._run_s = time.monotonic() - began
        self._green = [test for test, outcome in seen.items() if outcome == PASSED]
        self.result.tests, self.result.runs = len(self._green), 1
        if not self._green:
            self.result.reason = f"no test passes that could judge them {ended.error}".strip()
            return self.result
        if not ended.finished:
            self.result.reason = "the tests did not come to their end within the time"
            return self.result
        self._fresh = self._processes(10 * self._run_s + 5)
        self.result.status = "judged"
        places = list(range(len(self.request.fixes)))
        room = (self._end - time.monotonic()) / (self._run_s + 0.1)
        if len(places) <= room:
            for place in places:
                self._judge([place])
        else:
            self._judge(places)
        self.result.tests = len(self._green)
        if not self._green:
            self.result.reason = _NO_JUDGE
        return self.result

    def _judge(self, places: Sequence[int]) -> None:
        """Keep some fixes if they break nothing together, else look into their halves."""
        if not places or not self._green or time.monotonic() > self._end:
            return
        fixes = [self.request.fixes[place] for place in places]
        broke = self._broken(fixes)
        if not self._green:
            return  # nobody is left to say that it breaks nothing
        for place in places:
            self.result.fates[place] = Fate(kept=not broke, broke=broke, tried=True)
        if not broke:
            self._kept += fixes
        elif len(places) > 1:
            for place in places:
                self.result.fates[place] = Fate()
            half = len(places) // 2
            self._judge(places[:half])
            self._judge(places[half:])
        told = sum(fate.tried for fate in self.result.fates)
        self._progress.tell("progress", tried=told, kept=len(self._kept))

    def _broken(self, fixes: Sequence[Fix]) -> str:
        """Return test that these fixes break on top of what is kept; empty for none, and without a judge."""
        while self._green:
            seen, _ = self._fresh.run_with(
                self._texts([*self._kept, *fixes]), self._green, to_first_failure=True
            )
            self.result.runs += 1
            bad = next((test for test in self._green if seen.get(test) not in (PASSED, None)), "")
            bad = bad or next((test for test in self._green if test not in seen), "")
            if not bad:
                return ""
            again, _ = self._fresh.run_with(self._texts(self._kept), [bad])
            if again.get(bad) == PASSED:
                return bad
            self._green.remove(bad)  # it fails without the fix too now and then: it cannot judge
        return ""

    def _texts(self, fixes: Sequence[Fix]) -> dict[str, str]:
        """Return the text of each changed file."""
        found: dict[str, list[tuple[int, int, str]]] = {}
        for fix in fixes:
            found.setdefault(fix.file, []).extend(fix.edits)
        texts: dict[str, str] = {}
        for file, edits in found.items():
            path = Path(self.request.tree) / file
            with path.open(encoding="utf-8", newline="") as stream:
                texts[str(path)] = spliced(stream.read(), edits)
        return texts

    def _processes(self, cpu_s: float) -> Fresh:
        request = self.request
        left = max(5.0, min(cpu_s, self._end - time.monotonic()))
        return Fresh(request, Limits(request.memory_bytes, left), left)


def main(words: list[str]) -> int:
    """Read the request named first, try the fixes, write the result named second."""
    return follow(words, FixRequest.read, _followed)


def _followed(request: FixRequest, progress: Progress) -> tuple[FixResult, dict[str, object]]:
    with scratch_folder(request.scratch, "fixes-") as scratch:
        request = replace(request, tree=os.path.realpath(request.tree), scratch=scratch)
        warm_up(request.tree, scratch)
        result = _Trial(request, progress).run()
    return result, {"status": result.status, "kept": sum(fate.kept for fate in result.fates)}
