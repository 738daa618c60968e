"""Restore protected files as they were at the base, and remember what was seen, whatever crashes.

What was seen is written to `<state>/seen/<trace>.integrity.json` before the first file is restored, under
the commit the maker started from and the tree that will be there afterwards. A crash in between leads to the
same tree and the same entry; what a second look can no longer see is still in the entry of the first.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint.checks.integrity.paths.commands import DEFINING, run_by
from setpoint.checks.integrity.paths.links import follow
from setpoint.checks.integrity.paths.measure_files import measure_files
from setpoint.checks.integrity.paths.protected_paths import STEERING, Kind, kind_of, matches
from setpoint.checks.integrity.paths.redirections import is_manifest
from setpoint.checks.integrity.paths.startup_paths import folded, injects, steers_agents
from setpoint.checks.integrity.protected_change import Comparison, Judged
from setpoint.checks.integrity.rewrites.settings_effect import may_demand_no_less
from setpoint.checks.integrity.rewrites.weighed import Offer, Weighed
from setpoint.checks.trees.checkout import kept_of, repository_of
from setpoint.errors import WorkspaceError
from setpoint.model.finding import Finding
from setpoint.model.ids import Commit, Tree
from setpoint.model.stories.story import IntegrityMode
from setpoint.model.value import Value
from setpoint.ports import WorkCopy
from setpoint.system.files.atomic import real_folder, write_atomic
from setpoint.system.git.git import ask, changed_files, commit_of, contents, files_at, git, located
from setpoint.system.git.ignore_rules import hidden_at, take

Weigh = Callable[[Offer], Awaitable[Weighed]]
_LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}
_STARTS = ("refs/setpoint-state/current", "HEAD")
"""Where a work copy names its commit: one with a repository of Setpoint's own, and a plain one."""
_FOREIGN = ("node_modules", ".tox", ".nox")


class Restored(Value):
    """What was restored before a snapshot was made."""

    restored: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    weighed: Weighed = Weighed()
    """What came of weighing rewritten tests against the old ones."""

    def joined(self, other: Restored) -> Restored:
        """Return all of both, nothing twice."""
        known = {finding.fingerprint for finding in self.findings}
        more = tuple(finding for finding in other.findings if finding.fingerprint not in known)
        return Restored(
            restored=tuple(sorted({*self.restored, *other.restored})),
            findings=(*self.findings, *more),
            weighed=self.weighed if self.weighed.reason else other.weighed,
        )


_RECORD: TypeAdapter[dict[str, Restored]] = TypeAdapter(dict[str, Restored])


@dataclass(frozen=True, kw_only=True)
class Protection:
    """What is protected, and how strictly."""

    mode: IntegrityMode
    named: tuple[str, ...] = ()
    """More paths, as globs."""
    granted: tuple[str, ...] = ()
    """Paths that a person released, as globs."""
    tests: frozenset[str] = frozenset()
    """Files from which tests were collected at the base, whatever they are called."""
    commands: tuple[str, ...] = ()
    """Acceptance commands of the story."""
    own_commands: tuple[str, ...] = ()
    """The project's own test commands."""
    wish: str = ""
    """What the story asks for."""


class Guard:
    """Watches the protected files of one run."""

    def __init__(self, state: Path, copy: WorkCopy, base: Commit, protection: Protection) -> None:
        """Protect the work copy's files as they are in `base`."""
        self._record = kept_of(state, copy.trace_id, "integrity")
        self._root = Path(copy.path)
        self._repository = repository_of(copy)
        self._located = located(copy.repository, copy.path)
        self._base = base
        self._protection = protection

    async def protect(self, weigh: Weigh | None = None) -> tuple[str, ...]:
        """Restore what may not have changed; return the paths.

        Rewritten tests stay where `weigh` finds that they notice all that the old ones noticed.
        """
        if self._protection.mode is IntegrityMode.FREE:
            return ()
        real_folder(self._root)
        with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
            index = Path(folder) / "index"
            tree = await self._tree(index)
            judged = await self._judged(tree)
            if not judged:
                return ()
            weighed = await self._weighed(Path(folder) / "weighed", tree, judged, weigh)
            put_back = tuple(each for each in judged if each.path not in weighed.kept)
            paths = tuple(each.path for each in put_back)
            after = await self._tree_with_base(index, paths)
            found = tuple(finding for each in put_back for finding in _said(each, weighed))
            seen = Restored(restored=paths, findings=found, weighed=weighed)
            self._remember(_key(await self._start(), after), seen)
            await self._restore(index, paths)
        return paths

    async def _weighed(
        self, index: Path, tree: Tree, judged: tuple[Judged, ...], weigh: Weigh | None
    ) -> Weighed:
        """Let rewritten tests be weighed against the old ones, where that is possible."""
        if weigh is None or self._protection.mode is not IntegrityMode.APPEND_ONLY:
            return Weighed()
        offered = tuple(each.path for each in judged if self._may_be_weighed(each))
        settings = await self._settings(tree, judged)
        if not offered and not settings:
            return Weighed()
        kept = {*offered, *settings}
        trees: list[Tree] = []
        for paths in ([each.path for each in judged if each.path not in kept], offered):
            await git(self._root, "read-tree", trees[-1] if trees else tree, environment=self._at(index))
            trees.append(await self._tree_with_base(index, tuple(paths)))
        return await weigh(Offer(paths=offered, new=trees[0], old=trees[1], settings=settings))

    async def _settings(self, tree: Tree, judged: tuple[Judged, ...]) -> dict[str, str]:
        """Return the changed settings of the tests that may demand nothing less."""
        told = self._protection
        paths = [
            each.path
            for each in judged
            if each.path.endswith((".toml", ".ini", ".cfg"))
            and not each.weakens
            and kind_of(each.path, ()) in (Kind.TABLES, Kind.CONFIGURATION)
            and not matches(each.path, told.named)
        ]
        before, after = [await contents(self._repository, each, paths) for each in (self._base, tree)]
        texts = {path: held.decode("utf-8", "replace") for path, held in after.items() if path in before}
        return {
            path: text
            for path, text in texts.items()
            if may_demand_no_less(path, before[path].decode("utf-8", "replace"), text)
        }

    def _may_be_weighed(self, each: Judged) -> bool:
        """Whether a file belongs to the tests, and nobody protected it by name."""
        told = self._protection
        if matches(each.path, told.named) or each.path in run_by(told.commands, {}):
            return False
        if folded(each.path).rpartition("/")[2] == "conftest.py":
            return not each.weakens
        return kind_of(each.path, (), told.tests) in (Kind.TEST, Kind.DATA)

    async def _start(self) -> Commit:
        """Return the commit that the next snapshot will have as its parent."""
        for name in _STARTS:
            if (commit := await commit_of(self._repository, name)) is not None:
                return commit
        raise WorkspaceError(f"{self._root}: the work copy has no commit", hint="start the run again")

    @property
    def recorded(self) -> bool:
        """Whether anything was remembered here; a tree that is verified elsewhere has no record."""
        return self._record.is_file()

    async def weighed_again(self, tree: Tree, weigh: Weigh) -> Restored:
        """Weigh the rewritten tests of a tree that was recorded elsewhere."""
        if self._protection.mode is IntegrityMode.FREE:
            return Restored()
        with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
            judged = await self._judged(tree)
            return Restored(weighed=await self._weighed(Path(folder) / "weighed", tree, judged, weigh))

    def seen(self, parent: Commit, tree: Tree) -> Restored:
        """Return what was restored before the snapshot with this parent and tree was made."""
        return self._read().get(_key(parent, tree), Restored())

    def ever(self) -> Restored:
        """Return all that was restored in the run."""
        return reduce(Restored.joined, self._read().values(), Restored())

    async def _judged(self, tree: Tree) -> tuple[Judged, ...]:
        changed = await changed_files(self._repository, self._base, tree)
        base_files = frozenset(await files_at(self._repository, self._base))
        links = await follow(self._repository, self._base, tree, changed)
        seen = {path: path for path in changed} | {path: each.file for path, each in links.seen.items()}
        told = self._protection
        run = await self._run(base_files)
        other = frozenset(path for path in changed if kind_of(path, told.named, told.tests) is None)
        measure = await measure_files(self._repository, self._base, other, base_files, told.own_commands)
        watched = run | measure
        suspect = {path: file for path, file in seen.items() if path in watched or self._concerns(path)}
        base = await self._held(
            self._base, {path: suspect[path] for path in links.at_base(suspect, base_files)}
        )
        now = await self._held(tree, suspect)
        now |= await asyncio.to_thread(self._ignored, await self._unseen())
        comparison = Comparison(
            mode=told.mode,
            named=told.named,
            base=base,
            now=now,
            base_files=base_files | base.keys(),
            tests=told.tests,
            measure=measure,
            granted=told.granted,
            run=run,
            commands=told.commands,
            files=frozenset(await files_at(self._repository, tree)) if changed else frozenset(),
            manifests=await self._modules(tree, suspect),
            wish=told.wish,
            outside=links.outside,
            via={path: each.restored for path, each in links.seen.items()},
        )
        return comparison.judged()

    async def _held(self, tree: str, paths: Mapping[str, str]) -> dict[str, bytes]:
        """Read files of a tree under the paths by which they are seen."""
        texts = await contents(self._repository, tree, paths.values())
        return {path: texts[file] for path, file in paths.items() if file in texts}

    async def _run(self, base_files: Collection[str]) -> frozenset[str]:
        """Return the files that the commands of the story run."""
        if not self._protection.commands:
            return frozenset()
        defining = [path for path in base_files if path.rpartition("/")[2] in DEFINING]
        texts = await contents(self._repository, self._base, defining)
        return run_by(
            self._protection.commands, {path: held.decode("utf-8", "replace") for path, held in texts.items()}
        )

    async def _modules(self, tree: str, suspect: Collection[str]) -> dict[str, str]:
        """Read the manifests of Go's modules, where what joins them has changed."""
        if not any(path.rpartition("/")[2] == "go.work" for path in suspect):
            return {}
        paths = [path for path in await files_at(self._repository, tree) if path.endswith("go.mod")]
        texts = await contents(self._repository, tree, paths)
        return {path: held.decode("utf-8", "replace") for path, held in texts.items()}

    def _concerns(self, path: str) -> bool:
        name = folded(path).rpartition("/")[2]
        kept = kind_of(path, self._protection.named) is not None or injects(path) or steers_agents(path)
        return kept or is_manifest(path) or name.endswith((".py", ".pyd")) or name == "entry_points.txt"

    async def _unseen(self) -> list[str]:
        """List files that git ignores and that would steer the tests all the same."""
        question = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard")
        listing = await git(self._root, *question, environment=self._located)
        paths = [os.fsdecode(name) for name in listing.stdout.split(b"\0") if name]
        return [path for path in paths if self._steers(path)]

    def _steers(self, path: str) -> bool:
        *folders, name = path.split("/")
        environments = ["/".join(folders[: count + 1]) for count in range(len(folders))]
        if any(part in _FOREIGN for part in folders):
            return False
        if any((self._root / folder / "pyvenv.cfg").is_file() for folder in environments):
            return False
        return folded(name) == "conftest.py" or name in STEERING or injects(path) or steers_agents(path)

    def _ignored(self, paths: Iterable[str]) -> dict[str, bytes]:
        return {path: (self._root / path).read_bytes() for path in paths if (self._root / path).is_file()}

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
        if paths:
            await self._on(index, paths, "reset", "--quiet", self._base)
        return Tree((await git(self._root, "write-tree", environment=self._at(index))).text)

    async def _restore(self, index: Path, paths: tuple[str, ...]) -> None:
        at_base = frozenset(await files_at(self._repository, self._base))
        for path in paths:
            if path not in at_base:
                self._remove(path)
        if back := tuple(path for path in paths if path in at_base):
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

    def _remember(self, key: str, seen: Restored) -> None:
        record = dict(self._read())
        record[key] = record.get(key, Restored()).joined(seen)
        write_atomic(self._record, _RECORD.dump_json(record, indent=1).decode())

    def _read(self) -> Mapping[str, Restored]:
        try:
            return _RECORD.validate_json(self._record.read_bytes())
        except FileNotFoundError:
            return {}
        except ValidationError:  # written by another version; what it saw is in the events already
            return {}


def _said(each: Judged, weighed: Weighed) -> tuple[Finding, ...]:
    """Return the findings about a restored file, with the result of weighing it."""
    kind = kind_of(each.path, ())
    if kind in (Kind.TEST, Kind.DATA) and weighed.reason:
        why = f" Rewritten tests count where they notice all that the old ones noticed: {weighed.reason}."
    elif kind in (Kind.TABLES, Kind.CONFIGURATION) and weighed.lower:
        why = f" Settings count where they demand nothing less: {weighed.lower}."
    else:
        return each.findings
    return tuple(one.model_copy(update={"detail": one.detail + why}) for one in each.findings)


def _key(parent: Commit, tree: Tree) -> str:
    return f"{parent}:{tree}"


async def parent_of(root: Path | str, commit: Commit) -> Commit:
    """Return the first parent of a commit, or the commit itself where it has none."""
    answer = await ask(root, "rev-parse", "--verify", "--quiet", f"{commit}^1")
    return Commit(answer.text) if answer.ok else commit
