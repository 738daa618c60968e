"""Tests of the base on the result, as they were."""

import pytest

from checks.verdict.conftest import PRICE, SHOP
from setpoint.model.exam import Least
from setpoint.model.proof import ObligationState, ProofTerms, Vouched

MET, NOT_MET = ObligationState.MET, ObligationState.NOT_MET
ALONE = ProofTerms(without=("sabotage", "canary", "elsewhere", "same calls"))
HALF_RED = {
    "shop.py": "def price(n):\n    return n + 1\n\n\ndef tax(n):\n    return n + 1\n",
    "tests/test_shop.py": (
        "from shop import price, tax\n\n\ndef test_price():\n    assert price(3) == 3\n\n\n"
        "def test_vat():\n    assert tax(3) == 3\n"
    ),
}
HALF_MENDED = {"shop.py": HALF_RED["shop.py"].replace("n + 1", "n", 1)}
VAT = "tests/test_shop.py::test_vat"


async def test_a_red_test_that_reaches_the_change_is_sent_back_once(proof):
    first = await proof(HALF_MENDED, "price must return its number", base=HALF_RED, terms=ALONE)
    lost = {each.name: each for each in first.obligations}["nothing lost"]

    assert (lost.state, lost.evidence) == (NOT_MET, (VAT,))
    assert "make them pass, or say why" in lost.reason


async def test_what_the_maker_was_told_of_stands_in_the_reason(proof):
    made = await proof(
        HALF_MENDED,
        "price must return its number",
        base=HALF_RED,
        terms=ALONE,
        vouched=Vouched(still_red=(VAT,)),
    )
    told = {each.name: each for each in made.obligations}["nothing lost"]

    assert told.state is MET
    assert f"failed before and still fails: {VAT}" in told.reason


async def test_a_red_test_of_what_the_request_names_is_sent_back_until_it_passes(proof):
    made = await proof(
        HALF_MENDED,
        "price() and tax() must return the number they are given",
        base=HALF_RED,
        terms=ALONE,
        vouched=Vouched(still_red=(VAT,)),
    )

    assert {each.name: each for each in made.obligations}["nothing lost"].state is NOT_MET


@pytest.mark.parametrize(
    ("request_", "state"),
    [
        ("tax a new kind of price", MET),
        ("Tax prices", MET),
        ("`tax` returns its number", NOT_MET),
        ("let tax(n) return n", NOT_MET),
    ],
)
async def test_a_called_function_is_named_where_the_request_writes_it_as_code(proof, request_, state):
    vouched = Vouched(still_red=(VAT,))
    made = await proof(HALF_MENDED, request_, base=HALF_RED, terms=ALONE, vouched=vouched)

    assert {each.name: each for each in made.obligations}["nothing lost"].state is state


CENTS = {
    "shop.py": PRICE.replace("100", "1000"),
    "tests/test_shop.py": SHOP["tests/test_shop.py"].replace("200", "2000"),
}


@pytest.mark.parametrize(
    ("title", "more", "said"),
    [
        ("prices are in tenths of cents", {}, "only the maker says why"),
        ("prices are in tenths of cents, so test_price changes", {}, "as wanted"),
        ("prices are in tenths of cents", {"may_change": ("tests/*",)}, "1 of 1 tests"),
    ],
    ids=["nobody", "request", "person"],
)
async def test_a_contradicted_test_needs_somebody_who_wants_it(proof, title, more, said):
    made = await proof(CENTS, title, terms=ALONE, **more)
    lost = {each.name: each for each in made.obligations}["nothing lost"]

    assert (lost.state, made.level) == (MET, Least.SELF)
    assert said in lost.reason


async def test_a_reviewer_who_sees_both_versions_accepts(proof):
    made = await proof(
        CENTS, "prices are in tenths of cents", terms=ALONE, vouched=Vouched(all_reviewed=True)
    )

    assert made.level is Least.OTHERS
    assert "as wanted" in {each.name: each for each in made.obligations}["nothing lost"].reason
