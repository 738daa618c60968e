"""Finding the line at fault with the real go: each test runs alone, with counters."""

from __future__ import annotations

import shutil

import pytest

from setpoint.model.evaluation import Stage
from setpoint.model.stories.story import KnownRed
from setpoint.presets.check_settings import ChecksSettings

pytestmark = pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")
SETTINGS = ChecksSettings(go_vet=False, pytest=False, reruns=0, own_command=False)
SHAPES = """package shapes

func Clamp(value, low, high int) int {
	if value < low {
		return high
	}
	if value > high {
		return high
	}
	return value
}

func First(values []int) int {
	next := 1
	return values[next]
}
"""
TESTS = """package calc

import (
	"testing"

	"example.com/calc/shapes"
)

func TestClamp(t *testing.T) {
	cases := map[string][4]int{"too low": {-1, 0, 9, 0}, "high": {99, 0, 9, 9}, "in": {5, 0, 9, 5}}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := shapes.Clamp(c[0], c[1], c[2]); got != c[3] {
				t.Errorf("got %d", got)
			}
		})
	}
}

func TestHigh(t *testing.T) {
	if shapes.Clamp(10, 0, 9) != 9 {
		t.Fatal("no")
	}
}
"""
FILES = {
    ".gitignore": ".setpoint\n",
    "go.mod": "module example.com/calc\n\ngo 1.19\n",
    "shapes/shapes.go": SHAPES,
    "calc_test.go": TESTS,
}


async def test_the_line_that_only_the_failing_part_of_a_test_runs_is_first(bench) -> None:
    made = await bench(FILES, settings=SETTINGS, known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)

    first, second = base.suspects[:2]
    assert (first.file, first.line, first.rank, first.score) == ("shapes/shapes.go", 5, 1, 1.0)
    assert (first.text, second.line) == ("return high", 4)
    assert "Ochiai over 1 failing and 3 passing tests, run in" in base.localised


async def test_of_a_test_that_panics_the_stack_is_known_and_it_says_so(bench) -> None:
    panics = 'package calc\n\nimport (\n\t"testing"\n\n\t"example.com/calc/shapes"\n)\n\n'
    panics += "func TestFirst(t *testing.T) {\n\tshapes.First([]int{1})\n}\n"
    files = {**FILES, "shapes/shapes.go": SHAPES.replace("return high", "return low", 1)}
    made = await bench({**files, "first_test.go": panics}, settings=SETTINGS, known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)

    assert [(each.file, each.line) for each in base.suspects] == [("shapes/shapes.go", 15)]
    assert "1 of the failing tests end in a panic and leave no profile" in base.localised
    assert "Ochiai over 1 failing and 2 passing tests" in base.localised


async def test_a_package_beside_that_does_not_build_does_not_prevent_it(bench) -> None:
    files = {**FILES, "other/other.go": "package other\n\nfunc Broken() int {\n\treturn nothing\n}\n"}
    files = {**files, "own.go": "package calc\n\nfunc Own() int {\n\treturn 1\n}\n"}
    own = 'package calc\n\nimport "testing"\n\nfunc TestOwn(t *testing.T) {\n\tif Own() != 2 {\n'
    files = {**files, "own_test.go": f'{own}\t\tt.Fatal("no")\n\t}}\n}}\n'}
    made = await bench(files, settings=SETTINGS, known_red=KnownRed.FIX)

    base = await made.measure(Stage.BASE)

    assert ("own.go", 4) in [(each.file, each.line) for each in base.suspects]
