"""Suites whose tests lean on tests before them: what they need is found, and runs wherever they run."""

from __future__ import annotations

import pytest

PATHS = """\
    def loop(first, second):
        return (first, first)


    def depth(path):
        return len(path.split("/"))
"""
LEANING = """\
    import unittest
    from paths import depth, loop


    class LinkTest(unittest.TestCase):
        def test_0_depth(self):
            self.assertEqual(depth("a/b"), 2)

        def test_1_can_link(self):
            self.__class__.no_link = False

        def test_2_depth(self):
            self.assertEqual(depth("a"), 1)

        def test_3_loop(self):
            if self.no_link:
                self.skipTest("no links")
            self.assertEqual(loop("a", "b"), ("a", "b"))
            self.assertEqual(loop("c", "b"), ("c", "b"))

        def test_4_same(self):
            self.assertFalse(self.no_link)
            self.assertEqual(loop("a", "a"), ("a", "a"))
"""
CLASS = "test_paths.py::LinkTest"
CHAIN = """\
    from paths import loop

    DONE = {}


    def test_first():
        DONE["first"] = "a"


    def test_nothing():
        pass


    def test_second():
        DONE["second"] = DONE["first"] + "b"
        assert False, "it leads and fails"


    def test_loop():
        second = DONE["second"]
        assert loop("a", second) == ("a", "ab")
        assert loop("x", "y") == ("x", "y")
"""
SHARED = """\
    import pytest
    from paths import loop


    @pytest.fixture(scope="module")
    def shelf():
        return []


    def test_put(shelf):
        shelf.append("b")


    def test_loop(shelf):
        assert loop("a", shelf[0]) == ("a", "b")
        assert loop("x", "y") == ("x", "y")
"""
TABLE = """\
    def build(names):
        return {name: place for place, name in enumerate(names[1:])}


    PLACES = build(["a", "b"])
"""


def changed(result):
    """Give the lines that the best patch puts in."""
    lines = result.patches[0].diff.splitlines()
    return [line[1:].strip() for line in lines if line.startswith("+") and not line.startswith("+++")]


@pytest.mark.parametrize("asked", [f"{CLASS}::test_3_loop", CLASS, "test_paths.py"])
def test_a_test_that_needs_one_before_it_is_mended(project, repair, asked):
    root = project(paths=PATHS, test_paths=LEANING)
    result = repair(root, asked)
    assert result.status == "repaired", result.reason
    assert result.failing == [f"{CLASS}::test_3_loop"]
    assert changed(result) == ["return (first, second)"]
    assert result.patches[0].confirmed
    assert result.patches[0].checked == 1  # the passing test that leans on the same one guards the edit
    assert "lean on tests before them" in result.mode_reason


@pytest.mark.parametrize("text", [CHAIN, SHARED])
def test_what_leads_may_be_several_fail_or_share_a_fixture(project, repair, text):
    root = project(paths=PATHS, test_paths=text)
    result = repair(root, "test_paths.py::test_loop")
    assert result.status == "repaired", result.reason
    assert changed(result) == ["return (first, second)"]
    assert result.patches[0].confirmed


@pytest.mark.parametrize("needs", ["if self.no_link:", "if False:"])
def test_a_passing_test_that_leans_on_another_guards_an_edit_and_refuses_no_right_one(project, repair, needs):
    text = LEANING.replace("if self.no_link:", needs)
    result = repair(project(paths=PATHS, test_paths=text), f"{CLASS}::test_3_loop")
    assert result.status == "repaired", result.reason
    assert changed(result) == ["return (first, second)"]
    assert result.patches[0].checked == 1


def test_where_a_test_fails_only_after_another_what_that_one_ran_is_mended(project, repair):
    root = project(
        tank="""\
            LEVEL = {"now": 0}


            def fill(amount):
                LEVEL["now"] = amount


            def drain():
                LEVEL["now"] = 1


            def level():
                return LEVEL["now"]
        """,
        test_tank="""\
            from tank import drain, fill, level


            def test_fill():
                fill(3)
                assert level() == 3


            def test_drain():
                drain()


            def test_nothing():
                pass


            def test_level():
                assert level() == 0
        """,
    )
    result = repair(root, "test_tank.py::test_level")
    assert result.failing == ["test_tank.py::test_level"]
    assert result.status == "repaired", result.reason
    assert changed(result) == ['LEVEL["now"] = 0']
    assert result.patches[0].confirmed


def test_the_edit_of_what_the_leading_test_ran_is_found(project, repair):
    root = project(
        paths=PATHS,
        test_paths="""\
            import unittest
            from paths import loop


            class LoopTest(unittest.TestCase):
                def test_1_make(self):
                    self.__class__.made = [loop("a", "b"), loop("x", "y")]

                def test_2_look(self):
                    self.assertEqual(self.made, [("a", "b"), ("x", "y")])
        """,
    )
    result = repair(root, "test_paths.py::LoopTest::test_2_look")
    assert result.status == "repaired", result.reason
    assert changed(result) == ["return (first, second)"]


def test_where_no_test_helps_no_budget_is_burnt_and_the_error_is_said(project, repair):
    root = project(
        table=TABLE,
        test_table="""\
            import unittest
            from table import PLACES


            class TableTest(unittest.TestCase):
                def test_nothing(self):
                    pass

                def test_table(self):
                    self.ready()
                    self.assertEqual(PLACES, {"a": 0, "b": 1})
        """,
    )
    result = repair(root, "test_table.py::TableTest::test_table")
    assert result.status == "not_possible"
    assert result.tried == 0
    assert "AttributeError: 'TableTest' object has no attribute 'ready'" in result.reason
    assert "reach no file that may be changed" in result.reason
    assert "installed from elsewhere" in result.reason


@pytest.mark.parametrize("said", ['PLACES == {"a": 0, "b": 1}', '[PLACES["a"], PLACES["b"]] == [0, 1]'])
def test_what_runs_at_import_is_mended_where_a_test_holds_what_it_made(project, repair, said):
    text = f"from table import PLACES\n\n\ndef test_table():\n    assert {said}\n"
    result = repair(project(table=TABLE, test_table=text), "test_table.py")
    assert result.status == "repaired", result.reason
    assert result.mode == "fresh_process"
    assert result.patches[0].file == "table.py"
