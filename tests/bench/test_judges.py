"""The page and the figures of judges are those of the answers that are kept."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from setpoint.app.runs import judge_costs as shipped

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "bench" / "data" / "judges.jsonl"


@pytest.fixture
def pages(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    return importlib.import_module("judges_page")


def kept():
    return [json.loads(line) for line in KEPT.read_text("utf-8").splitlines()]


def test_page_and_figures_are_written_from_what_is_kept(pages):
    cells = kept()

    assert (ROOT / "docs/how-to/judges-measured.md").read_text("utf-8") == pages.page(cells)
    assert (ROOT / "src/setpoint/agents/judges.toml").read_text("utf-8") == pages.figures(cells)
    assert {each["agent"] for each in cells if each["case"] == "judged"} == set(shipped._tables())


def test_figures_are_those_of_one_session(pages):
    told = {"calls": 4, "sessions": 2, "sent": 62461, "answered": 70, "cost_usd": 0.1}
    aside = {"calls": 4, "sent": 8000, "answered": 16}
    roles = {"reviewer": told, "maker": {"sessions": 2}, "other": aside}

    made = pages.figures([{"agent": "a", "case": "judged", "roles": roles}])

    values = "calls = 3, tokens_in = 33000, tokens_out = 39, dollars = true"
    assert f"\na.reviewer = {{ {values} }}\n" in made
