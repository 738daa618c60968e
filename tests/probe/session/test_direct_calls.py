"""Tests that are called without pytest: which they are, and that they say what they say under it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from setpoint.model.mutation import Fate
from setpoint_probe.session.direct_calls import is_skip
from setpoint_probe.session.session import FAILED, PASSED, SKIPPED, Suite

KINDS = """\
    import unittest

    import pytest


    @pytest.fixture
    def value():
        return 1


    def test_bare():
        pass


    @pytest.mark.parametrize("number", [1, 2])
    def test_number(number):
        assert number


    @pytest.mark.parametrize("value", [1], indirect=True)
    def test_indirect(value):
        assert value


    def test_fixture(value):
        assert value


    @pytest.mark.skip
    def test_marked():
        pass


    async def test_async():
        pass


    class TestPlain:
        def test_method(self):
            assert type(self).__name__ == "TestPlain"


    class TestMarked:
        pytestmark = pytest.mark.filterwarnings("error")

        def test_method(self):
            pass


    class TestSetUp:
        def setup_method(self):
            self.value = 1

        def test_method(self):
            assert self.value


    class TestCase(unittest.TestCase):
        def test_method(self):
            pass
"""
BARE = [
    "test_kinds.py::test_bare",
    "test_kinds.py::test_number[1]",
    "test_kinds.py::test_number[2]",
    "test_kinds.py::TestPlain::test_method",
]
LISTED = """
import json, sys
from setpoint_probe.session.direct_calls import bare_tests
from setpoint_probe.session.session import collect, prepare_path, pytest_words

def act(suite):
    suite.bare = bare_tests(suite.items.values())
    ended = {test: suite.run(test).outcome for test in suite.bare}
    print(json.dumps([len(suite.items), ended]), file=sys.stderr)

prepare_path(".")
collect(pytest_words(".", sys.argv[1], sys.argv[2:]), act)
"""


def called(root: Path, scratch: Path, *words: str) -> dict[str, str]:
    """Collect, and call the tests that can be; gives how each ended."""
    done = subprocess.run(
        [sys.executable, "-c", LISTED, str(scratch), *words],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    collected, found = json.loads(done.stderr.splitlines()[-1])
    assert collected
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("plugins", [(), ("xdist", "anyio", "_hypothesis_pytestplugin")])
def test_only_tests_without_anything_around_them_are_called(project, tmp_path: Path, plugins) -> None:
    root = project(test_kinds=KINDS)
    words = [word for plugin in plugins for word in ("-p", plugin)]
    assert called(root, tmp_path, *words) == dict.fromkeys(BARE, PASSED)


AROUND = {
    "tests/conftest.py": "def pytest_runtest_call(item):\n    pass\n",
    "conftest.py": "import pytest\n\n@pytest.fixture(autouse=True)\ndef around():\n    yield\n",
    "tests/test_module.py": "def setup_module():\n    pass\n\ndef test_it():\n    pass\n",
    "tests/test_function.py": "def teardown_function():\n    pass\n\ndef test_it():\n    pass\n",
    "tests/__init__.py": "def setup_module():\n    pass\n",
    "pytest.ini": "[pytest]\nlog_level = DEBUG\n",
    "tox.ini": "[pytest]\nfilterwarnings =\n    default\n    error::UserWarning\n",
}


@pytest.mark.parametrize("path", AROUND)
def test_nothing_is_called_where_something_is_around_all_tests(project, tmp_path: Path, path: str) -> None:
    own = path.startswith("tests/test_")
    root = project(**({} if own else {"tests__test_kinds": KINDS}), other="X = 1\n")
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text(AROUND[path], "utf-8")
    assert called(root, tmp_path) == {}


@pytest.mark.parametrize("words", [("-p", "no:logging"), ("--log-level=INFO",), ("-W", "error")])
def test_nothing_is_called_where_logs_are_kept_otherwise_or_warnings_fail(
    project, tmp_path: Path, words
) -> None:
    assert called(project(test_kinds=KINDS), tmp_path, *words) == {}


@pytest.mark.parametrize("what", ["obj", "runtest"])
def test_what_a_plugin_wraps_is_left_to_pytest(project, tmp_path: Path, what: str) -> None:
    hook = f"""\
        def pytest_itemcollected(item):
            if item.name == "test_bare":
                item.{what} = lambda: None
    """
    found = called(project(conftest=hook, test_kinds=KINDS), tmp_path)
    assert list(found) == [test for test in BARE if not test.endswith("test_bare")]


def test_a_message_that_does_not_fit_its_arguments_fails(project, tmp_path: Path) -> None:
    text = "import logging\n\ndef test_it():\n    logging.getLogger('a').warning('%d', 'b')\n"
    assert called(project(test_it=text), tmp_path) == {"test_it.py::test_it": FAILED}


def suite_of(call) -> Suite:
    suite = Suite([SimpleNamespace(nodeid="test")], (), "")
    suite.bare = {"test": call}
    return suite


def test_a_call_ends_as_pytest_would_say() -> None:
    def raising(error: BaseException):
        def call() -> None:
            raise error

        return call

    assert suite_of(lambda: None).run("test") == (PASSED, None)
    assert suite_of(lambda: pytest.skip("no")).run("test").outcome == SKIPPED
    assert suite_of(lambda: pytest.fail("no")).run("test").outcome == FAILED
    for error in (AssertionError(), SystemExit(1), KeyboardInterrupt(), pytest.exit.Exception("no")):
        assert suite_of(raising(error)).run("test") == (FAILED, error)
    assert is_skip(pytest.xfail.Exception("later"))


def test_what_looks_bare_and_needs_pytest_judges_as_well(project, scored) -> None:
    root = project(
        calc="def double(x):\n    return x * 2\n",
        test_calc="""\
            import os

            from calc import double


            def test_double():
                assert "test_double" in os.environ["PYTEST_CURRENT_TEST"]
                assert double(3) == 6
        """,
    )
    _, report = scored(root, {"calc.py": ()})
    assert report.unsteady == ()
    assert {each.verdict for each in report.mutants} == {Fate.KILLED}


def test_a_test_that_spoils_its_process_without_pytest_keeps_the_others(project, scored) -> None:
    root = project(
        calc="def double(x):\n    return x * 2\n\n\ndef more(x):\n    return x + 1\n",
        test_calc="""\
            import os

            from calc import double, more

            DONE = []


            def test_double():
                assert not DONE
                DONE.append(1)
                assert "test_double" in os.environ["PYTEST_CURRENT_TEST"]
                assert double(3) == 6
                DONE.clear()


            def test_more():
                assert not DONE
                assert more(3) == 4
        """,
    )
    _, report = scored(root, {"calc.py": ()}, jobs=2)
    assert report.unsteady == ()
    assert {each.verdict for each in report.mutants} == {Fate.KILLED}
