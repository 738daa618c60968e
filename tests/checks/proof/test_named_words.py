"""What a request names, and what counts as its example, its option and its one answer."""

import pytest

from setpoint.checks.proof.named.examples import examples, holds
from setpoint.checks.proof.named.flags import without
from setpoint.checks.proof.named.needless import has_one_answer
from setpoint.checks.proof.named.request_names import requested


@pytest.mark.parametrize(
    ("request_text", "test"),
    [
        ('`checksum(b"abc")` returns 294.', 'def test_sum():\n    assert checksum(b"abc") == 294\n'),
        (
            '`slug("the true story")` returns "the-true".',
            'def test_slug():\n    assert slug("the true story") == "the-true"\n',
        ),
    ],
)
def test_a_test_that_holds_an_example_as_it_is_written_counts(request_text, test):
    (example,) = examples(request_text, repairs=False)
    assert holds("tests/test_it.py", test, example)
    assert not holds("tests/test_it.py", test.replace("4", "5").replace("the-true", "x"), example)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('main(["--format=json", "a"])', 'main(["a"])'),
        ('main(["a", "--format", "json"])', 'main(["a", "json"])'),
        ("tool a --format=json", "tool a"),
        ("tool a --formats", "tool a --formats"),
    ],
)
def test_an_option_is_left_out_with_its_value(text, left):
    assert without(text, "--format") == left


def test_a_truth_value_that_the_request_gives_is_one_answer():
    code = "def has(self, key):\n    return False\n"
    assert has_one_answer("Add class NullCache whose has(key) returns False.", code)
    assert not has_one_answer("Add class Cache whose has(key) tells whether a key is in it.", code)


def test_an_optional_plural_is_no_function():
    assert requested("Create the missing folder(s) before writing.").wanted == ()
    assert requested("Create fold(seconds) in shop.py.").wanted == ("fold",)
