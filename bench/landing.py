"""Land twenty delivered branches as `setpoint land` and a worker do it, and look at everything they say.

    python bench/landing.py [--keep FOLDER] [--counts 8 5 5 2]

In a small repository eight stories deliver what fits together, five conflict with these in a file, five
merge cleanly and break together with them, two bring a test that fails the first time. `setpoint land
--into main` measures each as it is merged; `setpoint work --now` has what was sent back done again by a
scripted agent, and lands it. Then the bench itself runs the tests and the acceptance commands of all that
had landed at each commit that `main` had, compares patch ids, and counts the agent's calls. Exit code 1 if
anything is wrong. A measurement takes some ten seconds of one processor.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from setpoint.app.landing.queue import recorded
from setpoint.model.events.landing import TRACE, CombinationMeasured, Fate
from setpoint.stories.policy.landing import Landing, landings
from setpoint.wiring.project import Project

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

AGENT = '''"""Does what a story asks for on top of what is there, and notes that it was paid."""

import re
import sys
from pathlib import Path

kind, number = re.search(r"(Clash|Rate) (\\d)", sys.argv[1]).groups()
with open(LEDGER, "a") as paid:
    paid.write(f"{kind.lower()}-{number}\\n")
double = Path(f"double_{number}.py")
if kind == "Clash":
    double.write_text(double.read_text() + "\\n\\ndef triple():\\n    return 3 * rate()\\n")
    name, module, value = "triple", "double", "3 * rate()"
    head = f"from rate_{number} import rate\\n"
else:
    rate = Path(f"rate_{number}.py")
    rate.write_text(rate.read_text().replace("return 2", "return 3"))
    double.write_text(double.read_text().replace("2 * rate()", "rate() + 1"))
    name, module, value, head = "rate", "rate", "3", ""
Path(f"tests/test_{name}_{number}.py").write_text(
    f"from {module}_{number} import {name}\\n{head}\\n\\n"
    f"def test_{name}():\\n    assert {name}() == {value}\\n"
)
'''
SETTINGS = """
[agents]
maker = "script"
test_designer = "rules"
[agent.script]
command = ["{python}", "{agent}", "{{prompt}}"]
[sandbox]
agents = "none"
[board]
land = "main"
jobs = 2
[checks]
python = "{python}"
bandit = false
coverage = false
ruff = false
mypy = false
[proof]
without = ["sabotage", "canary", "elsewhere", "same calls"]
"""
"""The project's own tests and the cheap runs of a verdict: what is shown here does not hang on more."""


class World(Protocol):
    """The repository that `tests/app/landing/world.py` makes."""

    root: Path
    project: Project

    def git(self, *words: str) -> str:
        """Ask git."""

    def commit(self, message: str, files: dict[str, str]) -> str:
        """Commit files."""

    def deliver(self, story: str, files: dict[str, str], *, accept: Sequence[str]) -> str:
        """Record a run that delivered files on a branch."""


Stories = dict[str, tuple[str, dict[str, str], str]]
"""Title, files and acceptance command of stories."""
PYTEST = [sys.executable, "-m", "pytest", "-q"]


def command(module: str, name: str, value: str) -> str:
    """Return an acceptance command."""
    return f"{sys.executable} -c 'from {module} import {name}; assert {name}() == {value}'"


def one_test(module: str, name: str, value: str) -> str:
    """Return a file with one test."""
    return f"from {module} import {name}\n\n\ndef test_{name}():\n    assert {name}() == {value}\n"


def stories(counts: Sequence[int]) -> Stories:
    """Return so many stories that fit, that conflict, that break together, and that are flaky."""
    fits, clashes, breaks, flaky = counts
    found = Stories()
    for each in range(fits):
        rate = f"from rate_{each} import rate\n"
        files = {f"double_{each}.py": f"{rate}\n\ndef double():\n    return 2 * rate()\n"}
        files[f"tests/test_double_{each}.py"] = one_test(f"double_{each}", "double", "4")
        found[f"ok-{each}"] = (f"Fine {each}", files, command(f"double_{each}", "double", "4"))
    for each in range(clashes):
        rate = f"from rate_{each} import rate\n"
        files = {f"double_{each}.py": f"{rate}\n\ndef triple():\n    return 3 * rate()\n"}
        files[f"tests/test_triple_{each}.py"] = rate + one_test(f"double_{each}", "triple", "3 * rate()")
        asked = f"{sys.executable} -c 'from double_{each} import triple; assert triple() in (6, 9)'"
        found[f"clash-{each}"] = (f"Clash {each}", files, asked)
    for each in range(breaks):
        files = {f"rate_{each}.py": "def rate():\n    return 3\n"}
        files[f"tests/test_rate_{each}.py"] = one_test(f"rate_{each}", "rate", "3")
        found[f"rate-{each}"] = (f"Rate {each}", files, command(f"rate_{each}", "rate", "3"))
    for each in range(flaky):
        files = {f"late_{each}.py": "def late():\n    return 1\n"}
        files[f"tests/test_late_{each}.py"] = (
            f"from pathlib import Path\n\nfrom late_{each} import late\n\n\ndef test_late():\n"
            f"    ran = Path('ran_{each}')\n    first = not ran.exists()\n    ran.touch()\n"
            "    assert late() == 1 and not first\n"
        )
        found[f"flaky-{each}"] = (f"Late {each}", files, command(f"late_{each}", "late", "1"))
    return found


def made(folder: Path, known: Stories) -> World:
    """Make the repository, and deliver stories that all began at its first commit."""
    agent, ledger = folder / "agent.py", folder / "ledger"
    agent.write_text(f"LEDGER = {str(ledger)!r}\n{AGENT}", "utf-8")
    ledger.touch()
    world: World = import_module("app.landing.world").World(folder / "shop", {})
    files = {f"rate_{each}.py": "def rate():\n    return 2\n" for each in range(8)}
    files["tests/test_shop.py"] = "from shop import PRICE\n\n\ndef test_price():\n    assert PRICE == 1\n"
    files["conftest.py"] = ""
    files["setpoint.toml"] = SETTINGS.format(python=sys.executable, agent=agent)
    files[".gitignore"] = "ran_*\n__pycache__/\n"
    world.commit("rates", files)
    place = world.project.state / "stories"
    place.mkdir(parents=True)
    for name, (title, changes, asked) in known.items():
        front = json.dumps([asked])
        (place / f"{name}.md").write_text(f"---\ntitle: {title}\nacceptance: {front}\n---\n", "utf-8")
        world.deliver(name, changes, accept=[asked])
    return world


def setpoint(world: World, *words: str) -> tuple[int, float]:
    """Run a verb; gives its exit code and seconds."""
    begun = time.monotonic()
    code = subprocess.run([sys.executable, "-P", "-m", "setpoint", *words], cwd=world.root, check=False)
    return code.returncode, time.monotonic() - begun


def wrong_at(world: World, commit: str, commands: list[str]) -> list[str]:
    """Run the tests, twice those that fail once, and commands at a commit; gives what fails."""
    with tempfile.TemporaryDirectory() as place:
        archive = subprocess.run(["git", "archive", commit], cwd=world.root, check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", place], input=archive.stdout, check=True)
        environment = {**os.environ, "PYTHONPATH": place}

        def ran(words: list[str]) -> subprocess.CompletedProcess[bytes]:
            return subprocess.run(words, cwd=place, capture_output=True, check=False, env=environment)

        red = [word for word in commands if ran(["sh", "-c", word]).returncode]
        if ran(PYTEST).returncode:
            again = ran([*PYTEST, "--lf"])
            red += [again.stdout.decode()[-2000:]] if again.returncode else []
        return red


def faults(world: World, every: list[Landing], known: Stories) -> list[str]:
    """Say what is not as landings say it."""
    asked, found, landed = list[str](), list[str](), list[str]()
    for landing in every:
        if not (landing.ended and landing.ended.proved and (landing.ended.measured or not landing.landed)):
            found.append(f"{landing.name} is not proved, or not measured as it is")
        for each in landing.landed:
            asked.append(known[each.story][2])
            landed.append(each.story)
            found += [f"{landing.name}, {each.story}: {red}" for red in wrong_at(world, each.commit, asked)]
        there = {each.story: each.found for each in landing.ended.patches} if landing.ended else {}
        found += [f"{each.story}: its patch is lost" for each in landing.landed if not there.get(each.story)]
    found += [f"{name} never landed" for name in known if name not in landed]
    found += [f"{name} landed twice" for name in {*landed} if landed.count(name) > 1]
    if every and world.git("rev-parse", "main") != every[-1].tip:
        found.append("main is not what the last landing left")
    return found


def main() -> int:
    """Run the bench, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="Make the repository here, and leave it.")
    kinds = "stories that fit, conflict, break together, are flaky"
    parser.add_argument("--counts", type=int, nargs=4, default=[8, 5, 5, 2], help=kinds)
    told = parser.parse_args()
    keep, known = told.keep, stories(told.counts)
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        world = made(folder, known)
        codes = {words: setpoint(world, *words) for words in (("land", "--into", "main"), ("work", "--now"))}
        events = world.project.log.replay(TRACE)
        every = list(landings(recorded(world.project)).values())
        back = [name for one in every for name, each in one.decided.items() if each.fate is Fate.SENT_BACK]
        found = faults(world, every, known)
        paid = (folder / "ledger").read_text().split()
        if sorted(paid) != sorted(back):
            found.append(f"sent back: {sorted(back)}, and paid: {sorted(paid)}")
        took = [
            (after.at - before.at).total_seconds()
            for before, after in pairwise(events)
            if isinstance(after.body, CombinationMeasured)
        ]
        for words, (code, seconds) in codes.items():
            print(f"setpoint {' '.join(words)}: exit code {code}, {seconds:.0f} s")
        for one in every:
            print(f"{one.name}: {len(one.landed)} landed, {len(one.decided) - len(one.landed)} sent back")
        print(f"{len(took)} measurements, median {statistics.median(took):.1f} s; {len(back)} sent back")
        looked = sum(len(one.landed) for one in every)
        print(f"calls of the agent: {len(paid)}; commits of main looked at: {looked}")
        print("\n".join(found) or "main was green after each, no patch is lost, and every story landed once")
        return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
