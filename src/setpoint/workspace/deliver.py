"""The way back: one clean commit on a new branch of the user's repository."""

from __future__ import annotations

from pathlib import Path

from setpoint.domain.ids import Commit, Tree
from setpoint.errors import WorkspaceError
from setpoint.ports import WorkCopy
from setpoint.processes.git import ask, commit_of, git, tree_of
from setpoint.workspace.vault import Vault

DELIVERY = "refs/setpoint-state/delivery"
MOST_NAMES = 1000
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-prune", "--no-recurse-submodules")


class GitBranchForge:
    """Delivers to the repository at `root` as a branch; tree, index and other branches stay as they are."""

    def __init__(self, root: Path) -> None:
        """Take the root of the user's work tree."""
        self._root = root

    async def deliver(self, copy: WorkCopy, commit: Commit, branch: str, *, message: str) -> str:
        """Bring a commit's tree to the user as one commit on the base, once; gives the branch's real name.

        A branch of this name that holds something else is left alone: the next free `branch-2`, `branch-3`,
        ... is taken. The same tree delivered again gives the branch it is on already.
        """
        if not (await ask(self._root, "check-ref-format", f"refs/heads/{branch}")).ok or branch.startswith(
            "-"
        ):
            raise WorkspaceError(f"{branch!r} cannot be the name of a branch", mend="change branch_prefix")
        vault = Vault(Path(copy.path))
        tree = Tree((await vault.git("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}")).text)
        name, there = await self._place(await self._allowed(branch), tree, copy.base)
        if not there:
            text = (message.replace("\0", "").strip() or "Change by Setpoint") + "\n"
            made = await vault.git("commit-tree", tree, "-p", copy.base, "-F", "-", stdin=text.encode())
            await vault.git("update-ref", DELIVERY, made.text)
            await git(self._root, *_FETCH, str(vault.directory), f"{DELIVERY}:refs/heads/{name}")
        return name

    async def _allowed(self, branch: str) -> str:
        """Give the name, flat where a branch is in the way (`a` forbids `a/b`, and the other way round)."""
        parts = branch.split("/")
        above = ["/".join(parts[:count]) for count in range(1, len(parts))]
        for name in above:
            if await commit_of(self._root, f"refs/heads/{name}") is not None:
                return "-".join(parts)
        below = await git(
            self._root, "for-each-ref", "--count=1", "--format=%(refname)", f"refs/heads/{branch}/"
        )
        return f"{branch}-1" if below.text else branch

    async def _place(self, branch: str, tree: Tree, base: Commit) -> tuple[str, bool]:
        for number in range(1, MOST_NAMES):
            name = branch if number == 1 else f"{branch}-{number}"
            held = await commit_of(self._root, f"refs/heads/{name}")
            if held is None:
                return name, False
            parent = await commit_of(self._root, f"{held}^")
            if parent == base and await tree_of(self._root, held) == tree:
                return name, True
        raise WorkspaceError(
            f"{self._root}: {MOST_NAMES} branches named like {branch}", mend="delete old ones"
        )
