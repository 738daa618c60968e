"""How the code came to be, asked of git: commits between two deployments, and who last changed a line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from setpoint.model.ids import Commit, TraceId
from setpoint.model.production import Blame, Change, Frame
from setpoint.system.git.git import ask, files_at

MOST_COMMITS = 200
"""Commits between two deployments that are looked at, the newest."""
MOST_FRAMES = 20
NEAR = 2
"""Lines above and below the one that a frame names that are blamed too."""
_LOG = (
    "log",
    "-z",
    "--no-renames",
    "--name-only",
    "--diff-merges=first-parent",
    "--no-show-signature",
    "--encoding=UTF-8",
    "--format=%H%x00%ct%x00%s%x00",
)
_COMMIT = re.compile(rb"[0-9a-f]{40}")
_FOREIGN = (
    "site-packages/",
    "dist-packages/",
    "node_modules/",
    "/lib/python3",
    "/rustc/",
    "/.cargo/",
    "<frozen",
)
"""Parts of paths that lead out of a project's own code."""
_BLAMED = re.compile(rb"([0-9a-f]{40}) \d+ (\d+)(?: \d+)?$", re.MULTILINE)


class GitLineage:
    """Reads a repository; writes nothing."""

    def __init__(self, root: Path) -> None:
        """Ask the repository at `root`."""
        self._root = root

    async def brought(self, older: Commit, newer: Commit) -> tuple[Change, ...]:
        """Return the commits that `newer` holds and `older` does not, newest first.

        Empty where git does not know one of them: a shallow clone, or a commit that was never pushed here.
        """
        answer = await ask(self._root, *_LOG, f"--max-count={MOST_COMMITS}", newer, f"^{older}", "--")
        return tuple(_changes(answer.stdout)) if answer.ok else ()

    async def told(self, commits: Collection[Commit]) -> tuple[Change, ...]:
        """Describe commits, newest first; those that are not there are left out."""
        found: list[Change] = []
        for commit in commits:
            answer = await ask(self._root, *_LOG, "--max-count=1", commit, "--")
            found += _changes(answer.stdout) if answer.ok else ()
        return tuple(sorted(found, key=lambda each: each.at, reverse=True))

    async def blamed(self, at: Commit, frames: Sequence[Frame]) -> tuple[Blame, ...]:
        """Return commits behind the lines that frames name; one for each commit and frame, the nearest."""
        if not frames or not (await ask(self._root, "cat-file", "-e", f"{at}^{{commit}}")).ok:
            return ()
        files = await files_at(self._root, at)
        found: list[Blame] = []
        for place, frame in enumerate(frames[:MOST_FRAMES]):
            path = in_repository(frame.file, files)
            if path is not None and frame.line:
                found += await self._of_lines(at, path, frame.line, place)
        return tuple(found)

    async def holds(self, commit: Commit, run: TraceId, since: datetime) -> bool:
        """Return whether a commit holds what a run delivered: the commit, squashed or not, names the run."""
        words = ("log", "--max-count=1", "--format=%H", "--fixed-strings", f"--grep=Setpoint-Run: {run}")
        answer = await ask(self._root, *words, f"--since={since.isoformat()}", commit, "--")
        return answer.ok and bool(answer.text)

    async def _of_lines(self, at: Commit, path: str, line: int, place: int) -> list[Blame]:
        span = f"-L{max(1, line - NEAR)},{line + NEAR}"
        answer = await ask(self._root, "blame", "-p", span, at, "--", path)
        if not answer.ok:  # the file ends before the last line of the span
            answer = await ask(self._root, "blame", "-p", f"-L{line},{line}", at, "--", path)
        nearest: dict[Commit, int] = {}
        for match in _BLAMED.finditer(answer.stdout if answer.ok else b""):
            commit, distance = Commit(match[1].decode()), abs(int(match[2]) - line)
            nearest[commit] = min(distance, nearest.get(commit, distance))
        return [
            Blame(place=place, path=path, line=line, commit=commit, distance=distance)
            for commit, distance in sorted(nearest.items(), key=lambda each: each[1])
        ]


def in_repository(file: str, files: Collection[str]) -> str | None:
    """Find the file of a repository that a running program calls by another path: the longest common end.

    None where no file ends so, or where two do: a guess between them would blame the wrong change.
    """
    if any(part in file for part in _FOREIGN):
        return None
    parts = [part for part in file.replace("\\", "/").split("/") if part not in ("", ".")]
    held = set(files)
    for start in range(len(parts)):
        end = "/".join(parts[start:])
        if end in held:
            return end
        if start == len(parts) - 1 and start > 0:
            return None  # a name alone is too little where the path says more
        ends = [each for each in held if each.endswith(f"/{end}")]
        if ends:
            return ends[0] if len(ends) == 1 else None
    return None


def _changes(log: bytes) -> Iterator[Change]:
    """Read the log: id, time and title of each commit, an empty part, and its files until the next commit."""
    parts = log.split(b"\0")
    starts = [place for place in range(len(parts) - 3) if _begins(parts[place : place + 4])]
    for start, end in zip(starts, [*starts[1:], len(parts)], strict=False):
        commit, at, title = parts[start : start + 3]
        names = (each.decode("utf-8", "replace").lstrip("\n") for each in parts[start + 4 : end])
        yield Change(
            commit=Commit(commit.decode()),
            title=title.decode("utf-8", "replace"),
            at=datetime.fromtimestamp(int(at), UTC),
            files=tuple(name for name in names if name),
        )


def _begins(parts: Sequence[bytes]) -> bool:
    commit, at, _, empty = parts
    return bool(_COMMIT.fullmatch(commit)) and at.isdigit() and not empty
