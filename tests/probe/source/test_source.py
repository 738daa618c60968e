from __future__ import annotations

import pytest

from setpoint_probe.source.source import Source, Splice, UnreadableSource, splice


def test_edits_are_spliced_into_the_bytes():
    source = Source("a.py", "é = 1  # stays\nb = é + 2\n".encode())
    value = source.tree.body[1].value
    start, end = source.span(value)
    assert source.between(start, end) == "é + 2"
    assert source.edited((Splice(start, end, "é - 2"),)) == "é = 1  # stays\nb = é - 2\n"


def test_overlapping_edits_are_refused():
    with pytest.raises(ValueError, match="overlap"):
        splice(b"abcdef", (Splice(0, 3, "x"), Splice(2, 4, "y")))


def test_line_ends_of_windows_stay():
    source = Source("a.py", b"def f(x):\r\n    return x\r\n")
    assert source.newline == "\r\n"
    assert source.edited((Splice(*source.span(source.tree.body[0].body[0].value), "y"),)) == (
        "def f(x):\r\n    return y\r\n"
    )


@pytest.mark.parametrize(
    "data", [b"x = '\xff'\n", b"def broken(:\n", b"\xef\xbb\xbfx = 1\n", b"x = 1\ry = 2\n"]
)
def test_what_cannot_be_edited_says_so(data):
    with pytest.raises(UnreadableSource, match=r"a\.py"):
        Source("a.py", data)


def test_a_file_in_another_encoding_is_left_alone(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"# -*- coding: latin-1 -*-\nx = '\xe9'\n")
    with pytest.raises(UnreadableSource, match="iso-8859-1"):
        Source.read(str(path))


def test_units_are_outermost_functions_and_statements_outside_them():
    text = """\
import os
if os:
    def f():
        def g(): pass
class C:
    x = 1
    @property
    def y(self): pass
"""
    source = Source("a.py", text.encode())
    assert [(unit.name, unit.first_line, unit.is_function) for unit in source.units] == [
        ("line 1", 1, False),
        ("f", 3, True),
        ("C.line 6", 6, False),
        ("C.y", 7, True),
    ]
