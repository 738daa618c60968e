"""The repository through which the workers of several machines pass work on, and the fence in front of it.

It holds the snapshots of each run under `refs/setpoint-runs/` and the delivered branches. For each run it
also holds one ref of the worker that holds the run's lease, named by the lease's epoch. Every push replaces
the content of that ref, all or nothing; the first push of a new holder removes those of earlier ones. So a
push of a worker that has lost its lease is refused by the repository itself.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from setpoint.errors import RunInUse, WorkspaceError
from setpoint.model.attempt import Attempt
from setpoint.model.ids import Commit, TraceId
from setpoint.model.run import Snapshot
from setpoint.ports import Appendix, BranchName, Forge, WorkCopy
from setpoint.settings import inherited
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.clone import git_directory
from setpoint.system.git.git import Answer, ask, ask_at_once, checked
from setpoint.system.git.history import BASE
from setpoint.system.git.merge import SHARED
from setpoint.system.processes import NETWORK_KEEP
from setpoint.workspace.run_repository import make_snapshot_store
from setpoint.workspace.snapshot_store import FOUND, snapshot_store_of
from setpoint.workspace.work_copy import GitWorkspace

_RUNS = "refs/setpoint-runs/"
_LEASES = "refs/setpoint-leases/"
_LOGIN = ("SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_NO_VERIFY", "GIT_SSL_CAINFO")
_QUIET = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--refmap=")
_MOST_NAMES = 20


class SharedRepository:
    """The shared repository, as one clone sees it."""

    def __init__(self, root: Path, address: str, run: TraceId | None = None, epoch: int = 0) -> None:
        """Take the clone, and a URL, path or remote of it; what is sent is of a run, held in this epoch."""
        self._root, self._run, self._epoch = root, run, epoch
        named = ask_at_once(root, "remote", "get-url", "--", address)
        path = root / (named.text if named.ok else address)
        # Snapshots are sent from repositories that lie elsewhere and know no remote.
        self._address = str(path) if path.exists() else named.text if named.ok else address
        self._mark: str | None = None
        """What the ref of our lease holds; none before the first push."""

    async def refresh(self, prefix: str) -> None:
        """Fetch all branches; delivered ones, by their prefix, become branches of this clone."""
        await self._fetch(self._root, f"+refs/heads/*:{SHARED}*")
        own = f"refs/heads/{prefix}*"
        # What a person changed here stays as it is: git refuses those alone.
        await self._ask(self._root, "fetch", *_QUIET, self._address, f"{own}:{own}")

    async def bring(self, folders: ProjectFolders, copy: TraceId, base: Commit) -> None:
        """Fetch the snapshots of a run, where another machine made them and this one has none."""
        store, place = snapshot_store_of(folders, copy), f"{_RUNS}{copy}/"
        if store.directory.is_dir():
            return
        if not (await self._ask(self._root, "ls-remote", "--exit-code", self._address, f"{place}*")).ok:
            return
        if not (await ask(self._root, "cat-file", "-e", f"{base}^{{commit}}")).ok:
            await self._fetch(self._root, f"{place}{BASE.removeprefix('refs/')}")
        await make_snapshot_store(store.directory, self._root, base)
        await self._fetch(store.directory, f"+{place}*:refs/*")

    async def send(self, store: Path, copy: TraceId) -> None:
        """Push all snapshots of a work copy; `RunInUse` where another worker holds the run by now."""
        place = f"{_RUNS}{copy}/"
        kinds = ("setpoint", "setpoint-state")
        await self._push(store, *(f"+refs/{each}/*:{place}{each}/*" for each in kinds), f"^{FOUND}")

    async def send_branch(self, branch: str) -> str:
        """Push a delivered branch; where its name is taken, it is renamed to the next free one."""
        name = branch
        for number in range(2, _MOST_NAMES):
            ref = f"refs/heads/{name}"
            tip = checked(self._root, await ask(self._root, "rev-parse", ref)).text
            there = (await self._ask(self._root, "ls-remote", self._address, ref)).text.split()[:1]
            if there == [tip]:
                return name
            if not there:
                await self._push(git_directory(self._root), f"--force-with-lease={ref}:", f"{ref}:{ref}")
                return name
            wanted = f"{branch}-{number}"
            checked(self._root, await ask(self._root, "branch", "-m", name, wanted))
            name = wanted
        raise WorkspaceError(
            f"{self._address}: {_MOST_NAMES} branches named like {branch}", hint="delete some"
        )

    async def _push(self, directory: Path, *words: str) -> None:
        """Push in the name of our lease, all or nothing."""
        if (await self._pushed(directory, words)).ok:
            return
        self._mark = None  # the answer to an earlier push may have been lost
        answer = await self._pushed(directory, words)
        if answer.ok:
            return
        said = answer.stderr.decode("utf-8", "replace").strip()
        hint = "look whether it can be reached and written to; `setpoint resume` continues"
        raise WorkspaceError(f"{self._address}: git push is refused: {said}", hint=hint)

    async def _pushed(self, directory: Path, words: Sequence[str]) -> Answer:
        own, leases = f"{_LEASES}{self._run}/{self._epoch:08d}", list[str]()
        gone = list[str]()
        if self._mark is None:
            self._mark = ""
            for ref, mark in await self._marks():
                if ref > own:
                    message = f"{self._run} was taken over by another worker: nothing more of it is pushed"
                    raise RunInUse(message, hint="`setpoint status` says who works on it")
                if ref == own:
                    self._mark = mark
                else:
                    leases.append(f"--force-with-lease={ref}:{mark}")
                    gone.append(f":{ref}")
        place = {"GIT_DIR": str(directory)}
        text = f"{self._run} {self._epoch} {secrets.token_hex(8)}\n".encode()
        made = await ask(directory, "hash-object", "-w", "--stdin", stdin=text, environment=place)
        mark = checked(directory, made).text
        options = ["--quiet", "--atomic", "--no-verify", f"--force-with-lease={own}:{self._mark}", *leases]
        options += [each for each in words if each.startswith("--")]
        specs = [each for each in words if not each.startswith("--")]
        answer = await self._ask(directory, "push", *options, self._address, f"{mark}:{own}", *gone, *specs)
        if answer.ok:
            self._mark = mark
        return answer

    async def _marks(self) -> list[tuple[str, str]]:
        answer = await self._ask(self._root, "ls-remote", self._address, f"{_LEASES}{self._run}/*")
        lines = (line.split("\t") for line in checked(self._root, answer).text.splitlines())
        return [(ref, mark) for mark, ref in lines]

    async def _fetch(self, directory: Path, spec: str) -> None:
        checked(directory, await self._ask(directory, "fetch", *_QUIET, self._address, spec))

    async def _ask(self, directory: Path, *words: str) -> Answer:
        place = {} if directory == self._root else {"GIT_DIR": str(directory)}
        return await ask(directory, *words, environment={**inherited((*NETWORK_KEEP, *_LOGIN)), **place})


class SharedWorkspace(GitWorkspace):
    """Work copies whose snapshots are in the shared repository before the step that made them returns."""

    def __init__(self, folders: ProjectFolders, shared: SharedRepository) -> None:
        """Take the folders of the repository, and where snapshots are sent."""
        super().__init__(folders)
        self._places, self._shared = folders, shared

    async def open(self, trace_id: TraceId, base: Commit) -> WorkCopy:
        """Open a work copy as `GitWorkspace` does, also one that another machine began."""
        await self._shared.bring(self._places, trace_id, base)
        return await super().open(trace_id, base)

    async def snapshot(
        self,
        copy: WorkCopy,
        label: str,
        attempt: Attempt,
        restored: Sequence[str] = (),
        *,
        stay: bool = False,
    ) -> Snapshot:
        """Record a work copy as `GitWorkspace` does, and send it."""
        made = await super().snapshot(copy, label, attempt, restored, stay=stay)
        await self._shared.send(Path(copy.repository), copy.trace_id)
        return made


class SharedForge:
    """Delivers as another forge does, and pushes the branch to the shared repository."""

    def __init__(self, forge: Forge, shared: SharedRepository, prefix: str) -> None:
        """Take the forge, and what the names of delivered branches begin with."""
        self._forge, self._shared, self._prefix = forge, shared, prefix

    async def deliver(
        self, copy: WorkCopy, commit: Commit, branch: str, *, message: str, appendix: Appendix | None = None
    ) -> BranchName:
        """Deliver a commit once; gives the real name of the branch."""
        await self._shared.refresh(self._prefix)
        name = await self._forge.deliver(copy, commit, branch, message=message, appendix=appendix)
        notes = name.notes if isinstance(name, BranchName) else ()
        return BranchName(await self._shared.send_branch(name), notes)
