from __future__ import annotations

import importlib.util
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

from setpoint.checks.mutation.answer import report_of
from setpoint.model.mutation import MutationReport
from setpoint_probe.wire.order import argv_of, read_reach, read_score
from setpoint_probe.wire.reach import ReachRequest
from setpoint_probe.wire.score import ScoreRequest

_NUMBERS = itertools.count()
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Path]:
    """Write files of a small project, `path=text`, with `__` for a slash in the path."""
    root = tmp_path / "project"

    def make(**files: str) -> Path:
        for name, text in files.items():
            path = root / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text), "utf-8")
        return root

    return make


def end_of(argv: Sequence[str], environment: dict[str, str] | None = None) -> None:
    """Run the engine; it must say at last that it came to its end."""
    words = {**ENVIRONMENT, **(environment or {})}
    done = subprocess.run(argv, capture_output=True, text=True, env=words, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["event"] == "end"


@pytest.fixture
def scored(tmp_path: Path) -> Callable[..., tuple[str, MutationReport]]:
    """Judge mutants by its path in a process of its own, where Setpoint cannot be imported."""

    def run(root: Path, targets: dict[str, tuple[int, ...]], **keys: Any) -> tuple[str, MutationReport]:
        request = ScoreRequest(tree=str(root), targets=targets, **{"wall_s": 60.0, **keys})
        asked, answered = tmp_path / "request.json", tmp_path / "result.json"
        end_of(argv_of(sys.executable, request, asked, answered))
        result = read_score(answered)
        return result.status, report_of(result)

    return run


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Callable[[str], ModuleType]]:
    """Import a module of this text."""
    names: list[str] = []

    def make(text: str) -> ModuleType:
        name = f"live_module_{next(_NUMBERS)}"
        path = tmp_path / f"{name}.py"
        path.write_text(dedent(text), "utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        names.append(name)
        spec.loader.exec_module(module)
        return module

    yield make
    for name in names:
        del sys.modules[name]


def answered(request, read, argv_of=argv_of):
    """Run one order; gives the answer as its reader gives it."""
    folder = Path(request.scratch)
    folder.mkdir(exist_ok=True)
    argv = argv_of(sys.executable, request, folder / "asked.json", folder / "answer.json")
    done = subprocess.run(argv, capture_output=True, text=True, env=ENVIRONMENT, timeout=110, check=False)
    assert done.returncode == 0, done.stderr
    return read(folder / "answer.json")


@pytest.fixture(scope="session")
def reach():
    def run(root, *files):
        scratch = root.parent / f"{root.name}-reach"
        return answered(ReachRequest(tree=str(root), files=files, scratch=str(scratch)), read_reach)

    return run
