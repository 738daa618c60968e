"""The engine run by its path, as the product runs it, in a project of its own."""

import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from mutation.conftest import ENVIRONMENT
from setpoint.mutation.cover import argv_of, read_cover, read_reach
from setpoint.mutation.engine.cover.wire import CoverRequest, ReachRequest


@pytest.fixture
def engine(tmp_path):
    """Run one order; gives the answer as its reader gives it."""

    def run(request, read):
        answered = tmp_path / "answer.json"
        argv = argv_of(sys.executable, request, tmp_path / "asked.json", answered)
        done = subprocess.run(argv, capture_output=True, text=True, env=ENVIRONMENT, timeout=110, check=False)
        assert done.returncode == 0, done.stderr
        return read(answered)

    return run


@pytest.fixture
def reach(engine, tmp_path):
    def run(root, *files):
        scratch = tmp_path / "reach"
        scratch.mkdir(exist_ok=True)
        return engine(ReachRequest(tree=str(root), files=files, scratch=str(scratch)), read_reach)

    return run


@pytest.fixture
def cover(engine, reach, tmp_path):
    """Have tests written for what nothing reaches; gives the result, with the tests in their place."""

    def run(root, file, module, **keys):
        (missed,) = reach(root, file).files
        scratch = tmp_path / "cover"
        scratch.mkdir(exist_ok=True)
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
        assert json.loads(json.dumps(asdict(request)))
        result = engine(request, read_cover)
        if result.text:
            (root / "tests").mkdir(exist_ok=True)
            (root / "tests" / "test_pinned.py").write_text(result.text, "utf-8")
        return result

    return run
