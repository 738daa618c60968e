"""Write what test designers and reviewers cost as a page, and as figures of the product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from setpoint.model.attempt import Role

Cells = Sequence[Mapping[str, Any]]
JUDGES = (Role.TEST_DESIGNER, Role.REVIEWER)
CASES = {
    "without": "without",
    "judged": "hidden tests and reviewer",
    "limit-designer": "the designer at a limit for 30 minutes",
    "limit-reviewer": "the reviewer at a limit for 10 seconds",
}
HEAD = """# What hidden tests and a reviewer cost

Real agents against a [scripted model](scripted-model.md): one `setpoint run` each on a project of two files,
with one login for maker, [test designer](evidence.md#hidden-tests) and [reviewer](reviews.md). Written by
`bench/judges.py page` from `bench/data/judges.jsonl`; no real model was called.

The maker forgets an edge in its first round, and its own tests pass. Without judges the run ends there.
With them the hidden test sends the work back, and each round is reviewed. Each judge reads one file and
answers: **a real model reads more, thinks, and costs more.** What is real is what each program sends with
every call.

Tokens are the size of requests and answers, four characters for one, and none comes from a cache. *Told*
are those that Setpoint recorded from the agent, which may tell those of its last call only. Dollars are as
recorded, with a price of the agent's own, of the price table, or of the test's configuration (`opencode`);
titles of `codex` are in none. Seconds are those of a busy machine with two cores, with `agents.idle_s = 10`.
"""
_LIMITS = """
## A rate limit in the middle

The run continues without hidden tests, and its first line says so. The edge is then missed: the reviewer of
the script approves whatever it sees. A reviewer at a limit is waited for. Until when an agent is at its limit
is known where it tells that as data, or with `agents.proxy = true`: `claude is at its limit until 23:53 UTC`.

| agent | what meets the limit | seconds of the run | the first line |
|---|---|---|---|
"""


def page(cells: Cells) -> str:
    """Return the page; of two cells for the same agent and case the later one counts."""
    found = {(each["agent"], each["case"]): each for each in cells}
    agents = list(dict.fromkeys(agent for agent, _ in found))
    lines = [HEAD, "## Each role", ""]
    lines.append(
        "| agent | version | role | sessions | calls | tokens in | out | told in | out | seconds | dollars |"
    )
    lines.append("|---" * 11 + "|")
    for agent in agents:
        cell = found.get((agent, "judged"), {"roles": {}})
        for role in ("maker", *JUDGES, "other"):
            if role in cell["roles"]:
                told = cell["roles"][role]
                lines.append(f"| `{agent}` | {cell['version']} | {role.replace('_', ' ')} | {_row(told)} |")
    lines += [
        "",
        "*Other*: calls without tools beside the work, such as titles; they belong to all sessions.",
        "",
        "## Beside a run without",
        "",
    ]
    lines.append(
        "| agent | run | rounds of the maker | calls | tokens in | seconds | dollars | the first line |"
    )
    lines.append("|---" * 8 + "|")
    for agent in agents:
        for case in ("without", "judged"):
            if (agent, case) in found:
                cell = found[agent, case]
                lines.append(f"| `{agent}` | {CASES[case]} | {_whole(cell)} | {_plain(cell['line'])} |")
    lines.append(_LIMITS.rstrip("\n"))
    for agent in agents:
        for case in ("limit-designer", "limit-reviewer"):
            if (agent, case) in found:
                cell = found[agent, case]
                lines.append(
                    f"| `{agent}` | {CASES[case]} | {cell['seconds']:.0f} | {_plain(cell['line'])} |"
                )
    return "\n".join(lines) + "\n"


def figures(cells: Cells) -> str:
    """Return one session of each judge by agent, as TOML, with its share of the calls beside the work."""
    lines = [
        "# One session of each judge on a small project with a scripted model, by `bench/judges.py page`."
    ]
    found = {each["agent"]: each["roles"] for each in cells if each["case"] == "judged"}
    for agent, roles in sorted(found.items()):
        aside = roles.get("other", dict.fromkeys(("calls", "sent", "answered"), 0))
        every = sum(told.get("sessions", 0) for told in roles.values()) or 1
        for role in JUDGES:
            if used := roles.get(role):
                sessions = used.get("sessions", 1)
                values = {
                    "calls": round(used["calls"] / sessions + aside["calls"] / every),
                    "tokens_in": _rounded(used["sent"] / sessions + aside["sent"] / every),
                    "tokens_out": _rounded(used["answered"] / sessions + aside["answered"] / every),
                    "dollars": str(bool({"cost_usd", "input_tokens"} & used.keys())).lower(),
                }
                told = ", ".join(f"{name} = {value}" for name, value in values.items())
                lines.append(f"{agent}.{role} = {{ {told} }}")
    return "\n".join(lines) + "\n"


def _rounded(count: float) -> int:
    """Round to two digits, for a figure that is about right."""
    digits = max(len(str(round(count))) - 2, 0)
    return int(round(count / 10**digits) * 10**digits)


def _row(told: Mapping[str, Any]) -> str:
    cost = f"{told['cost_usd']:.2f}" if "cost_usd" in told else "unknown"
    sizes = (told.get("sessions", "-"), told["calls"], f"{told['sent']:,}", f"{told['answered']:,}")
    recorded = (_count(told.get("input_tokens")), _count(told.get("output_tokens")))
    seconds = f"{told['duration_s']:.0f}" if "duration_s" in told else "-"
    return " | ".join(map(str, (*sizes, *recorded, seconds, cost if "sessions" in told else "-")))


def _count(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:,.0f}"


def _whole(cell: Mapping[str, Any]) -> str:
    roles = cell["roles"].values()
    costs = [told["cost_usd"] for told in roles if "cost_usd" in told]
    cost = f"{sum(costs):.2f}" if costs else "unknown"
    calls, sent = sum(told["calls"] for told in roles), sum(told["sent"] for told in roles)
    rounds = cell["roles"].get("maker", {}).get("sessions", 0)
    return f"{rounds} | {calls} | {sent:,} | {cell['seconds']:.0f} | {cost}"


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")
