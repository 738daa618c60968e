"""What foreign code may read of a repository: a commit, its ancestors, and their names.

An agent or a test that could read all objects of the user's repository would find other branches, other
attempts and solutions that were delivered before. So each base commit has a repository of its own in the
cache, filled with what can be reached from that commit. One whose base lies in the history of another lends
its objects to it, never the other way round: what came later stays unknown to work that began earlier.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from setpoint.model.ids import Commit
from setpoint.system.files.atomic import write_atomic_bytes
from setpoint.system.git.clone import PROMISORS, git_directory
from setpoint.system.git.git import ask, git
from setpoint.system.git.separate_repository import READY, around

BASE = "refs/setpoint-state/base"
"""In a repository of Setpoint's: the commit whose history may be shown of it."""
FOLDER = "histories"
"""Beside the work copies and the places for measuring."""
NOTED = "setpoint-history"
SHOWN = "setpoint-shown"
"""In a repository of Setpoint's: the packs that foreign code has of it beside the history."""
LENDERS = "setpoint-lenders"
"""In a history: the folders of objects of those that it borrows from."""
MOST_LENDERS = 20
"""A history that would borrow from more others is filled whole, because each is one more place to look in."""
UNUSED_S = 30 * 24 * 3600.0
_NAMES = "--format=%(objectname) %(refname) %(objecttype)"
_PACK = ("pack-objects", "--quiet", "--revs", "--delta-base-offset", "--window=0")
"""Without a search for smaller packs: what was packed is taken over as it is."""


class History(NamedTuple):
    """The part of a repository that foreign code may read."""

    base: Commit
    directory: Path
    """A bare repository with the objects, and with what else those who borrow need to know (`shallow`)."""
    names: bytes
    """Branches and tags at the base or an ancestor, as git keeps them in `packed-refs`."""

    def note(self, repository: Path) -> None:
        """Note in a repository of Setpoint's which part of it may be shown."""
        write_atomic_bytes(
            repository / NOTED, os.fsencode(f"{self.base}\n{self.directory}\n") + self.names, flush=False
        )

    def lends(self, own: Path) -> bool:
        """Whether the repository at `own` borrows the history and nothing else."""
        file = own / "objects" / "info" / "alternates"
        return file.is_file() and file.read_bytes() == self._lent()

    def lend(self, own: Path) -> None:
        """Have the repository at `own` borrow the history and nothing else."""
        put(own / "objects" / "info" / "alternates", self._lent())
        put(own / "packed-refs", self.names)
        if (self.directory / "shallow").is_file():
            put(own / "shallow", (self.directory / "shallow").read_bytes())
        else:
            (own / "shallow").unlink(missing_ok=True)

    def _lent(self) -> bytes:
        # Git follows a chain of repositories no further than the fifth, so all are named here.
        return _lent_by(self.directory)


def noted_history(repository: Path) -> History | None:
    """Return the history that was noted in a repository of Setpoint's, as long as all of it is there."""
    try:
        base, place, names = (repository / NOTED).read_bytes().split(b"\n", 2)
        directory = Path(os.fsdecode(place))
    except (OSError, ValueError):
        return None
    return History(Commit(base.decode()), directory, names) if _whole(directory) else None


async def history_of(source: Path, place: Path, base: Commit | None = None) -> History:
    """Return the history of a commit of a repository, for a work copy or a place for measuring.

    Its objects lie beside these and are brought there where they are missing. Without a base it is the one
    that the repository names, else what is checked out there.
    """
    base = base or await _base_of(source)
    place = around(place) / FOLDER / f"{base}.git"
    listed = (await git(source, "for-each-ref", _NAMES, f"--merged={base}", "refs/heads", "refs/tags")).text
    names = [line.split() for line in listed.splitlines()]
    tags = [name for name, _, kind in names if kind == "tag"]
    packed = os.fsencode("".join(f"{name} {ref}\n" for name, ref, _ in names))
    if _whole(place):
        await _take_tags(source, place, base, tags)
        (place / READY).touch()
    else:
        await _make(source, place, base, tags)
    return History(base, place, packed)


def complete_history(copies: Path, base: Commit) -> Path | None:
    """Return the repository with the history of a commit in a folder of copies, if it is complete."""
    place = copies / FOLDER / f"{base}.git"
    return place if _whole(place) else None


def borrowed(work_tree: Path | str) -> list[Path]:
    """Return the folders of objects, there and real, that the repository in a work tree borrows."""
    try:
        lines = (Path(work_tree) / ".git" / "objects" / "info" / "alternates").read_bytes().splitlines()
    except OSError:
        return []
    return [path.resolve() for path in map(Path, map(os.fsdecode, lines)) if path.is_dir()]


async def show_objects(source: Path, own: Path, commit: Commit, base: Commit) -> None:
    """Copy what a commit holds beyond the history of its base to the repository at `own`, as one pack.

    Packs that were copied there for another commit go. No git runs in the repository of foreign code.
    """
    packs, noted = own / "objects" / "pack", source / SHOWN
    former = noted.read_text("utf-8").split() if noted.is_file() else []
    made = ""
    if commit != base:
        asked = f"{commit}\n^{base}\n".encode()
        made = (await git(source, *_PACK, str(source / f"{SHOWN}.new"), stdin=asked)).text
    wanted = [made] if made else []
    await asyncio.to_thread(_exchange, packs, noted.parent, former, wanted)
    if former != wanted:
        write_atomic_bytes(noted, made.encode(), flush=False)


def _exchange(packs: Path, from_folder: Path, former: Collection[str], wanted: Collection[str]) -> None:
    for name in set(former) - set(wanted):
        for ending in ("idx", "pack"):
            (packs / f"pack-{name}.{ending}").unlink(missing_ok=True)
    for name in wanted:
        for ending in ("pack", "idx"):  # the index last: from then on git reads the pack
            made = from_folder / f"{SHOWN}.new-{name}.{ending}"
            put(packs / f"pack-{name}.{ending}", made.read_bytes())
            made.unlink()


async def _base_of(source: Path) -> Commit:
    named = await ask(source, "rev-parse", "--verify", "--quiet", f"{BASE}^{{commit}}")
    return Commit(named.text if named.ok else (await git(source, "rev-parse", "HEAD^{commit}")).text)


async def _take_tags(source: Path, place: Path, base: Commit, tags: Collection[str]) -> None:
    """Bring tags that were made since: the objects that say so, for the commits are there."""
    if not tags:
        return
    asked = "".join(f"{tag}\n" for tag in tags).encode()
    answers = (await git(place, "cat-file", "--batch-check", stdin=asked)).text.splitlines()
    if new := [line.split()[0] for line in answers if line.endswith(" missing")]:
        wanted = "".join((*(f"{tag}\n" for tag in new), f"^{base}\n")).encode()
        packed = await git(source, *_PACK, "--stdout", stdin=wanted)
        await git(place, "unpack-objects", "-q", stdin=packed.stdout)


async def _make(source: Path, place: Path, base: Commit, tags: Collection[str]) -> None:
    """Fill a repository with the history of a commit, under another name until it is complete."""
    place.parent.mkdir(parents=True, exist_ok=True)
    await asyncio.to_thread(_remove_unused, place.parent)
    kind = (await git(source, "rev-parse", "--show-object-format")).text
    made = Path(tempfile.mkdtemp(prefix=f".{base}.", suffix=".part", dir=place.parent))
    try:
        await git(made, "init", "--quiet", "--bare", f"--object-format={kind}", ".")
        directory = git_directory(source)
        partial = bool((await ask(source, *PROMISORS)).text)
        # A partial clone may fetch what an older history lacks, so none lends to another there.
        lender = None if partial else await _lender(source, place, base)
        borrowed = made / "objects" / "info" / "alternates"
        borrowed.write_bytes(os.fsencode(f"{directory / 'objects'}\n"))
        ends = [path / "shallow" for path in (directory, *([lender] if lender else []))]
        shallow = sorted({line for path in ends if path.is_file() for line in path.read_text().split()})
        if shallow:
            (made / "shallow").write_text("".join(f"{line}\n" for line in shallow), "utf-8")
        words = [
            *_PACK,
            *(["--missing=allow-any"] if partial else []),
            str(made / "objects" / "pack" / "pack"),
        ]
        asked = [base, *tags, *([f"^{lender.name.removesuffix('.git')}"] if lender else [])]
        await git(made, *words, stdin="".join(f"{each}\n" for each in asked).encode())
        (made / LENDERS).write_bytes(_lent_by(lender) if lender else b"")
        if shallow:
            borrowed.write_bytes((made / LENDERS).read_bytes())
            await _end_where_history_ends(made, shallow)
        borrowed.unlink()
        (made / READY).touch()
        if not _whole(place):  # nobody was faster
            with contextlib.suppress(FileNotFoundError):
                place.rename(made.with_suffix(".former.part"))
            made.rename(place)
    except OSError:
        if not _whole(place):
            raise
    finally:
        shutil.rmtree(made.with_suffix(".former.part"), ignore_errors=True)
        shutil.rmtree(made, ignore_errors=True)


async def _end_where_history_ends(made: Path, shallow: Collection[str]) -> None:
    """Keep only those ends of a shallow history that are there."""
    asked = "".join(f"{each}\n" for each in shallow).encode()
    answers = (await git(made, "cat-file", "--batch-check", stdin=asked)).text.splitlines()
    there = [line.split()[0] for line in answers if not line.endswith(" missing")]
    (made / "shallow").write_text("".join(f"{each}\n" for each in there), "utf-8")
    if not there:
        (made / "shallow").unlink()


async def _lender(source: Path, place: Path, base: Commit) -> Path | None:
    """Find a history that lies within that of the base, the one used last first."""
    ready = sorted(place.parent.glob(f"*.git/{READY}"), key=lambda path: _age_s(path, 0.0))
    for other in (path.parent for path in ready[:MOST_LENDERS]):
        if other == place or not _whole(other) or _lent_by(other).count(b"\n") >= MOST_LENDERS:
            continue
        older = other.name.removesuffix(".git")
        if (await ask(source, "merge-base", "--is-ancestor", older, base)).ok:
            return other
    return None


def _lent_by(place: Path) -> bytes:
    """Return the folders of objects that make up a history, a line each: its own and its lenders'."""
    file = place / LENDERS
    return os.fsencode(f"{place / 'objects'}\n") + (file.read_bytes() if file.is_file() else b"")


def _whole(place: Path) -> bool:
    """Whether a history is there with all that it borrows from; a user may clear parts of a cache."""
    return (place / READY).is_file() and all(map(os.path.isdir, _lent_by(place).splitlines()))


def _remove_unused(folder: Path) -> None:
    """Remove histories that nobody asked for in a long time, and that lend to no other that is kept."""
    now_s = time.time()
    kept = {path.parent for path in folder.glob(f"*.git/{READY}") if _age_s(path, now_s) < UNUSED_S}
    lend = {os.fsdecode(line) for path in kept for line in _lent_by(path).splitlines()}
    for place in folder.glob("*.git"):
        if str(place / "objects") not in lend and _age_s(place, now_s) > UNUSED_S:
            shutil.rmtree(place, ignore_errors=True)
    for left in folder.glob(".*.part"):
        if _age_s(left, now_s) > UNUSED_S:
            shutil.rmtree(left, ignore_errors=True)


def _age_s(path: Path, now_s: float) -> float:
    try:
        return now_s - path.stat().st_mtime
    except OSError:
        return 0.0


def put(path: Path, data: bytes) -> None:
    """Replace a file without following a link; not flushed to disk, because it can be made again."""
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.unlink(missing_ok=True)
    unfinished.write_bytes(data)
    unfinished.replace(path)
