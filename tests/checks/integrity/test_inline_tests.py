"""Tests inside sources: what counts as weaker, file by file, without running anything."""

from __future__ import annotations

import pytest

from setpoint.checks.integrity.inline.doctest_examples import ran_in, without_moved
from setpoint.checks.integrity.inline.inline_tests import weakened_inline
from setpoint.checks.integrity.inline.rust_tests import examples, items, with_tests_of
from setpoint.checks.integrity.inline.rust_tests import test_names as names_of_tests
from setpoint.model.finding import Severity
from setpoint.model.stories.story import IntegrityMode

RUST = """\
//! A crate. "quoted

/// Gives.
///
/// ```
/// assert_eq!(calc::add(0, 0), 0);
/// ```
///
/// ```text
/// no test
/// ```
pub fn add<'a>(a: i32, b: i32) -> i32 {
    let _ = ("}", '}', r#"#[test] {"#, b'\\'');
    a + b /* } /* nested } */ } */
}

#[tokio::test]
async fn outer() {
    assert!(true);
}

#[cfg(test)]
#[allow(dead_code)]
mod tests {
    use super::*;

    fn check(n: i32) {
        assert_eq!(n, 3);
    }

    #[test]
    fn adds() {
        check(add(1, 2));
    }
}
"""
RAN = frozenset({"doc calc::src/lib.rs - add", "src/lib.rs::tests::adds"})
NEW_TEST = "\n    #[test]\n    fn more() {\n        check(add(2, 1));\n    }\n}\n"
VITEST = """\
export const add = (a, b) => a - b;

if (import.meta.vitest) {
  const { it, expect } = import.meta.vitest;
  it("adds {", () => {
    expect(add(1, 2)).toBe(3);
  });
}
"""


def weakened(path: str, before: str, after: str | None, **others: str) -> tuple[str, ...]:
    now = others if after is None else {path: after, **others}
    found = weakened_inline({path: before}, now, RAN, IntegrityMode.APPEND_ONLY)
    assert all(finding.blocking for finding in found)
    return tuple(finding.symbol for finding in found)


def test_items_of_rust_are_found_whatever_their_texts_hold() -> None:
    found = items(RUST)

    assert [each.name for each in found] == ["fn outer", "mod tests"]
    assert found[0].text.startswith("#[tokio::test]")
    assert found[1].text.endswith("check(add(1, 2));\n    }\n}")
    assert items("#[cfg(not(test))]\nfn main() {}\n#[derive(Debug)]\nstruct A;\n") == ()


def test_examples_of_rust_are_code_alone() -> None:
    assert examples(RUST) == (("", "assert_eq!(calc::add(0, 0), 0);"),)
    assert examples("/** Gives.\n * ```\n * add(1);\n * ```\n */\nfn add() {}") == (("", "add(1);"),)


@pytest.mark.parametrize(
    "after",
    [
        RUST.replace("n, 3", "n, n"),
        RUST.replace("    #[test]", "    #[ignore]\n    #[test]"),
        RUST.replace("#[tokio::test]", "#[ignore]\n#[tokio::test]"),
        RUST.replace("assert!(true)", "return"),
        RUST.replace("#[cfg(test)]", '#[cfg(all(test, feature = "x"))]'),
        RUST.partition("#[cfg(test)]")[0],
        RUST.replace("    fn check", "    fn add(_: i32, _: i32) -> i32 {\n        3\n    }\n\n    fn check"),
        RUST.replace("    fn check", "    use fake::{add, sub};\n\n    fn check"),
        RUST.replace("calc::add(0, 0), 0", "calc::add(0, 0), 1"),
        RUST.replace("/// ```\n/// assert_eq!", "/// ```ignore\n/// assert_eq!"),
        RUST.replace("/// assert_eq!", "/// # return;\n/// assert_eq!"),
        "macro_rules! assert_eq { () => {} }\n" + RUST,
    ],
)
def test_weaker_tests_in_rust_block(after: str) -> None:
    assert after != RUST
    assert weakened("src/lib.rs", RUST, after)


@pytest.mark.parametrize(
    "after",
    [
        RUST.replace("a + b", "b + a"),
        RUST.removesuffix("}\n") + NEW_TEST,
        RUST + "\n#[cfg(test)]\nmod more {\n    #[test]\n    fn new() {}\n}\n",
        RUST.replace("/// Gives.", "/// Gives a sum.\n///\n/// ```\n/// calc::add(1, 1);\n/// ```"),
        RUST.replace("0), 0);\n", "0), 0);\n/// calc::add(1, 1);\n"),
        RUST.replace("#[tokio::test]\nasync fn outer() {\n    assert!(true);\n}\n\n", "")
        + "\n#[tokio::test]\nasync fn outer() {\n    assert!(true);\n}\n",
        RUST.replace("pub fn add", "#[inline]\npub fn add"),
    ],
)
def test_other_changes_of_rust_are_free(after: str) -> None:
    assert after != RUST
    assert weakened("src/lib.rs", RUST, after) == ()


def test_tests_that_moved_to_another_file_are_still_there() -> None:
    code, _, tests = RUST.partition("#[tokio::test]")
    moved = {"src/other.rs": "#[tokio::test]" + tests}

    assert weakened("src/lib.rs", RUST, code, **moved) == ()
    assert weakened("src/lib.rs", RUST, code)


def test_examples_that_no_run_had_are_free() -> None:
    after = RUST.replace("0), 0", "0), 1")

    assert weakened_inline({"src/lib.rs": RUST}, {"src/lib.rs": after}, (), IntegrityMode.APPEND_ONLY) == ()


def test_mode_free_only_shows_it() -> None:
    after = RUST.replace("n, 3", "n, n")
    (found,) = weakened_inline({"src/lib.rs": RUST}, {"src/lib.rs": after}, RAN, IntegrityMode.FREE)

    assert found.severity is Severity.WARNING


@pytest.mark.parametrize(
    "after",
    [
        VITEST.replace("toBe(3)", "toBe(-1)"),
        VITEST.replace('it("', 'it.skip("'),
        VITEST.partition("if (")[0],
        VITEST.replace("  it(", "  const add = () => 3;\n  it("),
    ],
)
def test_weaker_tests_of_vitest_block(after: str) -> None:
    assert weakened("src/calc.ts", VITEST, after) == ("import.meta.vitest",)


@pytest.mark.parametrize(
    "after",
    [
        VITEST.replace("a - b", "a + b"),
        VITEST.replace("  });\n", '  });\n  it("more", () => {\n    expect(1).toBe(1);\n  });\n'),
    ],
)
def test_other_changes_beside_vitest_are_free(after: str) -> None:
    assert weakened("src/calc.ts", VITEST, after) == ()


def test_files_whose_examples_ran_are_told_from_files_of_tests() -> None:
    ran = ("calc.py::calc", "pkg/a.py::pkg.a.f", "README.md::README.md", "tests/test_a.py::test_b", "a.py")

    assert ran_in(ran) == {"calc.py", "pkg/a.py", "README.md"}


HONEST_RUST = """pub fn half(n: u32) -> u32 {
    n / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        assert!(cfg!(test));
        assert_eq!(half(4), 2);
    }
}

#[cfg(test)]
pub fn sample() -> u32 {
    4
}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    n / 2\n", "    if cfg!(test) { return n / 2; }\n    n\n"),
        ("    n / 2\n", "    #[cfg(test)]\n    return n / 2;\n    #[cfg(not(test))]\n    n\n"),
        ("    n / 2\n", "    #[cfg(test)]\n    { return n / 2 }\n    n\n"),
        ("pub fn half", "#[cfg(not(test))]\npub fn other() {}\n\npub fn half"),
    ],
)
def test_rust_code_that_is_compiled_otherwise_for_tests_blocks(old, new):
    after = {"src/lib.rs": HONEST_RUST.replace(old, new, 1)}
    plain = weakened_inline({}, {"src/lib.rs": HONEST_RUST}, (), IntegrityMode.APPEND_ONLY)
    found = weakened_inline({"src/lib.rs": HONEST_RUST}, after, (), IntegrityMode.APPEND_ONLY)
    assert (plain, {"other code than users" in each.message for each in found}) == ((), {True})


def test_the_tests_of_a_rust_source_are_put_beside_other_code():
    base = HONEST_RUST.replace("n / 2", "n")
    mixed = with_tests_of(base, HONEST_RUST.replace("half(4), 2", "half(8), 4"))
    assert ("    n\n" in mixed, mixed.count("mod tests"), "half(8), 4" in mixed) == (True, 1, True)
    assert names_of_tests(HONEST_RUST) == {"halves", "sample"}


_EXAMPLE = 'def double(number):\n    """Double.\n\n    >>> double(2)\n    4\n    """\n    return 2 * number\n'


def test_examples_that_run_from_another_place_are_not_gone() -> None:
    before = {"words.py": _EXAMPLE}
    ran = ["words/__init__.py::words.double"]
    assert not without_moved(["words.py::words.double"], before, {"words/__init__.py": _EXAMPLE}, ran)
    ran = ["src/kit/words.py::kit.words.double"]
    assert not without_moved(["words.py::words.double"], before, {"src/kit/words.py": _EXAMPLE}, ran)


@pytest.mark.parametrize(
    ("now", "ran"),
    [
        (_EXAMPLE, "words/__init__.py::words.halve"),
        (_EXAMPLE.replace("    4\n", "    5\n"), "words/__init__.py::words.double"),
        (_EXAMPLE, "words/__init__.py::test_double"),
    ],
)
def test_examples_that_no_longer_run_or_differ_are_gone(now: str, ran: str) -> None:
    lost = ("words.py::words.double",)
    assert without_moved(lost, {"words.py": _EXAMPLE}, {"words/__init__.py": now}, [ran]) == lost
