"""Convert turns of InterCode runs (princeton-nlp/intercode, MIT) into logged runs for replay.

The reward is the gold one and ends an episode: a reward of 1 passes the gates and is right. Runs that end
before their limit without it were cut off by the length of the context; they are left out.

    python bench/halting_intercode.py intercode_turns.csv.gz logs.csv --agents gpt-3.5,gpt-4 --cost 0.3
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

COLUMNS = [
    *("run", "agent", "group", "kind", "turn", "gates", "failing"),
    *("quality", "repeated", "cost_usd", "verified", "full"),
]
"""As docs/how-to/halting.md lists them."""
SINGLE = 1
"""Limit of the runs that were given one turn, in which there is nothing to decide."""
USUAL = 10
"""Limit where the file gives none."""
Row = dict[str, str]


def converted(rows: Iterable[Row], agents: Sequence[str], pooled: str, cost_usd: float) -> list[Row]:
    """Return a row of the schema for each turn of the runs that are kept."""
    runs: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        runs[row["file"], row["task_id"]].append(row)
    made: list[Row] = []
    for (file, task), turns in runs.items():
        agent, last = agent_of(file), turns[-1]
        limit = int(last["turns_max"] or USUAL)
        limited = int(last["turn"]) >= limit
        if (agents and agent not in agents) or limit == SINGLE:
            continue
        if not limited and float(last["reward"]) < 1:
            continue
        for turn in turns:
            solved = str(int(float(turn["reward"]) >= 1))
            made.append(
                {
                    "run": f"{file}#{task}",
                    "agent": pooled or agent,
                    "group": f"{turn['env']}:{task}",
                    "kind": turn["env"],
                    "turn": turn["turn"],
                    "gates": solved,
                    "failing": str(1 - int(solved)),
                    "quality": str(min(1.0, max(0.0, float(turn["reward"])))),
                    "repeated": str(int(turn["repeat_obs"] == "1")),
                    "cost_usd": str(cost_usd),
                    "verified": solved,
                    "full": str(int(limited)),
                }
            )
    return made


def agent_of(file: str) -> str:
    """Return the model that a result file is of."""
    return "gpt-4" if "gpt-4" in file else file.split("/")[1]


def main() -> int:
    """Convert a file and say how much of it was kept."""
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("source", type=Path)
    given.add_argument("target", type=Path)
    given.add_argument("--agents", default="", help="models to keep, for example gpt-3.5,gpt-4")
    given.add_argument("--pooled", default="", help="one name for all of them, to repeat published figures")
    given.add_argument("--cost", type=float, default=0.3, help="US dollars of each turn")
    wanted = given.parse_args()
    agents = [each for each in wanted.agents.split(",") if each]
    with gzip.open(wanted.source, "rt", encoding="utf-8", newline="") as source:
        made = converted(csv.DictReader(source), agents, wanted.pooled, wanted.cost)
    with wanted.target.open("w", encoding="utf-8", newline="") as target:
        writer = csv.DictWriter(target, COLUMNS)
        writer.writeheader()
        writer.writerows(made)
    print(f"{wanted.target}: {len({each['run'] for each in made})} runs, {len(made)} turns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
