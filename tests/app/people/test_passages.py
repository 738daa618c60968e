"""Lines around a finding, for a person to write anew, and the patch that comes of it."""

import subprocess

import pytest

from setpoint.app.people.findings import find_finding, passage_of, patch_of_lines
from setpoint.errors import UsageError
from setpoint.model.finding import Category, Edit, Finding, Fix, Severity
from web.vaulted import TRACE, vaulted_run

LONG = "".join(f"{number}\n" for number in range(1, 1001))
UNIX = "".join(f"line {number}\n" for number in range(1, 61))
FILES = {
    "unix.txt": UNIX.encode(),
    "dos.txt": b"one\r\ntwo\r\nthree\r\n",
    "open.txt": b"one\ntwo",
    "long.txt": LONG.encode(),
    "bin": b"\xff\xfe\0",
}


def finding(file, line, *edits):
    fix = Fix(description="so", edits=edits, safe=True) if edits else None
    return Finding(
        source="review:code",
        severity=Severity.WARNING,
        category=Category.STYLE,
        rule=f"R{line}",
        message="as a person would not write it",
        file=file,
        line=line,
        fix=fix,
    )


FINDINGS = (
    finding(
        "unix.txt", 30, Edit(start_line=30, start_column=1, end_line=30, end_column=8, text="thirty\n30")
    ),
    finding("unix.txt", 999),
    finding("dos.txt", 2),
    finding("open.txt", 2),
    finding("bin", 1),
    finding("gone.txt", 1),
    finding("", 0),
    finding("long.txt", 900, Edit(start_line=1, start_column=1, end_line=1, end_column=2, text="first\n1")),
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run whose vault holds the files; gives the project, and a work tree of the files."""
    project, made = vaulted_run(tmp_path_factory.mktemp("passages") / "project", {}, FILES, FINDINGS)
    yield project, made
    project.store.close()


def seen(run, number):
    return find_finding(run[0], TRACE, FINDINGS[number].fingerprint)


def applied(run, patch, file):
    """Let git apply a patch to the files of the work, and give what becomes of one."""
    before = (run[1] / file).read_bytes()
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=run[1], input=patch.encode(), check=True)
    after = (run[1] / file).read_bytes()
    (run[1] / file).write_bytes(before)
    return after


def test_a_passage_holds_the_lines_around_with_what_was_suggested(run):
    given = passage_of(run[0], TRACE, seen(run, 0))
    lines = given.text.split("\n")
    assert (given.start, given.end, lines[0], lines[-1]) == (18, 42, "line 18", "line 42")
    assert lines[12:14] == ["thirty", "30"]
    assert applied(run, given.patch, "unix.txt") == UNIX.replace("line 30\n", "thirty\n30\n").encode()


def test_a_suggestion_far_away_is_left_out(run):
    given = passage_of(run[0], TRACE, seen(run, 7))
    assert (given.start, given.end, given.patch) == (888, 912, "")
    assert given.text.split("\n")[0] == "888"


def test_a_line_that_is_not_there_gives_the_end(run):
    given = passage_of(run[0], TRACE, seen(run, 1))
    assert (given.start, given.end, given.patch) == (48, 60, "")
    assert given.text.endswith("line 60")


def test_what_a_person_writes_becomes_a_patch_that_git_applies(run):
    patch = patch_of_lines(run[0], TRACE, seen(run, 1), (59, 60), "59\r\nand\r\n60\r\n")
    assert applied(run, patch, "unix.txt") == UNIX.replace("line 59\nline 60", "59\nand\n60").encode()


@pytest.mark.parametrize(
    ("number", "lines", "text", "file", "after"),
    [
        (2, (2, 2), "2\r\n2b", "dos.txt", b"one\r\n2\r\n2b\r\nthree\r\n"),
        (3, (2, 2), "zwei", "open.txt", b"one\nzwei"),
    ],
)
def test_ends_of_lines_stay_what_they_are(run, number, lines, text, file, after):
    assert applied(run, patch_of_lines(run[0], TRACE, seen(run, number), lines, text), file) == after


def test_what_changes_nothing_or_lies_outside_is_refused(run):
    with pytest.raises(UsageError, match="the text is unchanged"):
        patch_of_lines(run[0], TRACE, seen(run, 2), (1, 3), "one\r\ntwo\r\nthree\r\n")
    for lines in ((0, 1), (2, 1), (3, 4)):
        with pytest.raises(UsageError, match="has no lines"):
            patch_of_lines(run[0], TRACE, seen(run, 2), lines, "x")


@pytest.mark.parametrize("number", [4, 5, 6])
def test_a_file_that_is_gone_or_holds_no_text_cannot_be_shown(run, number):
    with pytest.raises(UsageError, match="cannot be shown"):
        passage_of(run[0], TRACE, seen(run, number))
