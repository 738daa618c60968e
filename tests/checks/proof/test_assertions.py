"""An assertion counts if it can turn its test red: each is turned round once."""

import pytest

from setpoint.checks.proof.assertions.assertion import edited
from setpoint.checks.proof.assertions.other_assertions import other_assertions
from setpoint.checks.proof.assertions.python_assertions import python_assertions
from setpoint.model.proof import ObligationState

OLD = "import shop\n\n\ndef test_old():\n    assert shop.price(2) > 2\n"
SHOP = {
    "shop.py": "def price(n):\n    if n < 0:\n        raise ValueError(n)\n    return n * 100\n",
    "tests/test_shop.py": OLD,
}
REAL = "import shop\n\n\ndef test_price():\n    assert shop.price(2) == 200\n\n\n"
HONEST = """\
import sys
import unittest

import pytest
import shop


def check(n, expected):
    if n:
        assert shop.price(n) == expected
    else:
        assert not shop.price(n)


@pytest.mark.parametrize(("n", "expected"), [(0, 0), (1, 100)])
def test_rows(n, expected):
    check(n, expected)


def test_loop_and_platform():
    for n in range(2):
        assert shop.price(n) == n * 100, f"price of {n}"
    if sys.platform == "nowhere":
        assert shop.price(1) == 7
    with pytest.raises(ValueError, match="-1"):
        shop.price(-1)


def test_caught():
    try:
        shop.price(-1)
        pytest.fail("no error")
    except ValueError as error:
        assert error.args == (-1,)


class TestShop(unittest.TestCase):
    def test_methods(self):
        self.assertEqual(shop.price(1), 100)
        self.assertTrue(shop.price(1) and shop.price(2))
        with self.assertRaises(ValueError):
            shop.price(-1)
"""
WRONG = "assert shop.price(3) == 4"
NEVER = [
    (f"    try:\n        {WRONG}\n    except AssertionError:\n        pass\n", WRONG),
    (
        "    try:\n        shop.price(-1)\n    except ValueError as error:\n        assert error.args\n",
        "try: shop.price(-1) except ValueError as error: assert error.args",
    ),
    (f"    def later():\n        {WRONG}\n    assert callable(later) is True\n", WRONG),
    (f"    for n in []:\n        {WRONG}\n", WRONG),
    ("    assert shop.price\n", "assert shop.price"),
]
IN_GO = "package a\n\nfunc TestA(t *testing.T) {{\n\t{0}\n}}\n"


async def test_honest_assertions_are_counted(obligations):
    said = await obligations(SHOP, {"tests/test_more.py": HONEST}, "add tests for the price")

    assert said["assertions"].state is ObligationState.MET
    assert "9 of 10 assertions of the new tests fail when they are turned round" in said["assertions"].reason


@pytest.mark.parametrize(("body", "named"), NEVER)
async def test_what_cannot_turn_its_test_red_is_named(obligations, body, named):
    test = f"{REAL}def test_more():\n    assert shop.price(1) == 100\n{body}"
    said = await obligations(SHOP, {"tests/test_more.py": test}, "add tests for the price")

    assert said["assertions"].state is ObligationState.NOT_MET
    assert f"`{named}`: let it fail" in said["assertions"].reason


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("assert f(2) == 6, f(5) == 9", "is its message"),
        ("assert (f(2) == 6, f(5) == 9)", "true whatever"),
        ("assert f(2) == f(2)", "true whatever"),
        ("self.assertTrue(f(2), 9)", "is its message"),
        ("self.assertEqual(f(2), f(2))", "both sides are the same"),
        ("mock.assert_called_once", "is not called"),
        ("pytest.raises(ValueError)", "nothing is called in it"),
    ],
)
def test_what_can_never_fail_is_read_in_python(line, why):
    found = python_assertions("t.py", f"def test_it():\n    {line}\n".encode())

    assert [why in each.empty for owner in found.owners for each in owner.assertions if each.empty] == [True]


@pytest.mark.parametrize(
    ("path", "source", "turned"),
    [
        (
            "a.test.js",
            "test('a', async () => { await expect(f()).resolves.toBe(4); });",
            ".resolves.not.toBe(",
        ),
        ("a.test.ts", "it('a', () => { expect(f()).not.toBe(4); });", "expect(f()).toBe(4)"),
        ("a.test.js", "test('a', () => { assert.ok(f()); });", "assert.ok(setpointOtherwise(f()))"),
        ("a.test.js", "test('a', () => { assert.equal(f(), 4); });", "setpointFails(assert.equal(f(), 4))"),
        ("a.test.js", "test('a', () => { try { f(); } catch (e) { assert.ok(e); } });", "try { ; } catch"),
        ("a_test.go", IN_GO.format("if got := F(); got != 4 { t.Errorf(got) }"), "got := F(); !(got != 4) {"),
        ("a_test.go", IN_GO.format('if F() != 4 { t.Log("no") }'), "if !(F() != 4) {"),
        ("a_test.go", IN_GO.format("require.Equal(t, 4, F())"), 't.Fatal("turned round"); require'),
        ("a.rs", "#[test]\nfn a() {\n    assert_eq!(f(), 4);\n}\n", "assert_ne!(f(), 4)"),
        ("a.rs", '#[test]\nfn a() {\n    assert!(f() > 4, "{}", 1);\n}\n', "assert!(!(f() > 4), "),
    ],
)
def test_assertions_of_other_languages_are_turned_round(path, source, turned):
    (owner,) = other_assertions(path, source.encode()).owners
    made = [edited(source.encode(), each.edits, "").decode() for each in owner.assertions]

    assert owner.is_test
    assert any(turned in each for each in made), made


def test_a_matcher_that_is_not_called_can_never_fail():
    found = other_assertions("a.test.js", b"test('a', () => { expect(f(2)); expect(f(2)).toBe; });\n")

    assert [each.empty for each in found.owners[0].assertions] == [
        "no matcher is called",
        "its matcher is not called",
    ]
