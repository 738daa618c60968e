"""Where the tests of a script are written, and the script without some of them."""

from __future__ import annotations

from setpoint.checks.cover.script_spans import named, spans_of, without

FILE = """import { describe, it, test } from "vitest";

describe("sum", () => {
  it("adds", () => {
    f();
  });

  it(`takes "all"`, () => {
    f();
  });
});

test.skip('plain', async () => {
  g();
});
"""
ADDS, TAKES = "sum > adds", 'sum > takes "all"'


def left(*drop: str) -> str:
    source = FILE.encode()
    return without(source, spans_of("a.test.ts", source), drop).decode()


def test_tests_are_named_with_their_groups() -> None:
    assert named(spans_of("a.test.ts", FILE.encode())) == {ADDS, TAKES, "plain"}


def test_one_test_is_removed_with_its_space() -> None:
    assert left(TAKES) == FILE.replace('\n  it(`takes "all"`, () => {\n    f();\n  });\n', "")


def test_a_group_goes_with_its_last_test() -> None:
    assert left(ADDS, TAKES) == (
        "import { describe, it, test } from \"vitest\";\n\ntest.skip('plain', async () => {\n  g();\n});\n"
    )


def test_names_that_are_made_are_not_known() -> None:
    source = b"test.each([1])('of %i', () => {});\nfor (const n of [1]) test(`${n}`, () => {});\n"

    assert named(spans_of("a.test.ts", source)) == frozenset()
