from __future__ import annotations

from setpoint_mechanic.engine.repair.candidates import stream
from setpoint_mechanic.engine.repair.pairs import BEAM, Beam, paired
from setpoint_probe.source.source import Source

SHOP = """\
    def net(prices):
        total = 1
        for price in prices:
            total -= price
        return total


    def gross(prices, tax):
        return net(prices) - tax
"""


def test_two_bugs_that_one_test_meets_are_mended_at_once(project, repair):
    test = """\
        from shop import net


        def test_net():
            assert net([]) == 0
            assert net([2, 3]) == 5
    """
    result = repair(project(shop=SHOP, test_shop=test), "test_shop.py")
    assert result.status == "repaired"
    names: dict = {}
    exec(result.patches[0].text, names)
    assert names["net"]([4, 4, 4]) == 12
    assert " and " in result.patches[0].template
    assert result.patches[0].confirmed


def test_the_two_bugs_may_stand_in_two_functions(project, repair):
    test = """\
        from shop import gross


        def test_gross():
            assert gross([], 0) == 0
            assert gross([], 4) == 4
            assert gross([2, 3], 7) == 12
    """
    result = repair(project(shop=SHOP.replace("total -=", "total +="), test_shop=test), "test_shop.py")
    assert result.status == "repaired"
    names: dict = {}
    exec(result.patches[0].text, names)
    assert names["gross"]([4, 4], 2) == 10


def _candidates(text):
    source = Source("/g.py", text.encode())
    scores = {("/g.py", line): 1.0 for line in range(1, text.count("\n") + 1)}
    return list(stream({"/g.py": source}, scores, seed=0))


def test_edits_that_meet_are_no_pair_and_others_are_split_by_unit():
    found = _candidates("def f(a):\n    return a + 1\n\n\ndef g(b):\n    return b * 2\n")
    plus, minus = (next(e for e in found if e.source.edited(e.edits).count(t)) for t in ("a - 1", "a | 1"))
    times = next(e for e in found if e.source.edited(e.edits).count("b / 2"))
    assert paired(plus, minus) is None
    both = paired(plus, times)
    assert both is not None
    assert both.source.edited(both.edits).count("a - 1") == both.source.edited(both.edits).count("b / 2") == 1
    assert both.parts() == [(plus.unit, plus.edits), (times.unit, times.edits)]
    assert paired(both, times) is None


def test_the_beam_keeps_the_best_by_gain_and_score():
    found = _candidates("def f(a):\n    return a + 1\n")[: BEAM + 5]
    beam = Beam()
    assert not beam
    for place, candidate in enumerate(found):
        beam.add(candidate, gain=1 + (place == BEAM + 4))
    best = beam.best()
    assert len(best) == BEAM
    assert best[0] is found[BEAM + 4]
