"""What a check changes beside its result: tracked files are restored, and its evidence names them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from setpoint.checks.discovery.installed_files import InstalledFiles, Stamps
from setpoint.checks.trees.checkout import place_beside
from setpoint.ports import Measured
from setpoint.system.git.git import ask, git
from setpoint.system.git.separate_repository import READY, repository_apart

MOST_NAMED = 200
_STATUS = (
    "status",
    "--porcelain=v1",
    "-z",
    "--untracked-files=no",
    "--no-renames",
    "--ignore-submodules=all",
)
_LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}


class WatchedFiles:
    """Watches the files around the checks of one measurement."""

    def __init__(self, installed: InstalledFiles) -> None:
        """Watch what is installed, beside the measured tree."""
        self._installed = installed
        self._stamps: Stamps | None = None
        self._other: frozenset[str] = frozenset()

    async def begin(self, measured: Measured) -> None:
        """Look before the first check that runs code."""
        if self._stamps is None:
            self._stamps = await asyncio.to_thread(self._installed.stamps)
            self._other = frozenset(await _differing(Path(measured.copy.path)))

    async def changed(self, measured: Measured) -> tuple[str, ...]:
        """Name what changed since it was looked last, and restore what is tracked."""
        place = Path(measured.copy.path)
        found: list[str] = []
        for each in (place, place_beside(place, "tests")):
            differing = [path for path in await _differing(each) if path not in self._other]
            if differing:
                text = "\0".join(differing).encode("utf-8", "surrogateescape")
                words = ("checkout", "--quiet", "--force", "HEAD", "--pathspec-from-file=-")
                await git(each, *words, "--pathspec-file-nul", stdin=text, environment=_LITERAL)
            found += differing
        before, self._stamps = self._stamps or {}, await asyncio.to_thread(self._installed.stamps)
        found += await asyncio.to_thread(self._installed.changed, before, self._stamps)
        return tuple(dict.fromkeys(found))[:MOST_NAMED]


async def _differing(place: Path) -> list[str]:
    """Name the tracked files of a place that differ from its commit: by stat first, then by content."""
    if not (repository_apart(place) / READY).is_file():
        return []
    answer = await ask(place, *_STATUS)
    names = (each[3:] for each in answer.stdout.split(b"\0") if each)
    return [name.decode("utf-8", "surrogateescape") for name in names]
