"""What a customer wants to buy."""

from dataclasses import dataclass, field

from corner_shop.discounts import quantity_discount


@dataclass(frozen=True)
class Item:
    """An item with its price."""

    name: str
    cents: int


@dataclass
class Basket:
    """Items with their number of pieces."""

    pieces: dict[Item, int] = field(default_factory=dict)

    def add(self, item: Item, pieces: int = 1) -> None:
        """Put pieces of an item into the basket."""
        if pieces < 1:
            raise ValueError(f"cannot add {pieces} pieces of {item.name}")
        self.pieces[item] = self.pieces.get(item, 0) + pieces

    def remove(self, item: Item, pieces: int = 1) -> None:
        """Take pieces of an item out; the last one takes the item with it."""
        left = self.pieces.get(item, 0) - pieces
        if left < 0:
            raise ValueError(f"there are fewer than {pieces} pieces of {item.name}")
        if left == 0:
            del self.pieces[item]
        else:
            self.pieces[item] = left

    def total(self) -> int:
        """Give what is to be paid, in cents."""
        total = 0
        for item, pieces in self.pieces.items():
            price = item.cents * pieces
            total += price + quantity_discount(pieces, price)
        return total
