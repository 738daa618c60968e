from __future__ import annotations

from setpoint_mechanic.engine.repair.agreement import Agreement

SHOP = """\
    def fee(amount, rate):
        if amount > 100:
            return 0
        return amount - rate


    def both(amount, rate):
        return fee(amount, rate) + rate
"""
LOOSE = """\
    from shop import both, fee


    def test_fee():
        assert fee(2, 2) == 4


    def test_free():
        assert fee(200, 5) == 0
"""


def test_repairs_that_behave_otherwise_are_told_with_an_input(project, repair):
    root = project(shop=SHOP, test_shop=LOOSE)
    result = repair(root, "test_shop.py::test_fee", max_patches=5, extra_s=2.0)
    assert result.status == "repaired"
    assert all(patch.inputs > 0 for patch in result.patches)
    others = result.patches[1:]
    assert others  # 2 + 2, 2 * 2 and 2 ** 2 are the same to this test
    assert all(patch.unlike.startswith("fee(") for patch in others)


def test_where_the_tests_decide_there_is_one_class(project, repair):
    strict = LOOSE.replace("fee(2, 2) == 4", "[fee(a, b) for a, b in ((2, 2), (3, 5), (9, 0))] == [4, 8, 9]")
    root = project(shop=SHOP, test_shop=strict)
    result = repair(root, "test_shop.py::test_fee", max_patches=5, extra_s=2.0)
    assert "+    return amount + rate" in result.patches[0].diff
    assert result.patches[0].alike > 0  # rate + amount, amount - -rate


def test_classes_are_told_apart_and_what_was_not_tried_belongs_to_none():
    agreement = Agreement(2, [("1", "2"), ("1", "2"), ("1", "3"), ()], ["f(0)", "f(1)"])
    assert [agreement.alike(place) for place in (0, 1, 2, 3, -1)] == [1, 1, 0, 0, 0]
    assert agreement.same(0, 1)
    assert not agreement.same(0, 2)
    assert not agreement.same(3, 3)
    assert agreement.differing(0, 2) == "f(1): 2 or 3"
    assert agreement.differing(0, 1) == agreement.differing(0, -1) == ""
