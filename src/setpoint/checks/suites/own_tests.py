"""The project's own test command, where no reader knows its runner: one test, judged by the exit code."""

from __future__ import annotations

import asyncio
import re
import shutil
from dataclasses import dataclass, replace

from setpoint.checks import results
from setpoint.checks.discovery.own_commands.runner_calls import RunnerCall
from setpoint.checks.flaky.flaky import Selection
from setpoint.checks.formats.tests.printed_counts import ant_counts, printed_counts
from setpoint.checks.formats.tests.stack_frames import cause_in, place_in
from setpoint.checks.formats.tests.test_cases import Case, report_of
from setpoint.checks.suites.failing_copy import failing_copy
from setpoint.checks.suites.runner import Once, Start
from setpoint.model.evidence import Cause, Outcome
from setpoint.system.processes import Completed

_OWNERS = re.compile(
    r"(?:^|/)(?:package\.json|(?:GNU)?[Mm]akefile|\.?[Jj]ustfile|build\.xml|tox\.(?:ini|toml)|pyproject\.toml|noxfile\.py"
    r"|\.gitlab-ci\.yml|CONTRIBUTING\.(?:md|rst)|\.github/workflows/[^/]+)$"
)
_FAILED = re.compile(
    r"^\s*(?:not ok\b|FAIL\b|(?:✖|✗|\u00d7|✘|●)\s+\[?\w).*|.*\b[A-Z]\w*(?:Error|Exception)\b.*", re.MULTILINE
)
LEAST_S = 30.0
"""Seconds that a command may take at least where all files fail; one that does not end has noticed."""
_ABSENT = re.compile(r"(?:^|[\s:])([\w.+-]+): (?:command )?not found\s*$", re.MULTILINE)
_WORD = re.compile(r"[\w+-]+(?:\.\w+)*")
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True, kw_only=True)
class OwnTests:
    """Runs the command as it is typed; what it prints is read as far as it goes."""

    def owns(self, test: str) -> bool:
        """Whether an identifier names a file with commands, and the command."""
        return "::" in test and _OWNERS.search(test.partition("::")[0]) is not None

    async def run(self, start: Start, only: Selection) -> Once:  # noqa: ARG002 - a part cannot be asked for
        """Run it whole: a part of its tests cannot be asked for."""
        if start.own is None:
            done = await start.call(("sh", "-c", "false"))
            return Once(done=done, broken="the project names no test command")
        done = await start.call((*start.program.argv, "-c", start.own.before), merged=True)
        if done.exit_code in results.NOT_STARTED and not _is_asked_for(done.text, start.wish):
            why = (
                f"{start.own.file}: `{start.own.shown}` cannot be run here: {done.ending}{results.tail(done)}"
            )
            return Once(done=done, unusable=why)
        if done.timed_out or done.idled or done.exit_code is None:
            return Once(done=done, broken=f"`{start.own.shown}`: {done.ending}{results.tail(done)}")
        if _passed(done) and not await self._can_fail(start, start.own, done.duration_s):
            why = f"`{start.own.shown}` ends with success even where every file fails when it is loaded"
            return Once(done=done, unusable=f"{start.own.file}: {why}: it proves nothing")
        said = _COLOURS.sub("", done.text)
        file, line = place_in(said, start.sources())
        first = _FAILED.search(said)
        case = Case(
            id=f"{start.own.file}::{start.own.shown}",
            outcome=Outcome.PASSED if _passed(done) else Outcome.FAILED,
            message=_counted(said, first[0].strip() if first else done.ending),
            text=said,
            file=file,
            line=line,
            cause=cause_in(said) or Cause.RUNTIME,
        )
        printed = sum(printed_counts(said) or ())
        return Once(done=done, report=report_of((case,), start.sources()), printed=printed)

    async def _can_fail(self, start: Start, own: RunnerCall, took_s: float) -> bool:
        """Whether the command fails in a copy of the tree in which every file fails when it is loaded.

        Where such a copy cannot be made, it is believed.
        """
        place = start.scratch / "failing"
        if not await asyncio.to_thread(failing_copy, start.tree, place, own.before):
            return True
        there = replace(start, tree=place, timeout_s=min(start.timeout_s, LEAST_S + 4 * took_s))
        done = await there.call((*start.program.argv, "-c", own.before), merged=True)
        await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)
        return not _passed(done)


def _is_asked_for(said: str, wish: str) -> bool:
    """Whether all commands that were not found are words of the request: then the tests fail for its sake."""
    names = set(_ABSENT.findall(said))
    return bool(names) and names <= set(_WORD.findall(wish))


def _passed(done: Completed) -> bool:
    """Whether all went well; Ant says so though tests failed, unless the build asks it to stop."""
    ant = ant_counts(_COLOURS.sub("", done.text))
    return done.ok and not (ant is not None and ant.failed > 0)


def _counted(said: str, message: str) -> str:
    counts = printed_counts(said)
    return f"{counts.failed} of {counts.passed + counts.failed} failed: {message}" if counts else message
