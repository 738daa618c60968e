"""Cases as source: names of variables, and what is left of a case that is longer than it has to be."""

from __future__ import annotations

import pytest

from setpoint_mechanic.engine.generate.cases import Case, Cast, Param, Target, shorter
from setpoint_mechanic.engine.generate.programs import program, variable
from setpoint_mechanic.engine.generate.values.values import NOTHING


def target(name, form="method", owner="Basket", params=()):
    path = name.rpartition(".")[2]
    return Target(name, form, path, owner, params, NOTHING, 1, 9)


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        ("Basket", "basket_object"),
        ("BigBasket", "big_basket"),
        ("Decimal", "decimal_object"),
        ("Str", "str_object"),
        ("Class", "class_object"),
        ("Pytest", "pytest_object"),
        ("_", "_object"),
    ],
)
def test_a_variable_is_never_named_as_something_else_that_a_test_names(owner, name):
    assert variable(owner, "basket") == name


def test_an_argument_is_not_named_as_the_module():
    holding = Param("basket", required=True, star=False, keyword=False, kinds=(), own=())
    cast = Cast("basket", {"total": target("total", "function", "", (holding,))})

    made = program(Case("total", (("", "[1]"),)), cast)

    assert made.setup == ("basket_2 = [1]",)
    assert made.call == "total(basket_2)"


def test_what_an_earlier_call_reaches_is_shown_by_that_call():
    case = Case("Basket.add", (("", "1"),), (), (("Basket.clear", ()), ("Basket.total", (("", "'x'"),))))

    first, second, *rest = shorter(case)

    assert first == Case("Basket.clear", (), ())
    assert second == Case("Basket.total", (("", "'x'"),), (), (("Basket.clear", ()),))
    assert [each.target for each in rest] == ["Basket.add", "Basket.add"]
