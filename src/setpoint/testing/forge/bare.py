"""The repository of a fake forge: a real bare repository, in which merges and reverts really happen."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from setpoint.errors import WorkspaceError
from setpoint.system.environment import clean_environment

NOTHING = "0" * 40
"""The commit of a branch that does not exist."""
_RECORD = "%x1e%H%x1f%T%x1f%P%x1f%an%x1f%ae%x1f%aI%x1f%B%x1f"


@dataclass(frozen=True, kw_only=True)
class CommitFacts:
    """What git knows about a commit."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: str
    email: str
    at: str
    """Time of the author, ISO 8601."""
    message: str


class MergeConflict(Exception):
    """Two branches that git cannot merge."""


class BareRepository:
    """A bare repository with what a forge does in it. Branches are named without `refs/heads/`."""

    def __init__(self, path: Path, now: Callable[[], datetime]) -> None:
        """Make the repository, without a commit."""
        self.path = path
        self._now = now
        self._mergeable: dict[tuple[str, str], bool] = {}
        path.mkdir(parents=True)
        self.git("init", "-q", "--bare", ".")
        self.git("symbolic-ref", "HEAD", "refs/heads/main")
        self.git("config", "http.receivepack", "true")
        self.git("config", "uploadpack.allowReachableSHA1InWant", "true")

    def environment(self, by: str = "forge") -> dict[str, str]:
        """Return the variables for git, without the user's configuration; commits are those of `by`."""
        written = self._now().isoformat()
        names = {"NAME": by, "EMAIL": f"{by}@users.noreply.localhost", "DATE": written}
        who = {f"GIT_{role}_{key}": text for role in ("AUTHOR", "COMMITTER") for key, text in names.items()}
        own = {"GIT_CONFIG_NOSYSTEM": "1", "HOME": str(self.path), "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
        return clean_environment({**own, **who})

    def git(self, *argv: str, by: str = "forge", cwd: Path | None = None, stdin: str = "") -> str:
        """Return what git prints; raises `WorkspaceError` with git's own words where it fails."""
        done = subprocess.run(
            ("git", *argv),
            cwd=cwd or self.path,
            env=self.environment(by),
            input=stdin.encode(),
            capture_output=True,
            check=False,
        )
        if done.returncode:
            reason = (done.stderr or done.stdout).decode(errors="replace").strip()
            raise WorkspaceError(f"{cwd or self.path}: git {' '.join(argv)}: {reason}")
        return done.stdout.decode(errors="replace")

    def branches(self) -> dict[str, str]:
        """Return the commit of each branch."""
        listed = self.git("for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads")
        pairs = (line.split(" ", 1) for line in listed.splitlines())
        return {name: sha for sha, name in pairs}

    def tip(self, name: str) -> str | None:
        """Return the commit that a branch, a tag or a commit's name leads to."""
        if name.startswith("-"):
            return None
        for ref in (f"refs/heads/{name}", f"refs/tags/{name}", name):
            try:
                return self.git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}").strip()
            except WorkspaceError:
                continue
        return None

    def point(self, ref: str, sha: str) -> None:
        """Move a ref (its full name) to a commit."""
        self.git("update-ref", ref, sha)

    def contains(self, branch_sha: str, sha: str) -> bool:
        """Return whether the history of a commit holds another."""
        try:
            self.git("merge-base", "--is-ancestor", sha, branch_sha)
        except WorkspaceError:
            return False
        return True

    def meeting(self, one: str, other: str) -> str:
        """Return the merge base of two commits, the first of them where they have none."""
        try:
            return self.git("merge-base", one, other).strip()
        except WorkspaceError:
            return one

    def commits(self, older: str, newer: str) -> list[CommitFacts]:
        """Return the commits that `newer` holds and `older` does not, oldest first."""
        span = newer if older == NOTHING else f"{older}..{newer}"
        return _facts(self.git("log", "--reverse", "--topo-order", f"--format={_RECORD}", span))

    def facts(self, sha: str) -> CommitFacts:
        """Return what git knows about one commit."""
        return _facts(self.git("log", "-1", f"--format={_RECORD}", sha))[0]

    def changed(self, older: str, newer: str) -> dict[str, list[str]]:
        """Return the paths that differ, by `A`, `M` and `D`."""
        listed = self.git("diff-tree", "-r", "--no-renames", "--name-status", older, newer)
        found: dict[str, list[str]] = {"A": [], "M": [], "D": []}
        for line in listed.splitlines():
            kind, path = line.split("\t", 1)
            found["M" if kind == "T" else kind].append(path)
        return found

    def counts(self, older: str, newer: str) -> tuple[int, int, int]:
        """Return lines added, lines deleted and files changed."""
        rows = [line.split("\t") for line in self.git("diff", "--numstat", older, newer).splitlines()]
        added, deleted = (sum(int(row[at]) for row in rows if row[at] != "-") for at in (0, 1))
        return added, deleted, len(rows)

    def diff(self, older: str, newer: str, path: str) -> str:
        """Return the unified diff of one file."""
        return self.git("diff", "--no-color", "--no-ext-diff", "--no-renames", older, newer, "--", path)

    def text(self, sha: str, path: str) -> str | None:
        """Return the content of a file at a commit, if it has it."""
        try:
            return self.git("show", f"{sha}:{path}")
        except WorkspaceError:
            return None

    def write(self, branch: str, files: Mapping[str, str | None], message: str, by: str) -> str:
        """Commit files to a branch, which begins at `main` where it is new; None deletes a file."""
        start = self.tip(branch) or self.tip("main")
        with self._work_tree(start) as tree:
            for name, text in files.items():
                place = tree / name
                if text is None:
                    place.unlink()
                    continue
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, "utf-8")
            return self._committed(tree, branch, message, by)

    def merge(self, base: str, head: str, message: str, by: str, method: str) -> str:
        """Merge a commit into a branch by `merge` or `squash`; raises `MergeConflict`."""
        way = ("--squash",) if method == "squash" else ("--no-ff", "--no-commit")
        with self._work_tree(self.tip(base)) as tree:
            self._tried(tree, ("merge", *way, head))
            return self._committed(tree, base, message, by)

    def revert(self, branch: str, sha: str, message: str, by: str) -> str:
        """Commit the opposite of a commit to a new branch at `main`; raises `MergeConflict`."""
        of_merge = ("-m", "1") if len(self.facts(sha).parents) > 1 else ()
        with self._work_tree(self.tip(branch) or self.tip("main")) as tree:
            self._tried(tree, ("revert", "--no-commit", *of_merge, sha))
            return self._committed(tree, branch, message, by)

    def mergeable(self, base: str, head: str) -> bool:
        """Return whether a commit can be merged into another without a conflict."""
        if (base, head) not in self._mergeable:
            try:
                with self._work_tree(base) as tree:
                    self._tried(tree, ("merge", "--no-ff", "--no-commit", head))
                self._mergeable[base, head] = True
            except MergeConflict:
                self._mergeable[base, head] = False
        return self._mergeable[base, head]

    def _tried(self, tree: Path, argv: tuple[str, ...]) -> None:
        try:
            self.git(*argv, cwd=tree)
        except WorkspaceError as error:
            raise MergeConflict(str(error)) from error

    def _committed(self, tree: Path, branch: str, message: str, by: str) -> str:
        self.git("add", "-A", cwd=tree)
        self.git("commit", "-q", "--allow-empty", "-F", "-", cwd=tree, by=by, stdin=message)
        sha = self.git("rev-parse", "HEAD", cwd=tree).strip()
        self.point(f"refs/heads/{branch}", sha)
        return sha

    @contextmanager
    def _work_tree(self, start: str | None) -> Iterator[Path]:
        """Yield a work tree at a commit; at an empty one in an empty repository."""
        folder = Path(tempfile.mkdtemp(prefix="fake-forge-"))
        tree = folder / "tree"
        try:
            self.git("worktree", "add", "-q", "--detach", str(tree), start or self._root())
            yield tree
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            self.git("worktree", "prune")

    def _root(self) -> str:
        empty = self.git("mktree").strip()
        return self.git("commit-tree", empty, "-m", "Initial commit").strip()


def _facts(listed: str) -> list[CommitFacts]:
    found = []
    for record in listed.split("\x1e")[1:]:
        sha, tree, parents, author, email, at, message, _ = record.split("\x1f")
        found.append(
            CommitFacts(
                sha=sha,
                tree=tree,
                parents=tuple(parents.split()),
                author=author,
                email=email,
                at=at.replace("+00:00", "Z"),
                message=message.rstrip("\n"),
            )
        )
    return found
