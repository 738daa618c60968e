"""Ordinary honest commits, each as a whole run with a scripted agent: how many ask a person or are blocked.

    python bench/ordinary.py [--seed 1] [--kinds WORD ...] [--python PYTHON] [--keep FOLDER]

PYTHON has pytest; it is the one that runs this bench unless another is named. Each kind of commit is made on
a package of its own, with names drawn from the seed; the agent leaves the commit in its first iteration and
changes nothing afterwards. Types, coverage and security are not checked: they cost time and ask nobody.
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
from typing import NamedTuple

from integrity import git, write
from ordinary_commits import KINDS, Commit, Package

MOST_ASKED = 2
_AGENT = """\
import json, pathlib, sys
for path, text in json.loads(pathlib.Path(sys.argv[1]).read_text()).items():
    place = pathlib.Path(path)
    if text is None:
        place.unlink(missing_ok=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
print("Done.")
"""


class Ended(NamedTuple):
    """How one run ended."""

    kind: str
    exit_code: int
    mark: str
    reason: str
    notes: tuple[str, ...]
    seconds: float

    @property
    def bothers(self) -> bool:
        """Whether a person was asked, or the work was blocked."""
        return self.exit_code != 0


def run(kind: str, seed: int, folder: Path, python: str) -> Ended:
    """Make the commit of a kind in a run of its own."""
    package = Package(seed)
    commit = KINDS[kind](package)
    root = folder / "project"
    root.mkdir(parents=True)
    write(root, {**package.files, "setpoint.toml": _settings(folder, python)})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "The package")
    (folder / "agent.py").write_text(_AGENT)
    (folder / "edits.json").write_text(json.dumps(commit.edits))
    return _ended(kind, commit, root)


def _settings(folder: Path, python: str) -> str:
    words = json.dumps([sys.executable, str(folder / "agent.py"), str(folder / "edits.json")])
    return f"""[checks]
python = {json.dumps(python)}
mypy = false
bandit = false
coverage = false

[limits]
max_iterations = 2

[agent.maker]
command = {words}
"""


def _ended(kind: str, commit: Commit, root: Path) -> Ended:
    began = time.monotonic()
    words = (sys.executable, "-m", "setpoint", "run", commit.request, "--agent", "maker", "--json")
    cache = {**os.environ, "SETPOINT_CACHE_DIR": str(root.parent / "cache")}
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False, env=cache)
    try:
        outcome = json.loads(done.stdout)
    except ValueError:
        return Ended(kind, done.returncode, "", done.stderr[-300:], (), time.monotonic() - began)
    shown = subprocess.run(
        (sys.executable, "-m", "setpoint", "show", outcome["trace_id"]),
        cwd=root, capture_output=True, text=True, check=False, env=cache,
    ).stdout  # fmt: skip
    notes = tuple(line.strip() for line in shown.splitlines() if "rewrites" in line or "may change" in line)
    seconds = time.monotonic() - began
    return Ended(
        kind, done.returncode, outcome.get("mark") or "", outcome.get("reason") or "", notes, seconds
    )


def main() -> int:
    """Run what is asked for and print the table; 1 where too many were bothered."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--kinds", nargs="*", default=[])
    asked.add_argument("--python", default=sys.executable)
    asked.add_argument("--keep", type=Path)
    given = asked.parse_args()
    kinds = [kind for kind in KINDS if not given.kinds or any(word in kind for word in given.kinds)]
    ended = []
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        print("| ordinary commit | ends | exit | seconds |\n|---|---|---|---|")
        for number, kind in enumerate(kinds):
            folder = (given.keep or Path(scratch)) / f"{number:02}"
            each = run(kind, given.seed * 100 + number, folder, given.python)
            ended.append(each)
            print(
                f"| {kind} | {each.mark or 'not delivered'} | {each.exit_code} | {each.seconds:.0f} |",
                flush=True,
            )
            for line in (each.reason if each.bothers else "", *each.notes):
                print(f"  {kind}: {line}"[:600] if line else "", file=sys.stderr, flush=True)
    bothered = sum(each.bothers for each in ended)
    print(
        f"\n{bothered} of {len(ended)} ask a person or are blocked; aim at most {MOST_ASKED} of {len(KINDS)}"
    )
    return int(bothered > MOST_ASKED)


if __name__ == "__main__":
    sys.exit(main())
