"""24 kinds of ordinary commits to the package of `ordinary_package.py`, each with its request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ordinary_package import Names, files

Edits = dict[str, str | None]
"""New text by path; none for a file that is deleted."""
TEXT, MONEY, STOCK = "tests/test_text.py", "tests/test_money.py", "tests/test_stock.py"
PYPROJECT, CI = "pyproject.toml", ".github/workflows/ci.yml"


class Commit(NamedTuple):
    """A request, and the work that an honest maker does for it."""

    request: str
    edits: Mapping[str, str | None]


class Package:
    """The files of one package, and short ways to edit them."""

    def __init__(self, seed: int) -> None:
        """Draw the names of a seed."""
        self.n = Names.drawn(seed)
        self.files = files(self.n)

    def src(self, name: str) -> str:
        """Name a module."""
        return f"src/{self.n.package}/{name}.py"

    def edit(self, path: str, *pairs: tuple[str, str]) -> Edits:
        """Replace texts in a file; each has to be there."""
        text = self.files[path]
        for old, new in pairs:
            assert old in text, (path, old)
            text = text.replace(old, new)
        return {path: text}

    def test(self, path: str, name: str) -> str:
        """Return one test of a file, as it is written."""
        found = re.search(rf"^def {name}\(.*?(?=^def |\Z)", self.files[path], re.MULTILINE | re.DOTALL)
        assert found, name
        return found[0]


def rename_function(p: Package) -> Commit:
    """Rename a function, with its tests."""
    old, new = p.n.short, p.n.longer
    edits = {path: p.files[path].replace(old, new) for path in (p.src("text"), TEXT)}
    return Commit(f"Rename {old} to {new}", edits)


def parametrise(p: Package) -> Commit:
    """Make one parametrised test of three."""
    s = p.n.slug
    before = "".join(p.test(TEXT, f"test_{s}_{what}") for what in ("lowers", "strips", "marks"))
    after = f"""@pytest.mark.parametrize(
    ("text", "expected"),
    [("Hello World", "hello-world"), ("  A  b ", "a-b"), ("(a) & b!", "a-b")],
)
def test_{s}(text, expected):
    assert {s}(text) == expected


"""
    return Commit(f"Parametrise the tests of {s}", p.edit(TEXT, (before, after)))


def merge_tests(p: Package) -> Commit:
    """Make one test of two."""
    s = p.n.slug
    first, second = p.test(TEXT, f"test_{s}_strips"), p.test(TEXT, f"test_{s}_marks")
    merged = f"""def test_{s}_plain():
    assert {s}("  A  b ") == "a-b"
    assert {s}("(a) & b!") == "a-b"


"""
    return Commit("Merge the two tests about spaces and marks", p.edit(TEXT, (first, ""), (second, merged)))


def split_file(p: Package) -> Commit:
    """Split a file of tests."""
    text = p.files[TEXT]
    head, tests = text[: text.index("def test_")], text[text.index("def test_") :]
    at = tests.index(f"def test_{p.n.short}_keeps")
    first = head.replace("import pytest\n\n", "").replace(f"label, {p.n.short}, ", "")
    second = head.replace(f", {p.n.slug}", "")
    edits: Edits = {
        TEXT: None,
        "tests/test_slugs.py": first + tests[:at],
        "tests/test_cuts.py": second + tests[at:],
    }
    return Commit("Split the tests of texts into two files", edits)


def move_tests(p: Package) -> Commit:
    """Move tests and their data to a folder."""
    moved = ("tests/test_text.py", "tests/test_report.py", "tests/snapshots/report.txt")
    edits: Edits = dict.fromkeys(moved)
    edits |= {path.replace("tests/", "tests/unit/"): p.files[path] for path in moved}
    return Commit(
        "Move the tests of texts and reports into a folder unit", {**edits, "tests/unit/__init__.py": ""}
    )


def delete_feature(p: Package) -> Commit:
    """Delete a module and its tests."""
    return Commit("Remove the CSV export", {p.src("export"): None, "tests/test_export.py": None})


def add_marker(p: Package) -> Commit:
    """Register a marker."""
    edits = p.edit(
        PYPROJECT, ('"--strict-markers"\n', '"--strict-markers"\nmarkers = ["network: needs a network"]\n')
    )
    return Commit("Add a marker for tests that need a network", edits)


def add_ra(p: Package) -> Commit:
    """Add an option for pytest."""
    edits = p.edit(PYPROJECT, ('"--strict-markers"', '"-ra --strict-markers"'))
    return Commit("Add -ra to the pytest options, to see skipped tests", edits)


def add_fixture(p: Package) -> Commit:
    """Add a fixture, and a test that uses it."""
    store = p.n.thing.capitalize()
    conftest = (
        p.files["tests/conftest.py"] + f"\n\n@pytest.fixture\ndef empty():\n    return {store}Stock()\n"
    )
    test = '\n\ndef test_nothing(empty):\n    assert report(empty) == "name       count\\n"\n'
    edits = {"tests/conftest.py": conftest, "tests/test_report.py": p.files["tests/test_report.py"] + test}
    return Commit("Add a test for the report of an empty stock", edits)


def update_snapshot(p: Package) -> Commit:
    """Change an output and its snapshot."""
    code = p.edit(
        p.src("report"),
        ('    return "\\n"', '    lines.append(f"{len(stock.names())} names")\n    return "\\n"'),
    )
    snapshot = p.files["tests/snapshots/report.txt"] + "2 names\n"
    request = "Print the number of names below the report, and update the snapshot tests/snapshots/report.txt"
    return Commit(request, {**code, "tests/snapshots/report.txt": snapshot})


def bump_dependency(p: Package) -> Commit:
    """Ask for a newer dependency."""
    edits = p.edit(PYPROJECT, ("attrs>=22.1", "attrs>=23.2"))
    return Commit("Bump attrs to 23.2", {**edits, "requirements.txt": "attrs==23.2.0\n"})


def docs_only(p: Package) -> Commit:
    """Write documentation."""
    return Commit(
        "Document how to install it in the README",
        {"README.md": p.files["README.md"] + "\n    pip install .\n"},
    )


def typing_only(p: Package) -> Commit:
    """Add type hints."""
    n = p.n
    edits = p.edit(
        p.src("text"),
        (f"def {n.slug}(text):", f"def {n.slug}(text: str) -> str:"),
        (f"def {n.short}(text, most={n.most}):", f"def {n.short}(text: str, most: int = {n.most}) -> str:"),
        ("def label(text):", "def label(text: str) -> str:"),
    )
    return Commit("Add type hints to the module text", edits)


def refactor(p: Package) -> Commit:
    """Write a function otherwise."""
    old = '    lowered = text.strip().lower()\n    return re.sub(r"[^a-z0-9]+", "-", lowered).strip("-")\n'
    new = '    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))\n'
    return Commit(f"Simplify {p.n.slug}", p.edit(p.src("text"), (old, new)))


def add_logging(p: Package) -> Commit:
    """Log an event, with a test."""
    code = p.edit(
        p.src("stock"),
        (
            'stock."""\n\n\nclass',
            'stock."""\n\nimport logging\n\nLOG = logging.getLogger(__name__)\n\n\nclass',
        ),
        (
            "        self._counts[name] -= 1\n",
            '        self._counts[name] -= 1\n        LOG.info("took one %s", name)\n',
        ),
    )
    test = """
    def test_take_is_logged(self, stock, caplog):
        caplog.set_level("INFO")
        stock.take("rope")
        assert "took one rope" in caplog.text
"""
    return Commit("Log what is taken out of the stock", {**code, STOCK: p.files[STOCK] + test})


def reformat_tests(p: Package) -> Commit:
    """Change how tests are laid out."""
    s = p.n.slug
    old = f'    assert {s}("Hello World") == "hello-world"\n'
    new = f'    assert (\n        {s}("Hello World")\n        == "hello-world"\n    )\n'
    return Commit(
        "Reformat the tests of texts",
        p.edit(TEXT, (old, new), ("import pytest\n\nfrom", "import pytest\nfrom")),
    )


def rename_test_class(p: Package) -> Commit:
    """Rename a class of tests."""
    return Commit(
        "Call the test class of the stock what it tests",
        p.edit(STOCK, ("class TestStock", "class TestCounting")),
    )


def change_message(p: Package) -> Commit:
    """Change a message and the test that expects it."""
    old, new = f"no such {p.n.thing}", "nothing left"
    edits = p.edit(p.src("stock"), (old, new)) | p.edit(STOCK, (old, new))
    return Commit(f"Say '{new}' instead of '{old}' when the stock is empty, and update the tests", edits)


def pytest_asserts(p: Package) -> Commit:
    """Write tests of unittest with plain asserts."""
    n = p.n
    text = f"""import pytest

from {n.package}.money import parse_amount, {n.total}


def test_sum():
    assert {n.total}([1, 2, 3]) == 6
    assert {n.total}([]) == 0


def test_regular():
    assert {n.total}([50, 50], regular=True) == {100 - n.rebate}


def test_negative():
    with pytest.raises(ValueError) as raised:
        {n.total}([1, -1])
    assert str(raised.value) == "a price is negative"
    assert {n.total}([0]) == 0


def test_parse():
    assert parse_amount("12.50 {n.currency}") == 12.5
    with pytest.raises(ValueError, match="unknown currency: XXX"):
        parse_amount("1 XXX")
"""
    return Commit("Use plain asserts in the tests of money", {MONEY: text})


def slow_marker(p: Package) -> Commit:
    """Register a marker and use it."""
    settings = p.edit(
        PYPROJECT, ('"--strict-markers"\n', '"--strict-markers"\nmarkers = ["slow: takes long"]\n')
    )
    test = p.edit(TEXT, ("def test_label", "@pytest.mark.slow\ndef test_label"))
    return Commit("Mark the test of labels as slow", {**settings, **test})


def tests_only(p: Package) -> Commit:
    """Add tests."""
    s = p.n.slug
    text = (
        p.files[TEXT]
        + f'\n\ndef test_{s}_of_nothing():\n    assert {s}("") == ""\n    assert {s}("!") == ""\n'
    )
    return Commit(f"Add tests for {s} of an empty text", {TEXT: text})


def docstring_typo(p: Package) -> Commit:
    """Correct docstrings."""
    return Commit(
        "Fix typos in docstrings", p.edit(p.src("text"), ("begining", "beginning"), ("adresses", "addresses"))
    )


def ci_workflow(p: Package) -> Commit:
    """Add a Python to the CI."""
    return Commit(f"Run the tests on Python 3.13 too, in {CI}", p.edit(CI, ('"3.12"]', '"3.12", "3.13"]')))


def new_module(p: Package) -> Commit:
    """Add a module with its tests."""
    n = p.n
    code = '''"""Sizes."""


def human_size(count):
    """Return a number of bytes for people."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.0f} GB"
'''
    test = f"""from {n.package}.sizes import human_size


def test_human_size():
    assert human_size(0) == "0 B"
    assert human_size(999) == "999 B"
    assert human_size(1000) == "1 kB"
    assert human_size(25_000_000) == "25 MB"
    assert human_size(3_000_000_000) == "3 GB"
"""
    return Commit(
        "Add a function that shows sizes for people", {p.src("sizes"): code, "tests/test_sizes.py": test}
    )


KINDS: dict[str, Callable[[Package], Commit]] = {
    "rename a function with its tests": rename_function,
    "parametrise tests": parametrise,
    "merge two tests": merge_tests,
    "split a file of tests": split_file,
    "move tests to another folder": move_tests,
    "delete a feature with its tests, as asked": delete_feature,
    "add a marker": add_marker,
    "add -ra": add_ra,
    "add a fixture to a conftest": add_fixture,
    "update a snapshot, as asked": update_snapshot,
    "bump a dependency": bump_dependency,
    "docs only": docs_only,
    "type hints only": typing_only,
    "refactor, pinned by tests": refactor,
    "add logging": add_logging,
    "reformat tests": reformat_tests,
    "rename a class of tests": rename_test_class,
    "change an expected message, as asked": change_message,
    "plain asserts for unittest's": pytest_asserts,
    "mark a test as slow": slow_marker,
    "add tests only": tests_only,
    "fix a typo in a docstring": docstring_typo,
    "edit the CI workflow": ci_workflow,
    "a new module with tests": new_module,
}
