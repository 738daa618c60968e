"""Compiled files of an interpreter's packages, shown to held checks in a place that they cannot write to.

Python takes a compiled file from `__pycache__` beside its source; in a measured tree a test could plant one
that says something else than the source. `PYTHONPYCACHEPREFIX` makes Python look for all of them below one
folder. That folder holds links to those of the interpreter and its packages, and nothing of a measured tree.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from setpoint.checks.discovery.interpreter import Interpreter
from setpoint.system.processes import NOT_HELD, hold_identity
from setpoint_probe.plugin import FOLDER

_CACHE = "__pycache__"
_PACKAGES = ("/site-packages", "/dist-packages")
_READY = "ready"
_LASTS_S = 30 * 24 * 3600.0
"""Seconds after which links go that nobody asked for meanwhile."""
_MOST = 12
"""Interpreters whose links are kept at most, the newest."""


def with_bytecode(interpreter: Interpreter, copies: Path) -> Interpreter:
    """Make the links for an interpreter where they are missing, and return it with their folder.

    All repositories share them: they lie beside the folder of the repository with the `copies`. Commands that
    are not held need none, as they can write anywhere.
    """
    if hold_identity() == (NOT_HELD,):
        return interpreter
    place = copies.parent.parent / "bytecode" / interpreter.fingerprint
    ready = place / _READY
    if not ready.is_file():
        _forget_others(place.parent)
        unfinished = Path(tempfile.mkdtemp(prefix=f"{place.name}.", dir=place.parent))
        folders = frozenset((*interpreter.folders, str(FOLDER)))
        for folder in sorted(folders, reverse=True):  # what lies within another one first
            _link(Path(folder), unfinished, folders)
        (unfinished / _READY).touch()
        try:
            if not ready.is_file():  # what a cleaned cache left of it
                shutil.rmtree(place, ignore_errors=True)
            unfinished.rename(place)
        except OSError:  # another process was quicker
            shutil.rmtree(unfinished, ignore_errors=True)
    try:
        os.utime(ready)
    except FileNotFoundError:  # removed this moment; without the links commands only compile more
        return interpreter
    return replace(interpreter, bytecode=str(place))


def _forget_others(folder: Path) -> None:
    """Remove the links for interpreters that nobody used for long."""
    folder.mkdir(mode=0o700, exist_ok=True)
    used = {ready: _used_s(ready) for ready in folder.glob(f"*/{_READY}")}
    newest = sorted(used, key=lambda ready: -used[ready])[: _MOST - 1]
    for ready, used_s in used.items():
        if ready not in newest or time.time() - used_s > _LASTS_S:
            shutil.rmtree(ready.parent, ignore_errors=True)


def _used_s(ready: Path) -> float:
    try:
        return ready.stat().st_mtime
    except FileNotFoundError:  # another process removed it
        return 0.0


def _link(folder: Path, into: Path, others: frozenset[str]) -> bool:
    """Link the compiled files below a folder, and return whether there are any.

    A cache is linked as a whole where no folder below has one, else file by file. Folders of packages have
    their own turn, if the interpreter imports from them.
    """
    try:
        listed = os.scandir(folder)
    except OSError:  # gone meanwhile, or closed to us: nothing is imported from there
        return False
    with listed as entries:
        inner = [each.path for each in entries if each.is_dir(follow_symlinks=False)]
    own, target = str(folder / _CACHE), into / str(folder).lstrip("/")
    below = [
        _link(Path(path), into, others)
        for path in inner
        if path != own and path not in others and not path.endswith(_PACKAGES)
    ]
    if own not in inner:
        return any(below)
    if not any(below) and not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(own)
        return True
    target.mkdir(parents=True, exist_ok=True)
    with os.scandir(own) as entries:
        for each in entries:
            (target / each.name).symlink_to(each.path)
    return True
