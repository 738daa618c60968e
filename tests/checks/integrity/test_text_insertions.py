"""Files of tests in other languages may gain tests; nothing in them may change."""

from __future__ import annotations

import pytest

from setpoint.checks.integrity.paths.protected_paths import Kind, kind_of
from setpoint.checks.integrity.paths.startup_paths import injects
from setpoint.checks.integrity.text_insertions import changes_of_text

JS = """import { add } from "./calc";

describe("calc", () => {
  it("adds", () => {
    expect(add(1, 2)).toBe(3);
  });

  it("says {", () => { /* ( */ });
});
"""
GO = """package calc

import "testing"

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Error('x')
	}
}
"""
RUST = """fn f<'a>(x: &'a str) {}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(1, 1);
    }
}
"""
NEW_JS = '  it("more", () => {\n    expect(1).toBe(1);\n  });\n'
NEW_GO = "\nfunc TestMore(t *testing.T) {\n\tt.Log()\n}\n"
NEW_RUST = "    #[test]\n    fn more() {\n        assert!(true);\n    }\n"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.test.ts", JS, JS.replace('\n  it("says', f"\n{NEW_JS}\n" + '  it("says')),
        ("a.test.ts", JS, JS + NEW_JS),
        ("a.test.ts", JS, JS.replace("/* ( */ });\n", "/* ( */ });\n" + NEW_JS)),
        ("a.test.ts", JS, 'import x from "y";\n' + JS),
        ("a_test.go", GO, GO + NEW_GO),
        ("a_test.go", GO, GO.replace("\nfunc TestAdd", NEW_GO + "\nfunc TestAdd")),
        ("tests/a.rs", RUST, RUST.replace("    #[test]\n", NEW_RUST + "    #[test]\n")),
        ("tests/a.rs", RUST, RUST + "\n#[test]\nfn outer() {}\n"),
    ],
)
def test_new_tests_are_no_change(path: str, before: str, after: str) -> None:
    assert before != after
    assert changes_of_text(path, before, after) == []


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.test.ts", JS, JS.replace("toBe(3)", "toBe(-1)")),
        ("a.test.ts", JS, JS.replace('it("adds"', 'it.skip("adds"')),
        ("a.test.ts", JS, JS.replace("    expect(add", "    return;\n    expect(add")),
        ("a.test.ts", JS, JS.replace("describe", "/*\ndescribe") + "*/\n"),
        (
            "a.test.ts",
            JS,
            JS.replace('  it("adds"', "  if (false) {\n" + '  it("adds"').replace(
                "3);\n  });", "3);\n  });\n  }"
            ),
        ),
        ("a.test.ts", JS, ""),
        ("a_test.go", GO, GO.replace("\tif Add", "\treturn\n\tif Add")),
        ("a_test.go", GO, GO.replace("!= 3", "== 3")),
        ("tests/a.rs", RUST, RUST.replace("        assert_eq", "        return;\n        assert_eq")),
        ("tests/a.rs", RUST, RUST.replace("    #[test]\n", "    #[test]\n    #[should_panic]\n")),
    ],
)
def test_all_else_is_an_edit_that_weakens(path: str, before: str, after: str) -> None:
    assert before != after
    (change,) = changes_of_text(path, before, after)
    assert change.weakens


def test_what_of_other_languages_is_protected() -> None:
    kinds = {
        path: kind_of(path, ()) for path in ("src/a.test.ts", "a_test.go", "tests/a.rs", "test/data.json")
    }

    assert kinds == {
        "src/a.test.ts": Kind.TEST, "a_test.go": Kind.TEST, "tests/a.rs": Kind.TEST,
        "test/data.json": Kind.DATA,
    }  # fmt: skip
    for path in (
        "vitest.config.ts",
        "web/eslint.config.mjs",
        "tsconfig.json",
        ".eslintrc.cjs",
        "clippy.toml",
    ):
        assert kind_of(path, ()) is Kind.CONFIGURATION
    assert kind_of("src/calc.ts", ()) is None
    assert injects("web/node_modules/vitest/index.js")
