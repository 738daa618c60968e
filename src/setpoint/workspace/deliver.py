"""The way back: one clean commit on a new branch of the user's repository."""

from __future__ import annotations

from pathlib import Path

from setpoint.domain.ids import Commit, Tree
from setpoint.errors import WorkspaceError
from setpoint.ports import Appendix, WorkCopy
from setpoint.processes.git import can_be_branch, commit_of, git, tree_of
from setpoint.workspace.vault import Vault

DELIVERY = "refs/setpoint-state/delivery"
MOST_NAMES = 1000
PLAIN = frozenset({"100644", "100755"})
"""Modes of files that text can be appended to: no links, folders or submodules."""
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-prune", "--no-recurse-submodules")


class GitBranchForge:
    """Delivers to the repository at `root` as a branch; tree, index and other branches stay as they are."""

    def __init__(self, root: Path) -> None:
        """Take the root of the user's work tree."""
        self._root = root

    async def deliver(
        self, copy: WorkCopy, commit: Commit, branch: str, *, message: str, appendix: Appendix | None = None
    ) -> str:
        """Bring a commit's tree to the user as one commit on the base, once; gives the branch's real name.

        An appendix is a second commit behind it. A branch of this name that holds something else is left
        alone: the next free `branch-2`, `branch-3`, ... is taken. The same content delivered again gives the
        branch it is on already.
        """
        if not await can_be_branch(self._root, branch):
            raise WorkspaceError(f"{branch!r} cannot be the name of a branch", mend="change branch_prefix")
        vault = Vault(Path(copy.path))
        tree = Tree((await vault.git("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}")).text)
        commits = [(tree, message)]
        if appendix is not None:
            commits.append((await _appended(vault, tree, appendix), appendix.message))
        name, there = await self._place(await self._allowed(branch), [each for each, _ in commits], copy.base)
        if not there:
            tip = str(copy.base)
            for each, told in commits:
                text = (told.replace("\0", "").strip() or "Change by Setpoint") + "\n"
                tip = (await vault.git("commit-tree", each, "-p", tip, "-F", "-", stdin=text.encode())).text
            await vault.git("update-ref", DELIVERY, tip)
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

    async def _place(self, branch: str, trees: list[Tree], base: Commit) -> tuple[str, bool]:
        """Give the name to take, and whether just these trees, one commit each, are there already."""
        for number in range(1, MOST_NAMES):
            name = branch if number == 1 else f"{branch}-{number}"
            held = await commit_of(self._root, f"refs/heads/{name}")
            if held is None:
                return name, False
            below = await commit_of(self._root, f"{held}~{len(trees)}")
            if below == base and await self._trees(held, len(trees)) == trees:
                return name, True
        raise WorkspaceError(
            f"{self._root}: {MOST_NAMES} branches named like {branch}", mend="delete old ones"
        )

    async def _trees(self, tip: Commit, count: int) -> list[Tree]:
        """Give the trees of the newest commits of a branch, oldest first."""
        return [await tree_of(self._root, f"{tip}~{back}") for back in reversed(range(count))]


async def _appended(vault: Vault, tree: Tree, appendix: Appendix) -> Tree:
    """Append the text to its file; what is no plain file there is left alone, and another name is taken."""
    path = appendix.path
    held = await vault.file_at(tree, path)
    for number in range(2, MOST_NAMES):
        if held is None or held[0] in PLAIN:
            break
        stem, dot, ending = appendix.path.rpartition(".")
        path = f"{stem}-{number}.{ending}" if dot else f"{ending}-{number}"
        held = await vault.file_at(tree, path)
    before = held[1] if held is not None else appendix.title.encode()
    line_end = b"\r\n" if b"\r\n" in before else b"\n"
    if before and not before.endswith(b"\n"):
        before += line_end
    return await vault.with_file(tree, path, before + appendix.text.encode().replace(b"\n", line_end))
