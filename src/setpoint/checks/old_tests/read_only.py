"""Restore protected files as they were at the base, and remember which, whatever crashes.

That is what a person protects by globs, and in mode read-only the tests, what runners start from, and what
CI servers run. What is restored is written to `<state>/seen/<trace>.integrity.json` before the first file is,
under the commit the maker started from and the tree that will be there afterwards. A crash in between leads
to the same tree and the same entry.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint.checks.old_tests.start_files import is_start_file, same_settings, shares_settings, steers_ci
from setpoint.checks.trees.checkout import kept_of, repository_of
from setpoint.errors import WorkspaceError
from setpoint.model.changes.path_globs import matches
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.ids import Commit, Tree
from setpoint.model.stories.story import IntegrityMode
from setpoint.ports import Measured, WorkCopy
from setpoint.system.files.atomic import real_folder, write_atomic
from setpoint.system.git.git import ask, changed_files, commit_of, contents, files_at, git, located
from setpoint.system.git.ignore_rules import hidden_at, take

_LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}
_STARTS = ("refs/setpoint-state/current", "HEAD")
"""Where a work copy names its commit: one with a repository of Setpoint's own, and a plain one."""
_RECORD: TypeAdapter[dict[str, tuple[str, ...]]] = TypeAdapter(dict[str, tuple[str, ...]])


@dataclass(frozen=True, kw_only=True)
class Protection:
    """What is protected."""

    mode: IntegrityMode
    named: tuple[str, ...] = ()
    """Globs of the story and the settings."""
    released: tuple[str, ...] = ()
    """Globs of what a person let go."""
    tests: frozenset[str] = frozenset()
    """Files from which tests were collected at the base, whatever they are called."""

    @property
    def read_only(self) -> bool:
        """Whether tests and settings may not change."""
        return self.mode is IntegrityMode.READ_ONLY

    def holds(self, path: str, base_files: Collection[str]) -> bool:
        """Whether a changed path is restored, whatever its text says."""
        if matches(path, self.released):
            return False
        if matches(path, self.named):
            return True
        if path in base_files:
            of_tests = is_test_path(path) or path in self.tests
            return self.read_only and (of_tests or is_start_file(path) or steers_ci(path))
        folder = path.rpartition("/")[0]
        above = not folder or any(each.startswith(f"{folder}/") for each in base_files)
        return self.read_only and is_start_file(path) and above


class ReadOnly:
    """Watches the protected files of one run."""

    def __init__(self, state: Path, copy: WorkCopy, base: Commit, protection: Protection) -> None:
        """Protect the work copy's files as they are in `base`."""
        self._record = kept_of(state, copy.trace_id, "integrity")
        self._root = Path(copy.path)
        self._repository = repository_of(copy)
        self._located = located(copy.repository, copy.path)
        self._base = base
        self._protection = protection

    async def protect(self) -> tuple[str, ...]:
        """Restore what may not have changed; return the paths. Without protection nothing is looked at."""
        if not self._protection.read_only and not self._protection.named:
            return ()
        real_folder(self._root)
        with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
            index = Path(folder) / "index"
            tree = await self._tree(index)
            paths = await self._changed(tree)
            if paths:
                after = await self._tree_with_base(index, paths)
                self._remember(f"{await self._start()}:{after}", paths)
                await self._restore(index, paths)
        return paths

    async def _changed(self, tree: Tree) -> tuple[str, ...]:
        """Return the protected paths that differ from the base."""
        changed = await changed_files(self._repository, self._base, tree)
        base_files = frozenset(await files_at(self._repository, self._base))
        found = {path for path in changed if self._protection.holds(path, base_files)}
        shared = [path for path in changed if path not in found and shares_settings(path)]
        if self._protection.read_only and shared:
            texts = [await contents(self._repository, each, shared) for each in (self._base, tree)]
            free = {path for path in shared if matches(path, self._protection.released)}
            found |= {
                path for path in shared if path not in free and not same_settings(path, *_of(path, texts))
            }
        return tuple(sorted(found))

    async def _start(self) -> Commit:
        """Return the commit that the next snapshot will have as its parent."""
        for name in _STARTS:
            if (commit := await commit_of(self._repository, name)) is not None:
                return commit
        raise WorkspaceError(f"{self._root}: the work copy has no commit", hint="start the run again")

    async def _tree(self, index: Path) -> Tree:
        """Return the tree of everything in the work copy, by an index of our own."""
        question = ("rev-parse", "--path-format=absolute", "--git-path", "index")
        own = Path((await git(self._root, *question, environment=self._located)).text)
        if own.is_file():  # its knowledge of unchanged files saves hashing them all again
            # With its time, by which git tells files that changed in the second in which they were recorded.
            await asyncio.to_thread(shutil.copy2, own, index)
        # What cannot be read cannot be recorded either; the workspace repairs that in the snapshot.
        await ask(self._root, "add", "--all", "--ignore-errors", "--", ".", environment=self._at(index))
        hidden = await hidden_at(self._root, self._base, self._at(index))  # the snapshot holds these too
        await take(self._root, hidden, self._at(index))
        return Tree((await git(self._root, "write-tree", environment=self._at(index))).text)

    async def _tree_with_base(self, index: Path, paths: tuple[str, ...]) -> Tree:
        await self._on(index, paths, "reset", "--quiet", self._base)
        return Tree((await git(self._root, "write-tree", environment=self._at(index))).text)

    async def _restore(self, index: Path, paths: Iterable[str]) -> None:
        at_base = frozenset(await files_at(self._repository, self._base))
        back = tuple(path for path in paths if path in at_base)
        for path in paths:
            if path not in at_base:
                self._remove(path)
        if back:
            await self._on(index, back, "checkout", "--force", "--quiet", self._base)

    async def _on(self, index: Path, paths: tuple[str, ...], *question: str) -> None:
        listed = "\0".join(paths).encode("utf-8", "surrogateescape")
        words = (*question, "--pathspec-from-file=-", "--pathspec-file-nul")
        await git(self._root, *words, stdin=listed, environment={**self._at(index), **_LITERAL})

    def _at(self, index: Path) -> dict[str, str]:
        return {**self._located, "GIT_INDEX_FILE": str(index)}

    def _remove(self, path: str) -> None:
        place = self._root / path
        inside = place.parent.resolve().is_relative_to(self._root.resolve())
        if inside:  # never through a link out of the work copy
            place.unlink(missing_ok=True)

    def _remember(self, key: str, paths: tuple[str, ...]) -> None:
        record = dict(_read(self._record))
        record[key] = tuple(sorted({*record.get(key, ()), *paths}))
        write_atomic(self._record, _RECORD.dump_json(record, indent=1).decode())


async def restored_before(state: Path, measured: Measured, root: Path | str) -> tuple[str, ...]:
    """Return what was restored before a snapshot was made; `root` is a repository that holds it."""
    if not (record := _read(kept_of(state, measured.copy.trace_id, "integrity"))):
        return ()
    answer = await ask(root, "rev-parse", "--verify", "--quiet", f"{measured.commit}^1")
    return record.get(f"{answer.text if answer.ok else measured.commit}:{measured.tree}", ())


def _read(record: Path) -> Mapping[str, tuple[str, ...]]:
    try:
        return _RECORD.validate_json(record.read_bytes())
    except FileNotFoundError:
        return {}
    except ValidationError:  # written by another version; what it saw is in the events already
        return {}


def _of(path: str, texts: Iterable[Mapping[str, bytes]]) -> tuple[bytes | None, bytes | None]:
    before, after = (each.get(path) for each in texts)
    return before, after
