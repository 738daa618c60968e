"""Merge commits without a work tree, and say which files conflict."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from setpoint.model.ids import Commit
from setpoint.system.git.git import ask_at_once, checked

SHARED = "refs/setpoint-shared/"
"""In a clone: the branches of the repository that several machines share, as they were last fetched."""
_MERGE = ("merge-tree", "--write-tree", "--name-only", "--no-messages", "-z")
_MESSAGE = "Merge work of other stories, for a story that depends on all of it"


class Merged(NamedTuple):
    """What came of merging commits in order."""

    commit: Commit
    conflicts: tuple[str, ...] = ()
    """Files that conflict; empty where the commit holds all."""


@lru_cache(maxsize=256)
def merged(root: Path, base: Commit, tips: tuple[Commit, ...], message: str = _MESSAGE) -> Merged:
    """Merge commits in order onto a base; the same ones always give the same commit.

    Only objects are written: no branch, no work tree. Raises `WorkspaceError` where git is older than 2.38.
    """
    now = base
    for tip in tips:
        if is_ancestor(root, tip, now):
            continue
        if is_ancestor(root, now, tip):
            now = tip
            continue
        answer = ask_at_once(root, *_MERGE, now, tip)
        tree, *names = answer.text.rstrip("\0").split("\0")
        if answer.exit_code == 1 and names:
            return Merged(now, tuple(name for name in names if name))
        checked(root, answer)
        times = checked(root, ask_at_once(root, "show", "-s", "--format=%ct", now, tip)).text.split()
        dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"@{max(map(int, times))} +0000")
        words = ("commit-tree", tree, "-p", now, "-p", tip, "-m", message)
        now = Commit(checked(root, ask_at_once(root, *words, environment=dates)).text)
    return Merged(now)


def conflicts(root: Path, one: Commit, other: Commit) -> tuple[str, ...]:
    """Return the files in which two commits conflict; only objects are written."""
    answer = ask_at_once(root, *_MERGE, one, other)
    _, *names = answer.text.rstrip("\0").split("\0")
    return tuple(name for name in names if name) if answer.exit_code == 1 else ()


def foreign_commits(root: Path, held: Commit, base: Commit) -> tuple[str, ...]:
    """Return the commits without merges, that the history of `base` holds and that of `held` does not."""
    return tuple(checked(root, ask_at_once(root, "rev-list", "--no-merges", base, f"^{held}")).text.split())


def is_ancestor(root: Path, older: str, newer: str) -> bool:
    """Return whether a commit lies in the history of another one, or is the same."""
    return ask_at_once(root, "merge-base", "--is-ancestor", older, newer).ok


def commit_named(root: Path, name: str) -> Commit | None:
    """Return the commit that a branch, ref or abbreviated id names now, if there is one."""
    answer = ask_at_once(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return Commit(answer.text) if answer.ok else None


def newest_named(root: Path, name: str) -> Commit | None:
    """Return the commit that a branch names; that of the shared repository, if it is newer."""
    own = commit_named(root, name)
    branch = ask_at_once(root, "symbolic-ref", "--quiet", "--short", "HEAD").text if name == "HEAD" else name
    other = commit_named(root, f"{SHARED}{branch}") if branch else None
    return other if other and (own is None or is_ancestor(root, own, other)) else own
