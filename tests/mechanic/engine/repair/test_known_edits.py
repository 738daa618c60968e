from __future__ import annotations

from setpoint_mechanic.engine.repair.known_edits import known
from setpoint_probe.source.source import Source


def _offered(text, out, put):
    source = Source("/g.py", text.encode())
    return [source.edited(each.edits) for each in known({"/g.py": source}, [(out, put)])]


def test_a_change_is_offered_where_its_lines_stand_whatever_their_indentation():
    text = "class A:\n    def f(self, a):\n        if a:\n            b = a - 1\n        return b\n"
    assert _offered(text, ["    b = a - 1"], ["    b = a + 1", "    c = b"]) == [
        text.replace("b = a - 1\n", "b = a + 1\n            c = b\n")
    ]


def test_a_change_of_several_lines_needs_all_of_them():
    text = "def f(a):\n    b = a\n    return b\n"
    assert _offered(text, ["    b = a", "    return b"], ["    return a"]) == ["def f(a):\n    return a\n"]
    assert _offered(text, ["    b = a", "    return c"], ["    return a"]) == []
    assert _offered(text, [""], ["    return a"]) == []


def test_what_mended_it_before_goes_first(project, repair):
    root = project(
        shop="def price(amount):\n    return amount - 2\n",
        test_shop="from shop import price\n\n\ndef test_price():\n    assert price(3) == 5\n",
    )
    change = (["    return amount - 2"], ["    return amount + 5 - 3"])
    result = repair(root, "test_shop.py", known=[change], extra_s=0.0)
    assert result.patches[0].template == "known"
    assert "+    return amount + 5 - 3" in result.patches[0].diff
