"""The engine in a process of its own, where Setpoint cannot be imported."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probe.conftest import answered, end_of, live, project, reach
from setpoint_mechanic.engine.wire.cover import CoverRequest
from setpoint_mechanic.engine.wire.order import argv_of, read_cover, read_result
from setpoint_mechanic.engine.wire.repair import Request, Result

__all__ = ["live", "project", "reach"]


@pytest.fixture
def repair(tmp_path: Path) -> Callable[..., Result]:
    """Run the engine by its path in a process of its own, where Setpoint cannot be imported."""

    def run(root: Path, *failing: str, environment: dict[str, str] | None = None, **keys: Any) -> Result:
        keys = {"cpu_s": 20.0, "wall_s": 60.0, "extra_s": 0.1, "max_patches": 2, **keys}
        request = Request(tree=str(root), failing=failing, **keys)
        asked, answered = tmp_path / "request.json", tmp_path / "result.json"
        end_of(argv_of(sys.executable, request, asked, answered), environment)
        return read_result(answered)

    return run


@pytest.fixture(scope="session")
def cover(reach):
    """Have tests written for what nothing reaches; gives the result, with the tests in their place."""

    def run(root, file, module, **keys):
        (missed,) = reach(root, file).files
        scratch = root.parent / f"{root.name}-cover"
        keys = {"wall_s": 6.0, "repeats": 3, **keys}
        request = CoverRequest(
            tree=str(root),
            file=file,
            module=module,
            target="tests/test_pinned.py",
            missed_lines=missed.missed_lines,
            missed_branches=missed.missed_branches,
            scratch=str(scratch),
            **keys,
        )
        result = answered(request, read_cover, argv_of)
        if result.text:
            (root / "tests").mkdir(exist_ok=True)
            (root / "tests" / "test_pinned.py").write_text(result.text, "utf-8")
        return result

    return run
