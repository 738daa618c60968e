"""Work copies by git: made, recorded, restored and compared."""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from setpoint.errors import RecordedDataError, WorkspaceError
from setpoint.model.attempt import Attempt
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.model.run import Snapshot
from setpoint.ports import WorkCopy
from setpoint.ports.workspace import CopyLoss
from setpoint.system.files.kept_folder import KeptFolder
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.files.removal import remove_folder
from setpoint.system.git.clone import git_directory
from setpoint.system.git.git import DIFF, ask_at_once, checked, head
from setpoint.workspace.copies_folder import may_take
from setpoint.workspace.run_repository import borrow_from, make_snapshot_store
from setpoint.workspace.series import keep_series
from setpoint.workspace.snapshot import changes, message_of, read_snapshot, ref_of
from setpoint.workspace.snapshot_store import (
    CURRENT,
    FOUND,
    SnapshotStore,
    snapshot_store_of,
)

MOST_DIFF = 2_000_000
"""Characters of a diff that are given; the names of the files cut off are."""

_LOG = logging.getLogger(__name__)
_SECTION = re.compile(r"^(?=diff --git )", re.MULTILINE)


class GitWorkspace:
    """Work copies of the user's repository, which itself is only read.

    The files lie outside the repository and can be made again; what is recorded of them lies in the state.
    """

    def __init__(self, folders: ProjectFolders) -> None:
        """Take the folders of the repository; `ensure_state` made its state."""
        self._root = folders.root
        self._folders = folders
        self._diffs: dict[tuple[str, Commit, Commit], str] = {}
        self._put_away: dict[TraceId, Tree] = {}
        """Uncommitted work that the last `restore` of a run salvaged."""
        self._salvaged: dict[TraceId, Tree] = {}
        """Uncommitted work that `open` found, until it is recalled."""
        self._folders_of: dict[str, KeptFolder] = {}
        """The folder of each open work copy, by its path."""
        self._losses: dict[str, CopyLoss] = {}
        """What `open` did to work copies that were not where they were, until somebody asks."""
        self._remade: set[str] = set()
        """Work copies that were made again, until somebody asks."""
        self._making = asyncio.Lock()

    async def open(self, trace_id: TraceId, base: Commit) -> WorkCopy:
        """Make the work copy of a run, or open it again; uncommitted work of an ended attempt is salvaged.

        A work copy whose making was interrupted, or whose files are gone, is made again. Raises
        `WorkspaceError` where the repository has no commit yet, or not this one.
        """
        await head(self._root)
        store = snapshot_store_of(self._folders, trace_id)
        if not store.directory.is_dir():
            await make_snapshot_store(store.directory, self._root, base)
        else:  # another clone, or a linked work tree, may have taken the repository's place
            borrow_from(store.directory, git_directory(self._root) / "objects")
        former = store.former()
        lost = not store.path.is_dir() or former != store.path
        store.path.mkdir(parents=True, exist_ok=True)
        await store.unlock()
        store.hide_agents_folder()
        await store.find_history(base)
        ((_, tree),) = await store.trees(base)
        copy = WorkCopy(trace_id, str(store.path), base, tree, repository=str(store.directory))
        current = await store.commit_at(CURRENT)
        if current is None:
            await store.make_equal(base, current)
        elif lost:
            await self._made_again(copy, former, current)
        else:
            await self.restore(copy, current)
            left = self._put_away.pop(trace_id, None)
            if (found := await _found_work(store, left)) is not None:
                self._salvaged[trace_id] = found
        store.note_path()
        if (before := self._folders_of.pop(copy.path, None)) is not None:
            before.close()
        self._folders_of[copy.path] = KeptFolder(store.path)
        return copy

    async def _made_again(self, copy: WorkCopy, former: Path, current: Commit) -> None:
        """Make a work copy again that is not where it was, with its uncommitted edits if they are there."""
        store = _store_of(copy)
        left = None
        kept = former != store.path and former.is_dir() and may_take(former, self._folders.state)
        if kept:
            tree = (await SnapshotStore(former, store.directory).staged(copy.base)).tree
            ((_, before),) = await store.trees(current)
            if tree != before:
                await store.salvage(tree, current)
                left = tree
        await store.make_equal(current, current)
        if (found := await _found_work(store, left)) is not None:
            self._salvaged[copy.trace_id] = found
        self._losses[copy.path] = CopyLoss(str(former), current, kept)

    def loss(self, copy: WorkCopy) -> CopyLoss | None:
        """Return what `open` did to a work copy that it did not find where it was; none where it found it."""
        return self._losses.pop(copy.path, None)

    async def remade(self, copy: WorkCopy) -> bool:
        """Make a work copy again whose folder was deleted; whether that was so since the last question."""
        await self._there(copy)
        lost = copy.path in self._remade
        self._remade.discard(copy.path)
        return lost

    async def _there(self, copy: WorkCopy) -> None:
        """Make a work copy again whose folder was deleted, so that no deletion counts as a change."""
        async with self._making:
            folder = self._folders_of.get(copy.path)
            if folder is None or not folder.gone:
                return
            _LOG.warning("%s was deleted; it is made again as it was recorded last", copy.path)
            store = _store_of(copy)
            current = await store.commit_at(CURRENT)
            store.path.mkdir(parents=True, exist_ok=True)
            await store.find_history(copy.base)
            await store.make_equal(current or copy.base, current)
            folder.close()
            self._folders_of[copy.path] = KeptFolder(store.path)
            self._remade.add(copy.path)

    async def recall(self, copy: WorkCopy) -> bool:
        """Put the work that `open` salvaged back into the files, uncommitted; false if there was none."""
        left = self._salvaged.pop(copy.trace_id, None)
        if left is None:
            return False
        store = _store_of(copy)
        await store.show_uncommitted(left)
        await store.git("update-ref", "-d", FOUND)
        return True

    async def find(self, copy: WorkCopy, label: str) -> Snapshot | None:
        """Return the snapshot made under this label, if there is one."""
        store = _store_of(copy)
        commit = await store.commit_at(ref_of(label))
        if commit is None:
            return None
        return read_snapshot(commit, (await store.git("cat-file", "commit", commit)).stdout)

    async def snapshot(
        self,
        copy: WorkCopy,
        label: str,
        attempt: Attempt,
        restored: Sequence[str] = (),
        *,
        stay: bool = False,
    ) -> Snapshot:
        """Commit all files of the work copy under a label; the same label twice gives the first.

        Ignored files and the caches of checks are left out. The commit holds the attempt, so a crash between
        it and the record of the step loses nothing. Its parent is what the work copy was last equal to,
        whatever the agent itself may have committed, which is kept beside it. With `stay` the work copy stays
        equal to that one, and the agent's repository as it is.
        """
        await self._there(copy)
        if (made := await self.find(copy, label)) is not None:
            return made
        store = _store_of(copy)
        made = await self._recorded(copy, label, attempt, restored)
        if stay:
            await store.git("update-ref", ref_of(label), made.commit)
            return made
        await keep_series(store, made)
        await store.stand_at(made.commit, f"create {ref_of(label)} {made.commit}")
        await store.show_agent(made.commit)
        return made

    async def _recorded(
        self, copy: WorkCopy, label: str, attempt: Attempt, restored: Sequence[str] = ()
    ) -> Snapshot:
        """Write the files of a work copy as a commit, under no ref yet."""
        store = _store_of(copy)
        ((parent, before),) = await store.trees(CURRENT)
        tree, unhidden = await store.staged(copy.base)
        files, inserted, deleted = await _changes(store, before, tree)
        described = Snapshot(
            label=label,
            commit=Commit(""),
            tree=tree,
            parent=parent,
            files=files,
            insertions=inserted,
            deletions=deleted,
            attempt=attempt,
            restored=tuple(restored),
            unhidden=tuple(sorted(set(unhidden).intersection(files))),
        )
        message = message_of(described).encode()
        commit = Commit((await store.git("commit-tree", tree, "-p", parent, "-F", "-", stdin=message)).text)
        return described.model_copy(update={"commit": commit})

    async def restore(
        self, copy: WorkCopy, commit: Commit, *, of: WorkCopy | None = None, shows: Commit | None = None
    ) -> None:
        """Make the work copy equal a commit, ignored files included; uncommitted work is salvaged first.

        A commit `of` another work copy is fetched from there, and kept here from then on. At the base the
        agent finds a repository in which nobody has worked: who begins there must not read who was there.
        The files are then made those of the commit `shows`, uncommitted.
        """
        await self._there(copy)
        store = _store_of(copy)
        if of is not None:
            await store.bring(_store_of(of), commit)
        (current, before), (_, wanted) = await store.trees(CURRENT, commit)
        left = (await store.staged(copy.base)).tree
        self._put_away.pop(copy.trace_id, None)
        if left not in (before, wanted):
            await store.salvage(left, current)
            self._put_away[copy.trace_id] = left
        await store.make_equal(commit, current, fresh=commit == copy.base)
        if shows is not None:
            ((_, tree),) = await store.trees(shows)
            await store.show_uncommitted(tree)
        if self._salvaged.pop(copy.trace_id, None) is not None:
            await store.git("update-ref", "-d", FOUND)

    async def drop(self, copy: WorkCopy) -> None:
        """Remove a work copy with all that was recorded of it."""
        if (folder := self._folders_of.pop(copy.path, None)) is not None:
            folder.close()
        for left in (Path(copy.path).parent, Path(copy.repository)):
            await asyncio.to_thread(remove_folder, left)

    async def preview(self, copy: WorkCopy) -> tuple[Commit, Tree]:
        """Record the files of a work copy as they are now, for a look at them; nothing else notices."""
        await self._there(copy)
        store = _store_of(copy)
        ((current, _),) = await store.trees(CURRENT)
        tree = await store.glanced(copy.base)
        made = await store.git(
            "commit-tree", tree, "-p", current, "-m", "setpoint: work that is not finished"
        )
        return Commit(made.text), tree

    async def show_base(self, copy: WorkCopy, which: Callable[[str], bool]) -> Tree | None:
        """Make some files of a work copy as they are at its base, for who must not read later ones.

        `which` chooses them by their paths. Returns the tree that is shown, for `hide_base`; none if all of
        them are as at the base.
        """
        await self._there(copy)
        store = _store_of(copy)
        answer = await store.git(*DIFF, "--no-renames", "-z", "--name-only", copy.base, CURRENT)
        names = [os.fsdecode(name) for name in answer.stdout.split(b"\0") if name]
        paths = [name for name in names if which(name)]
        if not paths:
            return None
        ((_, current),) = await store.trees(CURRENT)
        shown = await store.with_files_of(current, copy.base, paths)
        await store.show_uncommitted(shown)
        return shown

    async def hide_base(self, copy: WorkCopy, shown: Tree) -> None:
        """Make the files of a work copy again what was last recorded of them."""
        await self._there(copy)
        store = _store_of(copy)
        await store.git("read-tree", shown)
        await store.git("read-tree", "--reset", "-u", CURRENT)

    async def apply(self, copy: WorkCopy, patch: str, *, context: int = 3) -> str:
        """Put a unified diff on the files of the work copy; gives why it does not fit, if so.

        So many lines around each change must be as the diff says.
        """
        await self._there(copy)
        words = ("apply", "--whitespace=nowarn", f"-C{context}", "-")
        answer = await _store_of(copy).ask(*words, stdin=patch.encode())
        return "" if answer.ok else answer.stderr.decode("utf-8", "replace").strip() or "git refuses it"

    async def diff(self, copy: WorkCopy, base: Commit, head: Commit) -> str:
        """Return the change between two commits as a unified diff, renames found, binary files named only.

        At most two million characters; then whole files are left out, and named at the end.
        """
        # Commits do not change, and a loop asks for the same differences round after round.
        key = (copy.path, base, head)
        if key not in self._diffs:
            store = _store_of(copy)
            answer = await store.git(*DIFF, "-p", "--src-prefix=a/", "--dst-prefix=b/", base, head)
            self._diffs[key] = _shortened(answer.stdout.decode("utf-8", "replace"))
        return self._diffs[key]


async def _changes(store: SnapshotStore, old: str, new: str) -> tuple[tuple[str, ...], int, int]:
    """Return paths, inserted and deleted lines between two commits or trees."""
    if old == new:
        return (), 0, 0
    return changes((await store.git(*DIFF, "--no-renames", "-z", "--numstat", old, new)).stdout)


async def _found_work(store: SnapshotStore, left: Tree | None) -> Tree | None:
    """Note uncommitted work; return it, else what was found earlier and not recalled."""
    if left is not None:
        await store.git("update-ref", FOUND, left)
        return left
    answer = await store.ask("rev-parse", "--verify", "--quiet", f"{FOUND}^{{tree}}")
    return Tree(answer.text) if answer.ok else None


def _store_of(copy: WorkCopy) -> SnapshotStore:
    return SnapshotStore(Path(copy.path), Path(copy.repository))


def recorded_diff(repository: Path, before: Commit, after: Commit) -> str:
    """Return the change between two recorded commits, as `GitWorkspace.diff` does, also without a work copy.

    Raises `RecordedDataError` where git has lost it.
    """
    words = (*DIFF, "-p", "--src-prefix=a/", "--dst-prefix=b/", before, after)
    try:
        answer = ask_at_once(repository, *words, environment={"GIT_DIR": str(repository)})
        return _shortened(checked(repository, answer).stdout.decode("utf-8", "replace"))
    except WorkspaceError as error:
        hint = "look at the delivered branch with git"
        raise RecordedDataError(f"the change is gone: {error.message}", hint=hint) from None


def _shortened(diff: str) -> str:
    if len(diff) <= MOST_DIFF:
        return diff
    kept: list[str] = []
    cut: list[str] = []
    room = MOST_DIFF
    for section in filter(None, _SECTION.split(diff)):
        if len(section) <= room:
            kept.append(section)
            room -= len(section)
        else:
            title = section.partition("\n")[0].removeprefix("diff --git ")
            cut.append(f"{title} ({len(section)} characters)")
    return "".join((*kept, f"[... {len(cut)} files left out: {'; '.join(cut)} ...]\n"))
