"""Calls are recorded in the tests, varied, and answered by another state of the code."""

import os
import subprocess
import sys

import pytest

from setpoint_probe.wire.calls import CallsRequest
from setpoint_probe.wire.calls_order import calls_argv, read_calls, recording

SHOP = """
import time
from pathlib import Path

SEEN = []

def price(n, rate=100):{}
    return n * rate

def take(items):{}
    SEEN.append(len(items))
    return items.pop(), len(SEEN)

def wait(n):{}
    while n:
        pass

def store(text):{}
    Path('left.txt').write_text(text)

def leave(n):{}
    import os
    os._exit(3)

def listed(n):{}
    return [n, n + 1]

def lazy(n):{}
    return iter([n, n + 1])
"""
NAMES = ("price", "take", "wait", "store", "leave", "listed", "lazy")


@pytest.fixture
def answered(tmp_path):
    """Run some calls with functions that record; gives calls and answers of the same code."""

    def act(*calls):
        tree, folder = tmp_path / "tree", tmp_path / "recorded"
        tree.mkdir()
        noted = [f"\n    {recording(f'shop.py::{name}', str(folder))}" for name in NAMES]
        (tree / "shop.py").write_text(SHOP.format(*noted))
        run = "\n".join(f"try: shop.{each}\nexcept SystemExit: pass" for each in calls)
        environment = {**os.environ, "PYTHONPATH": str(tree)}
        subprocess.run(
            [sys.executable, "-c", f"import shop\n{run}"], env=environment, cwd=tmp_path, check=False
        )
        (tree / "shop.py").write_text(SHOP.format(*("" for _ in NAMES)))
        request = CallsRequest(
            tree=str(tree),
            calls=str(tmp_path / "calls.bin"),
            functions={f"shop.py::{name}": ("", name) for name in NAMES},
            recorded=str(folder),
            scratch=str(tmp_path / "scratch"),
        )
        argv = calls_argv(sys.executable, request, tmp_path / "asked.json", tmp_path / "answered.json")
        subprocess.run(argv, env=environment, cwd=tree, check=True)
        result = read_calls(tmp_path / "answered.json")
        shown = {each.number: each.shown for each in result.calls}
        return {shown[each.number]: each for each in result.answers}, result

    return act


def test_a_call_is_recorded_varied_and_answered(answered):
    answers, result = answered("price(7)")

    assert answers["price(7)"].shown == "700"
    assert answers["price(8)"].shown == "800"
    assert [each.shown for each in result.calls if each.of < 0] == ["price(7)"]


def test_arguments_that_a_call_changes_belong_to_its_answer_and_state_does_not_last(answered):
    answers, _ = answered("take([5, 6])")

    assert answers["take([5, 6])"].shown == "(6, 1) (items is then [5])"
    assert answers["take([6, 5])"].shown == "(5, 1) (items is then [6])"


def test_an_iterator_is_another_answer_than_a_list_of_its_items(answered):
    answers, _ = answered("listed(7)", "lazy(7)")

    listed, lazy = answers["listed(7)"], answers["lazy(7)"]
    assert (listed.shown, lazy.shown) == ("[7, 8]", "an iterator of [7, 8]")
    assert listed.told != lazy.told


def test_a_call_without_end_and_one_that_writes_are_left_out(answered, tmp_path):
    answers, _ = answered("store('abc')", "wait(0)")

    assert {each.kind for text, each in answers.items() if text.startswith("store")} == {"refused"}
    assert answers["wait(1)"].kind == "time"
    assert not (tmp_path / "tree" / "left.txt").exists()


def test_a_call_that_ends_the_process_does_not_end_the_others(answered):
    answers, result = answered("price(7)", "leave(2)")

    assert answers["price(7)"].shown == "700"
    assert "leave(2)" in {each.shown for each in result.calls} - answers.keys()
