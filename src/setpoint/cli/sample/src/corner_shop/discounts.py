"""What a customer does not have to pay."""

import math

from corner_shop.money import share

STEPS = ((50, 10), (10, 5), (1, 0))
"""From this many pieces on, so many percent off."""


def quantity_discount(pieces: int, cents: int) -> int:
    """Give the discount on an amount for so many pieces of one item, in cents."""
    for least, percent in STEPS:
        if pieces > least:
            return share(cents, percent)
    return 0


def voucher(cents: int, worth: int) -> int:
    """Give what a voucher takes off an amount: never more than there is to pay."""
    return min(cents, worth)
