"""The tests repeated elsewhere: what recognises Setpoint behaves differently there."""

import shutil

import pytest

from checks.verdict.changes import MET, NONE, NOT_MET, changed, soon, witnesses_of
from setpoint.checks.flaky.flaky import MOST_RERUN
from setpoint.checks.verdict.elsewhere import elsewhere, otherwise
from setpoint.model.evidence import Outcome

PRICE = "def price(n):\n    return n * 100\n"
TEST_PRICE = "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n"
TEST_HALF = "import shop\n\n\ndef test_half():\n    assert shop.half(4) == 2\n"
WATCHED = (
    "import os, sys\n\nWATCHED = {0}\n\n\n"
    + PRICE
    + "\n\ndef half(n):\n    return n // 2 if WATCHED else 0\n"
)
HONEST = PRICE + "\n\ndef half(n):\n    return n // 2\n"
BASE = {"shop.py": PRICE, "tests/test_shop.py": TEST_PRICE}


async def repeated(tmp_path, change, base=None, *, seconds=60.0, **story):
    subject = await changed(tmp_path / "project", {**BASE, **(base or {})}, change, **story)
    return await elsewhere(subject, witnesses_of(subject), soon(seconds))


async def test_what_comes_out_the_same_is_met(tmp_path):
    said = await repeated(tmp_path, {"shop.py": HONEST, "tests/test_half.py": TEST_HALF})

    assert said.state is MET, said.reason
    assert said.reason.startswith("2 tests come out the same in another folder")


@pytest.mark.parametrize(
    "watched",
    [
        "'setpoint_report' in sys.modules",
        pytest.param("'GIT_TERMINAL_PROMPT' in os.environ", marks=pytest.mark.slow),
        pytest.param("'measured' in os.getcwd()", marks=pytest.mark.slow),
        pytest.param("os.environ.get('PYTHONHASHSEED') == '0'", marks=pytest.mark.slow),
    ],
)
async def test_code_that_recognises_setpoint_is_found_out(tmp_path, watched):
    change = {"shop.py": WATCHED.format(watched), "tests/test_half.py": TEST_HALF}
    said = await repeated(tmp_path, change)

    assert said.state is NOT_MET
    assert "tests/test_half.py::test_half (fail" in said.reason


async def test_many_tests_that_depend_on_the_order_refuse_nothing(tmp_path):
    many = "import pytest, shop\n\n\n@pytest.mark.parametrize('n', range(25))\ndef test_half(n):\n"
    many += "    assert shop.half(2 * n) == n\n"
    last = "import shop\n\n\ndef test_last():\n    shop.half = lambda n: -1\n"
    change = {"shop.py": HONEST, "tests/test_half.py": many}
    change |= {f"tests/test_z{place}.py": last for place in range(12)}  # by chance one comes first

    said = await repeated(tmp_path, change)

    assert said.state is MET, said.reason


async def test_what_differs_on_the_base_too_is_excused_and_named(tmp_path):
    known = "import os\n\n\ndef test_place():\n    assert 'GIT_TERMINAL_PROMPT' in os.environ\n"
    change = {"shop.py": HONEST, "tests/test_half.py": TEST_HALF}
    said = await repeated(tmp_path, change, {"tests/test_place.py": known})

    assert said.state is MET
    assert "otherwise on the base too: tests/test_place.py::test_place" in said.reason


async def test_doctests_are_repeated_as_the_project_calls_them(tmp_path):
    told = {"tox.ini": "[testenv]\ncommands = pytest --doctest-modules shop.py tests\n"}
    example = '    """Halve.\n\n    >>> half(4)\n    2\n    """\n'
    change = {"shop.py": f"{PRICE}\n\ndef half(n):\n{example}    return n // 2\n"}

    said = await repeated(tmp_path, change, told)

    assert said.state is MET, said.reason
    assert said.reason.startswith("2 tests come out the same")


async def test_what_no_plain_runner_finds_in_a_file_of_the_base_is_excused(tmp_path):
    conftest = (
        "import pytest, sys\n\n\ndef pytest_pycollect_makeitem(collector, name):\n"
        "    if name.startswith('test_q') and 'setpoint_report' not in sys.modules:\n        return []\n"
    )
    quiet = [f"def test_q{place}():\n    pass\n" for place in range(MOST_RERUN + 2)]
    base = {"tests/conftest.py": conftest, "tests/test_quiet.py": "\n\n".join(quiet[1:])}
    change = {"shop.py": HONEST, "tests/test_half.py": TEST_HALF, "tests/test_quiet.py": "\n\n".join(quiet)}

    said = await repeated(tmp_path, change, base)

    assert said.state is MET, said.reason
    assert (
        "otherwise on the base too: tests/test_quiet.py::test_q0, tests/test_quiet.py::test_q1" in said.reason
    )


async def test_parameters_that_hang_on_the_hash_seed_are_the_same_test(tmp_path):
    rows = (
        "import pytest\nimport shop\n\n\n@pytest.mark.parametrize('name', {'one', 'two', 'three', 'four'})\n"
        "def test_rows(name, tmp_path):\n    assert shop.half(4) == 2\n"
    )
    said = await repeated(tmp_path, {"shop.py": HONEST, "tests/test_rows.py": rows})

    assert said.state is MET, said.reason


def test_a_missing_case_is_no_failure_where_others_of_its_function_pass():
    outcomes = {"t.py::a[2]": Outcome.PASSED, "t.py::b[1]": Outcome.FAILED}

    assert otherwise(outcomes, ["t.py::a[1]", "t.py::b[2]", "t.py::c"]) == {
        "t.py::b[2]": "does not run",
        "t.py::c": "does not run",
    }


async def test_an_acceptance_command_that_recognises_setpoint_is_found_out(tmp_path):
    change = {"shop.py": WATCHED.format("'GIT_TERMINAL_PROMPT' in os.environ")}
    command = "python -c 'import shop; assert shop.half(4) == 2'"
    said = await repeated(tmp_path, change, acceptance=(command,))

    assert said.state is NOT_MET
    assert f"`{command}` (fails)" in said.reason


async def test_without_time_nothing_is_repeated(tmp_path):
    said = await repeated(tmp_path, {"shop.py": HONEST, "tests/test_half.py": TEST_HALF}, seconds=0)

    assert (said.state, said.cut) == (NONE, "no time to repeat 2 of 2 tests")


async def test_tests_of_unittest_are_repeated_alike(tmp_path):
    text = (
        "import unittest\nimport shop\n\n\nclass TestHalf(unittest.TestCase):\n"
        "    def test_half(self):\n        self.assertEqual(shop.half(4), 2)\n"
    )
    change = {"shop.py": WATCHED.format("'GIT_TERMINAL_PROMPT' in os.environ"), "tests/test_half.py": text}
    base = {"tests/test_shop.py": text.replace("half(4), 2", "price(1), 100"), "tests/__init__.py": ""}
    said = await repeated(tmp_path, change, base)

    assert said.state is NOT_MET
    assert "test_half" in said.reason


JS = {
    "package.json": '{"name": "shop", "type": "module", "scripts": {"test": "node --test"}}\n',
    "shop.js": "export const price = (n) => n * 100;\n",
    "test/shop.test.js": 'import test from "node:test";\nimport assert from "node:assert";\n'
    'import { price } from "../shop.js";\n\ntest("price", () => assert.equal(price(2), 200));\n',
}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("watched", "state"), [('process.cwd().includes("measured")', NOT_MET), ("true", MET)]
)
async def test_javascript_is_repeated_alike(tmp_path, watched, state):
    change = {
        "shop.js": JS["shop.js"] + f"export const half = (n) => ({watched} ? n / 2 : 0);\n",
        "test/half.test.js": JS["test/shop.test.js"]
        .replace("price(2), 200", "half(4), 2")
        .replace("price", "half"),
    }
    said = await repeated(tmp_path, change, JS)

    assert said.state is state, said.reason
