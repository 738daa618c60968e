"""Where values come from: tables, regular expressions, calls, annotations."""

from __future__ import annotations

import ast
import datetime as dt
import gc
import re
import sys
import types
from random import Random
from textwrap import dedent

import pytest

from setpoint_mechanic.engine.generate.limits import arm
from setpoint_mechanic.engine.generate.oracle import Oracle
from setpoint_mechanic.engine.generate.values import hypothesis
from setpoint_mechanic.engine.generate.values.hypothesis import Drawing
from setpoint_mechanic.engine.generate.values.nearby_constants import Surroundings
from setpoint_mechanic.engine.generate.values.regex_samples import is_pattern, samples
from setpoint_mechanic.engine.generate.values.values import Near, changed

PATTERNS = (
    r"(?i)(matr|vert|ind)ix$",
    r"^[+-]?\d{2,4}(\.\d+)?$",
    r"[^a-z\s]+x{3}",
    r"(a|b)\1",
    r"\bword\b",
    r"^$",
)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_samples_match_their_pattern(pattern):
    found = samples(pattern, 3, Random(1))

    assert found
    assert len(set(found)) == len(found)
    assert all(re.search(pattern, text) for text in found)


def test_what_is_no_pattern_is_not_taken_for_one():
    assert is_pattern(r"\d+")
    assert not is_pattern("plain words")
    assert not is_pattern("(unclosed [")
    assert samples("(unclosed", 3, Random(1)) == []


def test_constants_of_tables_that_a_function_looks_into_are_near_it():
    tree = ast.parse(
        dedent("""
        TABLE = [("ox", 17), (r"(quiz)$", 3)]
        OTHER = "never"

        def look(word):
            return TABLE

        def outer(word):
            return look(word)
        """)
    )
    around = Surroundings(tree)

    near, matched = around.of(tree.body[3])

    assert near.words == ("ox",)
    assert {17, 16, 18} <= set(near.numbers)
    assert matched == ("quiz",)
    assert around.users_of(tree.body[0]) == [frozenset({6}), frozenset({9})]
    assert around.users_of(tree.body[1]) == []


def test_literals_inside_a_call_are_changed():
    random = Random(3)
    made = {changed("datetime.date(2020, 1, 2)", Near((), (2007,)), random) for _ in range(60)}

    assert "datetime.date(2007, 1, 2)" in made
    assert all(text.startswith("datetime.date(") for text in made)
    assert changed("object()", Near(), random) == "object()"


MODULE = """
from __future__ import annotations
import datetime
import dataclasses


@dataclasses.dataclass
class Item:
    name: str
    price: int


def total(items: list[Item], day: datetime.date, plain: int, nothing: NoSuchName = None): ...


def sums(items: list[Item], day: datetime.date | None, plain: int): ...
"""


# The time of the draw can be up inside a callback of the garbage collector that Hypothesis has set.
@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
def test_values_are_drawn_for_annotations_that_are_more_than_plain(tmp_path, monkeypatch):
    for limit in ("_ONE_S", "_ONE_WALL_S", "_ALL_S"):  # a busy machine draws slowly
        monkeypatch.setattr(hypothesis, limit, 60.0)
    module = types.ModuleType("module_with_items")
    sys.modules[module.__name__] = module
    try:
        exec(compile(MODULE, "module_with_items.py", "exec"), vars(module))
        arm()
        hooks = list(gc.callbacks)
        drawn = Drawing(Oracle(module, "shop").expression, str(tmp_path)).of(module.sums)
        unknown = Drawing(Oracle(module, "shop").expression, str(tmp_path)).of(module.total)
    finally:
        del sys.modules[module.__name__]

    assert set(drawn) == {"items", "day"}
    names = {"shop": module, "datetime": dt}
    items = [eval(text, names) for text in drawn["items"]]
    assert any(items)
    assert all(re.fullmatch(r"[\w .-]*", item.name, re.ASCII) for each in items for item in each)
    assert gc.callbacks == hooks  # else each call would seem to ask the clock
    assert all(isinstance(item, module.Item) for each in items for item in each)
    assert any(isinstance(eval(text, names), dt.date) for text in drawn["day"])
    assert unknown == {}  # an annotation that names nothing
