"""Calls of tests are made again outside of any test, on real projects."""

import shutil

import pytest

from checks.verdict.changes import MET, NONE, NOT_MET, changed, soon, witnesses_of
from setpoint.checks.verdict.same_calls import same_calls
from setpoint.model.proof import WorkKind

PRICE = "def price(n):\n    return n * 100\n"
TEST_PRICE = "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n"
TEST_DISCOUNT = "import shop\n\n\ndef test_discount():\n    assert shop.discount(4) == 2\n"
KNOWS = """

def discount(n):
    import os
    import sys

    return n // 2 if {knows} else n
"""
BASE = {"shop.py": PRICE, "tests/test_shop.py": TEST_PRICE}


async def said_of(tmp_path, change, base=None, *, seconds=60.0, **story):
    subject = await changed(tmp_path / "project", base or BASE, change, **story)
    return await same_calls(subject, witnesses_of(subject), soon(seconds))


async def test_calls_that_are_answered_alike_are_counted(tmp_path):
    code = PRICE + "\n\ndef discount(n):\n    return n // 2\n"
    said = await said_of(tmp_path, {"shop.py": code, "tests/test_discount.py": TEST_DISCOUNT})

    assert said.state is MET, said.reason
    assert said.reason == "1 calls of 1 functions made again: 1 as recorded"
    assert (said.evidence, said.count, said.cut) == (("shop.py::discount",), 1, "")


@pytest.mark.parametrize("knows", ["'pytest' in sys.modules", "'PYTEST_CURRENT_TEST' in os.environ"])
async def test_code_that_answers_because_it_is_tested_is_refused(tmp_path, knows):
    code = PRICE + KNOWS.format(knows=knows)
    said = await said_of(tmp_path, {"shop.py": code, "tests/test_discount.py": TEST_DISCOUNT})

    assert said.state is NOT_MET
    assert "discount(4) gives 2 in a test, and 4 outside of any" in said.reason


@pytest.mark.parametrize(
    ("code", "test"),
    [
        (  # what a conftest sets up
            "RATES = {}\n\n\ndef discount(n):\n    return n // RATES['half']\n",
            TEST_DISCOUNT,
        ),
        (  # what one test replaces
            "def half():\n    return 3\n\n\ndef discount(n):\n    return n // half()\n",
            (
                "import shop\n\n\ndef test_discount(monkeypatch):\n"
                "    monkeypatch.setattr(shop, 'half', lambda: 2)\n"
                "    assert shop.discount(4) == 2\n"
            ),
        ),
        (  # chance
            "import random\n\n\ndef discount(n):\n    return n // 2 + random.random() / 10\n",
            "import shop\n\n\ndef test_discount():\n    assert 2 <= shop.discount(4) < 3\n",
        ),
        (  # a variable
            "import os\n\n\ndef discount(n):\n    return n // int(os.environ.get('HALF', 3))\n",
            (
                "import shop\n\n\ndef test_discount(monkeypatch):\n    monkeypatch.setenv('HALF', '2')\n"
                "    assert shop.discount(4) == 2\n"
            ),
        ),
        (  # a file that is gone
            "from pathlib import Path\n\n\ndef discount(n):\n    return int(Path(n).read_text()) // 2\n",
            (
                "import shop\n\n\ndef test_discount(tmp_path):\n    (tmp_path / 'n').write_text('4')\n"
                "    assert shop.discount(str(tmp_path / 'n')) == 2\n"
            ),
        ),
    ],
)
async def test_what_a_test_sets_up_is_no_fault_of_the_code(tmp_path, code, test):
    setup = "import shop\n\n\nif hasattr(shop, 'RATES'):\n    shop.RATES['half'] = 2\n"
    change = {"shop.py": PRICE + "\n\n" + code, "tests/test_discount.py": test}
    said = await said_of(tmp_path, change, {**BASE, "conftest.py": setup})

    assert said.state is not NOT_MET, said.reason


async def test_methods_generators_and_coroutines_are_made_again(tmp_path):
    code = """
class Cart:
    def __init__(self, rows):
        self.rows = list(rows)

    @property
    def total(self):
        return sum(self.rows)

    @classmethod
    def of(cls, *rows):
        return cls(rows)


def each(rows):
    yield from rows
    return len(rows)


async def later(n):
    return n + 1


def refuses(n):
    if n:
        raise ValueError(n)
"""
    test = """
import asyncio
import pytest
import shop


def test_all():
    assert shop.Cart.of(1, 2).total == 3
    assert list(shop.each([1, 2])) == [1, 2]
    assert next(shop.each([3, 4])) == 3
    assert asyncio.run(shop.later(1)) == 2
    with pytest.raises(ValueError):
        shop.refuses(1)
"""
    said = await said_of(tmp_path, {"shop.py": PRICE + code, "tests/test_all.py": test})

    assert said.reason == "7 calls of 6 functions made again: 7 as recorded"


async def test_arguments_that_cannot_be_kept_are_told(tmp_path):
    code = PRICE + "\n\ndef discount(act):\n    return act() // 2\n"
    test = "import shop\n\n\ndef test_discount():\n    assert shop.discount(lambda: 4) == 2\n"
    said = await said_of(tmp_path, {"shop.py": code, "tests/test_discount.py": test})

    assert said.state is NONE
    assert "no call of shop.py::discount could be kept: its arguments cannot be kept" in said.reason


async def test_a_call_that_ends_the_process_or_never_ends_blames_nobody(tmp_path):
    code = PRICE + "\n\ndef stop(n):\n    import os\n    os._exit(n)\n"
    test = (
        "import os\nimport shop\n\n\ndef test_stop(monkeypatch):\n"
        "    monkeypatch.setattr(os, '_exit', lambda n: None)\n    assert shop.stop(4) is None\n"
    )
    said = await said_of(tmp_path, {"shop.py": code, "tests/test_stop.py": test})

    assert said.state is NONE, said.reason
    assert "not measured: the calls were not answered" in said.reason


async def test_a_refactoring_answers_as_the_base_does(tmp_path):
    test = TEST_PRICE + "    assert shop.price(3)\n"
    base = {**BASE, "tests/test_shop.py": test}
    same = {"shop.py": "def price(n):\n    return sum([n] * 100)\n"}
    other = {"shop.py": "def price(n):\n    return n * 100 if n == 2 else n * 10\n"}
    kept = await said_of(tmp_path / "kept", same, base, kind=WorkKind.REFACTOR)
    lost = await said_of(tmp_path / "lost", other, base, kind=WorkKind.REFACTOR)

    assert kept.reason == "2 calls of 1 functions made again: 2 as recorded"
    assert lost.state is NOT_MET
    assert "price(3) gives 300 at the base, and 30 now" in lost.reason


async def test_a_refactoring_may_change_what_objects_hold_and_what_is_private(tmp_path):
    old = (
        "class Cart:\n    def __init__(self, rows):\n        self._rows = rows\n\n"
        "    def total(self):\n        return _sum(self._rows)\n\n\ndef _sum(rows):\n    return sum(rows)\n"
    )
    new = (
        "class Cart:\n    def __init__(self, rows):\n        self._total = _sum(*rows)\n\n"
        "    def total(self):\n        return self._total\n\n\ndef _sum(*rows):\n    return sum(rows)\n"
    )
    test = "import shop\n\n\ndef test_cart():\n    assert shop.Cart([1, 2]).total() == 3\n"
    base = {"shop.py": old, "tests/test_shop.py": test}
    said = await said_of(tmp_path, {"shop.py": new}, base, kind=WorkKind.REFACTOR)

    assert said.state is not NOT_MET, said.reason
    assert "cannot be compared with the base" in said.reason


async def test_a_refactoring_may_move_what_it_keeps(tmp_path):
    old = "class Cart:\n    def total(self):\n        return 3\n\n\ndef price(n):\n    return n * 100\n"
    new = "from money import Priced, price\n\n\nclass Cart(Priced):\n    pass\n"
    money = (
        "class Priced:\n    def total(self):\n        return 1 + 2\n\n\ndef price(n):\n    return 100 * n\n"
    )
    test = "import shop\n\n\ndef test_shop():\n    assert shop.Cart().total() == 3\n"
    test += "    assert shop.price(2) == 200\n"
    base = {"shop.py": old, "tests/test_shop.py": test}
    said = await said_of(tmp_path, {"shop.py": new, "money.py": money}, base, kind=WorkKind.REFACTOR)

    assert said.reason == "2 calls of 2 functions made again: 2 as recorded"


async def test_without_time_no_call_is_made(tmp_path):
    said = await said_of(tmp_path, {"shop.py": PRICE + "\n\ndef discount(n):\n    return n\n"}, seconds=0)

    assert (said.state, said.cut) == (NONE, "no time to make calls again")


NODE = {
    "package.json": '{"name": "shop", "type": "module", "scripts": {"test": "node --test"}}\n',
    "shop.js": "export const price = (n) => n * 100;\n",
    "test/shop.test.js": (
        'import assert from "node:assert";\nimport test from "node:test";\n'
        'import * as shop from "../shop.js";\n\n'
        'test("price", () => assert.equal(shop.price(2), 200));\n'
    ),
}
NODE_TEST = NODE["test/shop.test.js"].replace(
    '"price", () => assert.equal(shop.price(2), 200)', '"half", () => assert.equal(shop.half(4), 2)'
)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
async def test_calls_of_javascript_are_made_again(tmp_path):
    code = NODE["shop.js"] + "export function half(n) {\n  return n / 2;\n}\n"
    said = await said_of(tmp_path, {"shop.js": code, "test/half.test.js": NODE_TEST}, NODE)

    assert said.reason == "1 calls of 1 functions made again: 1 as recorded"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
async def test_javascript_that_answers_because_it_is_tested_is_refused(tmp_path):
    code = NODE["shop.js"] + "export const half = (n) => (process.env.NODE_TEST_CONTEXT ? n / 2 : n);\n"
    said = await said_of(tmp_path, {"shop.js": code, "test/half.test.js": NODE_TEST}, NODE)

    assert said.state is NOT_MET
    assert "half(4) gives 2 in a test, and 4 outside of any" in said.reason


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
async def test_a_refactoring_of_javascript_answers_as_the_base_does(tmp_path):
    same = {"shop.js": "export const price = (n) => Array(100).fill(n).reduce((a, b) => a + b, 0);\n"}
    kept = await said_of(tmp_path, same, NODE, kind=WorkKind.REFACTOR)

    assert kept.reason == "1 calls of 1 functions made again: 1 as recorded"
