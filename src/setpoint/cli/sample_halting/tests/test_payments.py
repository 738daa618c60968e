"""Payments are exact, and what cannot be paid is refused."""

import payments
import pytest


@pytest.mark.parametrize(("text", "cents"), [("12.50", 1250), ("3", 300), ("0.05", 5)])
def test_a_price_is_read_in_cents(text, cents):
    assert payments.amount(text) == cents


@pytest.mark.parametrize("text", ["-1", "abc", "", "0.005"])
def test_what_is_no_price_is_refused(text):
    with pytest.raises(ValueError):
        payments.amount(text)


def test_a_charge_is_taken_off_the_balance():
    assert payments.charge(1000, 250, "EUR") == 750


@pytest.mark.parametrize(("cents", "currency"), [(1001, "EUR"), (250, "XXX")])
def test_a_charge_that_cannot_be_made_is_refused(cents, currency):
    with pytest.raises(ValueError):
        payments.charge(1000, cents, currency)


def test_a_refund_is_taken_off_what_was_paid():
    assert payments.refund(500, 200) == 300


def test_no_more_than_was_paid_is_refunded():
    with pytest.raises(ValueError):
        payments.refund(500, 501)


@pytest.mark.parametrize(("cents", "fee"), [(1000, 29), (1, 1), (0, 0)])
def test_the_fee_is_a_share_and_at_least_a_cent(cents, fee):
    assert payments.fee(cents) == fee
