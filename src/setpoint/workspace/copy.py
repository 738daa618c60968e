"""Work copies by git: made, recorded, put back and compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from setpoint.domain.attempt import Attempt
from setpoint.domain.ids import Commit, TraceId
from setpoint.domain.run import Snapshot
from setpoint.ports import WorkCopy
from setpoint.processes.git import DIFF, head
from setpoint.workspace.snapshot import changes, message_of, read_snapshot, ref_of
from setpoint.workspace.vault import CURRENT, Vault, make_vault

MOST_DIFF = 2_000_000
"""Characters of a diff that are given; the names of the files cut off are."""

_SECTION = re.compile(r"^(?=diff --git )", re.MULTILINE)


def repository_of_run(state: Path, trace_id: TraceId) -> Path:
    """Name where the commits of a run lie."""
    return Vault(state.absolute() / "work" / trace_id).directory


class GitWorkspace:
    """Work copies of the repository at `root`, kept under `state`; the repository itself is only read."""

    def __init__(self, root: Path, state: Path) -> None:
        """Take the root of the user's work tree, and the state directory that `ensure_state` made."""
        self._root = root
        self._folder = state.absolute() / "work"
        self._diffs: dict[tuple[str, Commit, Commit], str] = {}

    async def open(self, trace_id: TraceId, base: Commit) -> WorkCopy:
        """Make the work copy of a run, or open it again; uncommitted work of an ended attempt is salvaged.

        A work copy whose making was interrupted is made anew. Raises `WorkspaceError` where the repository
        has no commit yet, or not this one.
        """
        await head(self._root)
        vault = Vault(self._folder / trace_id)
        if not vault.directory.is_dir():
            await make_vault(vault, self._root, base)
        vault.path.mkdir(exist_ok=True)
        await vault.unlock()
        ((_, tree),) = await vault.trees(base)
        copy = WorkCopy(trace_id, str(vault.path), base, tree, repository=str(vault.directory))
        current = await vault.commit_at(CURRENT)
        if current is None:
            await vault.make_equal(base, current)
        else:
            await self.restore(copy, current)
        return copy

    async def find(self, copy: WorkCopy, label: str) -> Snapshot | None:
        """Give the snapshot made under this label, if there is one."""
        vault = Vault(Path(copy.path))
        commit = await vault.commit_at(ref_of(label))
        if commit is None:
            return None
        return read_snapshot(commit, (await vault.git("cat-file", "commit", commit)).stdout)

    async def snapshot(
        self, copy: WorkCopy, label: str, attempt: Attempt, restored: Sequence[str] = ()
    ) -> Snapshot:
        """Commit all that stands in the work copy under a label; the same label twice gives the first.

        Ignored files and the caches of checks are left out. The commit holds the attempt, so a crash between
        it and the record of the step loses nothing. Its parent is what the work copy was last equal to,
        whatever the agent itself may have committed.
        """
        if (made := await self.find(copy, label)) is not None:
            return made
        vault = Vault(Path(copy.path))
        ((parent, before),) = await vault.trees(CURRENT)
        tree = await vault.staged()
        numstat = (
            await vault.git(*DIFF, "--no-renames", "-z", "--numstat", before, tree)
            if tree != before
            else None
        )
        files, inserted, deleted = changes(numstat.stdout) if numstat else ((), 0, 0)
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
        )
        message = message_of(described).encode()
        commit = Commit((await vault.git("commit-tree", tree, "-p", parent, "-F", "-", stdin=message)).text)
        await vault.stand_at(commit, f"create {ref_of(label)} {commit}")
        vault.show_agent(commit)
        return described.model_copy(update={"commit": commit})

    async def restore(self, copy: WorkCopy, commit: Commit, *, of: WorkCopy | None = None) -> None:
        """Make the work copy equal a commit, ignored files included; uncommitted work is salvaged first.

        A commit `of` another work copy is fetched from there, and kept here from then on.
        """
        vault = Vault(Path(copy.path))
        if of is not None:
            await vault.bring(Vault(Path(of.path)), commit)
        (current, before), (_, wanted) = await vault.trees(CURRENT, commit)
        left = await vault.staged()
        if left not in (before, wanted):
            await vault.salvage(left, current)
        await vault.make_equal(commit, current)

    async def apply(self, copy: WorkCopy, patch: str) -> str:
        """Put a unified diff on the files of the work copy; gives why it does not fit, if so."""
        words = ("apply", "--whitespace=nowarn", "-")
        answer = await Vault(Path(copy.path)).ask(*words, stdin=patch.encode())
        return "" if answer.ok else answer.stderr.decode("utf-8", "replace").strip() or "git refuses it"

    async def diff(self, copy: WorkCopy, base: Commit, head: Commit) -> str:
        """Give the change between two commits as a unified diff, renames found, binary files named only.

        At most two million characters; then whole files are left out, and named at the end.
        """
        # Commits do not change, and a loop asks for the same differences round after round.
        key = (copy.path, base, head)
        if key not in self._diffs:
            vault = Vault(Path(copy.path))
            answer = await vault.git(*DIFF, "-p", "--src-prefix=a/", "--dst-prefix=b/", base, head)
            self._diffs[key] = _shortened(answer.stdout.decode("utf-8", "replace"))
        return self._diffs[key]


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
