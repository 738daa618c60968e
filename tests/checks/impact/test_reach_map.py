"""The map of what tests reach, made by a real pytest, and what is chosen from it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from checks.impact.words import REPORTED
from setpoint.checks.impact import Reach, ReachFile, choose
from setpoint.checks.impact.reach_map import UNSEEN, RawReach
from setpoint_probe.plugin import FOLDER

FILES = {
    "shop.py": (
        "import functools\nRATE = 2\ndef price(x):\n    return x * RATE\ndef tax(x):\n    return x\n"
        "def opened():\n    return 'open'\ndef named(f):\n    return f\ndef early():\n    return 1\n"
        "def threaded():\n    return 1\n"
    ),
    "tests/conftest.py": (
        "import pytest, shop\nshop.early()\n"
        "@pytest.fixture(scope='module')\ndef door():\n    return shop.opened()\n"
    ),
    "tests/test_a.py": (
        "import shop, threading\ndef test_price():\n    assert shop.price(1) == 2\n"
        "def test_tax():\n    assert shop.tax(1) == 1\n"
        "def test_first(door):\n    assert door\ndef test_second(door):\n    assert door\n"
        "def test_thread():\n    t = threading.Thread(target=shop.threaded)\n    t.start(); t.join()\n"
    ),
    "tests/test_b.py": (
        "import subprocess, sys, pathlib, shop\n@shop.named\ndef test_decorated():\n    pass\n"
        "def test_process():\n    subprocess.run([sys.executable, '-c', ''], check=True)\n"
        "def test_reads():\n    assert pathlib.Path('data.json').read_text()\n"
    ),
    "data.json": "{}",
    "README.md": "hello",
    "setup.cfg": "",
}
A, B = "tests/test_a.py", "tests/test_b.py"


def blob(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


LINES = ("-m", "coverage", "run", "--source=.", "--data-file=../covered")
COVERED = (*LINES, "--branch")


@pytest.fixture(scope="module", params=[(), LINES, COVERED], ids=["plain", "lines", "covered"])
def reach(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    root = tmp_path_factory.mktemp("project")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    report, written = root.parent / "report.jsonl", root.parent / "reach.json"
    variables = {**os.environ, "PYTHONPATH": f"{root}:{FOLDER}", "SETPOINT_REPORT_FILE": str(report)}
    argv = [sys.executable, *request.param, *REPORTED, "--rootdir=."]
    variables["SETPOINT_REACH_FILE"] = str(written)
    done = subprocess.run(argv, cwd=root, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = ReachFile(root.parent / "maps", ("key",))
    kept.keep(written, "tree", {path: blob(text) for path, text in FILES.items()}, ())
    return kept.load({path: blob(text) for path, text in FILES.items()})


async def chosen(reach, changes: dict[str, str | None]):
    now = {path: text for path, text in {**FILES, **changes}.items() if text is not None}
    texts = {blob(text): text.encode() for text in [*FILES.values(), *now.values()]}

    async def fetch(blobs):
        return {each: texts[each] for each in blobs if each in texts}

    return await choose(reach, {path: blob(text) for path, text in now.items()}, ("",), fetch)


def edited(path: str, before: str, after: str) -> dict[str, str | None]:
    assert before in FILES[path]
    return {path: FILES[path].replace(before, after)}


PROCESS = f"{B}::test_process"


def named(value: object) -> str:
    """Name a case the same in each process that runs tests, whatever the order of a set."""
    return str(sorted(value) if isinstance(value, set) else value)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (edited("shop.py", "return x * RATE", "return x"), {f"{A}::test_price", PROCESS}),
        (edited("shop.py", "return x\n", "return -x\n"), {f"{A}::test_tax", PROCESS}),
        (edited("shop.py", "return 'open'", "return ''"), {f"{A}::test_first", f"{A}::test_second", PROCESS}),
        (edited("shop.py", "return f", "return None"), {B, PROCESS}),
        (
            edited("shop.py", "threaded():\n    return 1", "threaded():\n    return 2"),
            {f"{A}::test_thread", PROCESS},
        ),
        (edited("shop.py", "RATE = 2", "RATE = 3"), {A, B, PROCESS}),
        (edited(A, "test_tax", "test_taxes"), {A, f"{A}::test_tax"}),
        ({"tests/test_c.py": "def test_new():\n    pass\n"}, {"tests/test_c.py"}),
        ({A: None}, set()),
        ({"tests/words.py": ""}, {"tests/words.py", PROCESS}),
        ({"tests/data/in.json": "{}"}, {PROCESS}),
        ({"tests/notes.md": "pytest alone has listed this folder"}, {PROCESS}),
        ({"testing/tool.py": "def shown():\n    return 1\n"}, {"testing/tool.py", PROCESS}),
        (edited("tests/conftest.py", "'module'", "'session'"), {A, B}),
        ({"README.md": "other"}, {PROCESS}),
        ({}, set()),
    ],
    ids=named,
)  # fmt: skip
async def test_what_a_change_reaches(reach, change: dict[str, str | None], names: set[str]) -> None:
    impact = await chosen(reach, change)
    assert (impact.everything, impact.names) == (False, names)


def otherwise(reach: Reach, **raw: object) -> Reach:
    return Reach(tree=reach.tree, blobs=reach.blobs, raw=reach.raw.model_copy(update=raw))


async def test_a_file_of_which_no_test_was_wanted_is_not_collected_again(reach) -> None:
    ran = {test: number for test, number in reach.raw.tests.items() if not test.startswith(B)}
    idle = otherwise(reach, tests=ran)
    assert (await chosen(idle, edited("shop.py", "RATE = 2", "RATE = 3"))).names == {A}
    changed = await chosen(idle, edited(B, "test_reads", "test_others"))
    assert changed.names == {B}


@pytest.mark.parametrize(
    "change",
    [
        edited("shop.py", "def early():\n    return 1", "def early():\n    return 2"),
        {"data.json": "[]"},
        {"setup.cfg": "[x]\n"},
        {"requirements-dev.txt": "x\n"},
        {"native.so": ""},
    ],
    ids=named,
)
async def test_in_doubt_it_is_everything(reach, change: dict[str, str | None]) -> None:
    impact = await chosen(reach, change)
    assert impact.everything
    assert impact.why


def test_no_map_is_read_where_none_was_written(tmp_path: Path) -> None:
    kept = ReachFile(tmp_path, ("key",))
    kept.keep(tmp_path / "missing.json", "tree", {}, ())
    (tmp_path / "broken.json").write_text(json.dumps({"points": 1}))
    kept.keep(tmp_path / "broken.json", "tree", {}, ())
    assert kept.load({}) is None


def test_the_map_of_the_nearest_tree_is_read_and_few_are_kept(tmp_path: Path, reach) -> None:
    kept, written = ReachFile(tmp_path, ("key",)), tmp_path / "written.json"
    written.write_text(reach.raw.model_dump_json())
    for tree in "abcdef":
        kept.keep(written, tree, {"one.py": tree, "two.py": "same"}, (f"red in {tree}",))

    def read(one: str) -> tuple[str, tuple[str, ...]]:
        found = kept.load({"one.py": one, "two.py": "same"})
        return found.tree, found.red

    assert read("d") == ("d", ("red in d",))
    assert read("b")[0] == read("other")[0] == "f"


def test_what_coverage_notes_stays_complete(tmp_path: Path) -> None:
    files = {
        "shop.py": "def price(x):\n    if x:\n        return 1\n    return 2\ndef never():\n    return 3\n",
        "test_shop.py": (
            "import shop, multiprocessing\ndef test_one():\n    assert shop.price(1) == 1\n"
            "def test_two():\n    assert shop.price(0) == 2\n"
            "def test_processes():\n    multiprocessing.get_context('spawn').Process(target=print).start()\n"
        ),
    }
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    found = {}
    for name, more in (("alone", {}), ("mapped", {"SETPOINT_REACH_FILE": str(tmp_path / "map.json")})):
        data = f"--data-file={name}.data"
        argv = [sys.executable, "-m", "coverage", "run", "--branch", data, "--include=shop.py"]
        variables = {**os.environ, "PYTHONPATH": str(FOLDER), "SETPOINT_REPORT_FILE": f"{tmp_path}/r", **more}
        argv += ["-m", "pytest", "-q", "-p", "setpoint_report", "-p", "no:cacheprovider"]
        subprocess.run(argv, cwd=tmp_path, env=variables, check=True, capture_output=True)
        told = [sys.executable, "-m", "coverage", "json", data, "-q", "-o", f"{name}.json"]
        subprocess.run(told, cwd=tmp_path, check=True, capture_output=True)
        found[name] = json.loads((tmp_path / f"{name}.json").read_text())["files"]
    assert found["alone"] == found["mapped"]
    assert found["mapped"]["shop.py"]["missing_lines"] == [6]

    raw = RawReach.model_validate_json((tmp_path / "map.json").read_bytes())
    seen = {name.partition("::")[2]: raw.sets[number] for name, number in raw.tests.items()}
    price = raw.points.index(("shop.py", 1))
    assert [name for name, points in seen.items() if price in points] == ["test_one", "test_two"]
    assert [name for name, points in seen.items() if UNSEEN in points] == ["test_processes"]


ASKING = {
    "shop.py": "def opened():\n    return 'open'\ndef closed():\n    return 'closed'\n",
    "conftest.py": (
        "import pytest, shop\n@pytest.fixture(scope='session')\ndef door():\n    return shop.opened()\n"
        "@pytest.fixture(scope='session')\ndef gate():\n    return shop.closed()\n"
    ),
    "test_asks.py": (
        "def test_named(door):\n    assert door\n"
        "def test_asks(request):\n    assert request.getfixturevalue('door')\n"
        "def test_gate(gate):\n    assert gate\ndef test_none():\n    pass\n"
    ),
}


def test_a_fixture_that_a_test_asks_for_by_name_counts_for_it(tmp_path: Path) -> None:
    for path, text in ASKING.items():
        (tmp_path / path).write_text(text)
    variables = {**os.environ, "PYTHONPATH": f"{tmp_path}:{FOLDER}", "SETPOINT_REPORT_FILE": f"{tmp_path}/r"}
    variables["SETPOINT_REACH_FILE"] = f"{tmp_path}/map.json"
    argv = [sys.executable, *REPORTED, "--rootdir=."]
    subprocess.run(argv, cwd=tmp_path, env=variables, check=True, capture_output=True)
    raw = RawReach.model_validate_json((tmp_path / "map.json").read_bytes())
    seen = {name.partition("::")[2]: raw.sets[number] for name, number in raw.tests.items()}
    opened, closed = (raw.points.index(("shop.py", line)) for line in (1, 3))
    assert [name for name, points in seen.items() if opened in points] == ["test_named", "test_asks"]
    assert "test_gate" in [name for name, points in seen.items() if closed in points]
    assert not {opened, closed} & set(seen["test_none"])
