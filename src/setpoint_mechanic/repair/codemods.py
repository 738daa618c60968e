"""Tools that mend a tree in place, such as codemodder: run on a copy, kept where no test breaks."""

from __future__ import annotations

import asyncio
import difflib
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from setpoint.model.attempt import Brief
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.finding import Category, Finding, Fix, Severity
from setpoint.ports.toolkit import CommandRequest, Toolkit
from setpoint_mechanic.repair.edits import Applied, Offered
from setpoint_mechanic.repair.fixing import tried_and_kept

_TOOL_S = 300.0
_IGNORED = shutil.ignore_patterns(".git", ".setpoint", "__pycache__", "node_modules", ".venv", "venv")
Tool = tuple[str, ...]
"""Program and arguments; `{workdir}` is replaced."""


async def mended_by_tools(
    toolkit: Toolkit, brief: Brief, tools: Sequence[Tool], pytest_args: Sequence[str]
) -> list[Applied]:
    """Run each tool on a copy of the work copy and try what it changes in files that have open findings."""
    files = sorted({each.file for each in brief.findings if each.file.endswith(".py")})
    told: list[Applied] = []
    for tool in tools if files else ():
        offered, why = await _offered(toolkit, brief, tool, files)
        if why:
            told.append(Applied(_finding(tool, ""), ok=False, note=why))
        if offered:
            told += await tried_and_kept(toolkit, brief, offered, pytest_args)
    return told


async def _offered(
    toolkit: Toolkit, brief: Brief, tool: Tool, files: Sequence[str]
) -> tuple[list[Offered], str]:
    """Return what a tool changes, one fix for each file, and why there is none where it did not run."""
    root = Path(brief.workdir)
    folder = Path(tempfile.mkdtemp(prefix="setpoint-tool-"))
    copy = folder / "tree"
    try:
        await asyncio.to_thread(shutil.copytree, root, copy, symlinks=True, ignore=_IGNORED)
        argv = tuple(word.replace("{workdir}", str(copy)) for word in tool)
        path = f"{Path(brief.python).parent}:{toolkit.environment().get('PATH', '')}"
        done = await toolkit.run_command(
            CommandRequest(
                argv=argv,
                cwd=copy,
                environment=toolkit.environment({"PATH": path, "TMPDIR": str(folder)}),
                timeout_s=min(_TOOL_S, brief.limits.wall_s / 4),
            )
        )
        changed = [_change(root, copy, file, tool) for file in files if not is_test_path(file)]
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    why = "" if done.exit_code == 0 else f"it {done.ending}: {done.errors.strip()[-200:]}"
    return [each for each in changed if each is not None], why


def _change(root: Path, copy: Path, file: str, tool: Tool) -> Offered | None:
    if not (root / file).is_file() or not (copy / file).is_file():
        return None
    try:
        with (root / file).open(encoding="utf-8", newline="") as stream:
            before = stream.read()
        with (copy / file).open(encoding="utf-8", newline="") as stream:
            after = stream.read()
    except UnicodeDecodeError:
        return None
    spans = _spans(before, after)
    finding = _finding(tool, file)
    return Offered(finding, Fix(description=finding.message, edits=(), safe=False), spans) if spans else None


def _spans(before: str, after: str) -> tuple[tuple[int, int, str], ...]:
    """Return the lines that changed as places of characters."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple((starts[a], starts[b], "".join(new[c:d])) for kind, a, b, c, d in steps if kind != "equal")


def _finding(tool: Tool, file: str) -> Finding:
    name = Path(tool[0]).name
    return Finding(
        source=name,
        severity=Severity.INFO,
        category=Category.STYLE,
        message=f"what {name} changes",
        file=file,
    )
