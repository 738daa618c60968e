from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from mechanic.generate.conftest import PLAIN
from setpoint.model.attempt import Attempt, Breakage, BreakageKind, Stop, Usage
from setpoint.model.cover import CoverGoals
from setpoint_mechanic.generate import AskedAgent

SHOP = """
    def price(name):
        if name == "tea":
            return 3
        if name == "coffee":
            return 4
        raise KeyError(name)
"""
OLD = """
    import shop

    def test_tea():
        assert shop.price("tea") == 3
"""
pytestmark = pytest.mark.timeout(400)  # each look at tests is several interpreters
HEAD = "import pytest\nimport shop\n\n\n"
WRONG = HEAD + 'def test_coffee():\n    assert shop.price("coffee") == 5\n'
IDLE = HEAD + 'def test_tea_again():\n    assert shop.price("tea") == 3\n'
GOOD = HEAD + 'def test_coffee():\n    assert shop.price("coffee") == 4\n'


class Player:
    """Plays one step for each turn; keeps what it was asked."""

    name = "player"

    def __init__(self, *turns):
        self.turns = list(turns)
        self.briefs = []

    async def attempt(self, brief, observer):
        self.briefs.append(brief)
        step = self.turns.pop(0)
        came = step(brief) or {}
        usage = Usage(cost_usd=Decimal("0.10"), input_tokens=100, output_tokens=10, scope="turn")
        halted = observer.spent(usage)
        standard = {"agent": self.name, "stop": Stop.CANCELLED if halted else Stop.END_TURN, "usage": usage}
        return Attempt(started_at="2026-01-01T00:00:00Z", duration_s=1.0, **{**standard, **came})

    async def close(self):
        pass


def writes(file, text):
    def step(brief):
        Path(brief.workdir, file).write_text(text, "utf-8")

    return step


@pytest.fixture
def asked(toolkit):
    def make(*turns):
        player = Player(*turns)
        goals = CoverGoals(paths=("shop.py",), mutation_s=10)
        return AskedAgent(player, toolkit, goals, PLAIN), player

    return make


@pytest.fixture
def root(tree):
    return tree(shop=SHOP, tests__test_old=OLD)


async def test_error_then_no_gain_then_gain_are_told_and_only_good_tests_stay(asked, root, brief, watcher):
    file = "tests/test_new.py"
    agent, player = asked(writes(file, WRONG), writes(file, IDLE), writes(file, GOOD))

    attempt = await agent.attempt(brief(root), watcher)

    first, second, third = (each.prompt for each in player.briefs)
    assert first.startswith("write tests\n")
    assert ">    6         return 4" in first
    assert "Not reached: line 5, line 6, line 7" in first
    assert "write tests\n" not in second
    assert "test_coffee: failed when run alone" in second
    assert 'assert shop.price("coffee") == 5' in second
    assert "they reach nothing new" in third
    assert "Still not reached: line 5" in third
    assert (root / file).read_text() == GOOD
    assert "try 1: error" in attempt.text
    assert "try 2: no gain" in attempt.text
    assert "try 3: gain" in attempt.text
    assert attempt.usage.cost_usd == Decimal("0.30")
    assert [usage.cost_usd for usage in watcher.usage] == [Decimal("0.10"), Decimal("0.20"), Decimal("0.30")]
    assert [each.session for each in player.briefs] == ["s1"] * 3


async def test_tests_that_passed_before_stay_whatever_the_agent_does_to_them(asked, root, brief, watcher):
    old = (root / "tests/test_old.py").read_text()

    def deletes(brief):
        (root / "tests/test_old.py").unlink()

    agent, player = asked(writes("tests/test_old.py", GOOD), deletes, writes("tests/test_new.py", GOOD))

    await agent.attempt(brief(root), watcher)

    assert (root / "tests/test_old.py").read_text() == old
    assert "tests that passed before are gone or fail" in player.briefs[1].prompt
    assert "no file of tests was written" in player.briefs[2].prompt
    assert (root / "tests/test_new.py").read_text() == GOOD


async def test_changed_code_ends_the_attempt_for_the_check_sends_it_back(asked, root, brief, watcher):
    agent, player = asked(writes("shop.py", "def price(name):\n    return 3\n"))

    attempt = await agent.attempt(brief(root), watcher)

    assert (attempt.stop, len(player.briefs)) == (Stop.END_TURN, 1)
    assert (root / "shop.py").read_text() == "def price(name):\n    return 3\n"


async def test_one_that_breaks_is_told_as_broken(asked, root, brief, watcher):
    broken = {"stop": Stop.BROKEN, "breakage": Breakage(kind=BreakageKind.CRASH, message="gone")}
    agent, _ = asked(lambda _: broken)

    attempt = await agent.attempt(brief(root), watcher)

    assert (attempt.stop, attempt.breakage.message) == (Stop.BROKEN, "gone")


async def test_what_one_left_before_it_broke_is_judged_as_well(asked, root, brief, watcher):
    file = root / "tests/test_new.py"

    def breaks(brief):
        file.write_text(GOOD + IDLE.removeprefix(HEAD), "utf-8")
        return {"stop": Stop.BROKEN, "breakage": Breakage(kind=BreakageKind.CRASH, message="gone")}

    agent, player = asked(breaks)

    attempt = await agent.attempt(brief(root), watcher)

    assert "test_coffee" in file.read_text()
    assert "test_tea_again" not in file.read_text()
    assert (attempt.stop, attempt.breakage, len(player.briefs)) == (Stop.END_TURN, None, 1)
    assert "player broke and was not asked further: gone" in attempt.text


async def test_when_the_money_is_used_up_nothing_more_is_asked(asked, root, brief, watcher):
    watcher.halts = True
    agent, player = asked(writes("tests/test_new.py", WRONG))

    attempt = await agent.attempt(brief(root), watcher)

    assert (attempt.stop, len(player.briefs)) == (Stop.CANCELLED, 1)
    assert not (root / "tests/test_new.py").exists()
