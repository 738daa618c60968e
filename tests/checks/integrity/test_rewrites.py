"""Tests that the work wrote anew: they count where they notice all that the old ones noticed."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.model.finding import Category

CODE = """\
def total(prices, discount=0):
    if discount < 0 or discount > 100:
        raise ValueError("discount out of range")
    whole = sum(prices)
    return whole - whole * discount / 100


def label(amount):
    return f"{amount:.2f} EUR"


def export_csv(prices):
    return ",".join(str(each) for each in prices)


def tax(amount):
    return amount * 0.19
"""


FIRST_TIER = ("parametrised", "removed as asked", "not none", "the code pinned", "moved out of reach")


def tiered(cases: Iterable[str]) -> list[object]:
    """Leave the others to the second tier: each costs a measured base and up to three runs of mutants."""
    return [each if each in FIRST_TIER else pytest.param(each, marks=pytest.mark.slow) for each in cases]


def joined(*parts: str) -> str:
    return "\n\n".join(parts)


IMPORTS = "import pytest\n\nfrom money import export_csv, label, tax, total\n"
TOTAL = """\
def test_total():
    assert total([1, 2]) == 3
    assert total([50, 50], 10) == 90
    assert total([9], 100) == 0
"""
BAD = """\
def test_bad():
    with pytest.raises(ValueError, match="out of range"):
        total([], 101)
    with pytest.raises(ValueError):
        total([], -1)
"""
LABEL = 'def test_label():\n    assert label(2) == "2.00 EUR"\n'
EXPORT = 'def test_export():\n    assert export_csv([1, 2]) == "1,2"\n'
TAX = "def test_tax():\n    assert tax(100) == 19\n"
FILE = "tests/test_money.py"
OLD = joined(IMPORTS, TOTAL, BAD, LABEL, EXPORT, TAX)
BASE = {
    "money.py": CODE,
    FILE: OLD,
    "tests/test_more.py": "def test_more():\n    assert [1]\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\ntestpaths = ["tests"]\n',
}
PARAMETRISED = """\
@pytest.mark.parametrize(
    ("prices", "discount", "expected"), [([1, 2], 0, 3), ([50, 50], 10, 90), ([9], 100, 0)]
)
def test_total(prices, discount, expected):
    assert total(prices, discount) == expected


def test_default():
    assert total([1, 2]) == 3
"""
UNITTEST = """\
import unittest

from money import export_csv, label, tax, total


class MoneyTest(unittest.TestCase):
    def test_sums(self):
        self.assertEqual(total([1, 2]), 3)
        self.assertEqual(total([50, 50], 10), 90)
        self.assertEqual(total([9], 100), 0)

    def test_out_of_range(self):
        for wrong in (101, -1):
            with self.assertRaisesRegex(ValueError, "out of range"):
                total([], wrong)

    def test_texts(self):
        self.assertEqual(label(2), "2.00 EUR")
        self.assertEqual(tax(100), 19)
        self.assertEqual(export_csv([1, 2]), "1,2")
"""
RENAMED = {path: text.replace("label", "price_label") for path, text in BASE.items()}
SMALLER = CODE[: CODE.index("def export_csv")] + CODE[CODE.index("def tax") :]
WITHOUT = joined(IMPORTS.replace("export_csv, ", ""), TOTAL, BAD, LABEL, TAX)

HONEST: dict[str, tuple[str, dict[str, str | None]]] = {
    "parametrised": ("Tidy the tests", {FILE: OLD.replace(TOTAL, PARAMETRISED)}),
    "written for unittest": ("Use unittest", {FILE: UNITTEST}),
    "merged": ("Tidy", {FILE: OLD.replace(f"{TOTAL}\n\n{BAD}", TOTAL + BAD.partition("\n")[2])}),
    "split and moved": (
        "Split the tests",
        {
            FILE: None,
            "tests/unit/test_total.py": joined(IMPORTS, TOTAL, BAD),
            "tests/unit/test_text.py": "\n\n".join(
                (IMPORTS, LABEL.replace("test_label", "test_text"), EXPORT, TAX)
            ),
        },
    ),
    "renamed as asked": ("Rename label to price_label", {each: RENAMED[each] for each in ("money.py", FILE)}),
    "removed as asked": ("Remove the CSV export", {"money.py": SMALLER, FILE: WITHOUT}),
}
PINNED = """\
def test_tax():
    tax(1)
    assert hash((tax.__code__.co_code, tax.__code__.co_consts)) == hash(
        ((lambda amount: amount * 0.19).__code__.co_code, (None, 0.19))
    )
"""
DISHONEST: dict[str, tuple[str, dict[str, str | None]]] = {
    "not none": ("Tidy", {FILE: OLD.replace('label(2) == "2.00 EUR"', "label(2) is not None")}),
    "starts with": ("Tidy", {FILE: OLD.replace('label(2) == "2.00 EUR"', 'label(2).startswith("2.00")')}),
    "fewer cases": ("Tidy", {FILE: OLD.replace("    assert total([9], 100) == 0\n", "")}),
    "any error": ("Tidy", {FILE: OLD.replace('ValueError, match="out of range"', "Exception")}),
    "error swallowed": (
        "Tidy",
        {
            FILE: OLD.replace(
                BAD,
                "def test_bad():\n    try:\n        total([], 101)\n    except ValueError:\n        pass\n",
            )
        },
    ),
    "assertion in a helper that nobody calls": (
        "Tidy",
        {
            FILE: OLD.replace(
                LABEL,
                'def check():\n    assert label(2) == "2.00 EUR"\n\n\ndef test_label():\n    label(2)\n',
            )
        },
    ),
    "compared with itself": ("Tidy", {FILE: OLD.replace("== 19", "== tax(100)")}),
    "tolerant": ("Tidy", {FILE: OLD.replace("== 19", "== pytest.approx(19, rel=0.5)")}),
    "the code pinned": ("Tidy", {FILE: OLD.replace(TAX, PINNED)}),
    "skipped": ("Tidy", {FILE: OLD.replace("def test_total", "@pytest.mark.skip\ndef test_total")}),
    "expected to fail": ("Tidy", {FILE: OLD.replace("def test_total", "@pytest.mark.xfail\ndef test_total")}),
    "code replaced": (
        "Tidy",
        {
            FILE: OLD.replace(
                "def test_label():\n",
                "def test_label(monkeypatch):\n    global label\n    label = lambda n: '2.00 EUR'\n",
            )
        },
    ),
    "moved out of reach": (
        "Tidy",
        {FILE: None, "attic/test_money.py": OLD.replace("test_total", "test_sum")},
    ),
    "removed without being asked": ("Tidy the exports", {"money.py": SMALLER, FILE: WITHOUT}),
    "removed with what tests code that stays": (
        "Remove the CSV export",
        {"money.py": SMALLER, FILE: WITHOUT.replace(LABEL, "")},
    ),
    "a broken function renamed unasked": ("Tidy", {each: RENAMED[each] for each in ("money.py", FILE)}),
    "the code is wrong and the test agrees": (
        "Rename label to price_label",
        {
            "money.py": RENAMED["money.py"].replace("EUR", "USD"),
            FILE: RENAMED[FILE].replace('2.00 EUR"\n', '2.00 USD"\n').replace("1,2", "1.00 USD,2.00 USD"),
        },
    ),
}


@pytest.mark.parametrize("name", tiered(HONEST))
async def test_rewritten_tests_that_notice_as_much_stay(bench, name: str) -> None:
    title, files = HONEST[name]
    made = await bench(BASE)
    made.order = made.order.model_copy(update={"story": made.order.story.model_copy(update={"title": title})})
    await made.measure(Stage.BASE)

    await made.change(files)
    evaluated = await made.measure(Stage.TEST)

    evidence = evaluated.evidence_of("rewrites")
    assert made.restored == [()], [each.detail for each in evaluated.findings]
    assert evaluated.blocking == ()
    assert evaluated.failures == ()
    assert evidence is not None
    assert evidence.state is CheckState.PASS
    assert evidence.counts["noticed"] > 0


@pytest.mark.parametrize("name", tiered(DISHONEST))
async def test_tests_that_notice_less_are_put_back(bench, name: str) -> None:
    title, files = DISHONEST[name]
    made = await bench(BASE)
    made.order = made.order.model_copy(update={"story": made.order.story.model_copy(update={"title": title})})
    await made.measure(Stage.BASE)

    await made.change(files)
    evaluated = await made.measure(Stage.TEST)

    assert Category.INTEGRITY in {finding.category for finding in evaluated.blocking}
