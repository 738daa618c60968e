"""Submodules of a commit, filled from the repositories in the user's tree: nothing is fetched."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from setpoint.errors import WorkspaceError
from setpoint.system.files.untrusted_folder import entered
from setpoint.system.git.clone import git_directory
from setpoint.system.git.git import ask, git, located

_LINK = b"160000"
_MOST_DEPTH = 5


class Submodule(NamedTuple):
    """A submodule of a commit."""

    path: str
    commit: str
    store: Path | None
    """The repository of the user's that holds this commit; none where there is none."""


async def submodules_of(root: Path, repository: Path | str, commit: str, depth: int = 0) -> list[Submodule]:
    """Find the submodules of a commit, and theirs, with where the user's tree at `root` has them."""
    listed = (await git(repository, "ls-tree", "-r", "-z", "--full-tree", commit)).stdout
    words = ("config", "-z", "--blob", f"{commit}:.gitmodules", "--get-regexp", r"^submodule\..*\.path$")
    # A link without an entry there is another repository that lies in the tree.
    names = [each.partition("\n")[2] for each in (await ask(repository, *words)).text.split("\0")]
    found: list[Submodule] = []
    for entry in listed.split(b"\0"):
        facts, tab, name = entry.partition(b"\t")
        if not tab or not facts.startswith(_LINK):
            continue
        path, wanted = os.fsdecode(name), facts.split()[2].decode()
        if path not in names:
            continue
        store = await _store(root, path, wanted)
        found.append(Submodule(path, wanted, store))
        if store is not None and depth < _MOST_DEPTH:
            inner = await submodules_of(root / path, store, wanted, depth + 1)
            found += [each._replace(path=f"{path}/{each.path}") for each in inner]
    return found


async def _store(root: Path, path: str, commit: str) -> Path | None:
    """Return the repository of a submodule: of the files there, else what git keeps of it."""
    places = [root / path] if (root / path / ".git").exists() else []
    try:
        places += [git_directory(root) / "modules" / path]
        for place in places:
            if place.is_dir() and (await ask(place, "cat-file", "-e", f"{commit}^{{commit}}")).ok:
                return git_directory(place)
    except WorkspaceError:
        return None
    return None


async def fill(place: Path, repository: Path, submodules: Iterable[Submodule]) -> None:
    """Bring the files of submodules to a tree; `repository` keeps what is known of them."""
    for each in submodules:
        if each.store is None:
            continue
        with entered(place, PurePosixPath(each.path).parts, make=True):
            folder = place / each.path
        key = hashlib.sha256(f"{each.store}\0{each.path}".encode("utf-8", "surrogateescape")).hexdigest()
        variables = {
            **located(str(each.store), str(folder)),
            "GIT_INDEX_FILE": str(repository / f"setpoint-submodule-{key[:16]}"),
        }
        await git(folder, "read-tree", "--reset", "-u", each.commit, environment=variables)
        await git(folder, "checkout-index", "--all", "--force", "--quiet", environment=variables)
        kept = [
            f"--exclude=/{other.path[len(each.path) + 1 :]}/" for other in submodules if _within(other, each)
        ]
        await git(folder, "clean", "-ffdxq", *kept, environment=variables)


def _within(inner: Submodule, outer: Submodule) -> bool:
    return inner.path.startswith(f"{outer.path}/")
