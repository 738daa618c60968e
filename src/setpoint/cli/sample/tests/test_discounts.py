import pytest

from corner_shop.discounts import quantity_discount, voucher


@pytest.mark.parametrize(("pieces", "expected"), [(2, 0), (9, 0), (11, 500), (49, 500), (51, 1000)])
def test_many_pieces_are_cheaper(pieces, expected):
    assert quantity_discount(pieces, 10_000) == expected


@pytest.mark.parametrize(("pieces", "expected"), [(10, 500), (50, 1000)])
def test_a_step_begins_with_its_own_number_of_pieces(pieces, expected):
    assert quantity_discount(pieces, 10_000) == expected


def test_a_voucher_takes_off_what_it_is_worth():
    assert voucher(2000, 500) == 500


def test_a_voucher_never_pays_out():
    assert voucher(300, 500) == 300
