import pytest

from corner_shop.money import share, shown


@pytest.mark.parametrize(
    ("cents", "percent", "expected"), [(1000, 10, 100), (999, 5, 50), (1, 10, 0), (5, 10, 1)]
)
def test_a_share_is_rounded_half_up(cents, percent, expected):
    assert share(cents, percent) == expected


def test_amounts_are_shown_with_two_digits():
    assert shown(1205) == "12.05"
    assert shown(-50) == "-0.50"
