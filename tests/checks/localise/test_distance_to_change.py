"""Where a cause is put, and how near to the change it is said to lie."""

from pathlib import Path

import pytest

from checks.conftest import git, write
from setpoint.checks.localise.distance_to_change import Changes, near, placed
from setpoint.checks.localise.readable_failures import SHORT_DETAIL, WITH_CODE, around, readable
from setpoint.model.evidence import Cause, Failure, Frame
from setpoint.model.finding import Category, Finding, Nearness, Severity
from setpoint.model.ids import Commit

SOURCE = """import os

@cached
def outer(x):
    y = x + 1

    return y

def other():
    return 2
"""
CHANGES = Changes(lines={"src/a.py": {5}, "notes.md": {1}}, sources={"src/a.py": SOURCE, "src/gone.py": ""})


def failed(*frames: tuple[str, int], test: str = "tests/test_a.py::test_a") -> Failure:
    steps = tuple(Frame(file=file, line=line) for file, line in frames)
    return Failure(test=test, cause=Cause.RUNTIME, message="no", file="x.py", line=9, frames=steps)


@pytest.mark.parametrize(
    ("file", "line", "expected"),
    [
        ("src/a.py", 5, Nearness.LINE),
        ("src/a.py", 7, Nearness.FUNCTION),
        ("src/a.py", 3, Nearness.FUNCTION),
        ("src/a.py", 10, Nearness.FILE),
        ("src/gone.py", 1, Nearness.FILE),
        ("notes.md", 1, Nearness.LINE),
        ("src/b.py", 5, Nearness.NONE),
        ("", 0, Nearness.NONE),
    ],
)
def test_how_near_a_place_is(file: str, line: int, expected: Nearness) -> None:
    assert CHANGES.nearness(file, line) is expected


def test_nothing_is_near_where_nothing_was_compared() -> None:
    assert Changes(lines={}, sources={}, known=False).nearness("src/a.py", 5) is None


def test_a_file_that_does_not_parse_has_lines_but_no_functions() -> None:
    changes = Changes(lines={"a.py": {2}}, sources={"a.py": "def x(:\n  y\n"})
    assert [changes.nearness("a.py", line) for line in (1, 2)] == [Nearness.FILE, Nearness.LINE]


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ([("tests/test_a.py", 3), ("src/a.py", 5), ("src/b.py", 2)], ("src/a.py", 5)),
        ([("src/a.py", 7), ("src/b.py", 2), ("tests/helpers.py", 4)], ("src/b.py", 2)),
        ([("tests/test_a.py", 3), ("tests/helpers.py", 4)], ("tests/helpers.py", 4)),
        ([], ("x.py", 9)),
    ],
    ids=["changed-line-first", "deepest-outside-tests", "only-tests", "no-frame"],
)
def test_where_the_cause_is_put(frames, expected) -> None:
    found = placed(failed(*frames), CHANGES)
    assert (found.file, found.line) == expected
    assert found.nearness is CHANGES.nearness(*expected)


def test_findings_are_told_their_nearness_and_stay_the_same() -> None:
    finding = Finding(
        source="ruff", severity=Severity.ERROR, category=Category.STYLE, message="m", file="src/a.py", line=5
    )
    (told,) = near([finding], CHANGES)
    assert (told.nearness, told.fingerprint) == (Nearness.LINE, finding.fingerprint)


def test_the_lines_around_are_numbered_and_the_place_is_marked() -> None:
    shown = "     3 @cached|     4 def outer(x):|>    5     y = x + 1|     6|     7     return y"
    assert around(SOURCE, 5) == shown.replace("|", "\n")
    assert (around(SOURCE, 0), around(SOURCE, 99), around("", 1)) == ("", "", "")


async def test_the_first_of_each_cause_is_explained_and_the_rest_is_short(tmp_path: Path) -> None:
    write(tmp_path, {"src/a.py": SOURCE})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "base")
    commit = Commit(git(tmp_path, "rev-parse", "HEAD"))
    same = [failed(("src/a.py", 5), test=f"t.py::{n}") for n in range(3)]
    others = [
        failed(("src/a.py", 1), test=f"t.py::x{n}").model_copy(update={"error": f"E{n}"}) for n in range(9)
    ]
    given = [each.model_copy(update={"detail": "d" * 999}) for each in (*others, *same)]

    told = await readable(tmp_path, commit, given, CHANGES, {"t.py::0"})

    assert [each.test for each in told[:3]] == ["t.py::1", "t.py::2", "t.py::0"]
    assert [each.new for each in told[:3]] == [True, True, False]
    assert ">    5     y = x + 1" in told[0].code
    assert [len(each.detail) for each in told[:3]] == [999, SHORT_DETAIL, SHORT_DETAIL]
    assert sum(bool(each.code) for each in told) == WITH_CODE
