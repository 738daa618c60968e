"""Prices, discounts and receipts of a small shop."""

from corner_shop.basket import Basket, Item
from corner_shop.discounts import quantity_discount, voucher
from corner_shop.receipt import receipt

__all__ = ["Basket", "Item", "quantity_discount", "receipt", "voucher"]
