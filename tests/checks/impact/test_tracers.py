"""What the tracer sees of code that is hard to follow; coverage loses nothing by it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from checks.impact.words import REPORTED
from setpoint.checks.impact.reach_map import RawReach
from setpoint_probe.plugin import FOLDER

NOBODY = ("", 0)
"""Stands for what nobody saw: whoever reached it is always run."""
HARD = '''\
import asyncio, contextlib, functools, threading
def decorated(f):
    @functools.wraps(f)
    def inner(*args):
        return f(*args)
    return inner
@decorated
@functools.lru_cache
def twice(x):
    return 2 * x
def short(x): return x
square = lambda x: x * x
pair = (lambda: 1), (lambda: 2)
def generated(n):
    for x in range(n):
        yield x
def passed_on(n):
    yield from generated(n)
async def waited():
    await asyncio.sleep(0)
    return [x async for x in counted()]
async def counted():
    for x in (1, 2):
        yield x
@contextlib.contextmanager
def within():
    try:
        yield
    finally:
        short(1)
def comprehended(n):
    return ([x for x in range(n)], {x: 1 for x in range(n)},
            {x for x in range(n)}, sum(x for x in range(n)))
def outer():
    y = 1
    def nested():
        return y
    class Local:
        z = y
        def method(self):
            return nested()
    return Local
def left_out():  # pragma: no cover
    return 1
class Thing:
    made = []
    def __init_subclass__(cls):
        Thing.made.append(cls)
    @property
    def size(self):
        return 1
    @staticmethod
    def still(): """Only words."""
    def declared(self):
        global made
def made():
    space = {}
    exec("def inner():\\n  return 1\\nx = inner()", space)
    exec(compile("\\n\\n\\n\\ndef odd():\\n    return 1\\nodd()", __file__, "exec"), space)
def raising():
    raise KeyError
def recursive(n):
    return n and recursive(n - 1)
def threaded():
    thread = threading.Thread(target=short, args=(1,)); thread.start(); thread.join()
def untouched():
    return 1
def split(
    x=short(1),
    y=2,
):
    return (x
            + y)
'''
CALLS = {
    "decorated": "hard.twice(2)",
    "short": "hard.short(1)",
    "square": "hard.square(2)",
    "pair": "[f() for f in hard.pair]",
    "generated": "list(hard.generated(2))",
    "begun": "next(hard.generated(2))",
    "made_only": "assert hard.generated(2)",
    "passed": "list(hard.passed_on(2))",
    "waited": "asyncio.run(hard.waited())",
    "within": "exec('with hard.within(): pass')",
    "comprehended": "hard.comprehended(2)",
    "nested": "hard.outer()().method()",
    "left_out": "hard.left_out()",
    "subclass": "type('Other', (hard.Thing,), {})().size",
    "still": "hard.Thing.still()",
    "declared": "hard.Thing().declared()",
    "made": "hard.made()",
    "raising": "pytest.raises(KeyError, hard.raising)",
    "recursive": "hard.recursive(3)",
    "threaded": "hard.threaded()",
    "split": "hard.split()",
    "imported": "importlib.import_module('package.inner')",
    "broken": "importlib.import_module('fading').f()",
    "nothing": "None",
}
FILES = {
    "hard.py": HARD,
    "package/__init__.py": "",
    "package/inner.py": "# nothing\n",
    "fading.py": "import os\nos.unlink(__file__)\ndef f():\n    return 1\n",
    "test_hard.py": "import asyncio, importlib, pytest, hard\n"
    + "".join(f"def test_{name}():\n    {call}\n" for name, call in CALLS.items()),
}
WAYS = {
    "plain": (),
    "lines": ("-m", "coverage", "run", "--source=."),
    "branches": ("-m", "coverage", "run", "--source=.", "--branch"),
}


def mapped(way: str, root: Path) -> dict[str, set[tuple[str, int]]]:
    """Give the functions that each test reached, by the name of the test."""
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    raw = RawReach.model_validate_json(ran(way, root, {"SETPOINT_REACH_FILE": f"{root}.map"}).read_bytes())
    return {
        name.rpartition("::test_")[2]: {raw.points[point] for point in raw.sets[number]}
        for name, number in raw.tests.items()
    }


def ran(way: str, root: Path, more: dict[str, str]) -> Path:
    variables = {**os.environ, "PYTHONPATH": f"{root}:{FOLDER}", "SETPOINT_REPORT_FILE": f"{root}.jsonl"}
    variables |= {"COVERAGE_FILE": f"{root}.covered", "PYTHONDONTWRITEBYTECODE": "1", **more}
    argv = [sys.executable, *WAYS[way], *REPORTED]
    done = subprocess.run(argv, cwd=root, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return Path(f"{root}.map")


@pytest.fixture(scope="module")
def maps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, set[tuple[str, int]]]]:
    return {way: mapped(way, tmp_path_factory.mktemp(way)) for way in WAYS}


@pytest.mark.parametrize("name", CALLS)
def test_the_same_is_seen_with_coverage_and_without(maps, name: str) -> None:
    assert maps["plain"][name] == maps["lines"][name] == maps["branches"][name]


REACHED = {
    "decorated": ("twice", "inner"),
    "generated": ("generated",),
    "passed": ("passed_on", "generated"),
    "waited": ("waited", "counted"),
    "within": ("within", "short"),
    "nested": ("outer", "nested", "method"),
    "subclass": ("__init_subclass__", "size"),
    "recursive": ("recursive",),
    "threaded": ("threaded", "short"),
    "split": ("split",),
}


@pytest.mark.parametrize("name", REACHED)
def test_what_runs_is_seen(maps, name: str) -> None:
    lines = HARD.split("\n")
    for function in REACHED[name]:
        number = next(at for at, line in enumerate(lines, 1) if f"def {function}(" in line)
        while lines[number - 2].lstrip().startswith("@"):
            number -= 1
        assert ("hard.py", number) in maps["plain"][name], function


def test_what_does_not_run_is_not_seen(maps) -> None:
    untouched = 1 + HARD.split("\n").index("def untouched():")
    nothing = ("test_hard.py", 2 + 2 * list(CALLS).index("nothing"))
    assert maps["plain"]["nothing"] == {nothing}
    assert not [name for name, seen in maps["plain"].items() if NOBODY in seen]
    assert not [name for name, seen in maps["plain"].items() if ("hard.py", untouched) in seen]
    assert ("package/__init__.py", 0) in maps["plain"]["imported"]


@pytest.mark.smoke
@pytest.mark.parametrize("way", ["lines", "branches"])
def test_what_coverage_reports_is_the_same_with_a_map(way: str, tmp_path: Path) -> None:
    root, told = tmp_path / "project", {}
    root.mkdir()
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "fading.py").write_text("def f():\n    return 1\n")
    for name, more in (("alone", {}), ("with a map", {"SETPOINT_REACH_FILE": f"{root}.map"})):
        ran(way, root, more)
        told[name] = reported(root)
    assert told["alone"] == told["with a map"]
    assert told["alone"]["hard.py"]["missing_lines"]


ENDED = """\
import gc, threading
def test_thread():
    threads = [threading.Thread(target=print) for _ in range(5)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
def test_next(): gc.collect()
def test_last(): gc.collect()
"""


def test_a_thread_that_ended_takes_nobody_the_profiler_away(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/test_ended.py").write_text(ENDED)
    variables = {**os.environ, "PYTHONPATH": str(FOLDER), "SETPOINT_REPORT_FILE": str(tmp_path / "report")}
    variables["SETPOINT_REACH_FILE"] = str(tmp_path / "reach.json")
    argv = [sys.executable, *REPORTED, "--rootdir=."]
    subprocess.run(argv, cwd=tmp_path / "project", env=variables, capture_output=True, check=True)

    raw = RawReach.model_validate_json((tmp_path / "reach.json").read_bytes())
    assert not [
        test
        for test, number in raw.tests.items()
        if NOBODY in {raw.points[point] for point in raw.sets[number]}
    ]


LASTING = {
    "lasting.py": "import queue, threading\nasked, answered = queue.Queue(), queue.Queue()\n"
    "def answer(number):\n    return number + 1\n"
    "def serve():\n    while True:\n        number = asked.get()\n        if number is None:\n"
    "            break\n"
    "        answered.put(answer(number))\n    answered.put('ended')\n"
    "begun, over = threading.Event(), threading.Event()\n"
    "def outlast():\n    begun.set()\n    over.wait()\n    told = 1\n    return told\n",
    "conftest.py": "import pytest, threading, lasting\nlongest = threading.Thread(target=lasting.outlast)\n"
    "def pytest_sessionstart():\n    longest.start()\n    lasting.begun.wait()\n"
    "def pytest_unconfigure():\n    lasting.over.set()\n    longest.join()\n"
    "from _pytest.runner import runtestprotocol\n"
    "def pytest_runtest_protocol(item, nextitem):\n"
    "    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)\n"
    "    runtestprotocol(item, nextitem=nextitem)\n"
    "    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)\n    return True\n",
    "test_lasting.py": "import threading, pytest, lasting\n@pytest.fixture(scope='module', autouse=True)\n"
    "def server():\n    thread = threading.Thread(target=lasting.serve)\n    thread.start()\n    yield\n"
    "    lasting.asked.put(None)\n    assert lasting.answered.get() == 'ended'\n    thread.join()\n"
    + "".join(
        f"def test_{name}():\n    lasting.asked.put(1)\n    assert lasting.answered.get() == 2\n"
        for name in "ab"
    ),
}
"""A thread and a hook of the project that go on while notes are taken away from them."""


@pytest.mark.parametrize("way", ["lines", "branches"])
def test_what_goes_on_meanwhile_is_reported_and_counts_for_each(way: str, tmp_path: Path) -> None:
    root, told = tmp_path / "project", {}
    root.mkdir()
    for path, text in LASTING.items():
        (root / path).write_text(text)
    for name, more in (("alone", {}), ("with a map", {"SETPOINT_REACH_FILE": f"{root}.map"})):
        ran(way, root, more)
        told[name] = reported(root)
    assert told["alone"] == told["with a map"]
    assert told["alone"]["lasting.py"]["missing_lines"] == []
    raw = RawReach.model_validate_json(Path(f"{root}.map").read_bytes())
    answer = raw.points.index(("lasting.py", 3))
    assert [answer in raw.sets[number] for number in raw.tests.values()] == [True, True]


SERVED = {
    "served.py": "def serve():\n    pass\n",
    "conftest.py": "import multiprocessing, served\ndef pytest_sessionstart():\n"
    "    process = multiprocessing.get_context('spawn').Process(target=served.serve)\n"
    "    process.start()\n    process.join()\n",
    "test_served.py": "def test_one():\n    pass\n",
}


def shown(way: str, root: Path, files: dict[str, str]) -> RawReach:
    root.mkdir()
    for path, text in files.items():
        (root / path).write_text(text)
    return RawReach.model_validate_json(ran(way, root, {"SETPOINT_REACH_FILE": f"{root}.map"}).read_bytes())


@pytest.mark.parametrize("way", WAYS)
def test_a_process_that_is_made_while_nobody_notes_may_serve_all_tests(way: str, tmp_path: Path) -> None:
    raw = shown(way, tmp_path / "project", SERVED)
    assert raw.points.index(NOBODY) in raw.sets[raw.shared]


def reported(root: Path) -> dict[str, dict[str, object]]:
    """Give what coverage says of each file."""
    report = [sys.executable, "-m", "coverage", "json", "-q", f"--data-file={root}.covered", "-o-"]
    done = subprocess.run(report, cwd=root, check=True, capture_output=True)
    files: dict[str, dict[str, object]] = json.loads(done.stdout)["files"]
    return files
