"""Tests inside sources of Rust are found, and put beside the code of another text."""

import pytest

from setpoint.checks.languages.all import language_of

RUST = language_of("a.rs")
SOURCE = b"""//! A crate. "quoted

/// Gives.
pub fn add<'a>(a: i32, b: i32) -> i32 {
    let _ = ("}", '}', r#"#[test] {"#, b'\\'');
    #[cfg(test)]
    println!("traced");
    a + b /* } /* nested } */ } */
}

#[tokio::test]
// Runs alone.
async fn outer() {
    assert!(true);
}

#[cfg(not(test))]
fn main() {}

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


def test_functions_of_tests_are_found():
    assert RUST.inline_tests("a.rs", SOURCE) == {"outer", "check", "adds"}


@pytest.mark.parametrize(
    "source", [b"#[cfg(not(test))]\nfn main() {}\n", b"#[derive(Debug)]\nstruct A;\n", b""]
)
def test_other_attributes_mark_no_test(source):
    assert RUST.inline_tests("a.rs", source) == frozenset()
    assert RUST.with_tests_of(source, source, "a.rs").strip() == source.strip()


def test_the_tests_of_one_text_are_put_beside_the_code_of_another():
    base = SOURCE.replace(b"a + b", b"a").replace(b"n, 3", b"n, 9")
    mixed = RUST.with_tests_of(base, SOURCE, "a.rs")
    assert b"    a /*" in mixed
    assert [mixed.count(each) for each in (b"mod tests", b"n, 3", b"n, 9", b"outer", b"fn main")] == [
        1,
        1,
        0,
        1,
        1,
    ]


def test_other_languages_have_none():
    python = language_of("a.py")
    assert python.inline_tests("a.py", b"def test_a(): ...\n") == frozenset()
    assert python.with_tests_of(b"a = 1\n", b"a = 2\n", "a.py") == b"a = 1\n"
