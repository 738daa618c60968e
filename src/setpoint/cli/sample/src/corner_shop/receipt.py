"""The slip of paper a customer takes home."""

from corner_shop.basket import Basket
from corner_shop.discounts import voucher
from corner_shop.money import shown

WIDTH = 30


def receipt(basket: Basket, voucher_worth: int = 0) -> str:
    """Write a receipt: one line for each item, then what is to be paid."""
    lines = []
    for item, pieces in basket.pieces.items():
        lines.append(_line(f"{pieces} x {item.name}", item.cents * pieces))
    total = basket.total()
    if voucher_worth:
        taken = voucher(total, voucher_worth)
        lines.append(_line("voucher", -taken))
        total -= taken
    lines.append(_line("to pay", total))
    return "\n".join(lines)


def _line(text: str, cents: int) -> str:
    amount = shown(cents)
    return f"{text:<{WIDTH - len(amount)}}{amount}"
