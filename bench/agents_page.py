"""Write the table of agents and situations as a page of the documentation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agent_situations import SITUATIONS

Cells = Mapping[tuple[str, str], Mapping[str, Any]]
HEAD = """# Real agents, on good days and bad ones

Real agents against a [scripted model](scripted-model.md), each cell one `setpoint run` on a small repository
with a bug, in a home of its own. Written by `bench/agents_table.py`; no real model was called.

In every situation but the first the right change is made before things break. A cell says how the run ended
and how many minutes it took: *verified* without help, or after what a person did. A run that asked was healed
(the fault ended) and continued with `setpoint gate continue` and `setpoint resume`. "n/a": it lacks the
situation.
"""
SHOWN = """
## What was shown

The breakages that each run recorded, with the step that followed, and the line that the person read.
"""


def page(cells: Sequence[Mapping[str, Any]]) -> str:
    """Return the page; of two cells for the same agent and situation the later one counts."""
    found: Cells = {(each["agent"], each["situation"]): each for each in cells}
    agents = list(dict.fromkeys(agent for agent, _ in found))
    lacking = sum(each["outcome"].startswith("n/a") for each in found.values())
    good = sum(bool(each["good"]) for each in found.values()) - lacking
    missing = len(agents) * len(SITUATIONS) - len(found)
    lost = len(found) - good - lacking
    figures = f"{good} cells ended as verified, {lost} did not; {lacking} are n/a, {missing} were not run."
    lines = [HEAD, f"{figures}\n"]
    lines += ["| agent | version | measured on |", "|---|---|---|"]
    for agent in agents:
        own = [each for (name, _), each in found.items() if name == agent]
        version = next((each["version"] for each in own if each["version"]), "unknown")
        lines.append(f"| `{agent}` | {version} | {max(each['date'] for each in own)} |")
    lines += ["", f"| situation | {' | '.join(f'`{agent}`' for agent in agents)} |"]
    lines.append("|---" * (len(agents) + 1) + "|")
    for name, situation in SITUATIONS.items():
        row = [_cell(found.get((agent, name))) for agent in agents]
        lines.append(f"| {situation.title} | {' | '.join(row)} |")
    lines.append(SHOWN)
    for (agent, name), each in found.items():
        if each["broke"] or not each["good"]:
            lines.append(f"- `{agent}`, {SITUATIONS[name].title}: {_told(each)}")
    return "\n".join(lines) + "\n"


def _cell(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return "not run"
    if cell["outcome"].startswith("n/a"):
        return "n/a"
    minutes = f"{cell['seconds'] / 60:.1f} min"
    outcome = cell["outcome"] if cell["good"] else f"**{_plain(cell['outcome'])[:60]}**"
    return f"{outcome}, {minutes}"


def _told(cell: Mapping[str, Any]) -> str:
    steps = "; ".join(cell["broke"]) or "no breakage was recorded"
    line = next((line for line in cell["shown"] if "session" in line or "waiting" in line), "")
    shown = f' — "{_plain(line)[:160]}"' if line else ""
    return f"{steps}{shown}" + ("" if cell["good"] else f" — ended as: {_plain(cell['outcome'])}")


def _plain(text: str) -> str:
    """Return text that a table can hold, without folders of this machine."""
    return re.sub(r"/\S+/", "", " ".join(text.split())).replace("|", "/")
