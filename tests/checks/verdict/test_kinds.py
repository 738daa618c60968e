"""What kind of work a change is, told from its files first."""

import pytest

from setpoint.checks.verdict.kinds import is_version_alone, kind_of_change
from setpoint.model.ids import StoryId
from setpoint.model.proof import WorkKind
from setpoint.model.stories.story import Story

CODE = b"def price(n):\n    return n * 100\n"


def kind(title: str, before: dict[str, bytes], after: dict[str, bytes], **more: object) -> WorkKind:
    return kind_of_change(Story(id=StoryId("s"), title=title, **more), before, after).work


@pytest.mark.parametrize(
    ("title", "path", "before", "after", "wanted"),
    [
        ("Add a discount", "shop.py", CODE, CODE + b"\n\nRATE = 3\n", WorkKind.BEHAVIOUR),
        ("Improve the docs", "shop.py", CODE, CODE + b"\n\nRATE = 3\n", WorkKind.BEHAVIOUR),
        ("Simplify price", "shop.py", CODE, CODE.replace(b"n * 100", b"100 * n"), WorkKind.REFACTOR),
        ("perf: count once", "shop.py", CODE, CODE.replace(b"n * 100", b"100 * n"), WorkKind.REFACTOR),
        ("Explain price in a comment", "shop.py", CODE, b"# Cents.\n" + CODE, WorkKind.DOCS),
        ("Release 1.2.4", "shop.py", b'__version__ = "1.2.3"\n', b'__version__ = "1.2.4"\n', WorkKind.CHORE),
        ("Test Python 3.14 in the CI", ".github/workflows/ci.yml", b"a: 1\n", b"a: 2\n", WorkKind.CHORE),
        ("Update README", "README.md", b"# Shop\n", b"# A shop\n", WorkKind.DOCS),
        ("Add tests for price", "tests/test_shop.py", b"", b"def test_it():\n    assert 1\n", WorkKind.TESTS),
    ],
)
def test_the_files_of_a_change_decide_first(title, path, before, after, wanted):
    assert kind(title, {path: before}, {path: after}) is wanted


def test_a_version_constant_in_a_file_of_code_is_a_chore():
    before = {"shop/__init__.py": b'VERSION = (1, 2, 3)\nprice = "1.50"\n'}
    after = {"shop/__init__.py": b'VERSION = (1, 3, 0)\nprice = "1.50"\n'}

    assert kind("Bump the version", before, after) is WorkKind.CHORE


@pytest.mark.parametrize(
    ("before", "after", "alone"),
    [
        (b'VERSION = "1.2.3"\n', b'VERSION = "1.3.0rc1"\n', True),
        (b'rate = "1.2.3"\n', b'rate = "1.3.0"\n', False),
        (b'VERSION = "1.2.3"\n', b'VERSION = "1.3.0"\nRATE = 3\n', False),
        (b'VERSION = "1.2.3"\n', b'VERSION = other("1.3.0")\n', False),
    ],
)
def test_a_version_is_alone_where_nothing_else_differs(before, after, alone):
    assert is_version_alone(before, after) is alone


@pytest.mark.parametrize(
    ("title", "before", "after", "promised"),
    [
        ("Add a discount", CODE, CODE + b"RATE = 3\n", False),
        ("Improve the docs", CODE, CODE + b"RATE = 3\n", True),
        ("Nobody uses it", CODE + b"RATE = 3\n", CODE, True),
        ("For Python 3.10", CODE, CODE.replace(b"(n)", b"(n: int | None) -> int"), True),
        ("For Python 3.10", CODE, b"from typing import Any\n" + CODE.replace(b"(n)", b"(n: Any)"), True),
        ("For Python 3.10", CODE, CODE.replace(b"(n)", b"(n: int = 1)"), False),
    ],
    ids=["code", "documents and code", "removed", "types", "imports of types", "default"],
)
def test_some_changes_promise_that_no_outcome_changes(title, before, after, promised):
    made = kind_of_change(Story(id=StoryId("s"), title=title), {"shop.py": before}, {"shop.py": after})

    assert (made.work, made.promises_nothing) == (WorkKind.BEHAVIOUR, promised)


@pytest.mark.parametrize(
    ("title", "path", "after"),
    [
        ("Set the version to 3.5.0", "setup.cfg", b"[metadata]\nversion = 3.5.0\n"),
        ("Checkout v4.2 everywhere", ".github/workflows/ci.yml", b"uses: actions/checkout@v4.2\n"),
    ],
)
def test_a_version_that_settings_bring_may_be_what_is_asked_for(title, path, after):
    assert kind(title, {path: b"version = 3.4.0\n"}, {path: after}) is WorkKind.CHORE


def test_documents_are_no_answer_to_a_request_for_behaviour():
    story = Story(id=StoryId("s"), title="Add a discount")
    made = kind_of_change(story, {"README.md": b"a\n"}, {"README.md": b"b\n"})

    assert (made.work, made.files_say) == (WorkKind.BEHAVIOUR, WorkKind.DOCS)


@pytest.mark.parametrize(
    ("title", "path"),
    [
        ("Add a discount, with tests", "tests/test_shop.py"),
        ("Add a discount and update the docs", "docs/shop.md"),
        ("Repair the config parser", "README.md"),
        ("Add a discount; mention it in the changelog", "CHANGELOG.md"),
    ],
)
def test_what_is_asked_for_beside_code_is_no_answer_alone(title, path):
    made = kind_of_change(Story(id=StoryId("s"), title=title), {path: b"a\n"}, {path: b"b\n"})

    assert made.work in (WorkKind.BEHAVIOUR, WorkKind.REPAIR)


def test_a_request_may_speak_of_documents_anywhere():
    title = "load() has an option that the docstring does not mention. Add it."

    assert kind(title, {"shop.py": CODE}, {"shop.py": b"# Cents.\n" + CODE}) is WorkKind.DOCS


def test_a_request_in_any_language_may_name_the_file():
    wanted = kind("CHANGELOG ergänzen", {"CHANGELOG.md": b"a\n"}, {"CHANGELOG.md": b"b\n"})

    assert wanted is WorkKind.DOCS


def test_a_person_sets_the_kind():
    after = {"shop.py": CODE.replace(b"n * 100", b"100 * n")}

    assert kind("Preis vereinfachen", {"shop.py": CODE}, after) is WorkKind.BEHAVIOUR
    assert kind("Preis vereinfachen", {"shop.py": CODE}, after, kind="refactor") is WorkKind.REFACTOR
