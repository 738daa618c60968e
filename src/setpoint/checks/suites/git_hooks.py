"""The user's own pre-commit hook on a change: it runs where the change is staged, never in the user's tree.

A hook that refuses what the base holds in the same files, too, cannot work here or has found old faults:
then nothing is measured.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.project import Project
from setpoint.checks.run import Group
from setpoint.checks.suites.own_count import absent, typed_variables
from setpoint.checks.trees.checkout import place_beside, put_at, repository_of
from setpoint.errors import WorkspaceError
from setpoint.model.evidence import GIT_HOOKS, CheckResult, CheckState
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import Commit
from setpoint.ports import Measured, WorkCopy
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import changed_files, git, located, names_of
from setpoint.system.git.hooks_folder import BEFORE, INSTALLED, hooks_folder
from setpoint.system.processes import Command, Completed, run

_NAME, _MOST_NAMED, _MOST_WORDS, _MOST_DIFF = "pre-commit", 5, 300, 4000
_STORED = "db.db"
"""Where the program pre-commit notes which environments it has; they themselves are only read."""


@dataclass(frozen=True, kw_only=True)
class GitHooks:
    """Runs the hook on what differs from a commit."""

    hook: Path
    since: Commit
    project: Project
    artifacts: Artifacts
    timeout_s: float
    link: Callable[[Path], Awaitable[None]]
    """Brings installed packages to a place."""

    @property
    def name(self) -> str:
        """Name the check."""
        return GIT_HOOKS

    @property
    def group(self) -> Group:
        """The check with all that decides its result."""
        seen = self.hook.stat()
        state = (str(self.hook), str(seen.st_mtime_ns), str(seen.st_size))
        identity = (GIT_HOOKS, self.since, *state, self.project.interpreter.fingerprint)
        return Group(checks=(self,), identity=identity)

    async def run(self, measured: Measured) -> CheckResult:
        """Run the hook; find what it refuses, and that it rewrites files."""
        tree = Path(measured.copy.path)
        changed = await changed_files(tree, self.since, measured.commit)
        if not changed:
            return results.unmeasured(self.name, measured.tree, "nothing differs from the base")
        place = place_beside(tree, "hooks")
        try:
            done, rewritten, diff = await self._tried(measured.copy, place, measured.commit, self.since)
            ran = results.Ran(
                check=self.name, tree=measured.tree, done=done, artifacts=self.artifacts, tool=str(self.hook)
            )
            if done.ok and not rewritten:
                return ran.gave(CheckState.PASS)
            why = "" if rewritten else absent(done)
            if not why and await self._refuses_the_base(measured, place, changed):
                why = "it refuses these files as the base holds them, too"
        except WorkspaceError as error:
            return results.unmeasured(self.name, measured.tree, f"{self.hook}: {error}")
        finally:
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)
        if why:
            return ran.gave(CheckState.NOT_MEASURED, f"{self.hook}: {why}")
        return ran.gave(CheckState.FAIL, findings=(self._found(done, rewritten, diff, place),))

    async def take_over(self, copy: WorkCopy, folders: ProjectFolders) -> None:
        """Make the changes in a work copy that the hook makes in the files that the work changed."""
        root, place = Path(copy.path), place_beside(folders.measured_of(copy.trace_id), "hooks")
        if not root.is_dir():
            return  # the snapshot makes it again
        try:
            with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
                apart = {**located(copy.repository, copy.path), "GIT_INDEX_FILE": str(Path(folder) / "index")}
                await git(root, "read-tree", self.since, environment=apart)
                await git(root, "add", "--all", "--ignore-errors", "--", ".", environment=apart)
                tree = (await git(root, "write-tree", environment=apart)).text
                words = ("commit-tree", tree, "-p", self.since)
                commit = Commit((await git(root, *words, environment=apart)).text)
            changed = set(await changed_files(repository_of(copy), self.since, commit))
            _, rewritten, _ = await self._tried(copy, place, commit, self.since) if changed else (0, (), "")
            for path in changed.intersection(rewritten):
                if (place / path).is_file() and not any((each / path).is_symlink() for each in (place, root)):
                    (root / path).write_bytes((place / path).read_bytes())
        except (WorkspaceError, OSError):
            return  # the check says what is wrong
        finally:
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)

    async def _refuses_the_base(self, measured: Measured, place: Path, changed: tuple[str, ...]) -> bool:
        """Whether the hook refuses a commit that adds the changed files as the base holds them."""
        tree, copy = Path(measured.copy.path), measured.copy
        with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
            apart = {**located(copy.repository, copy.path), "GIT_INDEX_FILE": str(Path(folder) / "index")}
            gone = b"".join(os.fsencode(path) + b"\0" for path in changed)
            await git(tree, "read-tree", self.since, environment=apart)
            words = ("update-index", "-z", "--force-remove", "--stdin")
            await git(tree, *words, stdin=gone, environment=apart)
            without = (await git(tree, "write-tree", environment=apart)).text
            below = (await git(tree, "commit-tree", without, "-p", self.since, environment=apart)).text
            whole = ("commit-tree", f"{self.since}^{{tree}}", "-p", below)
            base = (await git(tree, *whole, environment=apart)).text
        done, rewritten, _ = await self._tried(measured.copy, place, Commit(base), Commit(below))
        return not done.ok or bool(rewritten)

    async def _tried(
        self, copy: WorkCopy, place: Path, commit: Commit, head: Commit
    ) -> tuple[Completed, tuple[str, ...], str]:
        """Run the hook where a commit is staged on another; gives also the files that it changed, and how."""
        own = {"GIT_DIR": str(place / ".git"), "GIT_WORK_TREE": str(place)}
        await put_at(place, repository_of(copy), commit)
        objects = (await git(place, "rev-parse", "--path-format=absolute", "--git-path", "objects")).text
        lent = place / ".git/objects/info/alternates"
        lent.parent.mkdir(parents=True, exist_ok=True)
        lent.write_text(f"{objects}\n", "utf-8")
        await git(place, "read-tree", commit, environment=own)
        await git(place, "update-ref", "--no-deref", "HEAD", head, environment=own)
        await self.link(place)
        before = set(await _differing(place))
        with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
            variables = typed_variables(self.project.interpreter, place, self.project.layout.imports)
            done = await run(
                Command(
                    argv=(str(self.hook),),
                    cwd=place,
                    environment={**variables, **_of_framework(Path(folder)), "GIT_EDITOR": ":"},
                    timeout_s=self.timeout_s,
                    merge_stderr=True,
                    writes=(Path(folder),),
                )
            )
        rewritten = tuple(each for each in await _differing(place) if each not in before)
        diff = (await git(place, "diff", "--no-ext-diff", "--no-color")).text if rewritten else ""
        return done, rewritten, diff

    def _found(self, done: Completed, rewritten: tuple[str, ...], diff: str, place: Path) -> Finding:
        text = done.text.replace(f"{place}/", "").strip()
        said = " ".join(text.split())[-_MOST_WORDS:]
        message = f"the {_NAME} hook ({self.hook}) refuses the change: {said or done.ending}"
        if rewritten:
            named = ", ".join(rewritten[:_MOST_NAMED])
            more = f" and {len(rewritten) - _MOST_NAMED} more" if len(rewritten) > _MOST_NAMED else ""
            message = f"the {_NAME} hook ({self.hook}) rewrites {named}{more}: make the change that it makes"
        return Finding(
            source=GIT_HOOKS,
            rule=_NAME,
            severity=Severity.ERROR,
            category=Category.STYLE,
            message=message,
            file=rewritten[0] if rewritten else "",
            detail="\n".join(filter(None, (text[-_MOST_DIFF:], diff[:_MOST_DIFF]))),
        )


def git_hooks(
    project: Project,
    artifacts: Artifacts,
    timeout_s: float,
    since: Commit,
    link: Callable[[Path], Awaitable[None]],
) -> GitHooks | None:
    """Make the check where the user's repository has a pre-commit hook; one of Setpoint's is not run."""
    hook = hooks_folder(project.root) / _NAME
    if _of_setpoint(hook):
        hook = hook.with_name(f"{_NAME}{BEFORE}")
    if not os.access(hook, os.X_OK) or not hook.is_file():
        return None
    return GitHooks(
        hook=hook, since=since, project=project, artifacts=artifacts, timeout_s=timeout_s, link=link
    )


async def _differing(place: Path) -> tuple[str, ...]:
    """Name the files of a place that differ from what is checked out there."""
    return names_of((await git(place, "diff", "--name-only", "-z", "--no-ext-diff")).stdout)


def _of_setpoint(hook: Path) -> bool:
    try:
        return INSTALLED.encode() in hook.read_bytes()
    except OSError:
        return False


def _of_framework(folder: Path) -> dict[str, str]:
    """Let the program pre-commit find the environments that it has made for the user, and write elsewhere."""
    home = Path("~/.cache/pre-commit").expanduser()
    if not (home / _STORED).is_file():
        return {}
    shutil.copy2(home / _STORED, folder / _STORED)
    return {"PRE_COMMIT_HOME": str(folder)}
