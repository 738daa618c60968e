"""Runs the probe by its path, in an interpreter where Setpoint is not installed.

    python <probe> [--lent FOLDER] [--engine FOLDER] WORK REQUEST RESULT

Its directory is loaded as a package under a private name: none of its modules shadows one of the project.
With `--engine`, an engine that stands on the probe is loaded in the same way, and WORK is a module of it.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

_PUBLIC_NAME = "setpoint_probe"
_PRIVATE_NAME = "_setpoint_probe"
_ENGINE_NAME = "_setpoint_engine"
_WORKS = {"score": "mutants.score", "reach": "reach.reach"}
"""The probe's own modules by the word for them."""


class _Probe(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Lets an engine import the probe by its public name: it is given the modules of the private one."""

    def __init__(self) -> None:
        self._own: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        own = fullname.partition(".")[0] == _PUBLIC_NAME
        return importlib.util.spec_from_loader(fullname, self) if own else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(_PRIVATE_NAME + spec.name[len(_PUBLIC_NAME) :])
        self._own[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it was before the import system took it for a new one."""
        module.__spec__ = self._own[module.__spec__.name] if module.__spec__ else None


def _loaded(name: str, folder: Path) -> bool:
    """Load a directory as a package of this name."""
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None or not folder.is_dir():
        sys.stderr.write(f"the engine's files are not in {folder}\n")
        return False
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    spec.loader.exec_module(package)
    return True


def _of_engine(work: str) -> ModuleType:
    """Import a module of the engine; afterwards the probe's public name is the project's again."""
    probe = _Probe()
    sys.meta_path.insert(0, probe)
    try:
        return importlib.import_module(f"{_ENGINE_NAME}.{work}")
    finally:
        sys.meta_path.remove(probe)
        for name in [each for each in sys.modules if each.partition(".")[0] == _PUBLIC_NAME]:
            del sys.modules[name]


def _start() -> int:
    here = Path(__file__).resolve().parent
    sys.path[:] = [path for path in sys.path if path and Path(path).resolve() != here]
    words = sys.argv[1:]
    options: dict[str, str] = {}
    while words[:1] in (["--lent"], ["--engine"]) and len(words) > 1:
        options[words[0]], words = words[1], words[2:]
    engine, work = options.get("--engine"), words[0] if words else ""
    if not work or (engine is None and work not in _WORKS):
        sys.stderr.write(
            f"usage: probe [--lent FOLDER] [--engine FOLDER] {'|'.join(_WORKS)} REQUEST RESULT\n"
        )
        return 2
    if not _loaded(_PRIVATE_NAME, here) or (engine and not _loaded(_ENGINE_NAME, Path(engine).resolve())):
        return 4
    if "--lent" in options and importlib.util.find_spec("pytest") is None:
        sys.path.append(options["--lent"])
    try:
        import pytest  # noqa: F401, PLC0415 - tried here, where its absence can be said
    except (ImportError, SyntaxError) as error:
        sys.stderr.write(f"{sys.executable} has no pytest that works in it: {error}\n")
        return int(importlib.import_module(f"{_PRIVATE_NAME}.wire.exchange").CANNOT_RUN)
    module = _of_engine(work) if engine else importlib.import_module(f"{_PRIVATE_NAME}.{_WORKS[work]}")
    return int(module.main(words[1:]))


if __name__ == "__main__":
    sys.exit(_start())
