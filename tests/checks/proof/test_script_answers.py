"""Changed functions in JavaScript are called at the base and on the result too."""

import shutil
from pathlib import Path

import pytest

from setpoint.model.proof import ObligationState

TOOLS = Path(__file__).resolve().parents[3] / ".tools" / "javascript" / "node_modules"
MET, NOT_MET = ObligationState.MET, ObligationState.NOT_MET
_NODE = {
    "package.json": '{"name": "shop", "type": "module", "scripts": {"test": "node --test"}}\n',
    "shop.js": "export const roundUp = (n) => Math.floor(n + 0.5);\n",
    "test/shop.test.js": (
        'import assert from "node:assert";\nimport test from "node:test";\n'
        'import { roundUp } from "../shop.js";\n\n'
        'test("rounds", () => assert.equal(roundUp(2.2), 2));\n'
    ),
}
LIST = """
export function List(amounts) {
  this.amounts = amounts.slice();
}

Object.defineProperty(List.prototype, "total", {
  get: function () {
    let total = 3;
    for (const each of this.amounts) total += each;
    return total;
  },
});

List.prototype.add = function (amount) {
  this.amounts.push(amount);
  return this;
};
"""
LIST_CLASS = """
export class List {
  constructor(amounts) {
    this.amounts = [...amounts];
  }

  get total() {
    return this.amounts.reduce((total, each) => total + each, 3);
  }

  add(amount) {
    this.amounts.push(amount);
    return this;
  }
}
"""
LIST_FIELD = """
export class List {
  constructor(amounts) {
    this.amounts = [...amounts];
    this.total = this.amounts.reduce((total, each) => total + each, 3);
  }

  add(amount) {
    this.amounts.push(amount);
    return this;
  }
}
"""
_LISTS = {
    "package.json": _NODE["package.json"],
    "shop.js": LIST,
    "test/shop.test.js": """import assert from "node:assert";
import test from "node:test";
import { List } from "../shop.js";

test("total", () => assert.equal(new List([20, 4]).total, 27));
test("add", () => assert.deepEqual(new List([20]).add(4).amounts, [20, 4]));
""",
}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("base", "other", "shown"),
    [
        (
            _NODE,
            "export function roundUp(n) {\n  return Math.trunc(n + 0.4);\n}\n",
            "roundUp(2.5): 3 at the base, 2 now",
        ),
        (
            _NODE,
            "const rounded = (half) => (n) => Math.floor(n + half);\nexport const roundUp = rounded(0.4);\n",
            "roundUp(2.5): 3 at the base, 2 now",
        ),
        (_LISTS, LIST_FIELD, "new List([]).add(4): the object itself (then {amounts: [4], total: 7})"),
    ],
)
async def test_a_refactoring_in_javascript_answers_as_the_base_does(obligations, base, other, shown):
    said = (await obligations(base, {"shop.js": other}, "refactor shop"))["same answers"]

    assert said.state is NOT_MET, said.reason
    assert shown in said.reason, said.reason


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("base", "other", "names"),
    [
        (
            _NODE,
            "export function roundUp(n) {\n  const half = 0.5;\n  return Math.floor(half + n);\n}\n",
            {"shop.js::roundUp"},
        ),
        (_LISTS, LIST_CLASS, {"shop.js::List", "shop.js::List.add"}),
    ],
)
async def test_a_refactoring_in_javascript_that_answers_as_before_is_proved(obligations, base, other, names):
    said = (await obligations(base, {"shop.js": other}, "refactor shop"))["same answers"]

    assert said.state is MET, said.reason
    assert names <= {*said.evidence}, said


_TYPED = {
    ".gitignore": "node_modules\n.setpoint\n",
    "package.json": '{"name": "shop", "type": "module", "scripts": {"test": "vitest run"}}\n',
    "src/list.ts": """
export class List {
  amounts: number[];

  constructor(amounts: number[]) {
    this.amounts = [...amounts];
  }

  add(amount: number): this {
    this.amounts.push(amount);
    return this;
  }
}
""",
    "test/list.test.ts": """import { expect, it } from "vitest";
import { List } from "../src/list";

it("adds", () => { expect(new List([20]).add(24).amounts).toContain(24); });
""",
}
_PLAIN = {
    ".gitignore": "node_modules\n.setpoint\n",
    "package.json": '{"name": "shop", "scripts": {"test": "jest"}}\n',
    "src/slug.js": "exports.slug = function slug(text) {\n  return text.split(' ').join('-');\n};\n",
    "test/slug.test.js": (
        'const { slug } = require("../src/slug");\n'
        'test("slug", () => { expect(slug("a b")).toBe("a-b"); });\n'
    ),
}


@pytest.mark.slow
@pytest.mark.skipif(not TOOLS.is_dir(), reason="the tools for JavaScript are not installed")
@pytest.mark.parametrize(
    ("base", "path", "edit", "shown"),
    [
        (_TYPED, "src/list.ts", ("push", "unshift"), "new List("),
        (_PLAIN, "src/slug.js", ("split(' ').join(", "replace(' ', "), "slug("),
    ],
)
async def test_typescript_with_vitest_and_modules_with_jest_are_called(
    obligations, tmp_path, base, path, edit, shown
):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "node_modules").symlink_to(TOOLS)
    said = (await obligations(base, {path: base[path].replace(*edit)}, "refactor shop"))["same answers"]

    assert said.state is NOT_MET
    assert shown in said.reason
