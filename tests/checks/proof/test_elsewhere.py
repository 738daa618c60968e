import importlib.util
import shutil

import pytest

from setpoint.model.proof import ObligationState

MET, NOT_MET = ObligationState.MET, ObligationState.NOT_MET
NEEDS_NODE = pytest.mark.skipif(
    shutil.which("node") is None or importlib.util.find_spec("tree_sitter") is None,
    reason="needs Node and the extra `languages`",
)
BASE = {
    "package.json": '{"name": "shop", "type": "module", "scripts": {"test": "node --test"}}\n',
    "src/shop.js": "export const price = (n) => n * 100;\n",
    "test/shop.test.js": 'import test from "node:test";\nimport assert from "node:assert";\n'
    'import { price } from "../src/shop.js";\ntest("price", () => assert.equal(price(2), 200));\n',
}
BOUND = "export const half = Math.sqrt.bind(Math);\n"


def _half(code, asserted):
    return {
        "src/half.js": code,
        "test/half.test.js": 'import test from "node:test";\nimport assert from "node:assert";\n'
        f'import {{ half }} from "../src/half.js";\ntest("half", () => {asserted});\n',
    }


@NEEDS_NODE
@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "asserted", "state", "words"),
    [
        (BOUND, "assert.equal(half(4), 2)", MET, "1 of 1 changed values"),
        (BOUND, "assert.ok(half(4))", NOT_MET, "returns something else"),
        ("export function half(n) { return n / 2 }\n", "assert.ok(half(4))", NOT_MET, "something else"),
        (
            "const two = 2;\nconst three = 3;\nexport const half = (n) => n / two;\n",
            "assert.equal(half(4), 2)", MET, "no test enters src/half.js::three in line 2",
        ),
    ],
)  # fmt: skip
async def test_values_outside_functions_are_sabotaged_too(obligations, code, asserted, state, words):
    proved = await obligations(BASE, _half(code, asserted), "Add half")
    assert (proved["sensitivity"].state, words in proved["sensitivity"].reason) == (state, True)


@NEEDS_NODE
async def test_code_that_tells_a_test_from_other_processes_is_named(obligations):
    code = "export const half = (n) => (process.argv.join().includes('test') ? n / 2 : 0);\n"
    change = _half(code, "assert.equal(half(4), 2)")
    found = (await obligations(BASE, change, "Add half"))["same in every process"]
    assert found.state is NOT_MET
    assert "src/half.js reads its program or arguments (`process.argv`)" in found.reason


@NEEDS_NODE
async def test_code_of_which_nothing_can_be_sabotaged_needs_more_than_a_makers_test(obligations):
    change = {
        "src/half.rb": "def half(n) = n / 2\n",
        "test/half.test.js": 'import test from "node:test";\nimport assert from "node:assert";\n'
        'import { existsSync } from "node:fs";\ntest("half", () => assert.ok(existsSync("src/half.rb")));\n',
    }
    found = (await obligations(BASE, change, "Add half"))["sensitivity of other languages"]
    assert found.state is NOT_MET
    assert "src/half.rb: nothing else that runs is changed; give an acceptance command" in found.reason
