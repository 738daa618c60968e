"""Edits as a patch: what git applies is what the edits say."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.model.changes.text_edits import edited, patch, removes, with_carriage_returns
from setpoint.model.finding import Edit

TEXTS = st.lists(st.sampled_from(("a", "b\u2028", "", "x = 1\r")), max_size=6).map("\n".join)


def lines(first, last, text):
    return Edit(start_line=first, start_column=1, end_line=last + 1, end_column=1, text=text)


@pytest.mark.parametrize("before", ["one\ntwo\nthree\n", "one\ntwo\nthree"])
def test_git_applies_what_the_edits_say(tmp_path, before):
    (tmp_path / "a.txt").write_bytes(before.encode())
    edits = (lines(1, 1, ""), lines(3, 3, "drei\nvier\n"))
    made = patch("a.txt", before, edits)
    subprocess.run(["git", "apply", "--unsafe-paths"], cwd=tmp_path, input=made.encode(), check=True)
    assert (tmp_path / "a.txt").read_bytes().decode() == "two\ndrei\nvier\n" == edited(before, edits)


def test_edits_that_change_nothing_give_no_patch():
    assert patch("a.txt", "one\n", (lines(1, 1, "one\n"),)) == ""


@pytest.mark.parametrize("edit", [lines(3, 3, "x"), lines(0, 0, "x")])
def test_an_edit_outside_the_text_is_refused(edit):
    with pytest.raises(ValueError, match="is not in the file"):
        patch("a.txt", "one\n", (edit,))


@given(TEXTS, st.integers(1, 7), st.integers(0, 3), TEXTS)
def test_a_replacement_of_whole_lines_leaves_the_others_alone(text, first, more, new):
    last = first + more
    split = text.split("\n")
    if last > len(split):
        with pytest.raises(ValueError, match="not in the file"):
            edited(text, (lines(first, last, new),))
        return
    behind = "\n".join(split[last:])
    ahead = "".join(f"{line}\n" for line in split[: first - 1])
    assert edited(text, (lines(first, last, new),)) == f"{ahead}{new}{behind}"


LINES = st.lists(st.sampled_from(("a", "", "-- b", "++ c", "@@ -1 +1 @@", "diff")), max_size=8)


@given(before=LINES, after=LINES, ends=st.booleans())
def test_a_diff_with_carriage_returns_is_that_of_the_texts_with_them(before, after, ends):
    """As difflib gives it for texts whose lines end so, but for a last line that does not end."""

    def made(new_line):
        old, new = (new_line.join([*lines, "end" if ends else ""]) for lines in (before, after))
        return patch("a b.txt", old, edits(old, new))

    assert with_carriage_returns(made("\n"), lambda name: name == "a b.txt") == made("\r\n")
    assert with_carriage_returns(made("\n"), lambda name: name != "a b.txt") == made("\n")


def edits(old, new):
    rows = old.split("\n")
    whole = Edit(start_line=1, start_column=1, end_line=len(rows), end_column=len(rows[-1]) + 1, text=new)
    return (whole,)


def test_a_carriage_return_is_put_only_where_a_line_of_a_wanted_file_lacks_it():
    diff = "--- a/w.txt\t2026\n+++ b/w.txt\n@@ -1,4 +1,4 @@\n one\n\n-two\r\n+zwei\n three\n"
    other = "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n"
    given = with_carriage_returns(diff + other, lambda name: name == "w.txt")
    assert (
        given
        == diff.replace(" one\n\n", " one\r\n \r\n").replace("zwei\n three\n", "zwei\r\n three\r\n") + other
    )


def test_a_hunk_that_only_adds_has_no_lines_that_show_its_place():
    before = "".join(f"{number}\n" for number in range(30))
    replaced = Edit(start_line=1, start_column=1, end_line=1, end_column=2, text="a")
    added = replaced.model_copy(update={"end_column": 1, "text": "a\n"})
    far = Edit(start_line=20, start_column=1, end_line=20, end_column=1, text="new\n")
    assert removes(patch("a", before, [replaced]))
    assert not removes(patch("a", before, [replaced, far]))
    assert not removes(patch("a", before, [added]) + patch("b", before, [replaced]))
