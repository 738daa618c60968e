"""Packages with plug-ins, installed in Setpoint's environment for one test."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from setpoint import plugins


@pytest.fixture
def install(tmp_path, monkeypatch):
    modules = []

    def make(module: str, text: str, entries: Mapping[str, Mapping[str, str]]) -> Path:
        folder = tmp_path / "site"
        info = folder / "kit-1.2.dist-info"
        info.mkdir(parents=True)
        (folder / f"{module}.py").write_text(text)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: kit\nVersion: 1.2\n")
        lines = []
        for group, targets in entries.items():
            lines += [f"[{group}]", *(f"{name} = {module}:{target}" for name, target in targets.items())]
        (info / "entry_points.txt").write_text("\n".join(lines))
        monkeypatch.syspath_prepend(str(folder))
        own = plugins._packages
        monkeypatch.setattr("setpoint.plugins._packages", lambda: (*own(), str(folder)))
        modules.append(module)
        return folder

    yield make
    for module in modules:
        sys.modules.pop(module, None)
