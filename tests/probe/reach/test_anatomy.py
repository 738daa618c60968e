"""What there is to be tested in a file, held against coverage.py, which measures the same."""

import json
import subprocess
import sys
from textwrap import dedent

import pytest

from setpoint_probe.reach.anatomy import Branch, dissect

SOURCES = {
    "plain": """
        \"\"\"A module.\"\"\"
        import os

        LIMIT = (
            1,
            2,
        )

        def clamp(value, low, high):
            \"\"\"Keep it in.\"\"\"
            if value < low:
                return low
            elif (value
                    > high):
                return high
            return value

        clamp(1, 2, 3)
    """,
    "loops": """
        def count(items):
            total = 0
            for each in items:
                if each is None:
                    continue
                total += 1
            else:
                total += 100
            while total > 3:
                total -= 1
                if total == 50:
                    break
            return total

        count([1, None])
        count([1] * 60)
    """,
    "cases": """
        def kind(value):
            match value:
                case 1:
                    return "one"
                case [a, b]:
                    return "two"
                case _:
                    return "other"

        kind(1)
        kind(5)
    """,
    "generators": """
        class Box:
            size = 3

            def items(self):
                for number in range(self.size):
                    if number:
                        yield number

            def risky(self, value):
                try:
                    return 1 / value
                except ZeroDivisionError:
                    return None
                finally:
                    self.size = 0

        list(Box().items())
        Box().risky(0)
    """,
    "left_out": """
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            import os

        def never(value):  # pragma: no cover
            if value:
                return 1
            return 2

        def some(value):
            if value:  # pragma: no cover
                return 1
            return 2

        some(0)
    """,
}


@pytest.mark.parametrize("name", SOURCES)
def test_lines_and_branches_are_those_that_coverage_counts(name, tmp_path, reach):
    (tmp_path / "subject.py").write_text(dedent(SOURCES[name]), "utf-8")
    (tmp_path / "test_subject.py").write_text(
        "import subject\n\n\ndef test():\n    assert subject\n", "utf-8"
    )
    coverage = [sys.executable, "-m", "coverage"]
    for words in (["run", "--branch", "subject.py"], ["json", "-q", "-o", "told.json"]):
        subprocess.run([*coverage, *words], cwd=tmp_path, check=True, capture_output=True)
    told = json.loads((tmp_path / "told.json").read_text())["files"]["subject.py"]

    (found,) = reach(tmp_path, "subject.py").files

    assert found.lines == told["summary"]["num_statements"]
    assert list(found.missed_lines) == told["missing_lines"]
    assert found.branches == told["summary"]["num_branches"]
    assert len(found.missed_branches) == told["summary"]["missing_branches"]


def test_functions_hold_their_own_lines_and_not_those_of_functions_inside():
    text = dedent(
        """
        class Shop:
            def price(self, item):
                def tax(value):
                    return value * 2
                if item and item.new:
                    return tax(item)
                return 0
        """
    )

    price, tax = sorted(dissect(text, "shop.py").functions, key=lambda each: each.name)

    assert (price.name, price.owner, price.complexity) == ("Shop.price", "Shop", 3)
    assert price.branches == {Branch(6, taken=True), Branch(6, taken=False)}
    assert 5 not in price.lines
    assert (tax.name, tax.owner, tax.lines) == ("Shop.price.tax", "", {5})


def test_a_form_feed_ends_no_line():
    text = 'PAGE = """a\x0cb"""\n\n\ndef fee(total):  # pragma: no cover\n    return total\n'

    assert dissect(text, "pages.py").lines == {1}
