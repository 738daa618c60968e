"""Drive each kind of goal to met and to missed, as a gate, in a real run of a small package.

    python bench/goal_kinds.py [--only KIND] [--language python|typescript] [--jobs 2] [--work FOLDER]

Each run is `setpoint run` with a command agent that leaves the edits of the case; all checks are real. A kind
that Setpoint cannot measure in a language has to be refused before the agent is started. Prints a table, and
keeps it as JSON in FOLDER.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DATA = HERE / "data" / "goal_kinds"
GIT = ("git", "-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")
NODE = ("vitest@3", "@vitest/coverage-v8@3", "jscpd@4", "typescript@5", "esbuild@0.25")
PYTHON = ("pytest", "coverage", "bandit")
EXPECTED = {"met": 0, "missed": 13, "refused": 11}
IGNORED = "node_modules/\n__pycache__/\n.setpoint/\ncoverage/\n"


@dataclass(frozen=True, kw_only=True)
class Row:
    """What became of one run."""

    kind: str
    language: str
    side: str
    """`met`, `missed` or `refused`, as it should be."""
    exit_code: int
    ending: str
    started: bool
    """Whether an agent was started."""
    says: str
    right: bool
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where cases run, and with which programs."""

    work: Path
    python: Path
    node: Path


def main() -> int:
    """Run all cases; the exit code is 1 where one does not come out as it should."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--only", action="append", default=[])
    asked.add_argument("--language", default="")
    asked.add_argument("--jobs", type=int, default=1)
    asked.add_argument("--work", type=Path, default=Path("/tmp/setpoint-goal-kinds"))
    given = asked.parse_args()
    place = prepared(given.work)
    cases = [
        (language, kind, side, case)
        for language in ("python", "typescript")
        if given.language in ("", language)
        for kind, case in kinds_of(language).items()
        if not given.only or kind in given.only
        for side in (("refused",) if case.get("refused") else ("met", "missed"))
    ]
    with ThreadPoolExecutor(given.jobs) as pool:
        rows = list(pool.map(lambda case: shown(run(place, *case)), cases))
    (given.work / "rows.json").write_text(json.dumps([asdict(row) for row in rows], indent=1), "utf-8")
    table(rows)
    return int(not all(row.right for row in rows))


def kinds_of(language: str) -> dict[str, dict[str, Any]]:
    """Read the cases; `like` takes what another kind has."""
    read = tomllib.loads((DATA / f"{language}.toml").read_text("utf-8"))["kind"]
    return {kind: read.get(case.get("like", ""), {}) | case for kind, case in read.items()}


def base_of(language: str) -> dict[str, str]:
    """Read the package that all cases of a language begin with."""
    read: dict[str, str] = tomllib.loads((DATA / f"{language}.toml").read_text("utf-8"))["base"]
    return read


def prepared(work: Path) -> Place:
    """Make the environment of the Python packages and the `node_modules` of the others, once."""
    python, node = work / "python" / "bin" / "python", work / "node"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", work / "python"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PYTHON], check=True)
    if not (node / "ready").exists():
        node.mkdir(parents=True, exist_ok=True)
        (node / "package.json").write_text('{"private": true}', "utf-8")
        npm = ["npm", "install", "--no-audit", "--no-fund", *NODE]
        subprocess.run(npm, cwd=node, check=True, capture_output=True)
        (node / "ready").touch()
    return Place(work=work, python=python, node=node)


def run(place: Place, language: str, kind: str, side: str, case: dict[str, Any]) -> Row:
    """Drive one case to its end in a repository of its own."""
    folder = place.work / f"{language}-{kind}-{side}"
    shutil.rmtree(folder, ignore_errors=True)
    root, left = folder / "shop", folder / "left.json"
    root.mkdir(parents=True)
    files = {**base_of(language), ".gitignore": IGNORED, "setpoint.toml": settings(left, place.python, case)}
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    left.write_text(json.dumps(case.get(side, {})), "utf-8")
    if language == "typescript" or case.get("node"):
        shutil.copytree(place.node / "node_modules", root / "node_modules", symlinks=True)
    for words in (("init", "-qb", "main"), ("add", "-A"), ("commit", "-qm", "base")):
        subprocess.run([*GIT, *words], cwd=root, check=True, capture_output=True)
    began = time.monotonic()
    command = [
        Path(sys.executable).with_name("setpoint"), "run", "Add lowered(price, percent)", "--agent",
        "scripted", "--json", "--max-iterations", "1", "--on-limit", "error", "--goal", case["goal"],
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    (folder / "stdout.json").write_text(done.stdout, "utf-8")
    (folder / "stderr.txt").write_text(done.stderr, "utf-8")
    return judged(kind, language, side, done, time.monotonic() - began)


def judged(
    kind: str, language: str, side: str, done: subprocess.CompletedProcess[str], seconds: float
) -> Row:
    """Compare what a run says with what it should say."""
    said = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    goals = [each for each in said.get("goals", ()) if each["name"] == kind]
    told = (goals[0]["reason"], *goals[0]["missing"]) if goals else (said.get("reason", done.stderr[-300:]),)
    started = " works on " in done.stderr
    if side == "refused":
        right = not started and f"the goal {kind} is a gate" in told[0]
    else:
        right = bool(goals) and goals[0]["state"] == side
    return Row(
        kind=kind,
        language=language,
        side=side,
        exit_code=done.returncode,
        ending=str(said.get("ending", "")),
        started=started,
        says="; ".join(told),
        right=right and done.returncode == EXPECTED[side],
        seconds=round(seconds, 1),
    )


def settings(left: Path, python: Path, case: dict[str, Any]) -> str:
    """Write the settings of a package."""
    agent, tally = HERE / "goal_agent.py", HERE / "tally.py"
    own = str(case.get("settings", "")).removeprefix("[checks]\n")
    return (
        f'[agent.scripted]\ncommand = ["{sys.executable}", "{agent}", "{left}"]\n\n'
        f'[memory]\nrecall = false\nreflect = false\n\n[checks]\npython = "{python}"\n'
        + own.replace("TALLY", f'"{sys.executable}", "{tally}"')
    )


def shown(row: Row) -> Row:
    """Print a row as soon as it is known."""
    mark, name = "ok " if row.right else "BAD", f"{row.language:10} {row.kind:17} {row.side:7}"
    print(f"{mark} {name} exit {row.exit_code:2} {row.seconds:4.0f} s  {row.says}", flush=True)
    return row


def table(rows: list[Row]) -> None:
    """Print kind by language."""
    print("\n| goal | language | met: exit | missed: exit | what it says |\n|---|---|---|---|---|")
    for kind, language in dict.fromkeys((row.kind, row.language) for row in rows):
        own = {row.side: row for row in rows if (row.kind, row.language) == (kind, language)}
        exits = ("refused", "refused") if "refused" in own else ("met", "missed")
        first, last = own[exits[0]], own[exits[1]]
        told = (kind, language, str(first.exit_code), str(last.exit_code), last.says)
        print(f"| {' | '.join(told)} |")
    print(f"\n{sum(row.right for row in rows)} of {len(rows)} runs came out as they should")


if __name__ == "__main__":
    sys.exit(main())
