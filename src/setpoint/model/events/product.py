"""What Setpoint showed of the product; part of the union in `events`."""

from __future__ import annotations

from typing import Literal

from setpoint.model.product import ProductView
from setpoint.model.value import Text, Value


class ProductShown(Value):
    """A command of the project ran on base and result, for people to look at; no verdict rests on it."""

    kind: Literal["product.shown"] = "product.shown"
    what: Text
    """The command, or the address of the page with the command that serves it."""
    before: ProductView
    """On the base."""
    after: ProductView
    """On the delivered or offered state."""
