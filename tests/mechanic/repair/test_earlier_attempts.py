from __future__ import annotations

import subprocess

from setpoint.model.attempt import Tried
from setpoint_mechanic.engine.wire.repair import digest
from setpoint_mechanic.repair.earlier_attempts import tried_digests
from setpoint_probe.source.source import Source, Splice

TEXT = "def f(a, b):\n    return a + b\n\n\ndef g(a):\n    return a\n"


def test_a_change_is_recognised_in_a_diff_made_by_git(tmp_path):
    source = Source("a.py", TEXT.encode())
    start = TEXT.index("+")
    edits = (Splice(start, start + 1, "-"),)
    ours = digest("pkg/a.py", source.diff(edits, "pkg/a.py"))
    for side, text in (("old", TEXT), ("new", "# moved\n" + source.edited(edits))):
        path = tmp_path / side / "pkg" / "a.py"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (tmp_path / "old" / "pkg" / "a.py").write_text("# moved\n" + TEXT)
    diff = subprocess.run(
        ["git", "diff", "--no-index", "--no-color", "old/pkg", "new/pkg"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    diff = diff.replace("a/old/", "a/").replace("b/new/", "b/")
    assert ours in tried_digests([Tried(iteration=1, diff=diff, outcome="still red")])


def test_each_file_and_hunk_of_a_larger_change_is_recognised():
    one = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n@@ -9 +9 @@\n-y = 1\n+y = 2\n"
    two = "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-z = 1\n+z = 2\n"
    whole = f"diff --git a/a.py b/a.py\n{one}diff --git a/b.py b/b.py\n{two}"
    found = tried_digests([Tried(iteration=1, diff=whole, outcome="")])
    assert set(found) == {
        digest("a.py", "-x = 1\n+x = 2\n-y = 1\n+y = 2\n"),
        digest("a.py", "-x = 1\n+x = 2\n"),
        digest("a.py", "-y = 1\n+y = 2\n"),
        digest("b.py", "-z = 1\n+z = 2\n"),
    }


def test_nothing_tried_gives_nothing():
    assert tried_digests([Tried(iteration=1, diff="", outcome="no change")]) == ()
