"""What is kept to save time does not grow without end: it goes with its run, or when nobody asks for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from setpoint.model.ids import TraceId
from setpoint.system.files.removal import remove_folder

OF_THE_TREE = "tree"
"""The tools' own caches for the user's tree: `setpoint check` begins where the one before ended."""
SHARED = "shared"
"""The tools' own caches for all runs of a project."""
LASTS_S = 30 * 24 * 3600.0
"""Seconds after which goes what nobody asked for meanwhile."""
MOST_BYTES = 2_000_000_000
"""What is kept by key takes at most so much room; the oldest goes first."""
_EACH_S = 24 * 3600.0
_BY_KEY = ("checks/??/*.json", "proof/??/*.json", "evaluations/??/*.json", "by_file/*.json")


def tools_of(state: Path, name: str) -> Path:
    """Name the folder of the tools' own caches, by run or by one of the names above."""
    return state / "cache" / "tools" / name


def forget(state: Path, trace: TraceId) -> None:
    """Remove the tools' caches of a run that has ended, and of its parts."""
    for folder in (tools_of(state, trace), *tools_of(state, "").glob(f"{trace}-*")):
        remove_folder(folder)


def trim(state: Path, now_s: float | None = None) -> bool:
    """Remove what nobody asked for in a long time; looks once a day, and says whether it did."""
    now_s = time.time() if now_s is None else now_s
    looked = state / "cache" / "trimmed"
    if now_s - _changed_s(looked) < _EACH_S:
        return False
    looked.parent.mkdir(parents=True, exist_ok=True)
    looked.touch()
    room = MOST_BYTES
    by_key = (path for each in _BY_KEY for path in (state / "cache").glob(each))
    for path in sorted(by_key, key=_changed_s, reverse=True):
        room -= _size(path)
        if room < 0 or now_s - _changed_s(path) > LASTS_S:
            path.unlink(missing_ok=True)
    for folder in _of_runs(state):
        newest = max(map(_changed_s, (folder, *folder.glob("*"), *folder.glob("*/*"))))
        if now_s - newest > LASTS_S:  # of a run that never ended
            remove_folder(folder)
    return True


def _of_runs(state: Path) -> Iterator[Path]:
    kept = (OF_THE_TREE, SHARED)
    yield from (path for path in tools_of(state, "").glob("*") if path.is_dir() and path.name not in kept)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _changed_s(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # never there, or removed by another process meanwhile
        return 0.0
