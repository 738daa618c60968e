"""Projects that a search for repairs may stumble over: the right result, or why there can be none."""

from __future__ import annotations

import _bisect
import importlib.machinery
import shutil
from pathlib import Path

import pytest

FAST = """\
    from . import _bisect


    def place(xs, x):
        return _bisect.bisect_left(xs, x) - 1
"""


def changed(result):
    """Give the lines that the best patch puts in."""
    lines = result.patches[0].diff.splitlines()
    return [line[1:].strip() for line in lines if line.startswith("+") and not line.startswith("+++")]


def compiled(root: Path) -> None:
    """Put a module written in C into the project's package."""
    if not hasattr(_bisect, "__file__"):
        pytest.skip("this Python holds the module in itself")
    found = Path(_bisect.__file__)
    assert found.name.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES))
    shutil.copy(found, root / "shop")


def test_beside_a_module_written_in_c_what_is_written_in_python_is_mended(project, repair):
    root = project(
        shop____init__="",
        shop__fast=FAST,
        test_fast="""\
            from shop.fast import place


            def test_place():
                assert place([1, 3, 5], 3) == 1
                assert place([], 3) == 0
        """,
    )
    compiled(root)
    result = repair(root, "test_fast.py")
    assert result.status == "repaired"
    assert result.patches[0].file == "shop/fast.py"
    assert result.patches[0].confirmed


def test_a_failure_inside_a_module_written_in_c_is_out_of_reach_and_it_is_said(project, repair):
    root = project(
        shop____init__="",
        shop__fast=FAST,
        test_c="""\
            from shop import _bisect


            def test_c():
                assert _bisect.bisect_left([1, 3, 5], 3) == 2
        """,
    )
    compiled(root)
    result = repair(root, "test_c.py")
    assert result.status == "not_possible"
    assert not result.patches
    assert "reach no file that may be changed" in result.reason


def test_tests_that_write_files_and_environment_do_not_spoil_the_search_or_the_tree(project, repair):
    root = project(
        diary="""\
            import os
            from pathlib import Path


            def note(text):
                path = Path("diary.txt")
                path.write_text(text)
                os.environ["DIARY"] = text
                return len(path.read_text()) + 1
        """,
        test_diary="""\
            import os
            from diary import note


            def test_note():
                assert note("abc") == 3


            def test_another_note():
                assert "DIARY" in os.environ or note("") is not None
        """,
    )
    (root / "kept.txt").write_text("mine")
    result = repair(root, "test_diary.py::test_note")
    assert result.status == "repaired"
    assert result.patches[0].file == "diary.py"
    assert (root / "kept.txt").read_text() == "mine"
    assert (root / "diary.py").read_text().endswith("+ 1\n")


def test_async_tests_are_searched_with_the_projects_plugin(project, repair):
    root = project(
        shop="""\
            import asyncio


            async def price(amount):
                await asyncio.sleep(0)
                return amount - 2
        """,
        test_shop="""\
            import pytest
            from shop import price


            @pytest.mark.asyncio
            async def test_price():
                assert await price(3) == 5
                assert await price(0) == 2
        """,
    )
    result = repair(root, "test_shop.py", pytest_args=["-p", "pytest_asyncio.plugin"])
    assert result.status == "repaired", result.reason
    assert changed(result) == ["return amount + 2"]


def test_async_tests_of_unittest_are_mended(project, repair):
    root = project(
        shop="""\
            async def halves(amounts):
                async def one(amount):
                    return amount * 2
                return [await one(amount) for amount in amounts]
        """,
        test_shop="""\
            import unittest
            from shop import halves


            class HalvesTest(unittest.IsolatedAsyncioTestCase):
                async def test_halves(self):
                    self.assertEqual(await halves([4, 2]), [2, 1])
        """,
    )
    result = repair(root, "test_shop.py")
    assert result.status == "repaired"
    assert changed(result)[0] in {"return amount / 2", "return amount // 2"}


def test_a_test_that_hangs_does_not_keep_others_from_being_mended(project, repair):
    root = project(
        shop="def price(amount):\n    return amount - 2\n",
        test_shop="""\
            import threading
            from shop import price


            def test_hangs():
                price(1)
                threading.Event().wait()


            def test_price():
                assert price(3) == 5
                assert price(0) == 2
        """,
    )
    result = repair(root, "test_shop.py::test_price", wall_s=30.0)
    assert result.status == "repaired"
    assert changed(result) == ["return amount + 2"]


def test_a_project_that_hangs_on_import_is_out_of_reach_and_it_is_said(project, repair):
    root = project(
        shop="import threading\n\nthreading.Event().wait()\n",
        test_shop="import shop\n\n\ndef test_price():\n    assert shop.price(3) == 5\n",
    )
    result = repair(root, "test_shop.py", wall_s=8.0)
    assert result.status == "not_possible"
    assert "does not come to an end" in result.reason


def test_what_one_edit_leaves_in_the_process_does_not_hide_the_right_one(project, repair):
    root = project(
        shop="""\
            CLOSED = []


            def total(price, steps, hour):
                if hour > 20:
                    CLOSED.append(hour)
                for step in steps:
                    pass
                return price
        """,
        conftest="""\
            import pytest
            import shop


            @pytest.fixture
            def opened():
                if shop.CLOSED:
                    raise RuntimeError("the shop is closed")
        """,
        test_shop="""\
            from shop import total


            def double(price):
                return price * 2


            def test_total(opened):
                assert total(3, [double], 12) == 6
                assert total(3, [double, str], 12) == "6"
        """,
    )
    result = repair(root, "test_shop.py::test_total")
    assert (result.status, result.mode) == ("repaired", "hot_swap")
    assert changed(result) == ["price = step(price)"]


def test_the_right_edit_of_a_function_whose_results_are_cached_is_found(project, repair):
    root = project(
        shop="""\
            from functools import lru_cache


            @lru_cache(maxsize=None)
            def total(price, amount, parcel):
                whole = price * amount
                return whole - parcel * amount
        """,
        test_shop="""\
            from shop import total


            def test_total():
                assert total(3, 2, 5) == 16
                assert total(1, 1, 0) == 1
        """,
    )
    result = repair(root, "test_shop.py::test_total")
    assert (result.status, result.mode) == ("repaired", "hot_swap")
    assert changed(result) == ["return whole + parcel * amount"]


def test_the_tree_is_mended_where_a_plugin_of_pytest_uses_an_installed_copy_of_it(project, repair, tmp_path):
    right = "def left(stock, sold):\n    return stock - sold\n"
    (tmp_path / "installed").mkdir()
    (tmp_path / "installed" / "shop.py").write_text(right)
    (tmp_path / "installed" / "plugin_of_pytest.py").write_text("import shop\n")
    root = project(
        shop=right.replace("-", "+"),
        test_shop="""\
            from shop import left


            def test_left():
                assert left(5, 2) == 3
        """,
    )
    found = {"PYTHONPATH": str(tmp_path / "installed"), "PYTEST_PLUGINS": "plugin_of_pytest"}
    result = repair(root, "test_shop.py", environment=found)
    assert result.status == "repaired", result.reason
    assert changed(result) == ["return stock - sold"]


def test_where_all_that_looked_right_is_refuted_in_a_fresh_process_the_search_goes_on(project, repair):
    root = project(
        steps="""\
            def step(x):
                one = 1
                total = x + one
                return total


            TABLE = [step(1), step(2), step(7)]
        """,
        test_steps="""\
            from steps import TABLE, step


            def test_zero():
                assert step(0) == 0


            def test_table():
                assert TABLE == [2, 3, 8]
        """,
    )
    result = repair(root, "test_steps.py::test_zero", cpu_s=40.0, wall_s=300.0, extra_s=0.0)
    assert result.status == "repaired", result.reason
    assert result.patches[0].confirmed
