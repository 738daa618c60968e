"""The test runners of JavaScript: vitest, jest, mocha and Node's own."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.flaky.flaky import Selection
from setpoint.checks.formats.tests.stack_frames import cause_in, place_in
from setpoint.checks.formats.tests.test_cases import Case, report_of
from setpoint.checks.suites.runner import Once, Start, file_of, read, selected
from setpoint.checks.tools.argv import as_word
from setpoint.model.evidence import Cause, Outcome

_SCRIPT = re.compile(r"\.(?:[cm]?[jt]sx?|vue|svelte)$")
_TYPES = "--typecheck"
_CHECKER = """\
#!/bin/sh
for word; do
    shift
    [ "$last" = --tsBuildInfoFile ] && word={kept}
    set -- "$@" "$word"
    last=$word
done
exec tsc "$@"
"""
"""Calls the project's tsc with another place for the file that it keeps between two runs."""
_ERROR = re.compile(r"\w*Error\b")
_META = re.compile(r"[\\^$.*+?()\[\]{}|/]")


@dataclass(frozen=True, kw_only=True)
class NodeRunner:
    """Runs one of them; all write the report of jest, Node's by our own reporter."""

    by_path: tuple[str, ...] = ()
    """What comes before the files of a selection."""
    by_name: bool = True
    """Whether it can run a test of a file alone, by a pattern of its whole name."""

    def owns(self, test: str) -> bool:
        """Whether an identifier names a script."""
        return _SCRIPT.search(test.partition("::")[0]) is not None

    async def run(self, start: Start, only: Selection) -> Once:
        """Run it; without a report it broke."""
        done = await start.call(start.argv(*self._selection(start, only)))
        text = await file_of(start)
        if text is None:
            return Once(done=done, broken=f"{start.name} wrote no report: {done.ending}{results.tail(done)}")
        once = read(start, done, text)
        if once.report is None:
            return once
        return Once(done=done, report=selected(once.report, only), broken=once.broken)

    def _selection(self, start: Start, only: Selection) -> tuple[str, ...]:
        if only is None:
            return ()
        within = f"{start.folder}/" if start.folder else ""
        files = sorted({test.partition("::")[0].removeprefix(within) for test in only})
        names = [test.partition("::")[2] for test in only]
        pattern = ("-t", _pattern(names)) if self.by_name and all(names) else ()
        return (*pattern, *self.by_path, *map(as_word, files))


def _pattern(names: Iterable[str]) -> str:
    """Match whole names, in which runners put a space between a group and what is in it."""
    spaced = sorted({_META.sub(r"\\\g<0>", name.replace(" > ", " ")) for name in names})
    return f"^({'|'.join(spaced)})$"


class VitestRunner(NodeRunner):
    """Runs vitest, which lets tsc write beside vitest itself where it tests types; a held check must not."""

    async def run(self, start: Start, only: Selection) -> Once:
        """Run it; what tsc remembers goes to the folder of the run."""
        if start.own is not None and _TYPES in start.own.options:
            checker = start.scratch / "tsc"
            await asyncio.to_thread(_write_checker, checker)
            asked = (f"{_TYPES}.enabled", f"{_TYPES}.checker={checker}")
            own = replace(start.own, options=tuple(each for each in start.own.options if each != _TYPES))
            start = replace(start, args=(*start.args, *asked), own=own)
        return await super().run(start, only)


def _write_checker(place: Path) -> None:
    place.write_text(_CHECKER.format(kept=shlex.quote(f"{place}.tsbuildinfo")), "utf-8")
    place.chmod(0o700)


class MochaRunner(NodeRunner):
    """Runs mocha, which names a file that it cannot load on standard error alone."""

    async def run(self, start: Start, only: Selection) -> Once:
        """Run it; a file that cannot be loaded counts as failing, since none of its tests ran."""
        once = await super().run(start, only)
        if once.report is not None or start.report.is_file() or once.done.timed_out:
            return once
        said = once.done.errors
        file, line = place_in(said, start.sources())
        if not file:
            return once
        case = Case(
            id=file, outcome=Outcome.ERROR, message=_first(said), text=said, file=file, line=line,
            cause=cause_in(said) or Cause.RUNTIME,
        )  # fmt: skip
        return Once(done=once.done, report=report_of((case,), start.sources(), (f"{file}: {_first(said)}",)))


def _first(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if _ERROR.search(line)), "it cannot be loaded")


VITEST = VitestRunner()
JEST = NodeRunner(by_path=("--runTestsByPath",))
NODE_TEST = NodeRunner(by_name=False)
MOCHA = MochaRunner(by_name=False)
