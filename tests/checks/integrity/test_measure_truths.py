"""Code that says whether two values agree: of the measure where tests measure other code with it."""

from __future__ import annotations

import pytest

from setpoint.checks.integrity.paths import truth, truth_scripts
from setpoint.checks.integrity.paths.measure_files import Sources, of_measure

PYTHON = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "support/compare.py": "def same(a, b):\n    return a == b\n",
    "tests/test_calc.py": (
        "from calc import add\nfrom support.compare import same\n\n"
        "def test_add():\n    assert same(add(1, 2), 3)\n"
    ),
}
SCRIPT = {
    "calc.js": "exports.add = (a, b) => a + b;\n",
    "support/same.js": "module.exports = (a, b) => a === b;\n",
    "test/calc.test.js": (
        "const same = require('../support/same');\nconst { add } = require('../calc');\n"
        "test('adds', () => {\n  expect(same(add(1, 2), 3)).toBe(true);\n});\n"
    ),
}
WALKER = """
function eq(a, b) {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  const left = Object.keys(a).sort();
  return left.length === Object.keys(b).length && left.every((key) => eq(a[key], b[key]));
}
module.exports = { eq };
"""
DEEP = """
def _plain(value):
    return value.strip()

def same(got, want):
    if isinstance(got, dict):
        return got.keys() == want.keys() and all(same(got[k], want[k]) for k in got)
    left, right = _plain(got), _plain(want)
    return left == right
"""


def of_python(text: str, test: str, **more: str) -> dict[str, str]:
    before = "from calc import add\nfrom support.compare import same\n"
    return {**PYTHON, "support/compare.py": text, "tests/test_calc.py": before + test, **more}


def of_script(test: str, **more: str) -> dict[str, str]:
    before = "const same = require('../support/same');\nconst { add } = require('../calc');\n"
    return {**SCRIPT, "test/calc.test.js": before + test, **more}


def found(files: dict[str, str], path: str) -> bool:
    return path in of_measure([path], Sources(files=files.keys(), texts=files))


SAME = PYTHON["support/compare.py"]


@pytest.mark.parametrize(
    "files",
    [
        PYTHON,
        of_python(DEEP, "def test_a():\n    got = add(1, 2)\n    assert same(got, 3), got\n"),
        of_python(
            "import math\nsame = lambda a, b: math.isclose(a, b)\n", "assert same(3, add(1, 2)) is True\n"
        ),
        of_python(SAME, "if not same(add(1, 2), 3):\n    raise SystemExit(1)\n"),
        of_python(
            SAME, "class T(TestCase):\n    def test(self):\n        self.assertTrue(same(add(1, 2), 3))\n"
        ),
        of_python(SAME, "def run(x):\n    return add(x, 1)\n\ndef test():\n    assert same(run(1), 2)\n"),
        of_python(
            SAME,
            "@fixture\ndef total():\n    return add(1, 1)\n\ndef test(total):\n    assert same(total, 2)\n",
        ),
        of_python(
            SAME,
            "import subprocess\ngot = subprocess.run(['python', 'calc.py']).stdout\nassert same(got, b'3')\n",
        ),
        of_python(
            SAME,
            "def test():\n    with raises(Error):\n        add(1, None)\n    assert same(add(1, 2), 3)\n",
        ),
        {
            **PYTHON,
            "tests/test_calc.py": "import calc\nimport support.compare as c\nassert c.same(calc.a(), 2)\n",
        },
        {**PYTHON, "other.py": "import hmac\nhmac.compare_digest(a.b, c)  # compare\n"},
        {**PYTHON, "support/build.py": "def build(): ...\n"},
    ],
)
def test_a_truth_with_which_tests_measure_other_code_belongs_to_the_measure(files):
    assert found(files, "support/compare.py")


@pytest.mark.parametrize(
    "files",
    [
        SCRIPT,
        {
            **SCRIPT,
            "support/same.js": WALKER,
            "test/calc.test.js": (
                "const { eq: same } = require('../support/same');\nconst calc = require('../calc');\n"
                "const assert = require('assert');\nconst got = calc.add(1, 2);\nassert(same(got, 3), '');\n"
            ),
        },
        of_script("if (!same(add(1, 2), 3)) { process.exit(1); }\n"),
        of_script("const run = (x) => {\n  return add(x, 1);\n};\nassert.ok(same(run(1), 2));\n"),
        of_script("assert.strictEqual(same(add(1, 2), { a: 3 }), true);\n"),
        {
            **SCRIPT,
            "support/same.js": (
                "export function same(a, b) {\n  const left = JSON.stringify(a), right = JSON.stringify(b);\n"
                "  return left === right;\n}\n"
            ),
            "test/calc.test.js": (
                "import { same } from '../support/same.js';\nimport { add } from '../calc.js';\n"
                "expect(same(add(1, 2), 3)).toBeTruthy();\n"
            ),
        },
    ],
)
def test_a_truth_of_scripts_with_which_tests_measure_belongs_to_the_measure(files):
    assert found(files, "support/same.js")


TIMED = (
    "def constant_time_compare(left, right):\n    result = len(left) ^ len(right)\n"
    "    for a, b in zip(left, right):\n        result |= a ^ b\n    return result == 0\n"
)
TOKENS = {
    "tokens/make.py": "def token(name): ...\n",
    "security/compare.py": TIMED.replace("constant_time_compare", "same"),
}


@pytest.mark.parametrize(
    "files",
    [
        of_python(SAME, "assert same(1, 1)\nassert not same(1, 2)\nadd(1, 2)\n"),
        of_python(SAME, "assert same(add(1, 2), 3)\nassert not same(add(1, 2), 4)\n"),
        of_python(SAME, "assert same(add(1, 2), 3)\nassert same('a', 'a')\n"),
        of_python(SAME, "def test(a, b, want):\n    assert same(add(1, 2), 3) == want\n"),
        of_python(SAME, "assert same(add(1, 2), add(2, 1))\n"),
        of_python(
            SAME, "def test():\n    self.assertFalse(same(add(1, 2), 4))\n    assert same(add(1, 2), 3)\n"
        ),
        of_python(SAME, "if same(add(1, 2), 4):\n    raise SystemExit(1)\nassert same(add(1, 2), 3)\n"),
        of_python(SAME, "got = same(add(1, 2), 3)\n"),
        of_python("def same(a, b):\n    return a + b\n", "assert same(add(1, 2), 3)\n"),
        of_python("def same(a):\n    return a == 1\n", "assert same(add(1, 2))\n"),
        of_python(
            f"{SAME}\ndef mean(values):\n    return sum(values)\n",
            "from support.compare import mean\nassert same(add(1, 2), 3)\nassert mean([1]) == 1\n",
        ),
        {**PYTHON, "shop.py": "from support.compare import same\n"},
        {**PYTHON, "shop.py": "import_module('support.compare')\n"},
        {**PYTHON, "pyproject.toml": 'packages = ["support"]\n'},
        {**PYTHON, "tests/test_compare.py": PYTHON["tests/test_calc.py"] + "\nassert not same(1, 2)\n"},
        {
            **TOKENS,
            "support/compare.py": SAME,
            "tests/test_compare.py": (
                "from tokens.make import token\nfrom support.compare import same\nassert same(token(), 1)\n"
            ),
        },
        {
            "support/core.py": "def total(): ...\n",
            "support/compare.py": SAME,
            "tests/test_total.py": (
                "from support.core import total\nfrom support.compare import same\nassert same(total(), 3)\n"
            ),
        },
    ],
)
def test_a_truth_that_tests_are_about_is_of_the_product(files):
    assert not found(files, "support/compare.py")


@pytest.mark.parametrize(
    "files",
    [
        of_script("expect(same(1, 1)).toBe(true);\nexpect(same(1, 2)).toBe(false);\nadd(1, 2);\n"),
        of_script("expect(same(add(1, 2), 3)).toBe(true);\nexpect(same(add(1, 2), 4)).toBe(false);\n"),
        of_script("test.each(rows)('%s', (a, b, want) => {\n  expect(same(add(a, 0), b)).toBe(want);\n});\n"),
        of_script("assert(!same(add(1, 2), 4));\nassert(same(add(1, 2), 3));\n"),
        of_script("t.false(same(add(1, 2), 4));\nt.true(same(add(1, 2), 3));\n"),
        of_script("assert(same('a', 'a'));\nassert(same(add(1, 2), 3));\n"),
        of_script("console.log(same(add(1, 2), 3));\n"),
        {**SCRIPT, "support/same.js": "module.exports = (a, b) => a + b;\n"},
        {**SCRIPT, "support/same.js": "module.exports = (a, b) => (a < b ? a : b);\n"},
        {**SCRIPT, "index.js": "const same = require('./support/same');\n"},
        {**SCRIPT, "package.json": '{"files": ["support"]}'},
    ],
)
def test_a_truth_of_scripts_that_tests_are_about_is_of_the_product(files):
    assert not found(files, "support/same.js")


def test_a_comparison_in_constant_time_says_whether_and_is_of_the_product() -> None:
    files = {
        **TOKENS,
        "tests/test_security.py": (
            "from tokens.make import token\nfrom security.compare import same\n\n"
            "@pytest.mark.parametrize('other, want', [('a', True), ('b', False)])\n"
            "def test_same(other, want):\n    assert same(token('a'), other) is want\n"
        ),
    }

    assert truth.comparers(TIMED) == {"constant_time_compare"}
    assert not found(files, "security/compare.py")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def a(x, y):\n    return x < y\n", {"a"}),
        ("def a(x, y):\n    return x\n", set()),
        ("def a(x, y):\n    print(x)\n", set()),
        ("def a(x, y):\n    return x == 1 or y == 1\n", set()),
        ("def a(x, y):\n    return [x == y]\n", set()),
        ("def a(x, y:\n", set()),
    ],
)
def test_a_function_compares_where_all_it_returns_is_whether_two_parameters_agree(text, names):
    assert truth.comparers(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("export const a = (x: string, y: string): boolean => x === y;\n", {"a"}),
        ("export default function (x, y) { return Object.is(x, y); }\n", {"default"}),
        ("function a(x, y) { return x === y; }\nmodule.exports = a;\n", {"a", "default"}),
        ("exports.a = (x, y) => ({ x: x === y });\n", set()),
        ("exports.a = (x, y) => x.concat(y);\n", set()),
        ("// exports.a = (x, y) => x === y;\n", set()),
    ],
)
def test_a_script_compares_where_all_it_returns_is_whether_two_parameters_agree(text, names):
    assert truth_scripts.comparers(text) == names
