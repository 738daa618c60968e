"""Tries the fixes that findings carry: the tests run after each, and it is kept if nothing breaks."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from setpoint.model.attempt import Brief
from setpoint.ports.toolkit import CommandRequest, Toolkit
from setpoint_mechanic.engine.wire.fixes import Fate, Fix, FixRequest, FixResult
from setpoint_mechanic.engine.wire.order import argv_of, read_fixes
from setpoint_mechanic.lend_pytest import lend_pytest
from setpoint_mechanic.own_tool_calls import engine_environment
from setpoint_mechanic.repair.edits import Applied, Offered, apply_fixes, offered_fixes, write_fixes
from setpoint_probe.wire.answer import UnreadableAnswer

FIXES_S = 240.0
"""Seconds that trying fixes may take, where the attempt has as many."""
_SHARE = 0.4
"""Share of an attempt's time for trying fixes; a search for repairs may follow."""


async def fixed(toolkit: Toolkit, brief: Brief, pytest_args: Sequence[str]) -> list[Applied]:
    """Try the fixes of open findings in the work copy and keep those that break no test.

    Fixes of other files than Python's, and all where no test can run, are not tried: of these the safe ones
    are applied, and their note says so.
    """
    root = Path(brief.workdir)
    good, bad = offered_fixes(root, brief.findings)
    ours = [each for each in good if each.finding.file.endswith(".py")]
    others = [each.finding for each in good if not each.finding.file.endswith(".py")]
    untried = _untried(apply_fixes(root, others), "no test of the project reads it")
    if not ours:
        return [*untried, *bad]
    result = await _tried(toolkit, brief, ours, pytest_args)
    if result.status != "judged":
        return [*_untried(apply_fixes(root, [each.finding for each in ours]), result.reason), *untried, *bad]
    return [*_kept(root, ours, result), *untried, *bad]


async def tried_and_kept(
    toolkit: Toolkit, brief: Brief, offered: Sequence[Offered], pytest_args: Sequence[str]
) -> list[Applied]:
    """Try changes and keep those that break no test; where no test can run, none is kept."""
    result = await _tried(toolkit, brief, offered, pytest_args)
    if result.status != "judged":
        why = f"not tried: {result.reason}"
        return [Applied(each.finding, ok=False, note=why) for each in offered]
    return _kept(Path(brief.workdir), offered, result)


def _kept(root: Path, offered: Sequence[Offered], result: FixResult) -> list[Applied]:
    write_fixes(root, [each for each, fate in zip(offered, result.fates, strict=True) if fate.kept])
    return [_told(each, fate, result) for each, fate in zip(offered, result.fates, strict=True)]


def _told(offered: Offered, fate: Fate, result: FixResult) -> Applied:
    if fate.kept:
        note = f"{offered.fix.description}; {result.tests} tests pass with it"
    elif fate.tried:
        note = f"taken back: it breaks {fate.broke}"
    else:
        note = f"not tried: {result.reason or 'the time for running the tests was used up'}"
    return Applied(offered.finding, ok=fate.kept, note=note)


def _untried(applied: Sequence[Applied], why: str) -> list[Applied]:
    return [
        each._replace(note=f"{each.note}; safe by its tool's word, tested by nothing: {why}")
        if each.ok
        else each
        for each in applied
    ]


async def _tried(
    toolkit: Toolkit, brief: Brief, offered: Sequence[Offered], pytest_args: Sequence[str]
) -> FixResult:
    if not brief.python:
        return FixResult(reason="the project has no interpreter")
    wall_s = min(FIXES_S, brief.limits.wall_s * _SHARE)
    scratch = Path(tempfile.mkdtemp(prefix="setpoint-mechanic-"))
    asked, answered = scratch / "request.json", scratch / "result.json"
    request = FixRequest(
        tree=brief.workdir,
        fixes=tuple(Fix(each.finding.file, each.spans) for each in offered),
        pytest_args=tuple(pytest_args),
        wall_s=wall_s,
        scratch=str(scratch),
    )
    try:
        done = await toolkit.run_command(
            CommandRequest(
                argv=argv_of(brief.python, request, asked, answered, lend_pytest(scratch / "lent")),
                cwd=Path(brief.workdir),
                environment=engine_environment(toolkit, brief.python, scratch),
                timeout_s=wall_s * 1.5 + 30.0,
            )
        )
        try:
            return await asyncio.to_thread(read_fixes, answered)
        except UnreadableAnswer as error:
            said = done.errors.strip()[-200:] or str(error)
            return FixResult(reason=f"the trial {done.ending}: {said}")
    finally:
        await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
