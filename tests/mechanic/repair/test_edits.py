from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.model.changes.text_edits import edited
from setpoint.model.finding import Category, Edit, Finding, Fix, Severity
from setpoint_mechanic.repair.edits import apply_fixes


def edit(start, end, text):
    return Edit(start_line=start[0], start_column=start[1], end_line=end[0], end_column=end[1], text=text)


def finding(*edits, file="a.py", safe=True, rule="F401"):
    return Finding(
        source="ruff",
        rule=rule,
        severity=Severity.WARNING,
        category=Category.STYLE,
        message="wrong",
        file=file,
        line=1,
        fix=Fix(description="mend it", edits=edits, safe=safe),
    )


def test_fixes_are_applied_each_at_its_place(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes("import os\r\nimport sys\r\nx = 'é' == None\r\n".encode())
    done = apply_fixes(
        tmp_path,
        [finding(edit((1, 1), (2, 1), "")), finding(edit((3, 9), (3, 11), "is"), rule="E711")],
    )
    assert all(each.ok for each in done)
    assert path.read_bytes() == "import sys\r\nx = 'é' is None\r\n".encode()


def test_unsafe_fixes_and_findings_without_one_are_left_alone(tmp_path):
    (tmp_path / "a.py").write_text("import os\n")
    no_fix = finding().model_copy(update={"fix": None})
    assert apply_fixes(tmp_path, [finding(edit((1, 1), (2, 1), ""), safe=False), no_fix]) == []
    assert (tmp_path / "a.py").read_text() == "import os\n"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (finding(edit((1, 1), (1, 7), "(")), "no longer parse"),
        (finding(edit((9, 1), (9, 2), "")), "not in the file"),
        (finding(edit((1, 1), (1, 99), "")), "no column"),
        (finding(edit((1, 1), (1, 5), "x"), edit((1, 3), (1, 6), "y")), "overlap"),
        (finding(edit((1, 1), (1, 2), "x"), file="gone.py"), "no file"),
        (finding(edit((1, 1), (1, 2), "x"), file="../outside.py"), "no file"),
        (finding(edit((1, 1), (1, 2), "x"), file="tests/test_a.py"), "test file"),
        (finding(edit((1, 1), (1, 2), "x"), file="shop/tests.py"), "test file"),
        (finding(edit((1, 1), (1, 2), "x"), file="web/basket.test.ts"), "test file"),
        (finding(edit((1, 1), (1, 2), "x"), file="__tests__/a.js"), "test file"),
        (finding(edit((1, 1), (1, 2), "x"), file="testing/x.py"), "test file"),
        (finding(), "empty"),
    ],
)
def test_a_fix_that_cannot_be_applied_says_why_and_changes_nothing(tmp_path, given, why):
    root = tmp_path / "root"
    (root / "tests").mkdir(parents=True)
    for path in (root / "a.py", root / "tests" / "test_a.py", tmp_path / "outside.py"):
        path.write_text("import os\n")
    (done,) = apply_fixes(root, [given])
    assert not done.ok
    assert why in done.note
    for path in (root / "a.py", root / "tests" / "test_a.py", tmp_path / "outside.py"):
        assert path.read_text() == "import os\n"


def test_a_fix_that_meets_another_waits(tmp_path):
    (tmp_path / "a.py").write_text("value = one\n")
    done = apply_fixes(
        tmp_path, [finding(edit((1, 9), (1, 12), "two")), finding(edit((1, 1), (1, 12), "other = three"))]
    )
    assert sorted(each.ok for each in done) == [False, True]
    assert (tmp_path / "a.py").read_text() in {"value = two\n", "other = three\n"}


def test_one_bad_fix_does_not_spoil_the_others(tmp_path):
    (tmp_path / "a.py").write_text("import os\nx = 1\n")
    done = apply_fixes(
        tmp_path,
        [finding(edit((2, 5), (2, 6), ")"), rule="X1"), finding(edit((1, 1), (2, 1), ""), rule="F401")],
    )
    assert {(each.finding.rule, each.ok) for each in done} == {("F401", True), ("X1", False)}
    assert (tmp_path / "a.py").read_text() == "x = 1\n"


@given(st.text(alphabet="abé\n", max_size=30), st.data())
def test_an_edit_replaces_its_span_and_nothing_else(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))

    def place(offset):
        before = text[:offset]
        return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1

    assert edited(text, [edit(place(start), place(end), "NEW")]) == text[:start] + "NEW" + text[end:]


def test_what_is_left_parses(tmp_path):
    (tmp_path / "a.py").write_text("def f():\n    import os\n")
    apply_fixes(tmp_path, [finding(edit((2, 1), (3, 1), ""))])
    ast.parse((tmp_path / "a.py").read_text())
