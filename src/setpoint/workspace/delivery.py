"""The way back: clean commits, as the user would make them, on a new branch of the user's repository."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from setpoint.errors import WorkspaceError
from setpoint.model.changes.branch_name import is_branch_name
from setpoint.model.changes.slug import slug
from setpoint.model.config.delivery import DeliverySettings
from setpoint.model.ids import Commit, Tree
from setpoint.model.wording import shortened
from setpoint.ports import Appendix, BranchName, WorkCopy
from setpoint.system.git.git import commit_of, git, tree_of
from setpoint.workspace.commits import Commits
from setpoint.workspace.series import series_of
from setpoint.workspace.snapshot_store import SnapshotStore

DELIVERY = "refs/setpoint-state/delivery"
MOST_NAMES = 1000
MOST_TITLE = 72
PLAIN = frozenset({"100644", "100755"})
"""Modes of files that text can be appended to: no links, folders or submodules."""
_OF_SETPOINT = re.compile(r"^(?:Setpoint-[\w-]+|Assisted-by): .+$", re.MULTILINE)
_OF_RUN = re.compile(r"^Setpoint-(?:Run|Iteration): .+$", re.MULTILINE)
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-prune", "--no-recurse-submodules")


class GitBranchForge:
    """Delivers to the repository at `root` as a branch; tree, index and other branches stay as they are."""

    def __init__(self, root: Path, settings: DeliverySettings | None = None) -> None:
        """Take the root of the user's work tree, and how commits are made."""
        self._root = root
        self._settings = settings or DeliverySettings()

    async def deliver(
        self, copy: WorkCopy, commit: Commit, branch: str, *, message: str, appendix: Appendix | None = None
    ) -> BranchName:
        """Bring a commit's tree to the user as one commit on the base, once; gives the branch's real name.

        Where the settings say so, the agent's own commits lie before it. An appendix is one more behind it.
        A branch of this name that holds something else is left alone: the next free `branch-2`, `branch-3`,
        ... is taken. The same content and message delivered again give the branch they are on already. What
        cannot be the name of a branch is delivered to `setpoint/<its last part>`.
        """
        store = SnapshotStore(Path(copy.path), Path(copy.repository))
        tree = Tree((await store.git("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}")).text)
        as_user = Commits(root=self._root, objects=store.directory / "objects", author=self._settings.author)
        series = await series_of(store, copy.base, commit) if self._settings.commits == "series" else []
        told = _told(series, tree, _text(message))
        commits = [(each, await as_user.message(text)) for each, text in told]
        if appendix is not None:
            debts = await as_user.message(_text(appendix.message))
            commits.append((await _appended(store, tree, appendix), debts))
        name, there = await self._place(await self._allowed(branch), commits, copy.base)
        if not there:
            await self._bring(store, as_user, commits, str(copy.base), name)
        return BranchName(name, tuple(as_user.notes))

    async def add_commit(
        self, copy: WorkCopy, change: tuple[Commit, Commit], titles: tuple[str, str], branch: str, on: str
    ) -> BranchName:
        """Bring a change, from one state to another, to a branch as one more commit, once.

        A branch that is missing begins at the branch `on` where that ends with the earlier state, else at the
        base, with a commit of that state. One that ends otherwise is left alone, as by `deliver`. The titles
        are those of the two states.
        """
        store = SnapshotStore(Path(copy.path), Path(copy.repository))
        before, after = [await tree_of(store.directory, each) for each in change]
        as_user = Commits(root=self._root, objects=store.directory / "objects", author=self._settings.author)
        run = f"Setpoint-Run: {copy.trace_id}"
        states = [
            (tree, await as_user.message(_text(f"{shortened(' '.join(title.split()), MOST_TITLE)}\n\n{run}")))
            for tree, title in zip((before, after), titles, strict=True)
        ]
        for name in _names(await self._allowed(branch)):
            tip = await commit_of(self._root, f"refs/heads/{name}")
            if tip is None:
                begin = await commit_of(self._root, f"refs/heads/{on}") or copy.base
                on_top = await tree_of(self._root, begin) == before
                new, tip = (states[1:], begin) if on_top else (states, copy.base)
                break
            ((held, said),) = await self._newest(tip, 1)
            if run in said and held == after:
                return BranchName(name)
            if run in said and held == before:
                new = states[1:]
                break
        else:
            raise self._full(branch)
        await self._bring(store, as_user, new, tip, name)
        return BranchName(name, tuple(as_user.notes))

    async def _bring(
        self, store: SnapshotStore, as_user: Commits, commits: list[tuple[Tree, str]], tip: str, name: str
    ) -> None:
        """Write commits on top of another one, and have the branch end with them."""
        for each, text in commits:
            plain = ("commit-tree", each, "-p", tip, "-F", "-")
            made = await as_user.commit(each, tip, text)
            tip = made or (await store.git(*plain, stdin=text.encode("utf-8", "surrogateescape"))).text
        await store.git("update-ref", DELIVERY, tip)
        await git(self._root, *_FETCH, str(store.directory), f"{DELIVERY}:refs/heads/{name}")

    async def _allowed(self, branch: str) -> str:
        """Return the name, flat where a branch is in the way (`a` forbids `a/b`, and the other way round)."""
        if not is_branch_name(branch):  # ordered when settings were not looked at so closely
            branch = f"setpoint/{slug(branch.rpartition('/')[2])}"
        parts = branch.split("/")
        above = ["/".join(parts[:count]) for count in range(1, len(parts))]
        for name in above:
            if await commit_of(self._root, f"refs/heads/{name}") is not None:
                return "-".join(parts)
        below = await git(
            self._root, "for-each-ref", "--count=1", "--format=%(refname)", f"refs/heads/{branch}/"
        )
        return f"{branch}-1" if below.text else branch

    async def _place(self, branch: str, commits: list[tuple[Tree, str]], base: Commit) -> tuple[str, bool]:
        """Return the name to take, and whether just these commits are there already, on the base."""
        for name in _names(branch):
            held = await commit_of(self._root, f"refs/heads/{name}")
            if held is None:
                return name, False
            below = await commit_of(self._root, f"{held}~{len(commits)}")
            if below == base and _same(await self._newest(held, len(commits)), commits):
                return name, True
        raise self._full(branch)

    def _full(self, branch: str) -> WorkspaceError:
        message = f"{self._root}: {MOST_NAMES} branches named like {branch}"
        return WorkspaceError(message, hint="delete old ones")

    async def _newest(self, tip: Commit, count: int) -> list[tuple[Tree, str]]:
        """Return trees and messages of the newest commits of a branch, oldest first."""
        found = []
        for back in reversed(range(count)):
            said = (await git(self._root, "cat-file", "commit", f"{tip}~{back}")).stdout.partition(b"\n\n")[2]
            found.append((await tree_of(self._root, f"{tip}~{back}"), said.decode("utf-8", "replace")))
        return found


def _names(branch: str) -> Iterator[str]:
    yield branch
    yield from (f"{branch}-{number}" for number in range(2, MOST_NAMES))


def _same(held: list[tuple[Tree, str]], wanted: list[tuple[Tree, str]]) -> bool:
    """Whether commits have the same content, and come of the same round or have the same message.

    A hook for messages may give one that it has not given before.
    """
    pairs = zip(held, wanted, strict=True)
    return all(
        tree == other and (_OF_RUN.findall(said) or said) == (_OF_RUN.findall(told) or told)
        for (tree, said), (other, told) in pairs
    )


def _told(series: list[tuple[Tree, str]], tree: Tree, message: str) -> list[tuple[Tree, str]]:
    """Return trees with whole messages, the last of which has what is known of the verified tree.

    That is the agent's own last commit, where it committed all; else one more commit behind it.
    """
    if not series:
        return [(tree, message)]
    _, _, known = message.partition("\n")
    trailers = known.rstrip().rpartition("\n\n")[2]
    *before, (last, said) = series if series[-1][0] == tree else [*series, (tree, message)]
    told = [(each, f"{_without_trailers(text)}\n\n{trailers}\n") for each, text in before]
    whole = message if said is message else f"{_without_trailers(said)}\n\n{known.strip()}\n"
    return [*told, (last, whole)]


def _without_trailers(message: str) -> str:
    """Leave out what only Setpoint may say of a commit, which an agent may have copied."""
    return _OF_SETPOINT.sub("", _text(message)).strip() or "Change by Setpoint"


def _text(message: str) -> str:
    return (message.replace("\0", "").strip() or "Change by Setpoint") + "\n"


async def _appended(store: SnapshotStore, tree: Tree, appendix: Appendix) -> Tree:
    """Append the text to its file; anything but a plain file is left alone, and another name is taken."""
    path = appendix.path
    held = await store.file_at(tree, path)
    for number in range(2, MOST_NAMES):
        if held is None or held[0] in PLAIN:
            break
        stem, dot, ending = appendix.path.rpartition(".")
        path = f"{stem}-{number}.{ending}" if dot else f"{ending}-{number}"
        held = await store.file_at(tree, path)
    before = held[1] if held is not None else appendix.title.encode()
    line_end = b"\r\n" if b"\r\n" in before else b"\n"
    if before and not before.endswith(b"\n"):
        before += line_end
    return await store.with_file(tree, path, before + appendix.text.encode().replace(b"\n", line_end))
