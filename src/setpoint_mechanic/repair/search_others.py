"""The search for a repair of tests in Go, JavaScript and TypeScript."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from setpoint.model.attempt import Breakage, BreakageKind
from setpoint.model.evidence import Failure
from setpoint.model.failure_clusters import failed_part
from setpoint.model.wording import counted
from setpoint_mechanic.engine.wire.repair import Result
from setpoint_mechanic.repair.one_token.grammars import SCRIPTS, parser_of
from setpoint_mechanic.repair.one_token.search import Search
from setpoint_mechanic.repair.one_token.trial import Copy, may_own
from setpoint_mechanic.repair.summary import told_repair
from setpoint_mechanic.repair.work import Work

NO_PARSER = (
    "the mechanic needs the parsers of the extra `languages` here; hint: install them with "
    "`pip install 'setpoint[languages]'`, or choose another agent with --agent"
)


def searchable(work: Work) -> tuple[Failure, ...]:
    """Return the failing tests that a runner of the project can run one by one in a copy.

    Of a test that failed only because a part of it did, the part is returned alone.
    """
    failures = work.brief.failures
    tree, commands = Path(work.brief.workdir), work.brief.suite_commands
    return tuple(
        failure
        for failure in failures
        if not failure.unbuilt
        and failed_part(failure, failures) is None
        and any(may_own(command, failure.test, tree) for command in commands)
    )


async def search(
    work: Work, failures: Sequence[Failure], wall_s: float, avoid: Sequence[str]
) -> Result | Breakage:
    """Search for one edit that repairs tests; says why where it found none, so that another agent goes on."""
    if parser_of(".go") is None or any(parser_of(suffix) is None for suffix in SCRIPTS):
        return Breakage(kind=BreakageKind.MISSING, message=NO_PARSER)
    began = time.monotonic()
    work.calls.begin(
        "search_repair", "execute", f"search for a repair of {counted(len(failures), 'failing test')}"
    )
    folder = Path(tempfile.mkdtemp(prefix="setpoint-mechanic-"))
    try:
        copy = Copy(toolkit=work.toolkit, source=Path(work.brief.workdir).resolve(), folder=folder)
        await asyncio.to_thread(copy.make, work.brief.suite_commands)
        result = await Search(copy, work.brief, failures, began + wall_s, avoid).run()
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    title = f"search for a repair of {counted(len(failures), 'test')}: {result.status}, tried {result.tried}"
    seconds = time.monotonic() - began
    work.calls.tell("search_repair", "execute", title, ok=bool(result.patches), seconds=seconds)
    work.say(*told_repair(result))
    work.record(result)
    return result if result.patches else _not_found(result, seconds)


def _not_found(result: Result, seconds: float) -> Breakage:
    looked = ", ".join(f"{each.file}:{each.line}" for each in result.suspects[:3])
    message = (
        f"the mechanic found no repair: it tried {result.tried} of {result.candidates} edits of one token in "
        f"{seconds:.0f} s, and {result.reason}{f' (first at {looked})' if looked else ''}; "
        "hint: choose another agent with --agent (`setpoint agents` lists them)"
    )
    return Breakage(kind=BreakageKind.MISSING, message=message)
