"""The commit that an open run began with, kept in the user's repository by a ref of Setpoint's.

The user may rebase and let git remove what nothing names any more. The snapshots of a run borrow their
objects from the repository, so the run could neither continue nor end.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from setpoint.errors import WorkspaceError
from setpoint.model.ids import Commit, TraceId
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import ask, git
from setpoint.system.git.history import complete_history

OPEN_RUNS = "refs/setpoint/open/"
"""In the user's repository: the base of each run that is not finished. Git does not push it."""
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")


async def hold_base(folders: ProjectFolders, trace_id: TraceId, base: Commit) -> None:
    """Keep the base of an open run; one that is gone is brought back from the copy of its history.

    Raises `WorkspaceError` where it is nowhere.
    """
    root = folders.root
    ref = f"{OPEN_RUNS}{trace_id}"
    if (await ask(root, "cat-file", "-e", f"{base}^{{tree}}")).ok:
        await git(root, "update-ref", ref, base)
        return
    history = complete_history(folders.copies, base)
    if history is None or not (await ask(root, *_FETCH, str(history), f"+{base}:{ref}")).ok:
        raise WorkspaceError(
            f"{root}: commit {base}, with which {trace_id} began, is no longer in the repository",
            hint=f"bring it back (`git fetch REMOTE {base}`, or from a backup); "
            "if it is nowhere, begin a new run: this one can neither continue nor end",
        )


async def release_bases(root: Path, ended: Callable[[TraceId], bool]) -> None:
    """Let go of the bases of runs that are finished."""
    held = (await git(root, "for-each-ref", "--format=%(refname)", OPEN_RUNS)).text.splitlines()
    for ref in held:
        if ended(TraceId(ref.removeprefix(OPEN_RUNS))):
            await git(root, "update-ref", "-d", ref)
