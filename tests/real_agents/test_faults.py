"""Real agents on bad days: whatever breaks after the right change, the change is verified in the end."""

from __future__ import annotations

import importlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from real_agents.conftest import wanted

pytestmark = [pytest.mark.real_agents, pytest.mark.timeout(1500)]
BENCH = Path(__file__).parents[2] / "bench"
FAULTS = (
    *("refused", "401", "429", "529", "cut", "overflow", "agent-crash", "adapter-crash", "hang", "interrupt"),
    *("plan", "long"),
)
AT_ONCE = 2


@pytest.mark.parametrize("name", wanted("gemini", "opencode", "claude", "codex", "copilot", "qwen", "vibe"))
def test_no_fault_loses_a_right_change(name, real_agent, monkeypatch, tmp_path):
    real_agent(name)  # it is installed
    monkeypatch.syspath_prepend(str(BENCH))
    table = importlib.import_module("agents_table")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        cells = list(pool.map(lambda fault: table.play(name, fault, tmp_path), FAULTS))
    assert [(cell.situation, cell.outcome, cell.broke) for cell in cells if not cell.good] == []
    assert any(cell.broke for cell in cells), "no fault was met"
