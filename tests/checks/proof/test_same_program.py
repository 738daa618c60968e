"""A change of words in comments and docstrings is no change of the program."""

import pytest

from setpoint.checks.proof.kinds.same_program import same_program

OLD = b'"""Begining."""\n\n\ndef add(a, b):\n    """Ad."""\n    return a + b  # sum\n'


@pytest.mark.parametrize(
    ("new", "same"),
    [
        (
            OLD.replace(b"Begining", b"Beginning").replace(b"Ad.", b"Add.").replace(b"# sum", b"# the sum"),
            True,
        ),
        (OLD.replace(b"a + b", b"(a + b)"), True),
        (OLD.replace(b"a + b", b"b + a"), False),
        (OLD.replace(b'    """Ad."""\n', b""), True),
        (OLD.replace(b"Ad.", b">>> add(1, 2)"), False),
        (OLD.replace(b'"""Ad."""', b"print()"), False),
        (b"def (", False),
        (None, False),
    ],
)
def test_what_runs_decides(new, same):
    assert same_program("calc.py", OLD, new) is same


def test_other_languages_are_never_the_same():
    assert not same_program("calc.js", b"// a\n", b"// b\n")


def test_docstrings_count_where_the_code_reads_them():
    old = OLD + b"print(add.__doc__)\n"

    assert not same_program("a.py", old, old.replace(b"Ad.", b"Add."))
