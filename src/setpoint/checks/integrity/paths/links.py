"""Symbolic links of a tree: a file counts under every path by which a link shows it."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from setpoint.system.git.git import contents, files_at, git

_LINK = b"120000 "
_MOST_STEPS = 40


async def links_at(root: Path | str, tree: str) -> dict[str, str]:
    """Return the symbolic links of a commit or tree: what each points to, by its path."""
    listing = await git(root, "ls-tree", "-r", "-z", "--full-tree", tree)
    entries = (line.partition(b"\t") for line in listing.stdout.split(b"\0") if line.startswith(_LINK))
    paths = [os.fsdecode(path) for _, _, path in entries]
    return {path: os.fsdecode(target) for path, target in (await contents(root, tree, paths)).items()}


def resolved(path: str, links: Mapping[str, str]) -> str | None:
    """Return the path that a link leads to, `.` for the root; none where it leaves the tree or never ends."""
    place = path
    for _ in range(_MOST_STEPS):
        parts = place.split("/")
        stops = ("/".join(parts[: count + 1]) for count in range(len(parts)))
        link = next((stop for stop in stops if stop in links), None)
        if link is None:
            return place
        target = links[link]
        place = posixpath.normpath(
            posixpath.join(posixpath.dirname(link), target, *place[len(link) :].split("/"))
        )
        if target.startswith("/") or place.split("/")[0] in ("..", ".git"):
            return None
    return None


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A file that a link shows under another path."""

    file: str
    """Its own path."""
    restored: str
    """What has to be restored if it may not be there: a new link, or the file behind an old one."""
    old: bool
    """Whether the base has that link."""


@dataclass(frozen=True, kw_only=True)
class Links:
    """What the links of a tree do to its paths."""

    outside: tuple[str, ...]
    """New links that leave the tree."""
    seen: Mapping[str, Seen]
    """Files by the paths under which links show them: changed ones behind old links, all behind new ones."""

    def at_base(self, paths: Iterable[str], base_files: Collection[str]) -> list[str]:
        """Choose the paths that there were at the base."""
        return [path for path in paths if path in base_files or self._was(path, base_files)]

    def _was(self, path: str, base_files: Collection[str]) -> bool:
        seen = self.seen.get(path)
        return seen is not None and seen.old and seen.file in base_files


async def follow(root: Path | str, base: str, tree: str, changed: Collection[str]) -> Links:
    """Follow the links of a tree; a link that is as it was at the base matters for changed files alone."""
    now = await links_at(root, tree)
    if not now:
        return Links(outside=(), seen={})
    stood = await links_at(root, base)
    new = {path for path, target in now.items() if stood.get(path) != target}
    files = await files_at(root, tree) if new else ()
    found: dict[str, Seen] = {}
    outside: list[str] = []
    for link in sorted(now):
        place = resolved(link, now)
        if place is None:
            outside += [link] if link in new else []
            continue
        for file in files if link in new else changed:
            inside = file.removeprefix(place)
            if file not in now and (place == "." or inside == "" or (inside != file and inside[0] == "/")):
                path = f"{link}/{file}" if place == "." else f"{link}{inside}"
                found[path] = Seen(file=file, restored=link if link in new else file, old=link not in new)
    return Links(outside=tuple(outside), seen=found)
