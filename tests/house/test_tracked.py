"""What is published holds no trace of the machine it was made on."""

from __future__ import annotations

import re
from pathlib import Path

from house.source import ROOT, shown, tracked

REGISTRY = re.compile(
    r"https?://[^\s\"'/]*(?:registry\.|pythonhosted|artifactory|nexus|devpi|verdaccio)[^\s\"']*|\"resolved\":"
)
OWN = shown(Path(__file__))


def _texts():
    for path in tracked():
        try:
            yield shown(path), path.read_text("utf-8")
        except UnicodeDecodeError:
            continue


def test_no_path_of_this_machine_is_published():
    places = {str(ROOT), str(Path.home())} - {"/"}
    traces = [f"{name}: {place}" for name, text in _texts() for place in places if f"{place}/" in text]
    assert traces == []


def test_no_registry_host_is_published():
    traces = [
        f"{name}: {hit[0]}" for name, text in _texts() if name != OWN and (hit := REGISTRY.search(text))
    ]
    assert traces == []


def test_no_large_file_is_published():
    large = {shown(path): path.stat().st_size for path in tracked() if path.stat().st_size > 600_000}
    assert large == {}
