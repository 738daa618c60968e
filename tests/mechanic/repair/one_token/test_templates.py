"""The edits that are tried at a token."""

from __future__ import annotations

import pytest

from setpoint_mechanic.repair.one_token.grammars import parser_of
from setpoint_mechanic.repair.one_token.templates import OPERATORS, PRIORS, WEAK, edits_of


def results(code: str, suffix: str, line: int) -> set[str]:
    text = code.encode()
    parser = parser_of(suffix)
    assert parser is not None
    made = edits_of(parser.parse(text).root_node, {line})
    return {
        (text[: each.start] + each.text.encode() + text[each.end :]).decode().splitlines()[line - 1].strip()
        for each in made
    }


GO = "package a\n\nfunc f(low, high int, xs []int) bool {\n\t%s\n}\n"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("return low < high", "return low <= high"),
        ("return low == 1 && high > 2", "return low == 1 || high > 2"),
        ("return low > 3", "return low > 2"),
        ("return low > len(xs)", "return low > len(xs) - 1"),
        ("return xs[low] > 1", "return xs[low - 1] > 1"),
        ("return f(low, high, xs)", "return f(high, low, xs)"),
        ("return f(low, low, xs)", "return f(low, high, xs)"),
        ("return !f(low, high, xs)", "return f(low, high, xs)"),
        ("return low == 1", "return low == -1"),
        ("return low == 'A'", "return low == 'a'"),
        ("return true", "return false"),
        ("if xs == nil { return true }", "if xs != nil { return true }"),
        ("if low > high { return true }", "return true"),
    ],
)
def test_a_wrong_token_of_go_is_put_right(wrong: str, right: str) -> None:
    assert right in results(GO % wrong, ".go", 4)


SCRIPT = "export function f(first, second) {\n  %s\n}\n"


@pytest.mark.parametrize("suffix", [".ts", ".js", ".tsx"])
@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("return first === undefined", "return first !== undefined"),
        ("return first - second", "return second - first"),
        ("if (first) return 1", "if (!first) return 1"),
        ("return first.startsWith('a')", "return first.endsWith('a')"),
        ("return first.length", "return first.length - 1"),
        ("return first", "return second"),
        ("return first ?? second", "return first || second"),
        ("if (first) { second(); third() }", "second(); third()"),
    ],
)
def test_a_wrong_token_of_a_script_is_put_right(suffix: str, wrong: str, right: str) -> None:
    assert right in results(SCRIPT % wrong, suffix, 2)


def test_only_the_lines_asked_for_are_edited() -> None:
    assert results("let a = 1 < 2\nlet b = 3 < 4\n", ".js", 1).isdisjoint({"let b = 3 <= 4"})


@pytest.mark.parametrize(
    ("code", "family"),
    [
        ("if (a.b) return a.c", "condition"),
        ("if (a.b > e) return a.c", "field"),
        ("if (e > a.b) return a.c", "field"),
    ],
)
def test_another_name_as_a_whole_condition_is_another_condition(code: str, family: str) -> None:
    parser = parser_of(".js")
    assert parser is not None
    text = f"function f(a, e) {{\n{code}\n}}\n".encode()

    made = edits_of(parser.parse(text).root_node, {2})

    start = text.index(b"b")
    assert [each.family for each in made if (each.start, each.text) == (start, "c")] == [family]


def test_another_function_of_the_file_is_called() -> None:
    code = "export function splitPath(a) {}\nfunction splitPattern(a) {}\nsplitPattern(1);\n"

    assert "splitPath(1);" in results(code, ".ts", 3)


@pytest.mark.parametrize(
    ("code", "opposite"),
    [
        ("if (a.b(c + 1)) d = e;", "if (!(a.b(c + 1))) d = e;"),
        ("if (!a.b(c + 1)) d = e;", "if (a.b(c + 1)) d = e;"),
    ],
)
def test_what_inverts_a_condition_comes_after_all_other_edits(code: str, opposite: str) -> None:
    parser = parser_of(".ts")
    assert parser is not None
    text = f"function f(a, c, e) {{\n{code}\n}}\n".encode()
    edits = sorted(edits_of(parser.parse(text).root_node, {2}), key=lambda each: -each.likely)

    made = [text[: each.start] + each.text.encode() + text[each.end :] for each in edits]

    assert made.index(text.replace(code.encode(), opposite.encode())) == len(edits) - 1
    assert edits[-1].family in WEAK


def test_priors_are_chances_and_no_operator_is_replaced_by_itself() -> None:
    assert all(0 < each < 1 for each in PRIORS.values())
    assert all(operator not in others for operator, others in OPERATORS.items())
