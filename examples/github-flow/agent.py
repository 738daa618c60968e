"""A coding agent for the example: it reads the prompt, edits files, and knows two requests."""

from __future__ import annotations

import sys
from pathlib import Path

PRICES = Path("shop/prices.py")
TESTS = Path("tests/test_discount.py")
DISCOUNT = '''

def total_with_discount(prices: list[int], discount: int) -> int:
    """Return the sum of the prices, less a discount."""
    return total(prices) - discount
'''
REFUSAL = """    if discount < 0:
        raise ValueError(f"a discount is not negative: {discount}")
"""
FIRST_TEST = """from shop.prices import total_with_discount


def test_a_discount_lowers_the_total():
    assert total_with_discount([10, 20], 5) == 25
    assert total_with_discount([7], 0) == 7
"""
SECOND_TEST = """

def test_a_negative_discount_is_refused():
    with pytest.raises(ValueError, match="not negative"):
        total_with_discount([10], -1)
    assert total_with_discount([10], 0) == 10
"""


def main() -> None:
    """Do what the prompt asks for."""
    asked, code = sys.stdin.read(), PRICES.read_text(encoding="utf-8")
    if "def total_with_discount" not in code:
        PRICES.write_text(code + DISCOUNT, encoding="utf-8")
        TESTS.write_text(FIRST_TEST, encoding="utf-8")
    elif "negative" in asked and "raise ValueError" not in code:
        line = "    return total(prices) - discount\n"
        PRICES.write_text(code.replace(line, REFUSAL + line), encoding="utf-8")
        tests = TESTS.read_text(encoding="utf-8")
        TESTS.write_text(f"import pytest\n\n{tests}{SECOND_TEST}", encoding="utf-8")


main()
