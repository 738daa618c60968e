from __future__ import annotations

from decimal import Decimal

import pytest

from mechanic.generate.conftest import PLAIN
from mechanic.generate.test_segment_agent import GOOD, HEAD, OLD, SHOP, Player, writes
from setpoint.model.attempt import AttemptLimits, Breakage, BreakageKind, Stop
from setpoint.model.cover import CoverGoals
from setpoint_mechanic.generate import AskedAgent, GeneratorAgent, PynguinAgent, Strategies

pytestmark = pytest.mark.timeout(400)  # each look at tests is several interpreters
FAKE = """#!{python}
import pathlib, sys, time
words = sys.argv
assert words[1:3] == ["-m", "pynguin"], words
given = dict(zip(words[3::2], words[4::2]))
if {hangs}:
    time.sleep(600)
text = "import shop as module_0\\n\\n\\ndef test_case_0():\\n    assert module_0.price('coffee') == 4\\n"
text += "\\n\\ndef test_case_1():\\n    assert module_0.price('tea') == 7\\n"
pathlib.Path(given["--output-path"], "test_shop.py").write_text(text)
"""


@pytest.fixture
def root(tree):
    return tree(shop=SHOP, tests__test_old=OLD)


def fake_pynguin(tmp_path, *, hangs):
    import sys

    path = tmp_path / "pynguin-python"
    path.write_text(FAKE.format(python=sys.executable, hangs=hangs))
    path.chmod(0o755)
    return str(path)


@pytest.mark.slow
async def test_what_is_good_of_each_is_put_together_in_the_tree(root, brief, watcher, toolkit, tmp_path):
    goals = CoverGoals(paths=("shop.py",), budget_s=4.0)
    player = Player(writes("tests/test_new.py", GOOD))
    asked = AskedAgent(player, toolkit, goals, PLAIN)
    agents = {"player": asked, "generator": GeneratorAgent(toolkit, goals, PLAIN)}
    strategies = Strategies(agents, toolkit, goals, PLAIN)
    limits = AttemptLimits(wall_s=600.0, cost_usd=Decimal(1))

    attempt = await strategies.attempt(brief(root, limits=limits), watcher)
    await strategies.close()

    assert attempt.agent == "player+generator"
    assert (root / "tests/test_new.py").read_text() == GOOD
    pinned = (root / "tests/test_shop_pinned.py").read_text()
    assert "KeyError" in pinned  # which the player's test does not reach
    assert player.briefs[0].workdir != str(root)
    assert player.briefs[0].limits.cost_usd == Decimal("0.5")
    assert attempt.usage.cost_usd == Decimal("0.10")
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.slow
async def test_new_files_of_the_same_name_are_both_taken(root, brief, watcher, toolkit, tmp_path):
    goals = CoverGoals(paths=("shop.py",))
    raises = HEAD + 'def test_else():\n    with pytest.raises(KeyError):\n        shop.price("x")\n'
    both = {
        name: AskedAgent(Player(writes("tests/shop_test.py", text)), toolkit, goals, PLAIN)
        for name, text in (("one", GOOD), ("two", raises))
    }

    await Strategies(both, toolkit, goals, PLAIN).attempt(brief(root), watcher)

    assert (root / "tests/shop_test.py").read_text() == GOOD
    assert (root / "tests/test_shop_test_two.py").read_text() == raises


async def test_where_one_breaks_the_others_tests_are_taken_and_it_is_said(
    root, brief, watcher, toolkit, tmp_path
):
    goals = CoverGoals(paths=("shop.py",), budget_s=4.0)
    broken = {"stop": Stop.BROKEN, "breakage": Breakage(kind=BreakageKind.CRASH, message="gone")}
    asked = AskedAgent(Player(lambda _: {**broken, "text": "it fell"}), toolkit, goals, PLAIN)
    agents = {"player": asked, "generator": GeneratorAgent(toolkit, goals, PLAIN)}

    attempt = await Strategies(agents, toolkit, goals, PLAIN).attempt(brief(root), watcher)

    assert (attempt.stop, attempt.breakage) == (Stop.END_TURN, None)
    assert "player: it fell" in attempt.text
    assert (root / "tests/test_shop_pinned.py").exists()


async def test_pynguins_tests_are_judged_as_anybodys(root, brief, watcher, toolkit, tmp_path):
    goals = CoverGoals(paths=("shop.py",), budget_s=20.0, pynguin=fake_pynguin(tmp_path, hangs=False))

    attempt = await PynguinAgent(toolkit, goals, PLAIN).attempt(brief(root), watcher)

    text = (root / "tests/test_shop_pinned.py").read_text()
    assert "test_case_0" in text
    assert "test_case_1" not in text
    assert "1 tests of Pynguin's were kept" in attempt.text


async def test_pynguin_is_ended_when_it_does_not_keep_to_its_time(
    root, brief, watcher, toolkit, tmp_path, monkeypatch
):
    monkeypatch.setattr("setpoint_mechanic.generate.pynguin._PATIENCE", 0.05)
    goals = CoverGoals(paths=("shop.py",), budget_s=20.0, pynguin=fake_pynguin(tmp_path, hangs=True))

    attempt = await PynguinAgent(toolkit, goals, PLAIN).attempt(brief(root), watcher)

    assert attempt.stop is Stop.END_TURN
    assert "shop.py: Pynguin wrote nothing: it ended after its 1 s were over" in attempt.text


async def test_without_its_interpreter_it_says_what_is_missing(root, brief, watcher, toolkit):
    attempt = await PynguinAgent(toolkit, CoverGoals(paths=("shop.py",)), PLAIN).attempt(brief(root), watcher)

    assert attempt.breakage.kind is BreakageKind.MISSING
    assert "cover.pynguin names no interpreter" in attempt.breakage.message
