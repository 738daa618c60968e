"""A small package as people write them, with fresh names for each seed; used by `bench/ordinary.py`."""

from __future__ import annotations

import random
from dataclasses import dataclass, fields
from string import Template

_PACKAGES = ("harbour", "orchard", "lantern", "meadow", "quarry", "saddle", "timber", "willow")
_SLUGS = ("slug", "dashed", "url_name", "path_name")
_SHORT = ("shorten", "clipped", "abridge", "cut_short")
_LONGER = ("truncate", "limit_text", "cropped")
_TOTALS = ("total", "sum_up", "price_of", "amount_due")
_THINGS = ("item", "article", "parcel", "ticket")
_CURRENCIES = ("EUR", "CHF", "USD", "NOK")


@dataclass(frozen=True, kw_only=True)
class Names:
    """What things are called in one package."""

    package: str
    slug: str
    short: str
    longer: str
    """What `short` is renamed to."""
    total: str
    thing: str
    currency: str
    most: int
    rebate: int

    @classmethod
    def drawn(cls, seed: int) -> Names:
        """Draw the names of a seed."""
        of = random.Random(seed)
        return cls(
            package=of.choice(_PACKAGES), slug=of.choice(_SLUGS), short=of.choice(_SHORT),
            longer=of.choice(_LONGER), total=of.choice(_TOTALS), thing=of.choice(_THINGS),
            currency=of.choice(_CURRENCIES), most=of.randint(8, 20), rebate=of.choice((5, 10, 20)),
        )  # fmt: skip


_FILES = {
    "src/${package}/__init__.py": """\
\"""Keep ${thing}s in stock.\"""

__version__ = "1.4.0"
""",
    "src/${package}/text.py": """\
\"""Texts for adresses and labels.\"""

import re


def ${slug}(text):
    \"""Return a text as it stands in an address.\"""
    lowered = text.strip().lower()
    return re.sub(r"[^a-z0-9]+", "-", lowered).strip("-")


def ${short}(text, most=${most}):
    \"""Return the begining of a text, with dots where it is cut.\"""
    if most < 4:
        raise ValueError("most is too small")
    if len(text) <= most:
        return text
    return text[: most - 3] + "..."


def label(text):
    \"""Return a short text for a label.\"""
    return ${short}(text, ${most}).upper()
""",
    "src/${package}/money.py": """\
\"""Prices.\"""

REBATE = ${rebate}


def ${total}(prices, regular=False):
    \"""Sum prices, with a rebate in percent for regular customers.\"""
    if any(price < 0 for price in prices):
        raise ValueError("a price is negative")
    whole = sum(prices)
    return whole * (100 - REBATE) / 100 if regular else whole


def parse_amount(text):
    \"""Read an amount such as '12.50 ${currency}'.\"""
    number, _, unit = text.partition(" ")
    if unit != "${currency}":
        raise ValueError("unknown currency: " + unit)
    return float(number)
""",
    "src/${package}/stock.py": """\
\"""What is in stock.\"""


class ${store}Stock:
    \"""Counts ${thing}s by name.\"""

    def __init__(self):
        self._counts = {}

    def add(self, name, count=1):
        \"""Take ${thing}s into stock.\"""
        if count < 1:
            raise ValueError("count must be positive")
        self._counts[name] = self._counts.get(name, 0) + count

    def take(self, name):
        \"""Take one ${thing} out; raises KeyError where there is none.\"""
        if self._counts.get(name, 0) == 0:
            raise KeyError("no such ${thing}")
        self._counts[name] -= 1
        return self._counts[name]

    def names(self):
        \"""List what is there, sorted.\"""
        return sorted(name for name, count in self._counts.items() if count)

    def count(self, name):
        \"""Return how many there are.\"""
        return self._counts.get(name, 0)
""",
    "src/${package}/report.py": """\
\"""Reports for people.\"""


def report(stock):
    \"""Return a table of all that is there.\"""
    lines = ["name       count"]
    for name in stock.names():
        lines.append(f"{name:<10} {stock.count(name):>5}")
    return "\\n".join(lines) + "\\n"
""",
    "src/${package}/export.py": """\
\"""Export to other programs.\"""


def to_csv(stock):
    \"""Return the stock as CSV.\"""
    rows = ["name,count"]
    for name in stock.names():
        rows.append(f"{name},{stock.count(name)}")
    return "\\n".join(rows)
""",
    "tests/__init__.py": "",
    "tests/conftest.py": """\
import pytest

from ${package}.stock import ${store}Stock


@pytest.fixture
def stock():
    made = ${store}Stock()
    made.add("lamp", 2)
    made.add("rope")
    return made
""",
    "tests/test_text.py": """\
import pytest

from ${package}.text import label, ${short}, ${slug}


def test_${slug}_lowers():
    assert ${slug}("Hello World") == "hello-world"


def test_${slug}_strips():
    assert ${slug}("  A  b ") == "a-b"


def test_${slug}_marks():
    assert ${slug}("(a) & b!") == "a-b"


def test_${short}_keeps_what_fits():
    assert ${short}("abc") == "abc"
    assert ${short}("x" * ${most}) == "x" * ${most}


def test_${short}_cuts():
    assert ${short}("abcdefgh", 6) == "abc..."
    assert ${short}("x" * 40) == "x" * ${cut} + "..."


def test_${short}_refuses():
    with pytest.raises(ValueError, match="most is too small"):
        ${short}("abc", 3)
    assert ${short}("abcdef", 4) == "a..."


def test_label():
    assert label("lamp") == "LAMP"
    assert label("y" * 40) == "Y" * ${cut} + "..."
""",
    "tests/test_money.py": """\
import unittest

from ${package}.money import parse_amount, ${total}


class MoneyTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(${total}([1, 2, 3]), 6)
        self.assertEqual(${total}([]), 0)

    def test_regular(self):
        self.assertEqual(${total}([50, 50], regular=True), ${rest})

    def test_negative(self):
        with self.assertRaises(ValueError) as raised:
            ${total}([1, -1])
        self.assertEqual(str(raised.exception), "a price is negative")
        self.assertEqual(${total}([0]), 0)

    def test_parse(self):
        self.assertEqual(parse_amount("12.50 ${currency}"), 12.5)
        with self.assertRaisesRegex(ValueError, "unknown currency: XXX"):
            parse_amount("1 XXX")
""",
    "tests/test_stock.py": """\
import pytest

from ${package}.stock import ${store}Stock


class TestStock:
    def test_add(self):
        stock = ${store}Stock()
        stock.add("a")
        stock.add("a", 2)
        assert stock.count("a") == 3
        assert stock.count("b") == 0

    def test_add_nothing(self):
        with pytest.raises(ValueError, match="count must be positive"):
            ${store}Stock().add("a", 0)

    def test_take(self, stock):
        assert stock.take("lamp") == 1
        assert stock.take("lamp") == 0
        assert stock.names() == ["rope"]

    def test_take_nothing(self, stock):
        with pytest.raises(KeyError, match="no such ${thing}"):
            stock.take("sail")

    def test_names(self, stock):
        assert stock.names() == ["lamp", "rope"]
""",
    "tests/test_report.py": """\
from pathlib import Path

from ${package}.report import report

SNAPSHOT = Path(__file__).parent / "snapshots" / "report.txt"


def test_report(stock):
    assert report(stock) == SNAPSHOT.read_text(encoding="utf-8")
""",
    "tests/snapshots/report.txt": """\
name       count
lamp           2
rope           1
""",
    "tests/test_export.py": """\
from ${package}.export import to_csv


def test_to_csv(stock):
    assert to_csv(stock) == "name,count\\nlamp,2\\nrope,1"
""",
    "pyproject.toml": """\
[project]
name = "${package}"
version = "1.4.0"
dependencies = ["attrs>=22.1"]

[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[tool.pytest.ini_options]
pythonpath = ["src"]
testpaths = ["tests"]
addopts = "--strict-markers"

[tool.coverage.report]
fail_under = 80
""",
    "requirements.txt": """\
attrs==22.1.0
""",
    "README.md": """\
# ${package}

Keeps ${thing}s in stok.
""",
    ".github/workflows/ci.yml": """\
name: ci
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        python: ["3.11", "3.12"]
    steps:
      - uses: actions/checkout@v4
      - run: pip install -e . pytest && pytest
""",
    ".gitignore": """\
__pycache__
*.egg-info
.setpoint
""",
}
"""Text by path; `$name` and `${name}` stand for what is drawn."""


def files(n: Names) -> dict[str, str]:
    """Return the package, its tests and its settings."""
    drawn = {
        **{each.name: str(getattr(n, each.name)) for each in fields(n)},
        "store": n.thing.capitalize(),
        "cut": str(n.most - 3),
        "rest": str(100 - n.rebate),
    }
    return {
        Template(path).substitute(drawn): Template(text).substitute(drawn) for path, text in _FILES.items()
    }
