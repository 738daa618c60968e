"""A work copy's two repositories: Setpoint's snapshot store, and the agent's `.git` inside.

An agent may commit, switch branches, change git's configuration, hide a file from the index, or delete
`.git`. None of it reaches the snapshot store: Setpoint records and judges the files as they are. Setpoint
runs git on the snapshot store alone and always names both places: git that searched for a repository by
itself could find the user's. Setpoint writes HEAD and index of the agent's repository. That one holds the
commit which the files equal, and borrows the history of the base (`system.git.history`): other branches and
other attempts cannot be read from it.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.system.files.agent_folder import IGNORED
from setpoint.system.files.atomic import real_folder, write_atomic_bytes
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import Answer, ask, checked, git, located
from setpoint.system.git.history import History, history_of, noted_history, put, show_objects
from setpoint.system.git.stage import stage
from setpoint.workspace.snapshot import REFS

AGENT_CONFIG = """\
[core]
\trepositoryformatversion = 0
\tbare = false
[user]
\tname = Setpoint
\temail = setpoint@localhost
[commit]
\tgpgSign = false
[gc]
\tauto = 0
"""
_IGNORED_FILE = "info/agents-folder"
UNFINISHED = (
    "index.lock", "HEAD.lock", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD",
    "AUTO_MERGE", "BISECT_LOG",
)  # fmt: skip
"""What an interrupted command leaves in a repository."""

STEERING = ("info/attributes", "info/grafts", "config.worktree", "commondir")
"""What makes a repository read files otherwise, or another configuration."""

PLACE = "setpoint-work-copy"
"""Names the file with the path of the work copy."""
SALVAGE = "refs/setpoint/salvage/"
CURRENT = "refs/setpoint-state/current"
"""The commit that the work copy started from or was last made equal to."""

FOUND = "refs/setpoint-state/found"
"""The uncommitted work that was found at the opening, until it is recalled or given up."""

SERIES = "refs/setpoint-state/series/"
"""With a snapshot's commit: the last of the commits that the agent made itself on the way to it."""

BROUGHT = "refs/setpoint-state/brought/"
"""Commits that were made in other work copies of the same run."""


class Recorded(NamedTuple):
    """The files of a work copy as they were recorded."""

    tree: Tree
    unhidden: tuple[str, ...] = ()
    """Files in it that only ignore rules hide which the base does not hold."""


class SnapshotStore:
    """Setpoint's repository for one work copy, and the files there."""

    def __init__(self, path: Path, directory: Path) -> None:
        """Take the root of the work copy, and the git directory that records it."""
        self.path = path
        self.directory = directory
        self._environment = {
            **located(str(self.directory), str(self.path)),
            "GIT_INDEX_FILE": str(self.directory / "index"),
        }

    async def git(self, *argv: str, stdin: bytes = b"") -> Answer:
        """Run git on the snapshot store; raises `WorkspaceError` where it fails."""
        return await git(self._place, *argv, stdin=stdin, environment=self._environment)

    async def ask(
        self, *argv: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None
    ) -> Answer:
        """Run git on the snapshot store and give its answer, whatever it is."""
        variables = {**self._environment, **(environment or {})}
        return await ask(self._place, *argv, stdin=stdin, environment=variables)

    @property
    def _place(self) -> Path:
        """Where git runs: what is recorded can be read also where the files were deleted."""
        if self.path.is_dir():
            return self.path
        self.path.parent.mkdir(parents=True, exist_ok=True)  # git looks as far as there
        return self.directory

    async def commit_at(self, name: str) -> Commit | None:
        """Return the commit that a ref or id names, if there is one."""
        answer = await self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return Commit(answer.text) if answer.ok else None

    async def trees(self, *commits: str) -> list[tuple[Commit, Tree]]:
        """Return commits with their trees; raises `WorkspaceError` where one does not exist."""
        names = [word for name in commits for word in (f"{name}^{{commit}}", f"{name}^{{tree}}")]
        ids = (await self.git("rev-parse", *names)).text.split()
        return [(Commit(commit), Tree(tree)) for commit, tree in zip(ids[::2], ids[1::2], strict=True)]

    async def staged(self, base: Commit) -> Recorded:
        """Write all files of the work copy as a tree.

        Environments are left out, and files that git ignores by the rules of the base commit; unless the base
        holds them.
        """
        real_folder(self.path)
        done = await stage(self.path, base, self._environment, old_rules=True)
        if not done.answer.ok or b"embedded git repository" in done.answer.stderr:
            # A file without read permission, or a repository without a commit inside: make both harmless.
            _make_accessible(self.path)
            await self._take_repositories_away()
            done = await stage(self.path, base, self._environment, old_rules=True)
            checked(self.path, done.answer)
        return Recorded(Tree((await self.git("write-tree")).text), done.unhidden)

    async def glanced(self, base: Commit) -> Tree:
        """Write all files as a tree while an agent may still change them, beside the index of the record."""
        real_folder(self.path)
        index = self.directory / f"index.{secrets.token_hex(4)}"
        apart = {**self._environment, "GIT_INDEX_FILE": str(index)}
        try:
            # With its time, by which git tells files that changed in the second in which they were recorded.
            await asyncio.to_thread(shutil.copy2, self.directory / "index", index)
            checked(self.path, (await stage(self.path, base, apart, old_rules=True)).answer)
            return Tree((await git(self.path, "write-tree", environment=apart)).text)
        finally:
            index.unlink(missing_ok=True)
            index.with_name(f"{index.name}.lock").unlink(missing_ok=True)

    async def file_at(self, tree: Tree, path: str) -> tuple[str, bytes] | None:
        """Return the mode of the entry at a path of a tree, and the content of a plain file."""
        listed = (await self.git("ls-tree", "-z", "--full-tree", tree, "--", f":(literal){path}")).text
        if not listed:
            return None
        mode, kind, name = listed.partition("\t")[0].split()
        return mode, (await self.git("cat-file", "blob", name)).stdout if kind == "blob" else b""

    async def with_file(self, tree: Tree, path: str, data: bytes) -> Tree:
        """Write a tree that has one file more, or another content of it; the work copy stays as it is."""
        blob = (await self.git("hash-object", "-w", "--stdin", stdin=data)).text
        held = await self.file_at(tree, path)
        mode = held[0] if held is not None else "100644"
        entry = b"%s %s\t%s\0" % (mode.encode(), blob.encode(), os.fsencode(path))
        return await self._with_entries(tree, entry)

    async def with_files_of(self, tree: Tree, other: str, paths: Sequence[str]) -> Tree:
        """Write a tree in which some paths are what they are in another one, missing ones included."""
        literal = [f":(literal){path}" for path in paths]
        listed = (await self.git("ls-tree", "-z", "--full-tree", other, "--", *literal)).stdout
        gone = b"".join(b"0 %s\t%s\0" % (b"0" * len(tree), os.fsencode(path)) for path in paths)
        return await self._with_entries(tree, gone + listed)

    async def _with_entries(self, tree: Tree, entries: bytes) -> Tree:
        index = self.directory / f"index.{secrets.token_hex(4)}"
        apart = {**self._environment, "GIT_INDEX_FILE": str(index)}
        try:
            await git(self.path, "read-tree", tree, environment=apart)
            await git(self.path, "update-index", "-z", "--index-info", stdin=entries, environment=apart)
            return Tree((await git(self.path, "write-tree", environment=apart)).text)
        finally:
            index.unlink(missing_ok=True)

    async def _take_repositories_away(self) -> None:
        """Move repositories inside the work copy beside it, so that their files can be seen."""
        known = (await self.git("ls-tree", "-r", "-z", "HEAD")).text.split("\0")
        submodules = {line.partition("\t")[2] for line in known if line.startswith("160000 ")}
        for folder, names, files in os.walk(self.path):
            place = Path(folder)
            if place == self.path or ".git" not in (*names, *files):
                continue
            inner = place.relative_to(self.path).as_posix()
            if inner not in submodules:
                target = self.path.with_name(f"{self.path.name}.inner")
                target.mkdir(exist_ok=True)
                (place / ".git").rename(target / str(len(list(target.iterdir())) + 1))
                await self.git(
                    "rm", "-rf", "--cached", "--quiet", "--ignore-unmatch", "--", f":(literal){inner}"
                )

    async def salvage(self, tree: Tree, parent: Commit) -> None:
        """Keep a tree under the next free number, unless it is kept already."""
        listing = (await self.git("for-each-ref", "--format=%(refname) %(tree)", REFS)).text.splitlines()
        if any(line.endswith(f" {tree}") for line in listing):
            return
        before = [line.split()[0] for line in listing if line.startswith(SALVAGE)]
        number = 1 + max((int(name.removeprefix(SALVAGE)) for name in before), default=0)
        made = await self.git("commit-tree", tree, "-p", parent, "-m", "setpoint: uncommitted work, salvaged")
        await self.git("update-ref", f"{SALVAGE}{number}", made.text)

    async def make_equal(self, commit: Commit, current: Commit | None, *, fresh: bool = False) -> None:
        """Make index and files equal a commit, and remove everything else; `current` is their commit now.

        With `fresh` nothing that agents committed, stashed or noted in their own repository stays either.
        """
        real_folder(self.path)
        if fresh:
            _remake(self.path / ".git")
        if not (await self.ask("read-tree", "--reset", "-u", commit)).ok:
            _make_accessible(self.path)
            await self.git("read-tree", "--reset", "-u", commit)
        if not (await self.ask("clean", "-ffdxq")).ok:
            _make_accessible(self.path)
            await self.git("clean", "-ffdxq")
        if commit != current:
            await self.stand_at(commit)
        await self.show_agent(commit)

    async def show_uncommitted(self, tree: Tree) -> None:
        """Make the files equal a tree, and leave the index at the commit that they were equal to."""
        await self.git("read-tree", "--reset", "-u", tree)
        await self.git("read-tree", "--reset", CURRENT)

    async def stand_at(self, commit: Commit, *moves: str) -> None:
        """Note which commit the files equal, together with more moves of refs, all or none."""
        lines = (
            "start",
            *moves,
            f"update {CURRENT} {commit}",
            "option no-deref",
            f"update HEAD {commit}",
            "commit",
            "",
        )
        await self.git("update-ref", "--stdin", stdin="\n".join(lines).encode())

    async def bring(self, other: SnapshotStore, commit: Commit) -> None:
        """Fetch a commit from another work copy's repository, under a ref of its own."""
        if await self.commit_at(f"{BROUGHT}{commit}") is not None:
            return
        quiet = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")
        series = f"{SERIES}*:{SERIES}*"
        await self.git("fetch", *quiet, str(other.directory), f"{commit}:{BROUGHT}{commit}", series)

    def former(self) -> Path:
        """Return where the work copy was when it was opened last; its place now if that is not known."""
        try:
            return Path(os.fsdecode((self.directory / PLACE).read_bytes()))
        except FileNotFoundError:
            return self.path

    def note_path(self) -> None:
        """Note where the work copy is."""
        write_atomic_bytes(self.directory / PLACE, os.fsencode(self.path), flush=False)

    async def unlock(self) -> None:
        """End what a killed Setpoint left running here, and remove its locks; for the run's one owner."""
        mark = b"\0GIT_DIR=%s\0" % os.fsencode(self.directory)
        while _ended(mark):  # noqa: ASYNC110 - not our children: no signal reports when they end
            await asyncio.sleep(0.01)
        for lock in (*self.directory.glob("*.lock"), *self.directory.glob("refs/**/*.lock")):
            lock.unlink(missing_ok=True)

    def hide_agents_folder(self) -> None:
        """Have git ignore the folder for the agent, also where an older version made this repository."""
        listed = self.directory / "info" / "exclude"
        lines = listed.read_bytes() if listed.is_file() else b""
        if IGNORED.encode() not in lines.splitlines():
            write_atomic_bytes(listed, lines.rstrip() + f"\n{IGNORED}\n".encode())

    async def show_agent(self, commit: Commit) -> None:
        """Set the agent's repository to a commit with a clean index; a harmed one is made again."""
        own = self.path / ".git"
        history = noted_history(self.directory) or await self.find_history()
        if not is_sound(own):
            _remake(own)
        try:
            await self._show(own, commit, history)
        except OSError:  # something is in the way, such as a folder where a file has to be
            _remake(own)
            await self._show(own, commit, history)

    async def find_history(self, base: Commit | None = None) -> History:
        """Have the history of the base, which the agent may read, lie ready; gives where."""
        history = await history_of(self.directory, self.path, base)
        history.note(self.directory)
        return history

    async def _show(self, own: Path, commit: Commit, history: History) -> None:
        for name in (*UNFINISHED, *STEERING):
            (own / name).unlink(missing_ok=True)
        put(own / "config", _agent_config(own).encode())
        if not history.lends(own):
            history.lend(own)
        await show_objects(self.directory, own, commit, history.base)
        listed = (self.directory / "info" / "exclude").read_bytes().splitlines()
        put(own / "info" / "exclude", b"\n".join(each for each in listed if each != IGNORED.encode()) + b"\n")
        put(own / _IGNORED_FILE, f"{IGNORED}\n".encode())
        put(own / "index", (self.directory / "index").read_bytes())
        put(own / "HEAD", f"{commit}\n".encode())


def snapshot_store_of(folders: ProjectFolders, trace_id: TraceId) -> SnapshotStore:
    """Return the snapshot store of a run."""
    return SnapshotStore(folders.work_of(trace_id), repository_of_run(folders.state, trace_id))


def repository_of_run(state: Path, trace_id: TraceId) -> Path:
    """Name where the commits of a run lie."""
    former = state.absolute() / "work" / f"{trace_id}.git"
    return former if former.is_dir() else state.absolute() / "snapshots" / f"{trace_id}.git"


def _remake(own: Path) -> None:
    if own.is_symlink() or own.is_file():
        own.unlink()
    elif own.exists():
        _make_accessible(own)
        shutil.rmtree(own)
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
        (own / folder).mkdir(parents=True)
    put(own / "config", _agent_config(own).encode())


def _agent_config(own: Path) -> str:
    """Return git's settings for the agent.

    Its own folder is ignored by a list of its own: some agents do not read files that `.gitignore` or
    `info/exclude` names (Gemini CLI, Qwen Code).
    """
    quoted = str(own / _IGNORED_FILE).replace("\\", "\\\\").replace('"', '\\"')
    return AGENT_CONFIG.replace("[user]", f'\texcludesFile = "{quoted}"\n[user]', 1)


def is_sound(own: Path) -> bool:
    """Return whether a repository can be written to without a link leading elsewhere."""
    folders = [own, *(own / name for name in ("objects", "objects/info", "objects/pack", "info", "refs"))]
    return all(folder.is_dir() and not folder.is_symlink() for folder in folders) and (
        (own / "config").is_file()
    )


def _ended(mark: bytes) -> bool:
    """Kill every process with `mark` in its environment (Linux); tells whether there was one."""
    found = False
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in b"\0" + environment.read_bytes():
                os.kill(int(environment.parent.name), signal.SIGKILL)
                found = True
        except OSError:
            continue  # not ours, or it ended while we looked
    return found


def _make_accessible(root: Path) -> None:
    """Return ourselves back the permissions that something took from us."""
    for folder, names, files in os.walk(root):
        for name in (*names, *files):
            path = Path(folder) / name
            if not path.is_symlink():
                wanted = stat.S_IRWXU if path.is_dir() else stat.S_IRUSR | stat.S_IWUSR
                path.chmod(stat.S_IMODE(path.stat().st_mode) | wanted)
