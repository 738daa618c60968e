"""Real runs are killed with -9 again and again, at random points, and always come to the same end.

What is killed is Setpoint itself after a random time, Setpoint at the moment in which a certain event is
recorded, the supervisor of a process, or an agent, each with Setpoint a little later: four times 13 kills.
"""

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from acceptance.conftest import WISH, new_repository

STEP = "sed -i -e 's/a [*] b/a + b/' -e 's/a - b/a * b/' calc.py"
PROMPT = [{"cost": 0.25}, {"sleep": 0.3}, {"shell": STEP}, {"sleep": 0.1}]
"""Makes the second-best change first and the right one then; what it does depends on the work copy alone."""
SEEDS, KILLS = 4, 13
SECONDS = 90


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_whatever_is_killed_the_end_is_the_same(tmp_path, seed):
    chance, killed, runs = random.Random(seed), 0, 0
    while killed < KILLS:
        runs += 1
        repository = new_repository(tmp_path / f"{runs}" / "user project")
        repository.agent(*[PROMPT] * 60, counter="count")
        killed += driven(repository, chance, KILLS - killed)
        came_to_the_same_end(repository)


def driven(repository, chance, most):
    """Drive a run to its end in spite of kills; gives how many there were."""
    killed = 0
    running = begun(repository, "--agent", "actor")
    while killed < min(most, 5) and strike(repository, running, chance):
        killed += 1
        running = begun(repository, "--agent", "actor")
    _, errors = running.communicate(timeout=SECONDS)
    assert running.returncode == 0, errors
    return killed


def came_to_the_same_end(repository):
    events = json.loads(repository.setpoint("show", "--json").stdout)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert len({event["key"] for event in events}) == len(events)
    bodies = [event["body"] for event in events]
    attempts_are_paid_once(bodies)
    outcome = bodies[-1]["outcome"]
    assert (outcome["ending"], outcome["iterations"], outcome["bounces"]) == ("verified", 2, 1)
    assert repository.git("show", f"{outcome['branch']}:calc.py") == "def add(a, b):\n    return a + b"
    assert repository.git("status", "--porcelain") == ""
    assert gone(str(repository.root.parent / "actor.json"))


def attempts_are_paid_once(bodies):
    finished = [body["snapshot"]["label"] for body in bodies if body["kind"] == "agent.finished"]
    assert finished == ["implement-1", "implement-2"]
    tries = [(body["label"], body["attempt"]) for body in bodies if body["kind"] == "agent.started"]
    assert len(set(tries)) == len(tries)
    for label in finished:
        end = next(
            number
            for number, body in enumerate(bodies)
            if body["kind"] == "agent.finished" and body["snapshot"]["label"] == label
        )
        later = [body["label"] for body in bodies[end:] if body["kind"] == "agent.started"]
        assert label not in later
    # A try that was killed before it told anything is recorded, too, with a cost that is not known.
    spent = [body for body in bodies if body["kind"] == "agent.spent" and body["usage"]["cost_usd"]]
    told = {(body["label"], body["attempt"]) for body in spent}
    assert float(bodies[-1]["outcome"]["cost_usd"]) == pytest.approx(0.25 * len(told))


def begun(repository, *agents):
    """Start the run with these agents, or go on with it where it was recorded."""
    verb = ["resume"] if recorded(repository) else ["run", WISH, *agents]
    return subprocess.Popen(
        [sys.executable, "-m", "setpoint", *verb, "--json"],
        cwd=repository.root,
        env=repository.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def strike(repository, running, chance):
    """Kill something of a run, once; false where the run came to its end before."""
    kind = chance.choice(("time", "time", "moment", "moment", "supervisor", "agent"))
    if kind == "time":
        wait(running, lambda: False, chance.uniform(0.3, 4.0))
    elif kind == "moment":
        number = len(recorded(repository)) + chance.randint(1, 12)
        wait(running, lambda: len(recorded(repository)) >= number, SECONDS)
    else:
        found = []
        mark = str(repository.root.parent / "actor.json") if kind == "agent" else "supervisor"
        wait(running, lambda: found.extend(below(running.pid, mark)) or bool(found), SECONDS)
        for pid in found[:1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait(running, lambda: False, chance.uniform(0.0, 1.0))
    if running.poll() == 0:
        return False
    if running.poll() is None:
        running.kill()
    # Otherwise it ended with an error of its own, as its helper was killed; it is resumed all the same.
    running.communicate()
    return True


def wait(running, condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end and running.poll() is None and not condition():
        time.sleep(0.005)


def recorded(repository):
    """Kinds of all events that stand in the file, in order; read past Setpoint, as another program would."""
    file = repository.root / ".setpoint" / "app.db"
    if not file.exists():
        return []
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=5)) as connection:
        try:
            return [kind for (kind,) in connection.execute("select kind from event order by seq")]
        except sqlite3.OperationalError:  # not made yet
            return []


def below(pid, mark):
    """Processes that a process started, its children's children too, whose command line holds the mark."""
    children = {}
    for number, parent, line in processes():
        children.setdefault(parent, []).append((number, line))
    found, open_ = [], [pid]
    while open_:
        for number, line in children.get(open_.pop(), ()):
            open_.append(number)
            if mark in line:
                found.append(number)
    return found


def processes():
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError):
                parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
                yield int(folder.name), int(parent), (folder / "cmdline").read_text().replace("\0", " ")


def gone(mark, seconds=10):
    end = time.monotonic() + seconds
    while any(mark in line for _, _, line in processes()):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
