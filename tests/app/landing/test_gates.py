"""What a landing delivers passes every gate that each of its stories passed, whatever they change and ask."""

import tempfile
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.landing import cheap
from app.landing.world import World
from setpoint.app.landing import lane
from setpoint.model.events.landing import Fate

FILES = ("a", "b", "c")
BASE = dict.fromkeys(FILES, 1)
RELATIONS = [
    f"test $(cat {one}) {how} $(cat {two})" for one in FILES for two in FILES for how in ("-le", "-eq")
]
changes = st.dictionaries(st.sampled_from(FILES), st.integers(0, 3), min_size=1, max_size=2)


def holds(relation, values):
    _, _, one, how, _, two = relation.replace(")", "").split()
    return values[one] <= values[two] if how == "-le" else values[one] == values[two]


@st.composite
def stories(draw):
    """Draw a story that passes alone: what it writes, and what it asks for that is true of it then."""
    own = draw(changes)
    true = [each for each in RELATIONS if holds(each, {**BASE, **own})]
    asked = draw(st.lists(st.sampled_from(true), max_size=3, unique=True))
    return own, [*(f"test $(cat {name}) -eq {value}" for name, value in own.items()), *asked]


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(max_examples=8, deadline=None)
@given(st.lists(stories(), min_size=2, max_size=4))
def test_what_lands_passes_every_gate_that_each_story_passed(drawn):
    with tempfile.TemporaryDirectory() as place, patch.object(lane, "measure", cheap.measure):
        world = World(Path(place) / "shop")
        world.commit("values", {name: f"{value}\n" for name, value in BASE.items()})
        gates = {}
        for number, (own, asked) in enumerate(drawn):
            files = {**{name: f"{value}\n" for name, value in own.items()}, f"note-{number}": "done\n"}
            gates[f"s{number}"] = asked
            world.deliver(f"s{number}", files, accept=asked)
        landing = lane.land_once(world.project, into="main")
        passed = []
        for each in landing.landed:
            passed += gates[each.story]
            assert cheap.failing(world.root, each.commit, passed) == []
        assert landing.ended.proved
        assert world.git("rev-parse", "main") == landing.tip
        assert landing.decided["s0"].fate is Fate.LANDED
        for name, each in landing.decided.items():  # nothing is kept from landing without a reason
            known = landing.measurements(name, each.commit)
            assert each.fate is Fate.LANDED or each.reason, known
        world.project.store.close()
