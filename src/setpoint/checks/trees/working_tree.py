"""The user's tree as it is, distinguished from all trees before it without touching it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from setpoint.checks.cancel_all import end
from setpoint.checks.trees.checkout import clone
from setpoint.errors import WorkspaceError
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import CheckState
from setpoint.model.ids import Commit, Tree
from setpoint.system.files.atomic import write_atomic
from setpoint.system.files.folder_lock import alone
from setpoint.system.git.git import git, head, tree_of
from setpoint.system.git.separate_repository import repository_apart
from setpoint.system.git.stage import stage
from setpoint.system.processes import hold_identity
from setpoint.version import __version__

_MOST_OBJECTS = 5_000
_EMPTY_REPOSITORY = re.compile(r"^error: '(?P<path>.+?)/?' does not have a commit checked out$", re.MULTILINE)
_UNREADABLE = re.compile(r'^error: open\("(?P<path>.+)"\): (?P<why>.+)$', re.MULTILINE)


class TreeRecorder:
    """Records work trees: index and objects are Setpoint's own, so the repository itself gets nothing.

    Both are kept from one call to the next: files that were not touched since are not read again.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        """Use the folder of Setpoint's state for the tree at `root`."""
        self.root = root
        """The tree."""
        self._folder = folder

    def lasts(self, folder: Path) -> bool:
        """Whether a folder that `opened` gave is kept, and nobody else uses it meanwhile."""
        return folder == self._folder

    @contextmanager
    def opened(self) -> Iterator[Path]:
        """Yield the folder for recording; one of its own while another process records."""
        with alone(self._folder) as first, tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            folder = self._folder if first else Path(scratch)
            if first and sum(1 for _ in (folder / "objects").glob("??/*")) > _MOST_OBJECTS:
                shutil.rmtree(folder)
            (folder / "objects").mkdir(parents=True, exist_ok=True)
            yield folder

    async def record(self, folder: Path) -> tuple[Commit, Tree]:
        """Record everything in the work tree, untracked files too; return last commit and tree.

        Environments and ignored files are left out, unless the commit holds them.
        """
        start, objects = await asyncio.gather(head(self.root), self._objects(folder))
        variables = {"GIT_INDEX_FILE": str(folder / "index"), **objects}
        begun = folder / "begun-at"  # the commit whose tracked files the index began with
        known = (folder / "index").is_file() and begun.is_file() and begun.read_text("utf-8") == start
        try:
            if not known:
                await git(self.root, "read-tree", start, environment=variables)
            recorded = (await stage(self.root, start, variables)).answer.ok
        except WorkspaceError:  # an index that a crash left half written, or a lock beside it
            recorded = False
        if not recorded:
            for left in (folder / "index", folder / "index.lock"):
                left.unlink(missing_ok=True)
            await git(self.root, "read-tree", start, environment=variables)
            await self._add_all(start, variables)
        if not known:
            begun.write_text(start, "utf-8")
        return start, Tree((await git(self.root, "write-tree", environment=variables)).text)

    async def _add_all(self, start: Commit, variables: Mapping[str, str]) -> None:
        """Record every file; what git cannot take in is named with a hint."""
        answer = (await stage(self.root, start, variables)).answer
        if answer.ok:
            return
        said = answer.stderr.decode("utf-8", "replace").strip()
        if empty := _EMPTY_REPOSITORY.search(said):
            raise WorkspaceError(
                f"{self.root / empty['path']}: a repository without a commit, so it cannot be measured",
                hint="commit something in it, remove its .git, or name it in .gitignore",
            )
        if unread := _UNREADABLE.search(said):
            raise WorkspaceError(
                f"{self.root / unread['path']}: cannot be read: {unread['why']}",
                hint="make it readable for you, remove it, or name it in .gitignore",
            )
        raise WorkspaceError(f"{self.root}: git cannot record the tree as it is: {said or 'no message'}")

    async def committed(
        self,
        folder: Path,
        place: Path,
        recorded: tuple[Commit, Tree],
        making: asyncio.Task[None] | None = None,
    ) -> Commit:
        """Make a commit of a recorded tree in a new place for measuring, which is `making` perhaps."""
        start, tree = recorded
        making = making or asyncio.create_task(clone(self.root, place))
        # The same tree, the same commit.
        dates = {"GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}
        words = ("commit-tree", tree, "-p", start, "-m", "The tree as it is")
        try:
            commit = start
            if tree != await tree_of(self.root, start):
                made = await git(self.root, *words, environment=await self._objects(folder) | dates)
                commit = Commit(made.text)
            await making
        finally:
            await end(making)
        alternates = repository_apart(place) / "objects" / "info" / "alternates"
        with alternates.open("a", encoding="utf-8") as file:
            file.write(f"{folder / 'objects'}\n")
        return commit

    async def _objects(self, folder: Path) -> dict[str, str]:
        """Have git write to a folder, and read from the repository too."""
        where = await git(self.root, "rev-parse", "--path-format=absolute", "--git-path", "objects")
        return {
            "GIT_OBJECT_DIRECTORY": str(folder / "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": where.text,
        }


_NOT_FOUND = ": not found"
"""What a shell says of a program that is not on PATH; of one that may not run it says another thing."""


class EvaluationCache:
    """Whole evaluations, kept by everything that went into them."""

    def __init__(self, folder: Path, parts: tuple[str, ...]) -> None:
        """Name the file by all that decides an evaluation."""
        key = hashlib.sha256(
            "\x1f".join((__version__, *hold_identity(), *parts)).encode("utf-8", "surrogateescape")
        ).hexdigest()
        self._path = folder / key[:2] / f"{key[2:]}.json"

    def get(self) -> Evaluation | None:
        """Return what was kept, each piece of evidence marked as taken from the cache."""
        try:
            found = Evaluation.model_validate_json(self._path.read_bytes())
            os.utime(self._path)  # what is asked for is kept (`evaluators.caches`)
        except (FileNotFoundError, ValidationError):
            return None
        marked = tuple(each.model_copy(update={"cached": True}) for each in found.evidence)
        return found.model_copy(update={"evidence": marked})

    def keep(self, evaluation: Evaluation) -> None:
        """Keep an evaluation, unless a tool broke or did not end as a tool does: that may be otherwise later.

        A program that is not found is: what comes to PATH is part of the key.
        """
        unknown = (each for each in evaluation.evidence if each.state is CheckState.NOT_MEASURED)
        if not evaluation.broken and all(
            each.exit_code is None or _NOT_FOUND in each.reason for each in unknown
        ):
            write_atomic(self._path, evaluation.model_dump_json(), flush=False)
