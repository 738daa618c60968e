"""What Setpoint keeps on the disk for a project: how large it is, what may go, and why the rest stays.

The record, its artifacts and the snapshots always stay. A work copy goes once nothing hangs on it.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from setpoint.history.replay import history
from setpoint.model.events.run import RunStarted
from setpoint.model.ids import Commit, TraceId
from setpoint.model.run import RunOutcome
from setpoint.system.files.removal import remove_folder
from setpoint.system.git.git import ask_at_once
from setpoint.wiring.project import Project

_RUN = re.compile(r"run-[0-9a-z]+")
_RECENT_S = 24 * 3600.0
"""Seconds after which a measured copy without a run is taken for left over."""
_PER_RUN = {"work copy": "work", "measured copy": "measured", "repository of a measured copy": "repositories"}


class Kept(NamedTuple):
    """One folder that Setpoint keeps."""

    name: str
    path: Path
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
    if not each.stays:
        remove_folder(each.path)


def drop_delivered(project: Project, trace_id: TraceId, outcome: RunOutcome) -> None:
    """Remove the copies of a run that has ended, once the repository itself holds its branch."""
    if outcome.branch and not outcome.unjudged and _refs(project.root, outcome.best, "refs/heads"):
        for folder in _PER_RUN.values():
            for path in (project.copies / folder).glob(f"{trace_id}*"):
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
    reasons: dict[str, str] = {}
    for name, folder in _PER_RUN.items():
        for path in sorted((project.copies / folder).glob("*")):
            found = _RUN.match(path.name)
            if found is None:
                recent = time.time() - path.stat().st_mtime < _RECENT_S
                why = "it may be in use" if recent else ""
            elif found[0] in reasons:
                why = reasons[found[0]]
            else:
                why = reasons[found[0]] = _why_it_stays(project, TraceId(found[0]))
            yield Kept(f"{name} {path.name}", path, size_of(path), why)


def _caches(project: Project) -> Iterator[Kept]:
    """Yield what only saves time; a run under way counts on it."""
    open_now = (path.stem for path in (project.state / "locks").glob("run-*.lock"))
    busy = next((run for run in open_now if project.locks.owner(TraceId(run)) is not None), "")
    why = f"{busy} works" if busy else ""
    for path in sorted((project.state / "cache").glob("*/")):
        yield Kept(f"cache {path.name}", path, size_of(path), why)
    yield Kept("cache of tools", project.copies / "scratch", size_of(project.copies / "scratch"), why)


def _lasting(project: Project) -> Iterator[Kept]:
    state = project.state
    if not project.settings.database:
        files = sum(size_of(path) for path in state.glob("*.db*"))
        yield Kept("record", state / "app.db", files, "it is the record")
    for name in ("artifacts", "snapshots", "runs"):
        yield Kept(name, state / name, size_of(state / name), "it belongs to the record")
    bytecode = project.copies.parent.parent / "bytecode"
    yield Kept(
        "bytecode", bytecode, size_of(bytecode), "all projects share it; what is unused for 30 days goes"
    )


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
    return _why_not_safe(project.root, outcome) if outcome.branch else ""


def _why_not_safe(root: Path, outcome: RunOutcome) -> str:
    """Say where the work of a run is not yet; empty where it is merged, and pushed if there is a remote."""
    if not set(_refs(root, outcome.best, "refs/heads")) - {f"refs/heads/{outcome.branch}"}:
        return f"not merged; hint: git merge {outcome.branch}"
    pushed = _refs(root, outcome.best, "refs/remotes") or not ask_at_once(root, "remote").text.strip()
    return "" if pushed else f"not pushed: {outcome.branch}"


def _refs(root: Path, commit: Commit, below: str) -> list[str]:
    """Return the refs whose history holds a commit; none where the repository does not have it."""
    told = ask_at_once(root, "for-each-ref", "--format=%(refname)", "--contains", commit, below)
    return told.text.split() if told.ok else []
