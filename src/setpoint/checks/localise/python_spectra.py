"""The lines that tests of pytest run, by our own tracer in the project's interpreter."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.tests import line_traces
from setpoint.checks.formats.tests.line_traces import Traced
from setpoint.checks.localise.spectra import GRACE_S, Ran, Watched
from setpoint.checks.suites.pytest import Runner, run_once
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import Failure
from setpoint.ports import Measured
from setpoint_probe.plugin import TRACER

APART = "pytest runs once for each package here"
_MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class PythonSpectra:
    """Runs the failing tests, then the other tests of their files, under the tracer."""

    runner: Runner
    files: tuple[str, ...]
    """Every file of the tree."""

    def owns(self, test: str) -> bool:
        """Whether a test lies in a file of Python."""
        return test.partition("::")[0].endswith(".py")

    async def watch(self, measured: Measured, failing: Sequence[Failure], limit_s: float) -> Watched:
        """Run them in one process."""
        if self.runner.roots:
            return Watched(why=APART)
        code = tuple(file for file in self.files if file.endswith(".py") and not is_test_path(file))
        try:
            tests = await self._traced(measured, [each.test for each in failing], code, limit_s)
        except BadReport as error:
            return Watched(why=str(error))
        frames = {each.test: each.frames for each in failing}
        known = frozenset(code)
        return Watched(
            tests=tuple(
                Ran(
                    test=each.id,
                    failed=each.failed,
                    lines=_lines(each, code),
                    frames=tuple(
                        (frame.file, frame.line) for frame in frames.get(each.id, ()) if frame.file in known
                    ),
                )
                for each in tests
            ),
            took_s=sum(each.duration_s for each in tests),
            note=_unseen(tests, {each.test for each in failing}),
        )

    async def _traced(
        self, measured: Measured, failing: Sequence[str], code: tuple[str, ...], limit_s: float
    ) -> tuple[Traced, ...]:
        tree = Path(measured.copy.path)
        files = list(dict.fromkeys(test.partition("::")[0] for test in failing))
        with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
            report, order = Path(folder) / "traced.jsonl", Path(folder) / "order.json"
            facts = {
                "report": str(report),
                "files": [str(tree / file) for file in code],
                "first": list(failing),
                "then": files,
                "limit_s": limit_s,
            }
            order.write_text(json.dumps(facts), "utf-8")
            runner = replace(
                self.runner,
                cover=None,
                timeout_s=limit_s + GRACE_S,
                plugins=(TRACER,),
                variables={"SETPOINT_REPORT_TRACE": str(order)},
                writes=(Path(folder),),
            )
            await run_once(runner, measured, tuple(files))
            return await asyncio.to_thread(line_traces.read, report)


def _lines(test: Traced, code: Sequence[str]) -> frozenset[tuple[str, int]]:
    inside = ((number, lines) for number, lines in test.lines.items() if 0 <= number < len(code))
    return frozenset((code[number], line) for number, lines in inside for line in lines)


def _unseen(tests: Iterable[Traced], failing: set[str]) -> str:
    """Name what starts the processes of failing tests, in which no line is seen; empty where nothing does."""
    red = (test for test in tests if test.failed and test.id in failing)
    started = dict.fromkeys(each for test in red for each in test.processes)
    if not started:
        return ""
    named = [f"`{called}` in {file}" for called, file in started][:_MOST_NAMED]
    return f"the tests start processes ({', '.join(named)}), and what runs there is not seen"
