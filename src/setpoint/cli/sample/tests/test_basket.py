import pytest

from corner_shop.basket import Basket, Item

APPLE = Item("apple", 50)
BREAD = Item("bread", 320)


def test_an_empty_basket_costs_nothing():
    assert Basket().total() == 0


def test_prices_add_up():
    basket = Basket()
    basket.add(APPLE, 4)
    basket.add(BREAD)
    assert basket.total() == 520


def test_pieces_of_an_item_are_counted_together():
    basket = Basket()
    basket.add(APPLE, 2)
    basket.add(APPLE, 3)
    assert basket.pieces == {APPLE: 5}


def test_a_discount_makes_it_cheaper():
    basket = Basket()
    basket.add(APPLE, 20)
    assert basket.total() == 950


def test_the_last_piece_takes_the_item_with_it():
    basket = Basket()
    basket.add(BREAD)
    basket.remove(BREAD)
    assert basket.pieces == {}


def test_what_is_not_there_cannot_be_removed():
    with pytest.raises(ValueError, match="fewer than 2 pieces of bread"):
        Basket({BREAD: 1}).remove(BREAD, 2)
