"""The table of faults is whole, and part of it is tried as `bench/faults.py` does."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture
def situations(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    return importlib.import_module("fault_situations").SITUATIONS


def test_there_are_sixty_situations_and_each_has_its_name(situations):
    names = [each.name for each in situations]
    assert len(names) >= 60
    assert len({*names}) == len(names)
    assert sum(each.ci for each in situations) >= 10


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_no_traceback_nothing_lost_nothing_wrongly_billed():
    argv = [sys.executable, str(BENCH / "faults.py"), "--ci", "--verbs", "doctor,show,check"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
