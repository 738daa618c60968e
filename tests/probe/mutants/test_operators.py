"""Which small changes count as mutants, and which say nothing about tests."""

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint_probe.mutants.operators import OPERATORS, make
from setpoint_probe.source.source import Source
from setpoint_probe.templates import TEMPLATES


def of(text, lines=(), seed=0):
    """Give the mutants of a text as pairs of operator and changed line."""
    source = Source("/p/m.py", dedent(text).encode())
    made = make({"/p/m.py": source}, {"/p/m.py": lines}, seed)
    return [
        (each.operator, source.edited(each.edits).split("\n")[each.line - 1].strip()) for each in made.mutants
    ]


def test_every_operator_is_a_known_family():
    assert set(OPERATORS) <= {template.name for template in TEMPLATES}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("return a < b", {("comparison", "return a <= b"), ("returned", "return None")}),
        ("return a + b", {("arithmetic", "return a - b"), ("returned", "return None")}),
        ("a += b", {("augmented", "a -= b")}),
        ("a.b = 1", {("number", "a.b = 2"), ("delete", "pass")}),
        ("a.go(b)", {("delete", "pass")}),
        ("raise KeyError('no ' + a)", {("delete", "pass")}),
        ("a = 'word'", {("string", "a = 'WORD'")}),
        ("a = True", {("truth", "a = False")}),
        ("return None", set()),
        ("print('told', 3)", set()),
        ("log.warning('told %d', 3)", set()),
        ("'''Only words.'''", set()),
        ("a: 'int' = b", set()),
    ],
)
def test_what_becomes_of_one_line(line, expected):
    found = of(f"def f(a, b, log):\n    {line}\n", (2,))
    assert {(operator, text) for operator, text in found if operator != "slice"} == expected


def test_conditions_lose_their_parts_and_their_sense():
    found = of("def f(a, b):\n    if a and b > 1:\n        return a\n", (2,))
    assert set(found) == {
        ("boolean", "if a or b > 1:"),
        ("negate", "if not (a and b > 1):"),
        ("drop-part", "if a:"),
        ("drop-part", "if b > 1:"),
        ("comparison", "if a and b >= 1:"),
        ("number", "if a and b > 2:"),
    }


def test_what_no_test_sees_is_left_alone():
    assert (
        of(
            """\
        from typing import TYPE_CHECKING

        __all__ = ["f"]
        if TYPE_CHECKING:
            limit = 3


        def f(a: "list[int]" = None) -> "int":
            '''Docstring.'''


        if __name__ == "__main__":
            f(3)
        """
        )
        == []
    )


def test_changes_that_mean_the_same_are_left_out():
    source = Source("/p/m.py", b"def f(a):\n    return (a) if 2 * 0 else a\n")
    made = make({"/p/m.py": source}, {}, 0)
    assert made.same > 0
    assert not [each for each in made.mutants if each.operator == "branches"]


def test_lines_and_seed_choose():
    text = "def f(a, b):\n    c = a + b\n    return c * 2\n"
    assert {operator for operator, _ in of(text, (2,))} == {"arithmetic"}
    assert sorted(of(text, seed=1)) == sorted(of(text, seed=2))
    assert of(text, seed=1) == of(text, seed=1)


EXPRESSION = st.recursive(
    st.sampled_from(["a", "b", "1", "2.5", "'s'", "True", "None", "a[1:2]", "f(a, b)"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "<", "==", "and", "or", "in", "is not"]), inner).map(
            lambda each: f"({' '.join(each)})"
        ),
        inner.map(lambda each: f"(not {each})"),
        st.tuples(inner, inner).map(lambda each: f"({each[0]} if a else {each[1]})"),
    ),
    max_leaves=6,
)


@given(EXPRESSION)
def test_every_mutant_compiles_and_differs_from_all_others(expression):
    text = f"def f(a, b):\n    while {expression}:\n        a = {expression}\n    return {expression}\n"
    source = Source("/p/m.py", text.encode())
    mutants = make({"/p/m.py": source}, {}, 0).mutants
    texts = [source.edited(each.edits) for each in mutants]
    for each in texts:
        compile(each, "m.py", "exec", dont_inherit=True)
    assert len(set(texts) | {text}) == len(texts) + 1
