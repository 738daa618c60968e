"""Which files the ignore rules of a commit leave visible, whatever rules the tree itself has by now.

A maker could hide its own work by a rule that it adds. So the rules of the base decide, together with the
user's global ones and those of the repository (`info/exclude`). What a new rule hides is left out all the
same where it is plainly made by running things.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath

from setpoint.system.git.git import git, names_of

RULES = ".gitignore"
MOST_BYTES = 1_000_000
"""Files above this size are not written by hand."""
_OUTPUT = Path(__file__).with_name("output_files.txt")
_SUBMODULE = b"160000"
_TAG = "CACHEDIR.TAG"
_NAMES = frozenset({"node_modules", ".tox", ".nox"})
_MARKS = ("pyvenv.cfg", "conda-meta")


def is_environment(folder: Path) -> bool:
    """Whether a folder holds installed packages."""
    return folder.name in _NAMES or any((folder / mark).exists() for mark in _MARKS)


async def visible_at(root: Path, commit: str, environment: Mapping[str, str]) -> set[str]:
    """List all files of a work tree, tracked ones included, that the ignore rules of a commit leave visible.

    Those that `output_files.txt` names are left out, unless a rule of the commit says otherwise.
    """
    token = f".rules-{secrets.token_hex(8)}"
    index = Path(environment["GIT_INDEX_FILE"]).with_name(f"index{token}")
    apart = {**environment, "GIT_INDEX_FILE": str(index)}
    try:
        await _place_rules(root, commit, token, apart)
        words = ("ls-files", "-z", "--others", "--exclude-standard", f"--exclude-per-directory={token}")
        listed = await git(root, *words, f"--exclude-from={_OUTPUT}", environment=apart)
    finally:
        index.unlink(missing_ok=True)
    return {name.rstrip("/") for name in names_of(listed.stdout)}


async def _place_rules(root: Path, commit: str, token: str, environment: Mapping[str, str]) -> None:
    """Fill an index with the rules of a commit under another name.

    Git reads rules from the index where a file is not meant to be in the work tree. The name is made up each
    time, so that no file of the tree can take its place.
    """
    listed = (await git(root, "ls-tree", "-r", "-z", "--full-tree", commit, environment=environment)).stdout
    entries, names = [], []
    for entry in listed.split(b"\0"):
        facts, _, name = entry.partition(b"\t")
        folder, slash, last = name.rpartition(b"/")
        if last == RULES.encode() and facts.startswith(b"100"):
            renamed = folder + slash + token.encode()
            entries.append(facts + b"\t" + renamed + b"\0")
            names.append(renamed + b"\0")
        elif facts.startswith(_SUBMODULE):  # what lies in it is not listed
            entries.append(entry + b"\0")
    if entries:
        words = ("update-index", "-z")
        await git(root, *words, "--index-info", stdin=b"".join(entries), environment=environment)
        await git(root, *words, "--skip-worktree", "--stdin", stdin=b"".join(names), environment=environment)


async def take(root: Path, hidden: Iterable[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Record files in the index although ignore rules hide them; gives those that can be work.

    What lies in an environment, in a folder with a `CACHEDIR.TAG` or in a dot-folder that ignores itself is
    made by tools; so are large files. Links are not followed.
    """
    work = set(_work(root, hidden))
    folders = {each for name in work if not _is_rules(name) for each in PurePosixPath(name).parents}
    # Rules beside work are part of it; rules that a tool put beside what it makes are not.
    wanted = sorted(name for name in work if not _is_rules(name) or PurePosixPath(name).parent in folders)
    if wanted:
        stdin = b"".join(os.fsencode(name) + b"\0" for name in wanted)
        words = ("update-index", "--add", "--remove", "-z", "--stdin")
        await git(root, *words, stdin=stdin, environment=environment)
    return tuple(wanted)


async def hidden_at(root: Path, commit: str, environment: Mapping[str, str]) -> Collection[str]:
    """List the files of a work tree that only rules hide which the commit does not hold."""
    visible = await visible_at(root, commit, environment)
    shown = await git(
        root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", environment=environment
    )
    return visible.difference(name.rstrip("/") for name in names_of(shown.stdout))


def _work(root: Path, names: Iterable[str]) -> Iterator[str]:
    @cache
    def made(folder: PurePosixPath) -> bool:
        return folder != PurePosixPath() and (_made(root / folder) or made(folder.parent))

    for name in names:
        path = root / name
        if not made(PurePosixPath(name).parent) and _may_be_written_by_hand(path):
            yield name


def _is_rules(name: str) -> bool:
    return name.rpartition("/")[2] == RULES


def _may_be_written_by_hand(path: Path) -> bool:
    if path.is_symlink():
        return True
    return path.is_file() and path.stat().st_size <= MOST_BYTES and os.access(path, os.R_OK)


def _made(folder: Path) -> bool:
    """Whether a tool made a folder: environments, caches, dot-folders that ignore themselves."""
    if is_environment(folder) or (folder / _TAG).is_file():
        return True
    rules = folder / RULES
    if not folder.name.startswith(".") or rules.is_symlink() or not rules.is_file():
        return False
    lines = rules.read_bytes()[:MOST_BYTES].splitlines()
    return b"*" in {line.strip() for line in lines}
