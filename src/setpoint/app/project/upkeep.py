"""What Setpoint keeps on the disk for a project: how large it is, what may go, and why the rest stays.

The record, its artifacts and the snapshots always stay. A work copy goes once nothing hangs on it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from setpoint.history.replay import history
from setpoint.model.events.run import RunStarted
from setpoint.model.ids import TraceId
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.system.files.removal import remove_folder
from setpoint.system.git.git import ask_at_once
from setpoint.system.git.merge import SHARED
from setpoint.wiring.project import Project

_RECENT_S = 24 * 3600.0
"""Seconds after which a measured copy without a run is taken for left over."""
_PER_RUN = ("work", "measured", "repositories")
"""Folders with copies, each named by its run or check."""


class Kept(NamedTuple):
    """One folder that Setpoint keeps."""

    name: str
    paths: tuple[Path, ...]
    size: int
    """Bytes."""
    stays: str = ""
    """Why it stays; empty where it may go."""


def kept(project: Project) -> list[Kept]:
    """Return what lies on the disk for a project: first what may go, each the largest first."""
    found = [*_copies(project), *_caches(project), *_lasting(project)]
    return sorted(found, key=lambda each: (bool(each.stays), -each.size))


def drop(each: Kept) -> None:
    """Remove what may go."""
    for path in () if each.stays else each.paths:
        remove_folder(path)


def drop_delivered(project: Project, order: RunOrder, outcome: RunOutcome) -> None:
    """Remove the copies of a run that has ended, once the repository itself holds its branch."""
    if outcome.branch and not outcome.unjudged and _hold(project.root, order, "--branches"):
        for folder in _PER_RUN:
            for path in (project.copies / folder).glob(f"{order.trace_id}*"):
                remove_folder(path)


def drop_left_over(project: Project) -> None:
    """Remove the copies that nothing hangs on any more."""
    for each in _copies(project):
        drop(each)


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder, or of a file; what vanishes meanwhile does not count."""
    paths = (Path(inside) / name for inside, _, names in os.walk(folder) for name in names)
    total = 0
    for path in paths if folder.is_dir() else (folder,):
        with contextlib.suppress(OSError):
            total += path.lstat().st_size
    return total


def _copies(project: Project) -> Iterator[Kept]:
    found: dict[str, list[Path]] = {}
    for path in (path for folder in _PER_RUN for path in (project.copies / folder).glob("*")):
        found.setdefault(path.name.partition(".")[0], []).append(path)
    for name, paths in found.items():
        if name.startswith("run-"):
            why = _why_it_stays(project, TraceId(name))
        else:
            recent = time.time() - max(map(_changed_s, paths)) < _RECENT_S
            why = "it may be in use" if recent else ""
        yield Kept(f"copies of {name}", tuple(paths), sum(map(size_of, paths)), why)


def _caches(project: Project) -> Iterator[Kept]:
    """Yield what only saves time; a run under way counts on it."""
    open_now = (path.stem for path in (project.state / "locks").glob("run-*.lock"))
    busy = next((run for run in open_now if project.locks.owner(TraceId(run)) is not None), "")
    why = f"{busy} works" if busy else ""
    for path in sorted((project.state / "cache").glob("*/")):
        yield _kept(f"cache {path.name}", path, why)
    yield _kept("cache of tools", project.copies / "scratch", why)


def _lasting(project: Project) -> Iterator[Kept]:
    state = project.state
    if not project.settings.database:
        files = sum(size_of(path) for path in state.glob("*.db*"))
        yield Kept("record", (state / "app.db",), files, "it is the record")
    for name in ("artifacts", "snapshots", "runs"):
        yield _kept(name, state / name, "it belongs to the record")
    bytecode = project.copies.parent.parent / "bytecode"
    yield _kept("bytecode", bytecode, "all projects share it; what is unused for 30 days goes")


def _kept(name: str, path: Path, why: str) -> Kept:
    return Kept(name, (path,), size_of(path), why)


def _changed_s(path: Path) -> float:
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def _why_it_stays(project: Project, trace_id: TraceId) -> str:
    """Say why the copies of a run stay; empty where nothing hangs on them."""
    events = project.log.replay(trace_id)
    if project.locks.owner(trace_id) is not None:
        return "the run works"
    if not events or not isinstance(events[0].body, RunStarted):
        return "nothing is recorded of its run"
    outcome = history(events).outcome
    if outcome is None:
        return f"the run is open; hint: setpoint resume {trace_id}"
    if outcome.unjudged:
        return f"it holds edits that were not judged; hint: setpoint show {trace_id}"
    return _why_not_safe(project.root, events[0].body.order, outcome.branch) if outcome.branch else ""


def _why_not_safe(root: Path, order: RunOrder, branch: str) -> str:
    """Say where the work of a run is not yet; empty where it is merged, and pushed if there is a remote."""
    if not _hold(root, order, f"--exclude={branch}", "--branches"):
        return f"not merged; hint: git merge {branch}"
    alone = not ask_at_once(root, "remote").text.strip()
    pushed = alone or _hold(root, order, "--remotes", f"--glob={SHARED}*")
    return "" if pushed else f"not pushed: {branch}"


def _hold(root: Path, order: RunOrder, *refs: str) -> bool:
    """Whether the history behind refs, as `git rev-list` takes them, holds what a run delivered."""
    named = f"--grep=^Setpoint-Run: {order.trace_id}$"
    told = ask_at_once(root, "rev-list", "--max-count=1", named, *refs, "--not", order.base)
    return told.ok and bool(told.text.strip())
