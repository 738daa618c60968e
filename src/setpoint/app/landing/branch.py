"""Move the branch that stories land on: forward only, and only from where it was expected."""

from __future__ import annotations

from pathlib import Path

from setpoint.errors import WorkspaceError
from setpoint.model.events.landing import LandingBegan
from setpoint.model.ids import Commit
from setpoint.system.git.git import ask, git, is_dirty
from setpoint.system.git.merge import commit_named
from setpoint.wiring.project import Project


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


async def move(project: Project, began: LandingBegan, before: Commit, commit: Commit) -> bool:
    """Bring the branch from one commit to a later one; where it is checked out, its files too.

    False where somebody else moved it. Raises `WorkspaceError` where git refuses.
    """
    root, ref = project.root, f"refs/heads/{began.branch}"
    at = commit_named(root, ref)
    if (at or began.base) != before or before == commit:
        return (at or began.base) == commit
    place = await require_clean(project, began.branch) if at else None
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
