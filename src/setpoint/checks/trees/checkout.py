"""Where a tree is measured: a checkout of exactly that tree, apart from the maker's work copy.

What the maker leaves ignored or uncommitted in its copy is not part of the work and must not help to pass
a check; what tests leave behind must not become part of the work. So each run has one more clone, which
shares the work copy's objects, and which holds nothing but the commit that is judged. Its repository lies
apart (`system.git.separate_repository`). The `.git` in the place is for the tests: it is recreated with every
tree, and holds that commit and the history of the base, no other branch and no other attempt.
"""

from __future__ import annotations

import asyncio
import errno
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from setpoint.errors import WorkspaceError
from setpoint.model.evaluation import Stage
from setpoint.model.ids import Commit, TraceId
from setpoint.system.files.atomic import real_folder
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.clone import clone_shared, fetch_missing
from setpoint.system.git.git import ask, git, tree_of
from setpoint.system.git.history import history_of, noted_history, show_objects
from setpoint.system.git.separate_repository import READY, repository_apart

if TYPE_CHECKING:
    from setpoint.ports import Measured, WorkCopy

TIMED = ("timed-1", "timed-2")
"""Names of the places in which commands are timed, of one length: neither has the longer paths."""
BESIDE = ("tests", "again", "base", "other", "mine", "hooks", "shown", *TIMED)
"""Names of the second places: for the tests of the base, for the base's second run, for the base itself, for
everything that proves a change (one place, so that no test can tell which), for the full copy, for hooks
and for the product that is shown.
"""


async def check_out(folders: ProjectFolders, measured: Measured) -> Measured:
    """Return the same tree in the run's own place for measuring; another tree is a `WorkspaceError`.

    What a verdict rests on is measured in a new place, whatever was done to the one before.
    """
    if measured.stage in (Stage.TEST, Stage.CONFIRM):
        remove(folders, measured.copy.trace_id)
    place = await check_out_commit(folders, measured.copy, measured.commit)
    tree = await tree_of(place, measured.commit)
    if tree != measured.tree:
        raise WorkspaceError(
            f"{measured.commit} holds the tree {tree}, not {measured.tree} that was to be measured",
            hint="this is a fault in Setpoint; please report it",
        )
    return measured._replace(copy=measured.copy._replace(path=str(place)))


async def check_out_commit(folders: ProjectFolders, copy: WorkCopy, commit: Commit) -> Path:
    """Put a commit of the work copy into the place for measuring and remove everything else from it."""
    place = folders.measured_of(copy.trace_id)
    await put_at(place, repository_of(copy), commit)
    return place


async def put_at(place: Path, source: Path, commit: Commit) -> None:
    """Put a commit of a repository into a place and remove everything else from it."""
    if noted_history(repository_apart(place)) is None:
        await clone(source, place)
    await asyncio.to_thread(real_folder, place)
    empty = not any(place.iterdir())
    words = ("checkout", "--quiet", "--force", "--detach", commit)
    if not (await ask(place, *words)).ok:
        # The repository was moved, the cache was cleared in part, or a partial clone lacks files.
        await fetch_missing(source, commit)
        await clone(source, place)
        await git(place, *words)
    if not empty:
        await git(place, "clean", "-ffdxq")
    try:
        await _show(place, commit)
    except WorkspaceError:  # another repository lies where the objects were borrowed from
        await clone(source, place)
        await git(place, *words)
        await _show(place, commit)


async def nothing_more(place: Path) -> None:
    """Leave a tree as it was checked out."""
    del place


def place_beside(place: Path, name: str) -> Path:
    """Name a second place of a run, which goes when the first one goes."""
    return place.parent.with_name(f"{place.parent.name}.{name}") / place.name


def repository_of(copy: WorkCopy) -> Path:
    """Name where the objects of a work copy lie."""
    return Path(copy.repository or copy.path)


def kept_of(state: Path, trace: TraceId, what: str) -> Path:
    """Name the file in which something that was seen of a run is kept, where no check may write."""
    return state / "seen" / f"{trace}.{what}.json"


async def clone(source: Path, place: Path) -> None:
    """Make a place that shares the objects of a repository, with nothing checked out."""
    own = repository_apart(place)
    unfinished = _unfinished(own)
    for left in (unfinished, own, place):
        shutil.rmtree(left, ignore_errors=True)
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    held = repository_apart(source)
    start = held if (held / READY).is_file() else source.absolute()
    await clone_shared(start, unfinished, "--no-checkout")
    made = unfinished / ".git"
    history = noted_history(start) or await history_of(start, place)
    history.note(made)
    (made / READY).touch()
    made.rename(own)
    unfinished.rmdir()
    real_folder(place)


def _unfinished(own: Path) -> Path:
    return own.with_name(f"{own.name}.part")


async def _show(place: Path, commit: Commit) -> None:
    """Return the tests a repository of their own, which is where ours is."""
    own, shown = repository_apart(place), place / ".git"
    history = noted_history(own)
    try:
        if history is None:
            raise FileNotFoundError(errno.ENOENT, "the history of the base is gone")
        await asyncio.to_thread(_remake, own, shown)
        history.lend(shown)
        await show_objects(own, shown, commit, history.base)
    except (OSError, shutil.Error) as error:
        raise WorkspaceError(
            f"{shown}: cannot be recreated: {error}", hint=f"remove {place} and resume the run"
        ) from error


def _remake(own: Path, shown: Path) -> None:
    if shown.is_symlink() or shown.is_file():
        shown.unlink()
    shutil.rmtree(shown, ignore_errors=True)
    kept = shutil.ignore_patterns("objects", "refs", "packed-refs", "logs", "setpoint-*")
    shutil.copytree(own, shown, symlinks=True, ignore=kept)
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
        (shown / folder).mkdir(parents=True)


async def commit_of(place: Path, tree: str) -> Commit | None:
    """Make a commit of a tree in a place for measuring; none where the tree is not there any more."""
    dates = {"GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}
    try:
        made = await git(place, "commit-tree", tree, "-m", "A recorded tree", environment=dates)
    except WorkspaceError:
        return None
    return Commit(made.text)


def remove(folders: ProjectFolders, trace: TraceId) -> None:
    """Remove the places in which a run's trees were measured."""
    place = folders.measured_of(trace)
    for each in (place, *(place_beside(place, name) for name in BESIDE)):
        own = repository_apart(each)
        for left in (_unfinished(own), own, each.parent):
            shutil.rmtree(left, ignore_errors=True)
