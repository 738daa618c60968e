import shutil
import subprocess

import pytest

from setpoint.checks.proof.named.aliases import aliases, rust_aliases
from setpoint.checks.proof.sensitivity.sabotage import RAISES
from setpoint.model.proof import ObligationState

SCRIPTS = [
    ("a.mjs", "function total() { return 1; }\nexport { total as sum };\n", "m.sum()"),
    ("a.mjs", "export { basename as sum } from 'node:path';\n", "m.sum('a')"),
    ("a.mjs", "const total = () => 1;\nexport const sum = total;\n", "m.sum()"),
    ("a.cjs", "const total = () => 1;\nexports.sum = total;\n", "m.default.sum()"),
    ("a.cjs", "const total = () => 1;\nmodule.exports = { total, sum: total };\n", "m.default.sum()"),
]


@pytest.mark.skipif(not shutil.which("node"), reason="no node")
@pytest.mark.parametrize(("path", "source", "call"), SCRIPTS)
def test_another_name_of_a_script_raises(tmp_path, path, source, call):
    (found,) = aliases(path, None, source.encode(), {"sum"})
    assert (found.name, aliases(path, source.encode(), source.encode(), {"sum"})) == ("sum", ())
    done = {}
    for kind, text in (
        ("plain", source.encode()),
        ("sabotaged", found.sabotaged(source.encode(), found.sabotages[RAISES], tmp_path)),
    ):
        (tmp_path / path).write_bytes(text)
        argv = ["node", "-e", f"import('./{path}').then((m) => {call})"]
        done[kind] = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done["plain"].returncode == 0
    assert "sabotaged by Setpoint" in done["sabotaged"].stderr


@pytest.mark.parametrize(
    "source", ["export type { A as sum };", "const sum = 3;", "f(function () { const sum = g; });"]
)
def test_what_is_no_other_name_is_left_alone(source):
    assert aliases("a.ts", None, source.encode(), {"sum"}) == ()


def test_other_names_in_rust():
    source = b"pub use crate::total as sum;\nuse crate::a as b;\npub(crate) use x::{y as z};\n"
    assert rust_aliases(None, source, {"sum", "b"}) == ["sum"]
    assert rust_aliases(source, source, {"sum"}) == []


OLD = "export function mean(values) {\n  return values.reduce((a, b) => a + b, 0) / values.length;\n}\n"
BASE = {
    "package.json": '{"name": "a", "type": "module", "scripts": {"test": "node --test"}}',
    "a.js": OLD,
    "a.test.js": 'import assert from "node:assert/strict";\nimport { test } from "node:test";\n'
    'import { mean } from "./a.js";\n\ntest("mean", () => { assert.equal(mean([1, 3]), 2); });\n',
}
TEST = (
    BASE["a.test.js"]
    .replace("mean", "{0}")
    .replace('test("', 'test("more ')
    .replace("{0}([1, 3])", "{0}([1, 5])")
)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node"), reason="no node")
@pytest.mark.parametrize(("called", "right"), [("average", True), ("mean", False)])
async def test_a_test_calls_the_other_name_that_the_request_names(obligations, called, right):
    change = {
        "a.js": f"{OLD}\nexport function half(n) {{\n  return n / 2;\n}}\n\nexport {{ mean as average }};\n",
        "b.test.js": TEST.replace("{0}", called).replace("2)", "3)").replace("more ", "more ")
        + 'import { half } from "./a.js";\n\ntest("half", () => { assert.equal(half(8), 4); });\n',
    }
    made = await obligations(BASE, change, "Export `half` and `average` from a.js; average is the mean")
    assert made["named"].state is (ObligationState.MET if right else ObligationState.NOT_MET)
    assert ("a.js::average" in made["named"].reason) or right
