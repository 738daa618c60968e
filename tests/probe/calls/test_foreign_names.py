"""What code changes outside of its project, told from what is merely imported meanwhile."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from setpoint_probe.calls.foreign_names import ForeignNames


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A loaded module that does not belong to the project."""
    module = ModuleType("stranger")
    monkeypatch.setitem(sys.modules, "stranger", module)
    return module


def test_functions_of_frozen_modules_are_not_the_projects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stranger: ModuleType
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ForeignNames(str(tmp_path))
    code = compile("def joined(): pass", "<frozen genericpath>", "exec")
    exec(code, vars(stranger))
    vars(stranger)["joined"].__module__ = "genericpath"
    assert names.altered() == []


def test_functions_of_the_project_that_others_hold_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stranger: ModuleType
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ForeignNames(str(tmp_path))
    code = compile("def joined(): pass", str(tmp_path / "shop.py"), "exec")
    exec(code, vars(stranger))
    assert names.altered() == ["stranger.joined"]
