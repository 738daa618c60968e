"""Measure stories worked on at once against one by one, and that none disturbs another.

    python bench/stories.py [--stories 20] [--think 3] [--jobs 20] [--json]

A real repository, the real command line, one process per run, and the scripted agent over the real protocol:
it thinks for some seconds, breaks a test with its first change and mends it with its second. Afterwards every
branch, every record and every story file is looked at.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import setpoint

EDIT = """
import re, sys
from pathlib import Path

number = re.search(r"module number (\\d+)", sys.stdin.read())[1]
value = {"break": -1, "mend": 100 + int(number)}[sys.argv[1]]
Path(f"module_{number}.py").write_text(f"def value():\\n    return {value}\\n")
"""
GIT = ["git", "-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"]


def git(root: Path, *words: str) -> str:
    """Run git in the repository."""
    return subprocess.run([*GIT, *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def repository(root: Path, stories: int, think: float) -> Path:
    """Make a repository with a module, a test and a story for each number."""
    (root / "tests").mkdir(parents=True)
    for number in range(stories):
        (root / f"module_{number}.py").write_text(f"def value():\n    return {number}\n", "utf-8")
        test = f"from module_{number} import value\n\n\ndef test_value():\n    assert value() >= 0\n"
        (root / "tests" / f"test_{number}.py").write_text(test, "utf-8")
    (root / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\n', "utf-8")
    (root.parent / "edit.py").write_text(EDIT, "utf-8")
    edit = f"{sys.executable} '{root.parent / 'edit.py'}'"
    prompts = [[{"sleep": think}, {"shell": f"{edit} {word}"}] for word in ("break", "mend")]
    script = root.parent / "agent.json"
    script.write_text(json.dumps({"prompts": prompts}), "utf-8")
    argv = json.dumps([sys.executable, "-m", "setpoint.agents.scripted", str(script)])
    plugins = [word for name in ("asyncio", "hypothesispytest", "timeout") for word in ("-p", f"no:{name}")]
    (root / "setpoint.toml").write_text(
        f'[agents]\nmaker = "actor"\n[agent.actor]\nprotocol = "acp"\ncommand = {argv}\n'
        f"environment = {{ PYTHONPATH = {json.dumps(str(Path(setpoint.__file__).parents[1]))} }}\n"
        f"[checks]\npython = {json.dumps(sys.executable)}\nbandit = false\ncoverage = false\nreruns = 0\n"
        f"pytest_args = {json.dumps(plugins)}\n",
        "utf-8",
    )
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "base")
    for number in range(stories):
        verb(root, "story", "new", f"Raise module number {number}", "--accept", proof(number))
    return root


def proof(number: int) -> str:
    """Give the command that shows a story done."""
    return f"grep -q 'return {100 + number}$' module_{number}.py"


def verb(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Call Setpoint as a user does."""
    argv = [sys.executable, "-P", "-m", "setpoint", *words]
    return subprocess.run(argv, cwd=root, check=False, capture_output=True, text=True)


def wrong(root: Path, stories: int) -> list[str]:
    """Look at all that is left: whatever is not as one story alone would have left it."""
    found = []
    if git(root, "status", "--porcelain") or git(root, "rev-list", "--count", "main") != "1":
        found.append("the user's tree or branch changed")
    board = json.loads(verb(root, "story", "list", "--all", "--json").stdout)
    for number in range(stories):
        card = next(each for each in board if each["title"] == f"Raise module number {number}")
        branch, file = card["branch"], f"module_{number}.py"
        if card["status"] != "done" or card["refinement_count"] != 1:
            found.append(f"{card['id']}: {card['status']}, {card['refinement_count']}: {card['last_error']}")
            continue
        if git(root, "diff", "--name-only", "main", branch) != file:
            found.append(f"{branch} holds more than {file}")
        if f"return {100 + number}" not in git(root, "show", f"{branch}:{file}"):
            found.append(f"{branch}: {file} is wrong")
        events = json.loads(verb(root, "show", card["run"], "--json").stdout)
        if [each["seq"] for each in events] != list(range(1, len(events) + 1)):
            found.append(f"{card['run']}: events are missing or doubled")
        made = [each["body"]["label"] for each in events if each["body"]["kind"] == "agent.started"]
        if made != ["implement-1", "implement-2"]:
            found.append(f"{card['run']}: the agent was asked for {made}")
    return found


def worked(stories: int, think: float, jobs: int) -> tuple[float, list[str]]:
    """Work off a board of so many stories, so many at once; gives the seconds and what went wrong."""
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as folder:
        root = repository(Path(folder).resolve() / "project", stories, think)
        began = time.perf_counter()
        done = verb(root, "run", "--auto", "--jobs", str(jobs), "--json")
        seconds = time.perf_counter() - began
        faults = wrong(root, stories)
        if done.returncode:
            faults.append(f"exit code {done.returncode}: {done.stderr[-2000:]}")
        return seconds, faults


def main() -> int:
    """Measure and print; exit 1 where one story disturbed another."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stories", type=int, default=20)
    parser.add_argument("--think", type=float, default=3.0, help="seconds the agent waits in each turn")
    parser.add_argument("--jobs", type=int, default=0, help="stories at once; all of them if not given")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    jobs = given.jobs or given.stories
    alone, first = worked(given.stories, given.think, 1)
    together, second = worked(given.stories, given.think, jobs)
    figures: dict[str, Any] = {
        "stories": given.stories,
        "jobs": jobs,
        "cores": os.cpu_count(),
        "seconds the agent waits per story": 2 * given.think,
        "one by one s": round(alone, 1),
        "at once s": round(together, 1),
        "ratio": round(together / alone, 3),
        "wrong": first + second,
    }
    if given.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, figure in figures.items():
            print(f"{name}: {figure}")
    return bool(figures["wrong"])


if __name__ == "__main__":
    sys.exit(main())
