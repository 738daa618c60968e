"""The commits that an agent makes itself: kept beside its snapshots, and told as a series of trees."""

from __future__ import annotations

import os
import re
from pathlib import Path

from setpoint.model.ids import Commit, Tree
from setpoint.model.run import Snapshot
from setpoint.system.git.git import DIFF
from setpoint.system.git.history import noted_history
from setpoint.workspace.snapshot_store import SERIES, SnapshotStore, is_sound

MOST_COMMITS, MOST_PATHS = 200, 5000
"""An agent that made more commits, or changed more files, delivers one commit."""
_HEAD = re.compile(r"ref: (refs/heads/[\w./-]+)|([0-9a-f]{40,64})")
_LINE = ("rev-list", "--first-parent", "--reverse", f"--max-count={MOST_COMMITS + 1}")


async def keep_series(store: SnapshotStore, made: Snapshot) -> None:
    """Keep the commits that lead from a snapshot's parent to the head of the agent's repository, if any.

    No git runs there: its objects are read, where it borrows nothing but what was lent to it, and checked.
    """
    own, history = store.path / ".git", noted_history(store.directory)
    if history is None or not is_sound(own) or not history.lends(own):
        return
    tip = _head(own)
    if not tip or tip == made.parent:
        return
    borrowed = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": os.fspath(own / "objects")}
    line = await store.ask(*_LINE, f"{made.parent}..{tip}", environment=borrowed)
    leads = await store.ask("merge-base", "--is-ancestor", made.parent, tip, environment=borrowed)
    if not leads.ok or not 0 < len(line.text.split()) <= MOST_COMMITS:
        return
    asked = f"{tip}\n^{made.parent}\n".encode()
    packed = await store.ask(
        "pack-objects", "--quiet", "--revs", "--stdout", stdin=asked, environment=borrowed
    )
    taken = await store.ask("index-pack", "--stdin", "--strict", stdin=packed.stdout) if packed.ok else packed
    if taken.ok:
        await store.git("update-ref", f"{SERIES}{made.commit}", tip)


async def series_of(store: SnapshotStore, base: Commit, commit: Commit) -> list[tuple[Tree, str]]:
    """Return trees and messages of the commits that agents made on the way from a base to a commit.

    Each holds, of the files that differ between these two, what the agent had committed by then; all others
    are as at the base. So what the result leaves alone is in none of them.
    """
    snapshots = (await store.git("rev-list", "--first-parent", "--reverse", f"{base}..{commit}")).text.split()
    commits: list[str] = []
    for each in snapshots:
        if await store.commit_at(f"{SERIES}{each}") is not None:
            commits += (await store.git(*_LINE, f"{each}^..{SERIES}{each}")).text.split()
    listed = (await store.git(*DIFF, "--no-renames", "-z", "--name-only", base, commit)).stdout
    paths = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    if len(commits) > MOST_COMMITS or not 0 < len(paths) <= MOST_PATHS:
        return []
    found: list[tuple[Tree, str]] = []
    ((_, before),) = await store.trees(base)
    tree = before
    for each in commits:
        now = await store.with_files_of(before, each, paths)
        if now != tree:
            found.append(
                (now, (await store.git("log", "-1", "--no-show-signature", "--format=%B", each)).text)
            )
        tree = now
    return found


def _head(own: Path) -> str:
    """Return the commit that is checked out in a repository, by its plain files; empty where unclear."""
    found = _HEAD.fullmatch(_line(own / "HEAD"))
    if found is None or ".." in (found[1] or ""):
        return ""
    named = _HEAD.fullmatch(_line(own / found[1])) if found[1] else found
    return (named[2] or "") if named else ""


def _line(file: Path) -> str:
    if file.is_symlink() or not file.is_file():
        return ""
    with file.open("rb") as stream:
        return stream.read(1000).decode("utf-8", "replace").strip()
