"""Tests written for code that waits, reads and writes files, and asks the world outside."""

from __future__ import annotations

import re

import pytest

from mechanic.engine.generate.test_generate import run_tests

QUEUE = """
    import asyncio
    import contextlib


    async def patient(number):
        await asyncio.sleep(30)
        if number > 3:
            return "late"
        return "early"


    async def count(limit):
        for number in range(limit):
            yield "three" if number == 3 else number


    class Queue:
        def __init__(self, size=2):
            self.size = size
            self.items = []
            self.open = False

        async def __aenter__(self):
            self.open = True
            return self

        async def __aexit__(self, kind, error, trace):
            self.open = False

        async def put(self, item):
            if not self.open:
                raise RuntimeError("closed")
            if len(self.items) >= self.size:
                return False
            self.items.append(item)
            return True


    @contextlib.contextmanager
    def scope(name):
        seen = [name]
        try:
            yield seen
        except ValueError:
            seen.append("bad")


    @contextlib.asynccontextmanager
    async def loud(name):
        yield name.upper() if name else "none"
"""
OUTSIDE = """
    import datetime
    import random
    import subprocess
    import urllib.request
    from pathlib import Path


    def age(year):
        now = datetime.datetime.now()
        return "future" if now.year < year else now.year - year


    def toss(sides):
        return random.randint(1, sides) if sides > 5 else random.random()


    def head():
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True)
        if done.returncode:
            return None
        return done.stdout.split()


    def lines_of(path):
        with open(path) as stream:
            found = stream.readlines()
        return [line.strip() for line in found] if len(found) > 1 else []


    def save(path: Path, text: str):
        Path(path).write_text(text.upper())
        return path


    def fetch(name):
        with urllib.request.urlopen(f"http://example.com/{len(name)}") as answer:
            return answer.read().decode()
"""


@pytest.mark.parametrize("style", ["pytest", "unittest"])
def test_coroutines_generators_and_contexts_are_reached(project, cover, reach, style):
    root = project(queues=QUEUE)

    result = cover(root, "queues.py", "queues", wall_s=60.0, style=style, kill=False)

    (now,) = reach(root, "queues.py").files
    assert now.missed_lines == ()
    assert "async with" in result.text
    assert "run_still(" in result.text
    assert re.search(r"await \w+\.put\(", result.text)
    done = run_tests(root, "-W", "error")
    assert done.returncode == 0, done.stdout


def test_files_time_chance_processes_and_the_network_are_stood_in_for(project, cover, reach):
    root = project(outside=OUTSIDE)

    result = cover(root, "outside.py", "outside", wall_s=60.0, kill=False)

    (now,) = reach(root, "outside.py").files
    assert now.missed_lines == ()
    for name in ("tmp_path", "still_clock(", "steady_chance(", "recorded_processes(", "recorded_network("):
        assert name in result.text, name
    assert {path.name for path in root.iterdir()} <= {"outside.py", "tests", "__pycache__", ".pytest_cache"}
    # The search may try a float for `randint`, which Python 3.11 deprecates: a test pins what the code does.
    done = run_tests(root, "-W", "error", "-W", "ignore::DeprecationWarning:random")
    assert done.returncode == 0, done.stdout
