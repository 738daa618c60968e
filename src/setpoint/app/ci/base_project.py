"""The project as its base has it: settings, prompts, plug-ins and state never come from the change.

The base is checked out into a folder of its own, and the project is opened there. The change is a commit in
its repository and nothing more, so no file of the change configures Setpoint. Environments and packages that
the job installed into the checkout are linked, unless git tracks them there.
"""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from setpoint.model.ids import Commit
from setpoint.settings import load
from setpoint.system.git.clone import clone_shared, fetch_missing
from setpoint.system.git.git import ask, files_at, git
from setpoint.wiring.project import Project, open_project
from setpoint.workspace.copies_folder import cache_folder

_ENVIRONMENTS = (".venv", "venv")
_PACKAGES = "node_modules"
_SETTINGS = ("setpoint.toml", "pyproject.toml")


@asynccontextmanager
async def base_checkout(root: Path, base: Commit, head: Commit) -> AsyncIterator[Path]:
    """Check the base of a change out into a folder of its own, which is removed afterwards."""
    outer = Path(tempfile.mkdtemp(prefix="setpoint-ci-"))
    try:
        place = outer / root.resolve().name
        for commit in (base, head):
            await fetch_missing(root, commit)
        await clone_shared(root, place, "--no-checkout")
        await git(place, "checkout", "--quiet", "--force", "--detach", base)
        await _link_installed(root, place, base)
        yield place
    finally:
        shutil.rmtree(outer, ignore_errors=True)


def open_base(place: Path, slug: str) -> Project:
    """Open the project at its base; the state lies beside the cache folder, so that a job can keep it."""
    cache = cache_folder(load(place), place)
    state = cache.with_name(f"{cache.name}-ci") / slug
    return open_project(place, {"state_dir": str(state)})


async def changed_settings(root: Path, base: Commit, head: Commit) -> tuple[str, ...]:
    """Name the files with settings of Setpoint that a change edits."""
    found = []
    for name in _SETTINGS:
        texts = [(await ask(root, "cat-file", "blob", f"{each}:{name}")).text for each in (base, head)]
        before, after = texts if name == "setpoint.toml" else map(_table, texts)
        if before != after:
            found.append(name)
    return tuple(found)


def _table(text: str) -> object:
    """Return what a `pyproject.toml` says of Setpoint; its whole text where it cannot be read."""
    try:
        return tomllib.loads(text).get("tool", {}).get("setpoint")
    except (tomllib.TOMLDecodeError, AttributeError):
        return text


async def _link_installed(root: Path, place: Path, base: Commit) -> None:
    packages = [path.rpartition("/")[0] for path in await files_at(root, base) if _is_manifest(path)]
    for name in (*_ENVIRONMENTS, *(f"{folder}/{_PACKAGES}".lstrip("/") for folder in packages)):
        source, target = root / name, place / name
        tracked = (await ask(root, "--literal-pathspecs", "ls-files", "--", name)).stdout
        if source.is_dir() and not tracked and not target.exists() and target.parent.is_dir():
            target.symlink_to(source.absolute(), target_is_directory=True)


def _is_manifest(path: str) -> bool:
    return path.rpartition("/")[2] == "package.json"
