"""What tests reach of a folder in which not every file is plain UTF-8, or Python at all."""

import codecs

BODY = "def fee(total):\n    if total < 10:\n        return '\u00e9'\n    return 2\n"
TESTS = """
import marked
import western
import windows


def test_all():
    for each in (marked, western, windows):
        assert each.fee(5) == chr(233)
"""


def project(root):
    root.mkdir()
    (root / "marked.py").write_bytes(codecs.BOM_UTF8 + BODY.encode())
    (root / "western.py").write_bytes(b"# -*- coding: latin-1 -*-\n" + BODY.encode("latin-1"))
    (root / "windows.py").write_bytes(BODY.replace("\n", "\r\n").encode())
    (root / "old.py").write_text("print 'two'\n", "utf-8")
    (root / "damaged.py").write_bytes(b"name = '\xe9'\n")
    (root / "test_all.py").write_text(TESTS, "utf-8")
    return root


def test_every_encoding_is_measured_and_what_is_no_python_is_told(tmp_path, reach):
    root = project(tmp_path / "project")
    found = reach(root, "marked.py", "western.py", "windows.py", "old.py", "damaged.py", "gone.py")

    assert found.status == "measured"
    missed = {each.file: (each.lines, each.missed_lines) for each in found.files}
    assert missed == {"marked.py": (4, (4,)), "western.py": (4, (5,)), "windows.py": (4, (4,))}
    assert [each.split(":")[0] for each in found.skipped_files] == ["old.py", "damaged.py", "gone.py"]
    assert "SyntaxError" in found.skipped_files[0]


def test_where_no_file_can_be_read_nothing_was_measured(tmp_path, reach):
    found = reach(project(tmp_path / "project"), "old.py")

    assert found.status == "not_possible"
    assert found.reason.startswith("none of the files can be read: old.py: SyntaxError")
