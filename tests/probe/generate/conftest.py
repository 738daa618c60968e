"""The engine run by its path, as the product runs it, in a project of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from probe.conftest import ENVIRONMENT
from setpoint_probe.wire.cover import CoverRequest, ReachRequest
from setpoint_probe.wire.cover_order import argv_of, read_cover, read_reach


def answered(request, read):
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
        result = answered(request, read_cover)
        if result.text:
            (root / "tests").mkdir(exist_ok=True)
            (root / "tests" / "test_pinned.py").write_text(result.text, "utf-8")
        return result

    return run
