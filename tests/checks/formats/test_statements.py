"""What counts as executable in JavaScript, TypeScript, Go and Rust, and how places are mapped back."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.coverage.branches import arms_of
from setpoint.checks.formats.coverage.go_profile import blocks_of, hits_of
from setpoint.checks.formats.coverage.source_map import read_map
from setpoint.checks.formats.coverage.statements import statements_of
from setpoint.checks.formats.coverage.v8 import Counted
from setpoint.checks.formats.report import Sources

TYPED = """import { a } from "./a";
interface Item { price: number }
type Kind = "x";
"use strict";

export function f(x: number): number {
  const y = x;
  if (y) return 1;
  return 2;
}
export const g = (x: number) =>
  x + 1;
class C {
  m() {
    throw new Error("no");
  }
}
"""
GO = """package p

var Rate = 2

type T struct{ A int }

func F(v int) int {
	for v > 0 {
		v--
	}
	switch {
	case v < 0:
		return 1
	}
	return func() int {
		return 2
	}()
}
"""
RUST = """use std::fmt;

pub fn f(v: i32) -> i32 {
    let w = v + 1;
    if w > 2 {
        return 1;
    }
    w
}

#[cfg(test)]
mod tests {
    #[test]
    fn t() {
        assert_eq!(super::f(1), 2);
    }
}
"""


def lines(path: str, source: str) -> list[int]:
    found = statements_of(path, source.encode())
    assert found is not None
    return sorted({each.line for each in found})


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a.ts", TYPED, [7, 8, 9, 11, 12, 15]),
        ("a.go", GO, [8, 9, 11, 13, 15, 16]),
        ("a.rs", RUST, [4, 5, 6, 8]),
    ],
)
def test_statements_count_and_declarations_do_not(path: str, source: str, expected: list[int]) -> None:
    assert lines(path, source) == expected


def test_a_language_without_a_parser_has_no_statements() -> None:
    assert statements_of("a.java", b"class A {}") is None


def test_places_are_told_in_bytes_and_in_units_of_utf_16() -> None:
    (_, second) = statements_of("a.js", "const a = '\N{GRINNING FACE}'; f();".encode()) or ()

    assert (second.line, second.column, second.byte) == (1, 16, 18)


def test_blocks_of_go_are_added_up_over_packages_and_looked_up_by_statement() -> None:
    profile = b"""mode: count
ex.com/p/a.go:3.20,4.11 1 2
ex.com/p/a.go:4.11,6.3 1 0
ex.com/p/a.go:3.20,4.11 1 3
"""
    source = "package p\n\nfunc F(v int) int {\n\tif v < 0 {\n\t\treturn 1\n\t}\n\treturn 2\n}\n"

    blocks = blocks_of(profile, Sources(tree=Path("/nowhere")))["ex.com/p/a.go"]

    assert hits_of(blocks, statements_of("a.go", source.encode()) or ()) == {4: 5, 5: 0}


@pytest.mark.parametrize("text", [b"", b"mode: set\nnonsense\n", b"p/a.go:3.20,4.11 1 2\n"])
def test_a_profile_that_is_none_is_refused(text: bytes) -> None:
    with pytest.raises(BadReport):
        blocks_of(text, Sources(tree=Path("/nowhere")))


def test_a_map_in_the_script_leads_to_the_first_place_of_a_statement(tmp_path: Path) -> None:
    known = {"version": 3, "sources": ["a.ts"], "names": [], "mappings": "AAEA,IAAI;AACA"}
    url = "data:application/json;base64," + base64.b64encode(json.dumps(known).encode()).decode()

    found = read_map(url, tmp_path / "a.js")

    assert found is not None
    source = str(tmp_path / "a.ts")
    assert found.of(source, (2, 1), (3, 0)) == (0, 4)
    assert found.of(source, (3, 0), None) == (1, 0)
    assert found.of(source, (9, 0), None) is None


@pytest.mark.parametrize("url", ["", "missing.map", "https://example.org/a.map", "data:application/json,{}"])
def test_a_script_without_a_map_is_its_own_source(tmp_path: Path, url: str) -> None:
    assert read_map(url, tmp_path / "a.js") is None


def test_the_innermost_range_says_how_often_a_statement_ran(tmp_path: Path) -> None:
    source = "function f(x) {\n  if (x) {\n    return 1;\n  }\n  return 2;\n}\nf(0);\n"
    (tmp_path / "sum.source").write_text(source)
    inner = source.index("{\n    return"), source.index("  return 2")
    ranges = [
        [[0, len(source), 1]],
        [[0, source.index("f(0)"), 3], [inner[0], inner[1], 0]],
    ]
    script = {"file": str(tmp_path / "a.js"), "source": "sum", "ranges": ranges}
    for process in ("1", "2"):
        (tmp_path / f"{process}.json").write_text(json.dumps([script]))
    statements = {"a.js": statements_of("a.js", source.encode()) or ()}

    arms = {"a.js": arms_of("a.js", source.encode())}
    counted = Counted(folder=tmp_path, tree=tmp_path, statements=statements, arms=arms)
    counted.read()

    assert counted.hits == {"a.js": {2: 6, 3: 0, 5: 6, 7: 2}}
    assert [taken for _, taken in sorted(counted.taken.items())] == [False, True]  # the body, and without it


def test_an_arm_that_always_ran_leaves_the_other_untaken(tmp_path: Path) -> None:
    source = "const a = '\N{GRINNING FACE}'; if (a) { f(); }\n"
    (tmp_path / "sum.source").write_text(source)
    script = {"file": str(tmp_path / "a.js"), "source": "sum", "ranges": [[[0, len(source) + 1, 2]]]}
    (tmp_path / "1.json").write_text(json.dumps([script]))
    statements = {"a.js": statements_of("a.js", source.encode()) or ()}

    counted = Counted(
        folder=tmp_path, tree=tmp_path, statements=statements, arms={"a.js": arms_of("a.js", source.encode())}
    )
    counted.read()

    assert [taken for _, taken in sorted(counted.taken.items())] == [True, False]


def test_what_a_test_wrote_over_the_counts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text('[{"file": 1}]')

    with pytest.raises(BadReport, match=r"1\.json"):
        Counted(folder=tmp_path, tree=tmp_path, statements={}).read()


SCRIPT = """function f(x, y) {
  if (x) {
    return x > 1 ? "many" : "one";
  } else if (y) y();
  switch (x) { case 0: return (x && y) || (x ?? 3); default: }
}
"""


def test_the_arms_of_conditions_are_found_with_those_that_nobody_wrote() -> None:
    lines = SCRIPT.split("\n")

    told = [
        (lines[arm.start.line - 1][arm.start.column :][:6], arm.besides is not None)
        for arm in arms_of("a.js", SCRIPT.encode())
    ]

    assert [text for text, _ in told] == [
        "{", "if (y)", '"many"', '"one";', "y();", "if (y)",
        "case 0", "x && y", "y) || ", "x ?? 3", "3); de", "defaul",
    ]  # fmt: skip
    assert [index for index, (_, unwritten) in enumerate(told) if unwritten] == [5]


@pytest.mark.parametrize(
    ("path", "source"), [("a.go", "package a"), ("a.rs", "fn f() {}"), ("a.py", "a = 1")]
)
def test_other_languages_have_no_arms(path: str, source: str) -> None:
    assert arms_of(path, source.encode()) == ()
