"""Mutants of the user's current tree, in a place of its own: for `setpoint lab mutate`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from setpoint.checks.discovery.bytecode import with_bytecode
from setpoint.checks.discovery.interpreter import find_interpreter
from setpoint.checks.discovery.project import found_leak, layout_at
from setpoint.checks.mutation.check import GREEN_FIRST, MutationEngine, is_source
from setpoint.checks.trees.checkout import put_at, remove
from setpoint.checks.trees.working_tree import TreeRecorder
from setpoint.errors import UsageError, WorkspaceError
from setpoint.model.ids import Commit, TraceId, sortable
from setpoint.model.mutation import MutationReport
from setpoint.settings import Settings
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import changed_lines, files_at, head


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is to be mutated, and for how long."""

    paths: tuple[str, ...] = ()
    """Files and folders from the root; none: the lines that the tree changes against its commit."""
    lines: range | None = None
    """Only these lines of the one file that is named, 1-based."""
    budget_s: float
    jobs: int = 0
    """Processes side by side; 0 for one for each core."""


async def mutate(folders: ProjectFolders, settings: Settings, wanted: Wanted) -> MutationReport:
    """Judge the mutants of a tree as it is, uncommitted work included; the tree is not touched.

    Raises `UsageError` where nothing there can be mutated, `WorkspaceError` where the tests cannot be run.
    """
    async with standing_copy(folders) as (place, commit):
        lines = await lines_wanted(folders.root, place, commit, wanted)
        engine = await _engine(folders, place, commit, settings, wanted)
        _, report, reason = await engine.judge(place, lines)
    if report is None:
        raise WorkspaceError(f"no mutant could be judged: {reason}", hint=GREEN_FIRST)
    return report


@asynccontextmanager
async def standing_copy(folders: ProjectFolders) -> AsyncIterator[tuple[Path, Commit]]:
    """Put the tree as it is into a place of its own, which is removed at the end."""
    trace = TraceId(sortable("mutate", datetime.now(UTC)))
    root, place = folders.root, folders.measured_of(trace)
    standing = TreeRecorder(root, folders.state / "standing")
    with standing.opened() as folder:
        try:
            commit = await standing.committed(folder, place, await standing.record(folder))
            await put_at(place, root, commit)
            yield place, commit
        finally:
            await asyncio.to_thread(remove, folders, trace)


async def _engine(
    folders: ProjectFolders, place: Path, commit: Commit, settings: Settings, wanted: Wanted
) -> MutationEngine:
    root = folders.root
    found = await find_interpreter(root, settings.checks)
    interpreter = await asyncio.to_thread(with_bytecode, found, folders.copies)
    if not interpreter.has("pytest"):
        raise UsageError(
            f"pytest is not installed in {interpreter.path} ({interpreter.reason})",
            hint="install it there, or name the tests' interpreter in the setting checks.python",
        )
    layout, leak = await found_leak(root, place, interpreter, await layout_at(place, commit))
    if leak:
        raise UsageError(leak)
    return MutationEngine(
        interpreter=interpreter,
        layout=layout,
        budget_s=wanted.budget_s,
        jobs=wanted.jobs or os.cpu_count() or 1,
        args=settings.checks.pytest_args,
    )


async def lines_wanted(
    root: Path, place: Path, commit: Commit, wanted: Wanted, fits: Callable[[str], bool] = is_source
) -> Mapping[str, Collection[int]]:
    """Return the files that are mutated, each with its lines; none for a file: all of it.

    `fits` chooses the sources. Raises `UsageError` where there are none.
    """
    if not wanted.paths:
        changed = await changed_lines(place, await head(root), commit)
        lines: dict[str, Collection[int]] = {file: found for file, found in changed.items() if fits(file)}
        if not lines:
            raise UsageError(
                "no line of code differs from the commit that is checked out",
                hint="name files or folders: setpoint lab mutate src/",
            )
        return lines
    named = [relative(root, path) for path in wanted.paths]
    files = await files_at(place, commit)
    found = [file for file in files if fits(file) and _within(file, named)]
    if not found:
        raise UsageError(
            f"{', '.join(wanted.paths)}: no source outside the tests lies there",
            hint="name files or folders of the repository",
        )
    if wanted.lines is None:
        return dict.fromkeys(found, ())
    if len(found) > 1:
        raise UsageError("lines can be given for one file only", hint="name one file")
    return {found[0]: wanted.lines}


def relative(root: Path, path: str) -> str:
    """Return a path of the command line as one from the root of the repository."""
    try:
        return (Path.cwd() / path).resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        raise UsageError(f"{path}: lies outside {root}", hint="name a path of this repository") from None


def _within(file: str, named: Sequence[str]) -> bool:
    return any(name in (".", file) or file.startswith(f"{name}/") for name in named)
