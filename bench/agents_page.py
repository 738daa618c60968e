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

Where something breaks, it breaks after the agent made the right change, in the middle of its turn. A cell
says how the run ended and how many minutes it took, two at once on two busy cores: *verified* without help,
or after what a person did. After a question the fault was ended, and the run continued with
`setpoint gate continue` and `setpoint resume`. "n/a": the agent lacks the situation. Settings that differ
from the defaults: `agents.idle_s = 10` (a silent agent counts as hanging), `agents.wall_s = 90`,
`limits.max_limit_wait_s = 60`.
"""
SHOWN = """
## What was shown

The lines of each run that report trouble, shortened; `setpoint run` prints them among those of the work.
"The work alone": nothing went wrong, or the agent got over it by itself.

| situation | agents | what a person read |
|---|---|---|
"""
LACKS = {
    "no such tool": "its model is offered no tool for it",
    "asks for nothing": "it asks for no permission",
    "no adapter: the next column": "one program, no adapter",
}


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
    lines.append(SHOWN.rstrip("\n"))
    for name, situation in SITUATIONS.items():
        rows = _rows([found[agent, name] for agent in agents if (agent, name) in found])
        lines += [f"| {situation.title} | {who} | {told} |" for told, who in rows.items()]
    return "\n".join(lines) + "\n"


def _rows(cells: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
    """Return what was shown, and the agents of which it was."""
    rows: dict[str, list[str]] = {}
    for each in cells:
        killed = f" (killed: `{each['killed']}`)" if each.get("killed") else ""
        rows.setdefault(_told(each), []).append(f"`{each['agent']}`{killed}")
    return {told: ", ".join(agents) for told, agents in rows.items()}


def _cell(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return "not run"
    if cell["outcome"].startswith("n/a"):
        return "n/a"
    minutes = f"{cell['seconds'] / 60:.1f} min"
    outcome = cell["outcome"] if cell["good"] else f"**{_plain(cell['outcome'])[:60]}**"
    return f"{outcome}, {minutes}"


def _told(cell: Mapping[str, Any]) -> str:
    if cell["outcome"].startswith("n/a"):
        why = cell["outcome"].removeprefix("n/a (").removesuffix(")")
        return f"n/a: {LACKS.get(why, why)}"
    name = re.compile(rf"\b{re.escape(cell['agent'])}\b")
    shown = "; then ".join(_plain(name.sub("the agent", line)) for line in cell["shown"]) or "the work alone"
    if cell["good"]:
        return shown
    return (
        f"{shown}; it ended as: {_plain(cell['outcome'])}; to go on from: {cell.get('goes_on') or 'nothing'}"
    )


def _plain(text: str) -> str:
    """Return text that a table can hold, without folders of this machine."""
    return re.sub(r"/\S+/", "", " ".join(text.split())).replace("|", "/")
