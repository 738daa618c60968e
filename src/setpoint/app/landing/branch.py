"""Move the branch that stories land on, here and at a remote: forward only, from where it was expected."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from setpoint.errors import ForgeError, UsageError, WorkspaceError
from setpoint.model.events.landing import LandingBegan
from setpoint.model.ids import Commit
from setpoint.ports import ForgeGit
from setpoint.system.git.git import ask, ask_at_once, git, is_dirty
from setpoint.system.git.merge import commit_named, is_ancestor
from setpoint.wiring.project import Project


def remote_name(project: Project, *, push: bool) -> str:
    """Return where a landing is pushed: to the repository that machines share, else only where asked."""
    settings = project.settings
    if settings.database and settings.shared_repository:
        return settings.shared_repository
    return settings.forge.remote if push else ""


async def checked_out(root: Path, branch: str) -> Path | None:
    """Return the work tree in which a branch is checked out, if there is one."""
    place = None
    for line in (await git(root, "worktree", "list", "--porcelain")).text.splitlines():
        word, _, rest = line.partition(" ")
        place = Path(rest) if word == "worktree" else place
        if (word, rest) == ("branch", f"refs/heads/{branch}"):
            return place
    return None


async def require_clean(project: Project, branch: str) -> Path | None:
    """Return where a branch is checked out; raises `WorkspaceError` where edits lie there."""
    place = await checked_out(project.root, branch)
    if place is not None and await is_dirty(place, project.settings.stories_dir, untracked=False):
        message = f"{place}: '{branch}' is checked out there, with changes that are not committed"
        raise WorkspaceError(message, hint="commit or stash them, then `setpoint land` continues")
    return place


def require_pushed(project: Project, branch: str, there: Commit) -> None:
    """Raise `UsageError` where a person committed to the branch here, and did not push that."""
    own = f"--glob=refs/heads/{project.settings.branch_prefix}*"
    words = ("rev-list", "--no-merges", "--max-count=1", f"refs/heads/{branch}", f"^{there}", "--not", own)
    if found := ask_at_once(project.root, *words).text:
        message = f"'{branch}' holds {found[:10]} here, which is not pushed: what begins there cannot land"
        raise UsageError(message, hint=f"git push, or take it off '{branch}'")


class LandingBranch(NamedTuple):
    """The branch of a landing; where it is pushed, the remote counts, and the branch here follows."""

    project: Project
    began: LandingBegan
    remote: ForgeGit | None

    @property
    def ref(self) -> str:
        """Its full name."""
        return f"refs/heads/{self.began.branch}"

    async def at(self) -> Commit:
        """Return what it holds now; a branch of its own begins at the base."""
        if self.remote is not None:
            return await self.remote.fetch(self.project.root, self.ref)
        found = commit_named(self.project.root, self.ref)
        if found is None and self.began.into:
            message = f"{self.project.root}: there is no branch '{self.began.branch}' any more"
            raise UsageError(message, hint="make it again")
        return found or self.began.base

    async def move(self, before: Commit, commit: Commit) -> bool:
        """Bring it from one commit to a later one; where it is checked out, its files too.

        False where somebody else moved it. Raises `WorkspaceError` or `ForgeError` where git refuses.
        """
        if self.remote is None:
            return await self._move_here(before, commit)
        at = await self.at()
        if at == before != commit:
            at = await self._pushed(self.remote, before, commit)
        here = commit_named(self.project.root, self.ref) or self.began.base
        if at == commit and is_ancestor(self.project.root, here, commit):
            with suppress(WorkspaceError):  # it landed; what a person edits here meanwhile is left alone
                await self._move_here(here, commit)
        return at == commit

    async def _pushed(self, remote: ForgeGit, before: Commit, commit: Commit) -> Commit:
        if not is_ancestor(self.project.root, before, commit):
            raise WorkspaceError(f"{commit} does not follow {before}", hint="setpoint land --cancel")
        try:
            await remote.push(self.project.root, commit, [self.ref], expected=before)
        except ForgeError:
            if (at := await self.at()) == before:
                raise
            return at
        return commit

    async def _move_here(self, before: Commit, commit: Commit) -> bool:
        root, began, ref = self.project.root, self.began, self.ref
        at = commit_named(root, ref)
        if (at or began.base) != before or before == commit:
            return (at or began.base) == commit
        place = await require_clean(self.project, began.branch) if at else None
        if place is not None:  # in a session of its own, which ends its work also if this process is killed
            lfs = {"GIT_LFS_SKIP_SMUDGE": "0"}
            answer = await ask(place, "merge", "--quiet", "--ff-only", commit, environment=lfs)
        else:
            old = at or "0" * len(commit)
            answer = await ask(root, "update-ref", "-m", f"setpoint {began.landing}", ref, commit, old)
        now = commit_named(root, ref)
        if now == at:
            message = f"{place or root}: '{began.branch}' cannot be moved to {commit[:10]}"
            hint = "correct that, then `setpoint land` continues"
            words = answer.stderr.decode("utf-8", "replace").split()
            raise WorkspaceError(f"{message}: {' '.join(words)}", hint=hint)
        return now == commit
