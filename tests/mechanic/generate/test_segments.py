from __future__ import annotations

from setpoint_mechanic.engine.wire.cover import JudgedTest
from setpoint_mechanic.generate.segments import less, segments
from setpoint_probe.wire.reach import FileReach, FunctionReach


def function(name, first, last, lines=(), ways=(), owner=""):
    return FunctionReach(name, owner, first, last, 2, last - first, tuple(lines), 2, tuple(ways))


def reach(*functions, outside=(), file="calc.py"):
    lines = [*outside, *(line for each in functions for line in each.missed_lines)]
    ways = [way for each in functions for way in each.missed_branches]
    return FileReach(file, 500, tuple(sorted(lines)), 10, tuple(sorted(ways)), functions)


def test_neighbours_are_put_together_and_what_is_reached_is_left_out():
    found = segments(
        [
            reach(
                function("one", 1, 10, [3]),
                function("two", 12, 20),
                function("three", 22, 40, [30], [(25, True)]),
            )
        ]
    )

    (piece,) = found
    assert (piece.first, piece.last, piece.names) == (1, 40, ("one", "three"))
    assert piece.lines == (3, 30)
    assert piece.told() == "line 3, line 30, the way into the block behind line 25"


def test_long_functions_are_cut_where_something_is_missing_and_the_most_comes_first():
    long = function("long", 1, 200, [5, 150, 151, 152])

    found = segments([reach(long), reach(function("a", 1, 9, [2, 3, 4, 5, 6]), file="other.py")])

    assert [(piece.file, piece.lines) for piece in found] == [
        ("other.py", (2, 3, 4, 5, 6)),
        ("calc.py", (150, 151, 152)),
        ("calc.py", (5,)),
    ]
    assert all(piece.last - piece.first < 50 for piece in found)


def test_what_stands_outside_functions_is_a_piece_too():
    (piece,) = segments([reach(outside=[1, 2])])

    assert (piece.names, piece.lines) == ((), (1, 2))


def test_the_code_is_shown_with_marks(tmp_path):
    (tmp_path / "calc.py").write_text("def f(x):\n    if x:\n        return 1\n    return 2\n")
    (piece,) = segments([reach(function("f", 1, 4, [3], [(2, True)]))])

    assert piece.shown(tmp_path).splitlines() == [
        "     1 def f(x):",
        ">    2     if x:",
        ">    3         return 1",
        "     4     return 2",
    ]


def test_what_is_gained_is_missing_no_longer():
    missed = [reach(function("f", 1, 9, [3, 4], [(2, True), (2, False)]))]
    kept = JudgedTest("test_a.py::test_a", gained={"calc.py": [3]}, taken={"calc.py": [(2, True)]})

    left = less(missed, [kept])

    assert (left[0].missed_lines, left[0].missed_branches) == ((4,), ((2, False),))
    assert segments(missed)[0].left(left).told() == "line 4, the way past line 2"
