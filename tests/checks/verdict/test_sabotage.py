"""What tests notice when changed functions are broken, on real projects."""

import hashlib
import shutil

import pytest

from checks.verdict.changes import MET, NONE, NOT_MET, changed, soon, witnesses_of
from setpoint.checks.verdict.sabotage import sabotage
from setpoint.checks.verdict.witness import Witness
from setpoint.model.exam import Examiner
from setpoint.model.proof import WorkKind

PRICE = "def price(n):\n    return n * 100\n"
DISCOUNT = PRICE + "\n\ndef discount(n):\n    return n // 2\n"
TEST_PRICE = "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n"
TEST_DISCOUNT = "import shop\n\n\ndef test_discount():\n    assert shop.discount(4) == 2\n"


async def said_of(tmp_path, change, base=None, *, seconds=60.0, **story):
    files = {"shop.py": PRICE, "tests/test_shop.py": TEST_PRICE, **(base or {})}
    subject = await changed(tmp_path / "project", files, change, **story)
    return await sabotage(subject, witnesses_of(subject), soon(seconds))


async def test_a_function_whose_sabotage_a_test_notices_is_proved(tmp_path):
    said, mutants = await said_of(tmp_path, {"shop.py": DISCOUNT, "tests/test_discount.py": TEST_DISCOUNT})

    assert (said.state, said.evidence, said.count, said.cut) == (MET, ("shop.py::discount",), 1, "")
    assert (mutants.noticed, mutants.tried) == (2, 3)
    assert "mutants of the changed lines, not shop.py:6 as return n / 2" in said.reason


@pytest.mark.parametrize(
    ("asserts", "does"),
    [
        ("shop.discount(4)", "does nothing"),
        ("assert isinstance(shop.discount(4), int)", "returns something else"),
    ],
)
async def test_a_test_that_asserts_too_little_does_not_notice(tmp_path, asserts, does):
    weak = f"import shop\n\n\ndef test_discount():\n    {asserts}\n"
    said, _ = await said_of(tmp_path, {"shop.py": DISCOUNT, "tests/test_discount.py": weak})

    assert said.state is NOT_MET
    assert f"when shop.py::discount {does}: write a test that asserts what it does" in said.reason


async def test_code_that_no_test_enters_is_refused_where_it_is_most_of_the_change(tmp_path):
    said, _ = await said_of(tmp_path, {"shop.py": DISCOUNT})

    assert said.state is NOT_MET
    assert "no test enters shop.py::discount, with 2 of the 2 changed lines" in said.reason


async def test_a_small_function_that_no_test_enters_is_told_and_not_refused(tmp_path):
    code = DISCOUNT.replace("return n // 2", "half = n // 2\n    rest = n % 2\n    return half + rest")
    code += "\n\ndef unused():\n    return 1\n"
    said, _ = await said_of(tmp_path, {"shop.py": code, "tests/test_discount.py": TEST_DISCOUNT})

    assert said.state is MET
    assert "no test enters shop.py::unused" in said.reason


async def test_a_sabotage_that_ends_the_runner_is_noticed(tmp_path):
    start = "import shop\n\nshop.start()\n"
    code = PRICE + "\n\ndef start():\n    return 1\n"
    check = "import os\nimport shop\n\n\ndef test_ready():\n    shop.start() == 1 or os._exit(3)\n"
    change = {"shop.py": code, "conftest.py": start, "tests/test_ready.py": check}
    said, _ = await said_of(tmp_path, change)

    assert said.state is MET, said.reason


async def test_a_sabotage_that_stops_the_collection_is_noticed(tmp_path):
    code = PRICE + "\n\ndef rows():\n    return [(2, 200), (3, 300)]\n"
    check = (
        "import pytest\nimport shop\n\n\n"
        "@pytest.mark.parametrize(('n', 'p'), [tuple(r) for r in shop.rows()])\n"
        "def test_rows(n, p):\n    assert shop.price(n) == p\n"
    )
    said, _ = await said_of(tmp_path, {"shop.py": code, "tests/test_rows.py": check})

    assert said.state is MET, said.reason


@pytest.mark.parametrize(("asserts", "state"), [("shop.RATES == {2: 200}", MET), ("shop", NOT_MET)])
async def test_a_function_that_runs_at_import_alone_is_broken_there(tmp_path, asserts, state):
    code = PRICE + "\n\ndef build():\n    return {2: price(2)}\n\n\nRATES = build()\n"
    check = f"import shop\n\n\ndef test_rates():\n    assert {asserts}\n"
    said, _ = await said_of(tmp_path, {"shop.py": code, "tests/test_rates.py": check})

    assert said.state is state, said.reason


async def test_a_test_that_only_reads_the_source_notices_nothing(tmp_path):
    reads = (
        "import hashlib\nfrom pathlib import Path\nimport shop\n\n\ndef test_text():\n    shop.discount(4)\n"
        "    text = Path(shop.__file__).read_bytes()\n"
        f"    assert hashlib.md5(text).hexdigest() == {_md5(DISCOUNT)!r}\n"
    )
    said, _ = await said_of(tmp_path, {"shop.py": DISCOUNT, "tests/test_text.py": reads})

    assert said.state is NOT_MET


def _md5(text):
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


async def test_what_the_budget_cuts_is_told_and_not_refused(tmp_path):
    said, mutants = await said_of(tmp_path, {"shop.py": DISCOUNT}, seconds=0)

    assert (said.state, said.cut, mutants) == (NONE, "no time to break shop.py::discount", None)


async def test_a_refactoring_is_noticed_by_tests_of_the_base_or_that_pass_there_too(tmp_path):
    other = {"shop.py": "def price(n):\n    each = 100\n    return each * n\n"}
    weak = {"tests/test_shop.py": "import shop\n\n\ndef test_price():\n    shop.price(2)\n"}
    pins = {"tests/test_new.py": "import shop\n\n\ndef test_new():\n    assert shop.price(1) == 100\n"}
    kept, _ = await said_of(tmp_path / "kept", other, kind=WorkKind.REFACTOR)
    lost, _ = await said_of(tmp_path / "lost", other, weak, kind=WorkKind.REFACTOR)
    pinned, _ = await said_of(tmp_path / "pinned", {**other, **pins}, weak, kind=WorkKind.REFACTOR)

    assert (kept.state, lost.state, pinned.state) == (MET, NOT_MET, MET)


async def test_values_outside_functions_are_judged_by_mutants_where_they_are_all_there_is(tmp_path):
    base = {
        "shop.py": "RATE = 3\nOTHER = 1\n",
        "tests/test_shop.py": "import shop\n\n\ndef test_no():\n    pass\n",
    }
    seen = "import shop\n\n\ndef test_rate():\n    assert shop.RATE == 4\n"
    change = {"shop.py": "RATE = 4\nOTHER = 1\n"}
    noticed, _ = await said_of(tmp_path / "one", {**change, "tests/test_rate.py": seen}, base)
    unnoticed, _ = await said_of(tmp_path / "two", change, base)

    assert noticed.state is MET, noticed.reason
    assert unnoticed.state is NOT_MET
    assert "no test notices another value at shop.py:1 (RATE = 4)" in unnoticed.reason


async def test_an_acceptance_command_that_is_a_witness_notices(tmp_path):
    command = "python -c 'import shop; assert shop.discount(4) == 2'"
    subject = await changed(
        tmp_path / "project",
        {"shop.py": PRICE, "tests/test_shop.py": TEST_PRICE},
        {"shop.py": DISCOUNT},
        acceptance=(command,),
    )
    said, _ = await sabotage(subject, (Witness(name=command, why="red", by=Examiner.COMMAND),), soon())

    assert said.state is MET, said.reason


async def test_a_fault_of_the_instrument_blames_nobody(tmp_path, monkeypatch):
    def broken(*_):
        raise OSError("no such thing")

    monkeypatch.setattr("setpoint.checks.verdict.sabotage.changed_code", broken)
    said, _ = await said_of(tmp_path, {"shop.py": DISCOUNT})

    assert (said.state, said.reason) == (NONE, "not measured: OSError: no such thing")


JS = {
    "package.json": '{"name": "shop", "type": "module", "scripts": {"test": "node --test"}}\n',
    "shop.js": "export const price = (n) => n * 100;\n",
    "test/shop.test.js": (
        'import assert from "node:assert";\nimport test from "node:test";\n'
        'import * as shop from "../shop.js";\n'
        'test("price", () => assert.equal(shop.price(2), 200));\n'
    ),
}
GO_TEST = (
    'package shop\n\nimport "testing"\n\nfunc Test{0}(t *testing.T) {{\n'
    "\tif {1} {{\n\t\tt.Fatal()\n\t}}\n}}\n"
)
GO = {
    "go.mod": "module example.com/shop\n\ngo 1.18\n",
    "shop.go": "package shop\n\nfunc Price(n int) int { return n * 100 }\n",
    "shop_test.go": GO_TEST.format("Price", "Price(2) != 200"),
}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("asserts", "state"), [("assert.equal(shop.half(4), 2)", MET), ("shop.half(4)", NOT_MET)]
)
async def test_functions_of_javascript_are_broken_alike(tmp_path, asserts, state):
    test = JS["test/shop.test.js"].replace("assert.equal(shop.price(2), 200)", asserts)
    test = test.replace('"price"', '"half"')
    code = JS["shop.js"] + "export function half(n) {\n  return n / 2;\n}\n"
    subject = await changed(tmp_path / "project", JS, {"shop.js": code, "test/half.test.js": test})
    said, _ = await sabotage(subject, witnesses_of(subject), soon())

    assert said.state is state, said.reason


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")
@pytest.mark.parametrize(
    ("asserts", "state"), [("Half(4) != 2", MET), ("Half(4) == 100", NOT_MET), ("false", NOT_MET)]
)
async def test_functions_of_go_are_broken_alike(tmp_path, asserts, state):
    code = GO["shop.go"] + "\nfunc Half(n int) int {\n\thalf := n / 2\n\treturn half\n}\n"
    change = {"shop.go": code, "half_test.go": GO_TEST.format("Half", asserts)}
    subject = await changed(tmp_path / "project", GO, change)
    said, _ = await sabotage(subject, witnesses_of(subject), soon())

    assert said.state is state, said.reason
