"""Diffs as rows: numbered, harmless, and no larger than a browser can hold."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.conftest import write
from setpoint.web.diffs import (
    MOST_COMPARED,
    MOST_FILES,
    MOST_LINE,
    MOST_ROWS,
    MOST_WORDS,
    files_of,
    place_id,
    visible,
)

DIFF = """diff --git a/src/a.py b/src/a.py
index 1..2 100644
--- a/src/a.py
+++ b/src/a.py
@@ -3,2 +3,2 @@ def f():
 same
--- old
+++ new
\\ No newline at end of file
diff --git a/gone.bin b/gone.bin
deleted file mode 100644
Binary files a/gone.bin and /dev/null differ
diff --git a/old name.py b/new name.py
similarity index 100%
rename from old name.py
rename to new name.py
"""


def test_lines_are_numbered_and_cannot_pass_for_headers():
    (changed, gone, renamed), left_out = files_of(DIFF)
    assert [(row.kind, row.old, row.new, row.text) for row in changed.rows] == [
        ("hunk", 0, 0, "@@ -3,2 +3,2 @@ def f():"),
        ("same", 3, 3, "same"),
        ("gone", 4, 0, "-- old"),
        ("added", 0, 4, "++ new"),
    ]
    assert (changed.name, changed.added, changed.gone) == ("src/a.py", 1, 1)
    assert (gone.name, gone.notes) == (
        "gone.bin",
        ["deleted file mode 100644", "Binary files a/gone.bin and /dev/null differ"],
    )
    assert renamed.name == "new name.py"
    assert left_out == 0


def test_what_is_too_much_is_counted_instead():
    lines = "".join(f"+{number}\n" for number in range(MOST_ROWS + 10))
    long = f"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1,{MOST_ROWS + 10} @@\n{lines}"
    (file,), left_out = files_of(long)
    assert (len(file.rows), file.left_out, file.added) == (MOST_ROWS, 11, MOST_ROWS + 10)
    many = "".join(f"diff --git a/{n} b/{n}\nnew file mode 100644\n" for n in range(MOST_FILES + 3))
    files, left_out = files_of(many)
    assert (len(files), left_out) == (MOST_FILES, 3)
    (file,), _ = files_of(f"diff --git a/a b/a\n+++ b/a\n@@ -0,0 +1 @@\n+{'x' * 5000}\n")
    assert len(file.rows[1].text) == MOST_LINE


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\u001b[31mred\\u001b[0m"),
        ("if admin\u202e", "if admin\\u202e"),
        ("a\tb", "a\tb"),
        ("grün ☃", "grün ☃"),
        ("\u2066x\u200b", "\\u2066x\\u200b"),
    ],
)
def test_signs_that_act_are_shown_for_what_they_are(text, shown):
    assert visible(text) == shown


def change(*lines):
    gone, come = (sum(line[0] in signs for line in lines) for signs in ("- ", "+ "))
    body = "\n".join(lines)
    (file,), _ = files_of(f"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,{gone} +1,{come} @@\n{body}\n")
    return file


def test_the_words_that_differ_are_marked():
    file = change(" def f():", "-    return total - tax", "+    return total + tax", "+    # new")
    marked = [["".join(part.text for part in row.parts if part.changed) for row in file.rows if row.parts]]
    assert marked == [["-", "+"]]
    assert all("".join(part.text for part in row.parts) in ("", row.text) for row in file.rows)
    other = change("-alpha beta gamma", "+one = two(three)")
    assert not any(row.parts for row in other.rows), "a line that is quite another is no new version"


def test_no_more_is_compared_than_a_page_has_time_for():
    long = " ".join(["word"] * MOST_WORDS)
    assert not any(row.parts for row in change(f"-{long}", f"+{long} more").rows)
    many = range(MOST_COMPARED + 5)
    file = change(*(f"-x = {n}" for n in many), *(f"+y = {n}" for n in many))
    assert sum(bool(row.parts) for row in file.rows if row.kind == "gone") == MOST_COMPARED


def test_both_sides_stand_beside_each_other():
    file = change(" a", "-b", "-c", "+B", " d", "+e")
    beside = [(left.text if left else None, right.text if right else None) for left, right in file.pairs]
    assert beside[1:] == [("a", "a"), ("b", "B"), ("c", None), ("d", "d"), (None, "e")]


def test_a_line_has_a_place_of_its_own_in_a_page():
    names = {place_id(file, line) for file in ("a b.py", "a.py", '"><x') for line in (1, 2)}
    assert len(names) == 6
    assert all(name.replace("-", "").isalnum() for name in names)


LINE = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\x00"), max_size=20)


@given(before=st.lists(LINE, max_size=6), after=st.lists(LINE, max_size=6))
def test_rows_give_back_both_files(tmp_path_factory, before, after):
    """Against git's own diff, with every line around it: what is the same or gone is the old file."""
    root = tmp_path_factory.mktemp("diff")
    write(root, {"old": "".join(f"{line}\n" for line in before)})
    write(root, {"new": "".join(f"{line}\n" for line in after)})
    words = ["git", "diff", "--no-index", "-U99", "--text", "old", "new"]
    diff = subprocess.run(words, cwd=root, capture_output=True, check=False).stdout.decode()
    if not diff:
        assert before == after
        return
    rows = [row for file in files_of(diff)[0] for row in file.rows]
    old = [row for row in rows if row.kind in ("same", "gone")]
    new = [row for row in rows if row.kind in ("same", "added")]
    assert all("".join(part.text for part in row.parts) in ("", row.text) for row in rows)
    assert [row.text for row in old] == [visible(line) for line in before]
    assert [row.text for row in new] == [visible(line) for line in after]
    assert [row.old for row in old] == list(range(1, len(before) + 1))
    assert [row.new for row in new] == list(range(1, len(after) + 1))
