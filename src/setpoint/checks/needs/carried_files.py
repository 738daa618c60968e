"""What checks need of the user's tree that git does not hold: submodules, ignored files and variables."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from setpoint.errors import SettingsError
from setpoint.model.config.local_needs import CopySettings, EnvironmentSettings, Needs
from setpoint.settings import inherited
from setpoint.system.files.atomic import write_atomic
from setpoint.system.files.untrusted_folder import entered
from setpoint.system.git.git import ask, names_of
from setpoint.system.git.ignore_rules import is_environment

INCLUDED = ".worktreeinclude"
"""Names, as ignore rules do, what a copy of the tree needs though git ignores it."""
CACHES = frozenset({"__pycache__", ".git", ".setpoint", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
NO_MODULE = re.compile(r"No module named '?([\w.]+)")
_NO_NAME = re.compile(r"cannot import name '(\w+)' from (?:partially initialized module )?'([\w.]+)'")
UP = "../"
"""Begins the name of what lies beside the tree; copies get a link to it, through which nothing is written."""
FAR = "../../"
"""Begins the name of what lies two folders above: only a full copy has a link to it."""
_MOST_BESIDE = 500
MOST_FOUND = 3
"""How often a tree is measured again with what its failing tests turned out to need."""
_FOUND = "found_needs.json"
_IGNORED = ("ls-files", "-z", "--others", "--ignored")


def fingerprint_of(needs: Needs, root: Path) -> str:
    """Return a text that changes whenever a needed file or variable does; empty where none is needed."""
    if not needs:
        return ""
    seen = hashlib.sha256()
    for path in needs.files:
        with contextlib.suppress(OSError):
            stamp = (root / path).stat()
            text = f"{path}\0{stamp.st_size}\0{stamp.st_mtime_ns}\n"
            seen.update(text.encode("utf-8", "surrogateescape"))
    for name, value in sorted(inherited(needs.variables).items()):
        seen.update(f"{name}\0{value}\n".encode("utf-8", "surrogateescape"))
    seen.update(needs.build.encode())
    return seen.hexdigest()


async def needs_of(root: Path, state: Path, copied: CopySettings, environment: EnvironmentSettings) -> Needs:
    """Return what the settings, `.worktreeinclude` and earlier measurements say that checks need."""
    listed = [each for each in copied.files if each.startswith(UP)]
    if far := next((each for each in listed if each.startswith(FAR)), ""):
        raise SettingsError(
            f"copy.files: {far!r} lies two folders above the root; copies link what lies beside it alone",
            hint="let the tests look for it beside the root, and name it as ../NAME",
        )
    if globs := [f":(top,glob){each}" for each in copied.files if not each.startswith(UP)]:
        listed += names_of((await ask(root, *_IGNORED, "--exclude-standard", "--", *globs)).stdout)
    if (root / INCLUDED).is_file():
        named = (await ask(root, *_IGNORED, f"--exclude-from={INCLUDED}")).stdout
        listed += (
            names_of((await ask(root, "check-ignore", "-z", "--stdin", stdin=named)).stdout) if named else []
        )
    wanted = Needs(files=tuple(sorted(set(listed))), variables=environment.passed, build=copied.build)
    wanted = wanted.and_those(found_needs(state)) if copied.found == "carry" else wanted
    set_here = inherited(wanted.variables)
    # What is not there cannot be given, and nothing must say that it is.
    gone = [path for path in wanted.files if not os.access(root / path, os.R_OK)]
    return wanted.without((*gone, *(name for name in wanted.variables if name not in set_here)))


def found_needs(state: Path) -> Needs:
    """Return what earlier measurements found that tests need."""
    try:
        return Needs.model_validate_json((state / _FOUND).read_bytes())
    except (FileNotFoundError, ValidationError):
        return Needs()


def remember(state: Path, found: Needs) -> None:
    """Keep what a measurement found that tests need."""
    write_atomic(state / _FOUND, found_needs(state).and_those(found).model_dump_json())


def beside(root: Path, up: str = UP) -> list[str]:
    """Name what lies beside a tree, as `carry` takes it; or beside the folder that holds it (`FAR`)."""
    own = root if up == UP else root.parent
    with os.scandir(own.parent) as entries:
        found = [f"{up}{entry.name}" for entry in entries if entry.name != own.name]
    return found[:_MOST_BESIDE] if own != own.parent else []


async def ignored_files(root: Path) -> list[str]:
    """List the files of a tree that git ignores, without caches and installed packages."""
    listing = await ask(root, *_IGNORED, "--exclude-standard")
    return await asyncio.to_thread(lambda: [each for each in names_of(listing.stdout) if _own(root, each)])


async def left_out(root: Path) -> frozenset[str]:
    """Return the tracked files that a sparse checkout leaves out of a tree."""
    if (await ask(root, "config", "--bool", "core.sparseCheckout")).text != "true":
        return frozenset()
    listed = names_of((await ask(root, "ls-files", "-z", "-t")).stdout)
    return frozenset(each[2:] for each in listed if each.startswith("S ") and not (root / each[2:]).exists())


async def empty_folders(root: Path) -> list[str]:
    """List the folders of a tree that hold no file, which git cannot keep; each ends with a slash."""
    words = ("ls-files", "-z", "--others", "--directory", "--exclude-standard")
    listed = [
        *names_of((await ask(root, *words)).stdout),
        *names_of((await ask(root, *words, "--ignored")).stdout),
    ]
    return await asyncio.to_thread(lambda: [leaf for each in listed for leaf in _empty_in(root, each)])


def _empty_in(root: Path, listed: str) -> list[str]:
    found = []
    for folder, inner, files in os.walk(root / listed) if listed.endswith("/") else ():
        if files or is_environment(Path(folder)) or CACHES.intersection(Path(folder).parts):
            return []
        found += [] if inner else [f"{os.path.relpath(folder, root)}/"]
    return found


def _own(root: Path, path: str) -> bool:
    """Whether an ignored file belongs to no cache and no folder of installed packages."""
    *folders, _ = path.split("/")
    inside = [root / "/".join(folders[: count + 1]) for count in range(len(folders))]
    return CACHES.isdisjoint(folders) and not any(map(is_environment, inside))


def asks_for(said: str, path: str) -> bool:
    """Whether a message names a file, or the module of Python that it is.

    >>> asks_for("ModuleNotFoundError: No module named 'pkg._version'", "src/pkg/_version.py")
    True
    >>> asks_for("cannot import name '_version' from 'pkg' (/x/pkg/__init__.py)", "pkg/_version.py")
    True
    >>> asks_for("No module named 'pkg._fast'", "pkg/_fast.cpython-311-x86_64-linux-gnu.so")
    True
    >>> asks_for("No module named 'dep'", "src/dep/")
    True
    """
    if re.search(rf"(?<![\w.-]){re.escape(path.rstrip('/'))}(?![\w-])", said):
        return True
    stem, dot, _ = path.rpartition(".")
    if not dot and not path.endswith("/"):
        return False
    if re.search(rf"['\"]\.{{1,2}}/(?:[^'\"]*/)?{re.escape(stem.rpartition('/')[2])}(?:\.\w+)?['\"]", said):
        return True
    modules = {*NO_MODULE.findall(said), *(f"{module}.{name}" for name, module in _NO_NAME.findall(said))}
    folder, slash, name = path.rstrip("/").rpartition("/")
    dotted = f".{folder}{slash}{name.partition('.')[0]}".replace("/", ".").removesuffix(".__init__")
    return path.endswith((".py", ".so", ".pyd", "/")) and any(dotted.endswith(f".{each}") for each in modules)


async def carry(root: Path, place: Path, files: Collection[str]) -> None:
    """Copy ignored files of the user's tree to another tree; what the work itself has there stays."""
    if files:
        await asyncio.to_thread(_carry, root, place, files)


def _carry(root: Path, place: Path, files: Iterable[str]) -> None:
    for path in files:
        if path.startswith(UP):
            up, name = (1, path[len(FAR) :]) if path.startswith(FAR) else (0, path[len(UP) :])
            link, name = place.parents[up], name.partition("/")[0]
            if not os.path.lexists(link / name):
                (link / name).symlink_to(root.parents[up] / name)
            continue
        *folders, name = PurePosixPath(path).parts
        # The work may have put a link there: it is not followed. What is gone by now is left.
        with contextlib.suppress(OSError), entered(place, folders, make=True):
            target = place.joinpath(*folders, name)
            source = root / path
            if os.path.lexists(target):
                continue
            if source.is_dir() and source.is_symlink():
                target.symlink_to(source.resolve())
            elif source.is_dir():  # a repository inside, of which git lists no files
                shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
            else:
                shutil.copy2(source, target)
