"""Functions of a test that the code under test is given to call."""

import pytest

from setpoint.checks.proof.instrument.given import never_called
from setpoint.checks.proof.instrument.python_steps import python_steps
from setpoint.checks.proof.instrument.script_steps import script_steps

WHOLE = 10_000
SCRIPTS = {
    "expression": ("half(8, (v) => check(v, 4));\n", True),
    "block": ("half(8, (v) => { if (v !== 4) { failures += 1; } });\n", True),
    "named": ("function use(v) { assert.equal(v, 4); }\nhalf(8, use);\n", True),
    "returned": ("function make(n) { return (v) => assert.equal(v, n); }\nhalf(8, make(4));\n", True),
    "forbids": ("half(8, () => assert.fail('no'));\n", False),
    "forbids by an error": ("half(8, () => { throw new Error('no'); });\n", False),
    "of errors": ("half(8, (err) => { assert.equal(err.code, 1); });\n", False),
    "caught": ("half(8).catch((e) => { check(e); });\n", False),
    "on error": ("half.on('error', (x) => check(x, 4));\n", False),
    "skipped": ("it.skip('halves', () => { assert.equal(half(8), 4); });\n", False),
    "skipped by an option": ("it('halves', { skip: true }, () => { assert.equal(half(8), 4); });\n", False),
    "late": ("setTimeout(() => { assert.ok(done, 'too late'); }, 9000);\n", False),
    "predicate": ("half([], (v) => v > 2);\n", False),
    "not given": ("function use(v) { assert.equal(v, 4); }\n", False),
}
PYTHON = {
    "without a name": ("half(8, lambda v: check(v, 4))\n", True),
    "named": ("def use(v):\n    assert v == 4\n\n\nhalf(8, use)\n", True),
    "by keyword": ("def use(v):\n    if v != 4:\n        raise ValueError\n\n\nhalf(8, use=use)\n", True),
    "returned": (
        "def make(n):\n    def use(v):\n        assert v == n\n    return use\n\n\nhalf(8, make(4))\n",
        True,
    ),
    "forbids": ("def use(v):\n    assert False\n\n\nhalf(8, use)\n", False),
    "of errors": ("def use(error):\n    assert error.code == 1\n\n\nhalf(8, use)\n", False),
    "late": ("def use():\n    assert done == 1\n\n\nTimer(9, use)\n", False),
    "not given": ("def use(v):\n    assert v == 4\n\n\nhalf(8)\n", False),
}


@pytest.mark.parametrize(("text", "counts"), SCRIPTS.values(), ids=SCRIPTS)
def test_functions_of_scripts_that_judge_have_to_be_called(text, counts):
    found = script_steps("a.js", text)
    assert found is not None
    assert (never_called(text, found.given, set(), [(0, WHOLE)]) is not None) is counts


@pytest.mark.parametrize(("text", "counts"), PYTHON.values(), ids=PYTHON)
def test_functions_of_python_that_judge_have_to_be_called(text, counts):
    found = python_steps("a.py", text)
    assert found is not None
    assert (never_called(text, found.given, set(), [(0, WHOLE)]) is not None) is counts


def test_what_was_called_or_is_not_reached_is_no_matter():
    text, _ = SCRIPTS["named"]
    found = script_steps("a.js", text)
    assert found is not None
    assert never_called(text, found.given, {0}, [(0, WHOLE)]) is None
    assert never_called(text, found.given, set(), [(0, 5)]) is None


def test_functions_without_a_name_answer_as_before(tmp_path):
    text = "pick = lambda a, b=2: a if b else 0\ntwice = sorted([3, 1], key=lambda n: -n)\n"
    found = python_steps("a.py", text)
    assert found is not None
    scope: dict[str, object] = {}
    exec(compile(found.marked(tmp_path / "log", tmp_path), "a.py", "exec"), scope)
    assert (scope["pick"](5), scope["twice"]) == (5, [3, 1])
