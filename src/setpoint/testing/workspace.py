"""Fakes of the ports Workspace and Forge: real folders for agents to work in, commits kept in memory."""

from __future__ import annotations

import difflib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path

from setpoint.errors import WorkspaceError
from setpoint.model.attempt import Attempt
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.model.run import Snapshot
from setpoint.ports import Appendix, WorkCopy

Files = dict[str, bytes]


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """What was delivered as one branch."""

    commit: Commit
    """The commit that was asked for."""
    tree: Tree
    message: str
    appendix: Appendix | None = None


class FolderWorkspace:
    """Work copies in folders, without git: no ignored files, no modes, no links."""

    def __init__(self, folder: Path, files: Mapping[str, str] | None = None) -> None:
        """Keep the work copies under `folder`; `files` is the content of the commit `base`."""
        self._folder = folder
        self._commits: dict[Commit, Files] = {}
        self._at: dict[TraceId, Commit] = {}
        self._snapshots: dict[tuple[TraceId, str], Snapshot] = {}
        self._found: dict[TraceId, Files | None] = {}
        self.salvaged: list[Files] = []
        """Uncommitted work that was put away, oldest first."""
        self.base = self._commit({path: text.encode() for path, text in (files or {}).items()}, "base", "")
        """The commit to start runs from."""

    async def open(self, trace_id: TraceId, base: Commit) -> WorkCopy:
        """Make the folder of a run, or open it again and put away what was not committed."""
        tree = tree_of(self.files(base))
        copy = WorkCopy(trace_id=trace_id, path=str(self._folder / trace_id), base=base, base_tree=tree)
        left = _read(Path(copy.path)) if trace_id in self._at else None
        await self.restore(copy, self._at.get(trace_id, base))
        if left is not None and left != self.files(self._at[trace_id]):
            self._found[trace_id] = left
        return copy

    async def recall(self, copy: WorkCopy) -> bool:
        """Put the work that `open` put away back into the folder; false if there was none."""
        left = self._found.pop(copy.trace_id, None)
        if left is None:
            return False
        _write(Path(copy.path), left)
        return True

    async def find(self, copy: WorkCopy, label: str) -> Snapshot | None:
        """Return the snapshot made under this label, if there is one."""
        return self._snapshots.get((copy.trace_id, label))

    async def snapshot(
        self,
        copy: WorkCopy,
        label: str,
        attempt: Attempt,
        restored: Sequence[str] = (),
        *,
        stay: bool = False,
    ) -> Snapshot:
        """Keep all files of the folder under a label; the same label twice gives the first."""
        if (made := await self.find(copy, label)) is not None:
            return made
        made = await self._recorded(copy, label, attempt, restored)
        if not stay:
            self._at[copy.trace_id] = made.commit
        return made

    async def _recorded(
        self, copy: WorkCopy, label: str, attempt: Attempt, restored: Sequence[str] = ()
    ) -> Snapshot:
        parent = self._at[copy.trace_id]
        commit = self._commit(_read(Path(copy.path)), label, parent)
        counts = _counts(await self.diff(copy, parent, commit))
        snapshot = Snapshot(
            label=label,
            commit=commit,
            tree=tree_of(self._commits[commit]),
            parent=parent,
            files=tuple(_changed(self._commits[parent], self._commits[commit])),
            insertions=counts["insertions"],
            deletions=counts["deletions"],
            attempt=attempt,
            restored=tuple(restored),
        )
        self._snapshots[copy.trace_id, label] = snapshot
        return snapshot

    async def restore(
        self, copy: WorkCopy, commit: Commit, *, of: WorkCopy | None = None, shows: Commit | None = None
    ) -> None:
        """Make the folder equal a commit, of whatever copy; what was not committed goes to `salvaged`."""
        del of
        wanted, path = self.files(commit), Path(copy.path)
        if copy.trace_id in self._at:
            left = _read(path)
            if left not in (wanted, *self._commits.values(), *self.salvaged):
                self.salvaged.append(left)
        _write(path, wanted if shows is None else self.files(shows))
        self._at[copy.trace_id] = commit

    async def drop(self, copy: WorkCopy) -> None:
        """Remove the folder, and forget it."""
        shutil.rmtree(copy.path)
        del self._at[copy.trace_id]

    async def diff(self, copy: WorkCopy, base: Commit, head: Commit) -> str:
        """Return the change between two commits as a unified diff."""
        del copy
        before, after = self.files(base), self.files(head)
        return "".join(
            _file_diff(path, before.get(path), after.get(path)) for path in _changed(before, after)
        )

    def files(self, commit: Commit) -> Files:
        """Return the content of a commit by path."""
        if commit not in self._commits:
            raise WorkspaceError(f"{self._folder}: there is no commit {commit}")
        return self._commits[commit]

    def _commit(self, files: Files, label: str, parent: str) -> Commit:
        commit = Commit(_hash(f"{label}\0{parent}\0{tree_of(files)}".encode()))
        self._commits[commit] = files
        return commit


def _counts(diff: str) -> dict[str, int]:
    lines = diff.splitlines()
    return {
        "insertions": sum(1 for line in lines if line.startswith("+") and not line.startswith("+++ ")),
        "deletions": sum(1 for line in lines if line.startswith("-") and not line.startswith("--- ")),
    }


class RecordingForge:
    """Takes deliveries of a `FolderWorkspace` and remembers them."""

    def __init__(self, workspace: FolderWorkspace) -> None:
        """Take the workspace that knows the commits."""
        self._workspace = workspace
        self.branches: dict[str, Delivery] = {}
        """What was delivered, by the branch's real name."""

    async def deliver(
        self, copy: WorkCopy, commit: Commit, branch: str, *, message: str, appendix: Appendix | None = None
    ) -> str:
        """Remember a delivery, once; another tree under the same name goes to `branch-2`, `branch-3`, ..."""
        del copy
        tree = tree_of(self._workspace.files(commit))
        name, number = branch, 1
        while name in self.branches and self.branches[name].tree != tree:
            number += 1
            name = f"{branch}-{number}"
        made = Delivery(commit=commit, tree=tree, message=message, appendix=appendix)
        self.branches.setdefault(name, made)
        return name


def tree_of(files: Mapping[str, bytes]) -> Tree:
    """Name a content, whatever its history."""
    return Tree(
        _hash(
            b"".join(b"%s\0%d\0%s" % (path.encode(), len(files[path]), files[path]) for path in sorted(files))
        )
    )


def _hash(data: bytes) -> str:
    return sha1(data, usedforsecurity=False).hexdigest()


def _write(path: Path, files: Files) -> None:
    """Make a folder hold these files and no others."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    for name, data in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)


def _read(root: Path) -> Files:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def _changed(before: Files, after: Files) -> list[str]:
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def _file_diff(path: str, before: bytes | None, after: bytes | None) -> str:
    old = (before or b"").decode("utf-8", "replace").splitlines(keepends=True)
    new = (after or b"").decode("utf-8", "replace").splitlines(keepends=True)
    names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if after is None else f"b/{path}")
    made = (
        "new file mode 100644\n" if before is None else "deleted file mode 100644\n" if after is None else ""
    )
    lines = [
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(old, new, *names)
    ]
    return f"diff --git a/{path} b/{path}\n{made}{''.join(lines)}"
