"""Runs the engine by its path, in an interpreter where Setpoint is not installed.

The directory is loaded as a package under a private name: none of its modules shadows one of the project.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

_PRIVATE_NAME = "_setpoint_engine"
_WORKS = {
    "score": "mutants.score",
    "reach": "reach.reach",
    "cover": "generate.generate",
    "judge": "generate.judge",
    "shuffle": "generate.replay",
    "fixes": "repair.fixes",
    "calls": "calls.answers",
}
"""Module by the first word; without one of these words, it is a repair."""
_WITHOUT_PYTEST = ("calls.answers",)


def _start() -> int:
    here = Path(__file__).resolve().parent
    sys.path[:] = [path for path in sys.path if path and Path(path).resolve() != here]
    spec = importlib.util.spec_from_file_location(
        _PRIVATE_NAME, here / "__init__.py", submodule_search_locations=[str(here)]
    )
    if spec is None or spec.loader is None:
        sys.stderr.write(f"the engine's files are not in {here}\n")
        return 4
    package = importlib.util.module_from_spec(spec)
    sys.modules[_PRIVATE_NAME] = package
    spec.loader.exec_module(package)
    words = sys.argv[1:]
    if words[:1] == ["--lent"]:
        lent, words = words[1], words[2:]
        if importlib.util.find_spec("pytest") is None:
            sys.path.append(lent)
    work = _WORKS.get(words[0], "") if words else ""
    words = words[1:] if work else words
    try:
        if work not in _WITHOUT_PYTEST:
            import pytest  # noqa: F401, PLC0415 - tried here, where its absence can be said
    except (ImportError, SyntaxError) as error:
        sys.stderr.write(f"{sys.executable} has no pytest that works in it: {error}\n")
        return int(importlib.import_module(f"{_PRIVATE_NAME}.wire.exchange").CANNOT_RUN)
    return int(importlib.import_module(f"{_PRIVATE_NAME}.{work or 'repair.repair'}").main(words))


if __name__ == "__main__":
    sys.exit(_start())
