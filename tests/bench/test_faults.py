"""The table of faults is whole, and part of it is tried here as `bench/faults.py` does."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
TRIED = (
    "shallow clone",
    "story not UTF-8",
    "no repository",
    "record is no database",
    "record cut in half",
    "record empty",
    "record newer",
    "record gone",
    "check killed always",
)


@pytest.fixture(scope="module")
def faults():
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(BENCH))
        yield importlib.import_module("faults")


@pytest.fixture(scope="module")
def folder(faults, tmp_path_factory):
    made = tmp_path_factory.mktemp("faults")
    faults.template(made)
    return made


def test_there_are_sixty_situations_and_each_has_its_name(faults):
    names = [each.name for each in faults.SITUATIONS]
    assert len(names) >= 60
    assert len({*names}) == len(names)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", TRIED)
def test_no_traceback_nothing_lost_nothing_wrongly_billed(faults, folder, name):
    (situation,) = (each for each in faults.SITUATIONS if each.name == name)
    found = faults.tried(situation, folder, ("doctor", "show", "check"))
    assert {each.verb for each in found} >= {"doctor", "show", "check", "record"}
    assert [(each.verb, each.faults, each.said) for each in found if each.faults] == []
