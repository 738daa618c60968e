"""The folder outside the repository in which its work copies and measured copies lie.

Test runners such as jest look for tests in every folder below the repository, so copies of the project must
not lie there. They lie in the cache folder of the user, in a folder that is named by an id. The id is kept in
the state, so it moves with the repository. A copied repository holds the same id; it takes a new one.
"""

from __future__ import annotations

import re
import secrets
import shutil
import sys
from pathlib import Path

from pydantic import Field, ValidationError

from setpoint.errors import SettingsError, WorkspaceError
from setpoint.model.ids import TraceId
from setpoint.model.value import Value
from setpoint.settings import Settings, inherited
from setpoint.system.files.atomic import write_atomic
from setpoint.system.files.locks import RunLocks, locked_file

RECORD = "repository.json"
"""In the state: which folder of the cache is used. In that folder: which state uses it."""
TREES = "trees"
PACKAGES = "node_modules"
_ALL = "*\n"
"""Ignore rules that hide all files."""
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by Setpoint; see https://bford.info/cachedir/\n"
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


class _Identity(Value):
    """What the state says about its repository."""

    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,80}$")
    """Name of its folder in the cache."""
    root: str
    """Where the repository was when it was opened last."""


class _Holder(Value):
    """What a folder of the cache says about its owner."""

    state: str
    """The state folder of the repository that uses it."""


def cache_folder(settings: Settings, root: Path) -> Path:
    """Name the folder for the copies of all repositories: the setting, else one in the user's cache folder.

    A relative `cache_dir` is taken from the root of the repository.
    """
    named = Path(inherited(("XDG_CACHE_HOME",)).get("XDG_CACHE_HOME", ""))
    try:
        if settings.cache_dir:
            return (root / Path(settings.cache_dir).expanduser()).absolute()
        if named.is_absolute():
            return named / "setpoint"
        caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
        return Path.home() / caches / "setpoint"
    except RuntimeError as error:
        message = f"there is no home folder to keep work copies in: {error}"
        raise SettingsError(message, hint="set SETPOINT_CACHE_DIR to a folder you can write to") from None


def copies_folder(root: Path, state: Path, cache: Path) -> Path:
    """Make the folder for the copies of a repository below `cache`, or find it again; gives its path.

    A repository that was moved keeps its folder, a copy of a repository gets one of its own. Raises
    `WorkspaceError` where the cache folder cannot be written to, or holds the repository itself.
    """
    if root.resolve().is_relative_to(cache.resolve()):
        raise WorkspaceError(
            f"{cache} cannot be the cache folder: the repository {root} lies in it",
            hint="set cache_dir (SETPOINT_CACHE_DIR) to a folder of its own",
        )
    try:
        identity = _identity(state)
        if identity is None or identity.root != str(root) or not _held(cache, identity.id, state):
            with locked_file(cache / "repositories.lock"):
                identity = _claimed(root, state, cache)
        trees = cache / identity.id / TREES
        trees.mkdir(exist_ok=True)
        _mark_as_cache(cache)
        _show_packages(root, trees)
    except OSError as error:
        raise WorkspaceError(
            f"{cache}: the folder for work copies cannot be made: {error.strerror or error}",
            hint="make it writable, or set cache_dir (SETPOINT_CACHE_DIR) to a folder that is",
        ) from error
    return trees


def known_copies(state: Path, cache: Path) -> Path:
    """Name the folder for the copies of a repository whose state cannot be written to; makes nothing."""
    identity = _identity(state)
    return cache / (identity.id if identity else "unknown") / TREES


def _claimed(root: Path, state: Path, cache: Path) -> _Identity:
    """Take the folder that the state names, or a new one where another repository has it."""
    known = _identity(state)
    if known is None:
        _remove_former_copies(state)
    taken = known is not None and _taken(cache, known.id, state)
    key = f"{_UNSAFE.sub('-', root.name)[:40]}-{secrets.token_hex(4)}" if known is None or taken else known.id
    if known is None or known.root != str(root):
        from setpoint.system.git.clone import git_directory  # noqa: PLC0415 - for a repository's first verb
        from setpoint.workspace.run_repository import (  # noqa: PLC0415 - as above
            borrow_from,
            snapshot_repositories,
        )

        objects = git_directory(root) / "objects"
        for store in snapshot_repositories(state):
            borrow_from(store, objects)
    (cache / key).mkdir(mode=0o700, exist_ok=True)  # it holds the code of a repository that may be private
    write_atomic(cache / key / RECORD, _Holder(state=str(state.resolve())).model_dump_json())
    identity = _Identity(id=key, root=str(root))
    write_atomic(state / RECORD, identity.model_dump_json())
    return identity


def may_take(folder: Path, state: Path) -> bool:
    """Whether a work copy in any cache folder is of this repository: no other one that exists has it."""
    holder = next((held for each in folder.parents if (held := _holder(each)) is not None), None)
    return holder is None or holder.state == str(state.resolve()) or not Path(holder.state).is_dir()


def _taken(cache: Path, key: str, state: Path) -> bool:
    """Whether another repository that is still at its place uses a folder of the cache."""
    holder = _holder(cache / key)
    if holder is None:
        return False
    other = Path(holder.state)
    theirs = _identity(other)
    return theirs is not None and theirs.id == key and not other.samefile(state)


def _held(cache: Path, key: str, state: Path) -> bool:
    holder = _holder(cache / key)
    return holder is not None and holder.state == str(state.resolve())


def _identity(state: Path) -> _Identity | None:
    try:
        return _Identity.model_validate_json((state / RECORD).read_bytes())
    except (FileNotFoundError, NotADirectoryError, PermissionError, ValidationError):
        return None


def _holder(folder: Path) -> _Holder | None:
    try:
        return _Holder.model_validate_json((folder / RECORD).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _remove_former_copies(state: Path) -> None:
    """Remove measured copies that an older version left in the state, where test runners find them.

    Work copies stay: an agent's session may hang on the path. So does what a living process measures.
    """
    owner = RunLocks(state).owner
    for place in (state / "measured").glob("run-*"):
        trace, _, _ = place.name.partition(".")
        if owner(TraceId(trace)) is None:
            shutil.rmtree(place, ignore_errors=True)
            shutil.rmtree(state / "repositories" / f"{place.name}.git", ignore_errors=True)


def _mark_as_cache(cache: Path) -> None:
    """Have backups leave the folder out, and git too where it lies in a repository.

    Elsewhere it must hold no ignore rules: some tools obey those of every folder above a measured tree, and
    would look at nothing and report nothing.
    """
    if not (cache / "CACHEDIR.TAG").exists():
        write_atomic(cache / "CACHEDIR.TAG", _TAG, flush=False)
    rules = cache / ".gitignore"
    if any((folder / ".git").exists() for folder in cache.resolve().parents):
        if not rules.exists():
            write_atomic(rules, _ALL, flush=False)
    elif rules.is_file() and rules.read_text("utf-8", "replace") == _ALL:  # of an older version
        rules.unlink(missing_ok=True)


def _show_packages(root: Path, trees: Path) -> None:
    """Let Node find the packages installed in the repository, and in a folder above it, from the copies.

    Node looks for `node_modules` in every folder above a file.
    """
    above = next((path for path in root.parents if (path / PACKAGES).is_dir()), None)
    for folder, source in ((trees, root), (trees.parent, above)):
        link, wanted = folder / PACKAGES, source / PACKAGES if source else None
        if wanted is not None and not wanted.is_dir():
            wanted = None
        held = link.readlink() if link.is_symlink() else None
        if held == wanted:
            continue
        link.unlink(missing_ok=True)
        if wanted is not None:
            link.symlink_to(wanted)
