"""Who imports whom, read from sources."""

from __future__ import annotations

import pytest

from setpoint.checks.impact.imports import importers

TREE = {
    "src/shop/__init__.py": b"from .price import total\n",
    "src/shop/price.py": b"from shop import tax\n",
    "src/shop/tax.py": b"",
    "src/shop/alone.py": b"",
    "tests/test_price.py": b"import shop.price\n",
    "tests/test_late.py": b"def test():\n    from shop.alone import x\n",
    "tests/test_else.py": b"import json\n",
    "tests/near.py": b"import shop\n",
    "tests/test_near.py": b"import near\n",
}


@pytest.mark.parametrize(
    ("target", "tests"),
    [
        ("src/shop/tax.py", {"tests/test_price.py", "tests/test_late.py", "tests/test_near.py"}),
        ("src/shop/alone.py", {"tests/test_late.py"}),
        ("tests/near.py", {"tests/test_near.py"}),
        ("tests/test_else.py", {"tests/test_else.py"}),
    ],
)
def test_who_imports_a_file(target: str, tests: set[str]) -> None:
    found = importers({target}, TREE, ("src", ""))
    assert {path for path in found if path.startswith("tests/test_")} == tests


def test_who_imports_by_computed_names_may_import_anything() -> None:
    tree = {**TREE, "tests/test_else.py": b"import importlib\nimportlib.import_module(NAME)\n"}
    assert "tests/test_else.py" in importers({"src/shop/alone.py"}, tree, ("src", ""))


def test_a_file_that_does_not_parse_imports_nothing() -> None:
    assert importers({"a.py"}, {"a.py": b"", "b.py": b"import a("}, ("",)) == {"a.py"}
