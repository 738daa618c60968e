from corner_shop import Basket, Item, receipt

APPLE = Item("apple", 50)


def test_a_receipt_ends_with_what_is_to_be_paid():
    text = receipt(Basket({APPLE: 4}))
    assert text.splitlines() == [
        "4 x apple                 2.00",
        "to pay                    2.00",
    ]


def test_a_voucher_has_a_line_of_its_own():
    text = receipt(Basket({APPLE: 4}), voucher_worth=150)
    assert text.splitlines()[1:] == [
        "voucher                  -1.50",
        "to pay                    0.50",
    ]
