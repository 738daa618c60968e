"""The search for a repair of Python tests: the engine runs in the project's interpreter."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from setpoint.model.wording import counted
from setpoint.ports.toolkit import CommandRequest
from setpoint_mechanic.engine.wire.order import argv_of, read_result
from setpoint_mechanic.engine.wire.repair import Request, Result
from setpoint_mechanic.lend_pytest import lend_pytest
from setpoint_mechanic.own_tool_calls import engine_environment
from setpoint_mechanic.repair.work import Work
from setpoint_probe.wire.answer import UnreadableAnswer
from setpoint_probe.wire.exchange import CANNOT_RUN

NOT_POSSIBLE = "not_possible"
"""Status of a search that had nothing to try."""


async def search(work: Work, request: Request, scratch: Path) -> tuple[Result | None, str]:
    """Run the engine; gives its result, or none and why there is none."""
    asked, answered = scratch / "request.json", scratch / "result.json"
    calls, python = work.calls, work.brief.python
    calls.begin(
        "search_repair", "execute", f"search for a repair of {counted(len(request.failing), 'failing test')}"
    )
    done = await work.toolkit.run_command(
        CommandRequest(
            argv=argv_of(python, request, asked, answered, lend_pytest(scratch / "lent")),
            cwd=Path(work.brief.workdir),
            environment=engine_environment(work.toolkit, python, scratch),
            timeout_s=request.wall_s * 1.5 + 30.0,
        ),
        on_line=lambda line: _heard(work, line),
    )
    if done.exit_code == CANNOT_RUN:
        why = done.errors.strip()[-400:]
        calls.tell("search_repair", "execute", why, ok=False, seconds=done.duration_s)
        return Result(reason=f"{why}; install pytest there, or where Setpoint runs"), ""
    try:
        result = await asyncio.to_thread(read_result, answered)
    except UnreadableAnswer as error:
        why = f"the repair engine {done.ending}: {done.errors.strip()[-400:] or str(error)}"
        calls.tell("search_repair", "execute", why, ok=False, seconds=done.duration_s)
        return None, why
    asked_for = counted(len(request.failing), "test")
    title = f"search for a repair of {asked_for}: {result.status}, tried {result.tried}"
    title += f": {result.reason}" if result.status == NOT_POSSIBLE else ""
    calls.tell("search_repair", "execute", title, ok=bool(result.patches), seconds=done.duration_s)
    return result, ""


def _heard(work: Work, line: bytes) -> None:
    """Take the engine's stages as tool calls while they happen."""
    text = line.decode("utf-8", "replace").strip()
    work.calls.log.append(text)
    try:
        told = json.loads(text)
    except ValueError:
        return
    if isinstance(told, dict) and told.get("event") == "stage":
        name = str(told.get("name"))
        seconds = float(told.get("seconds", 0.0))
        work.calls.tell(f"repair_{name}", "execute", _STAGES.get(name, name), ok=True, seconds=seconds)


_STAGES = {
    "collect": "collect the project's tests",
    "localise": "trace failing and passing tests, rank suspicious lines",
    "search": "try candidate edits",
    "fresh": "try edits that need a fresh import",
    "confirm": "confirm the best patches in fresh processes",
}
