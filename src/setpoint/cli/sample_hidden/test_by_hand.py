"""What the owner of the shop computed by hand; whoever repairs it cannot read this."""

import pytest
from corner_shop.discounts import quantity_discount


@pytest.mark.parametrize(("pieces", "cents", "off"), [(10, 20_000, 1000), (50, 3000, 300), (9, 20_000, 0)])
def test_the_discount_is_what_i_computed_by_hand(pieces, cents, off):
    assert quantity_discount(pieces, cents) == off
