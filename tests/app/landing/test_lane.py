"""Landing in a real repository: conflicts, stories that break together, crashes, people in between."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.landing import cheap
from app.landing.world import World
from model.memory_examples import OF_A_FIX
from setpoint.app.landing import lane
from setpoint.app.landing.queue import newest
from setpoint.app.runs.board import find_card
from setpoint.app.runs.overlaps import cards_with_overlaps
from setpoint.cli.render.landing_lines import planned_lines
from setpoint.errors import RunInUse, UsageError, WorkspaceError
from setpoint.model.ending import Ending
from setpoint.model.events.landing import TRACE, Fate
from setpoint.model.events.people import FixApplied
from setpoint.model.stories.story import Status
from setpoint.stories.policy.landing import MOST_MEASURED
from setpoint.wiring.project import open_project


@pytest.fixture
def world(tmp_path, monkeypatch):
    made = World(tmp_path / "shop")
    monkeypatch.setattr(lane, "measure", cheap.measure)
    yield made
    made.project.store.close()


def fates(landing):
    return {each.story: str(each.fate) for each in landing.decided.values()}


def holds(world, text, name, commit="main"):
    return world.git("show", f"{commit}:{name}") == text.strip()


def doubled(number):
    return {
        f"double_{number}.py": f"from rate_{number} import rate\n\n\ndef double():\n    return 2 * rate()\n",
        f"tests/test_double_{number}.py": (
            f"from double_{number} import double\n\n\ndef test_double():\n    assert double() == 4\n"
        ),
    }


def command(module, name, value):
    return f"python3 -c 'from {module} import {name}; assert {name}() == {value}'"


def twenty(world):
    """Deliver eight stories, five that conflict with them, five that break them, and two that are flaky."""
    world.commit("rates", {f"rate_{each}.py": "def rate():\n    return 2\n" for each in range(8)})
    for each in range(8):
        world.deliver(f"ok-{each}", doubled(each), accept=[command(f"double_{each}", "double", 4)])
    for each in range(5):
        other = {f"double_{each}.py": "def double():\n    return 5\n"}
        world.deliver(f"clash-{each}", other, accept=[command(f"double_{each}", "double", 5)])
        files = {f"rate_{each}.py": "def rate():\n    return 3\n"}
        files[f"tests/test_rate_{each}.py"] = (
            f"from rate_{each} import rate\n\n\ndef test_rate():\n    assert rate() == 3\n"
        )
        world.deliver(f"wrong-{each}", files, accept=[command(f"rate_{each}", "rate", 3)])
    for each in range(2):
        once = (
            f"from pathlib import Path\n\nfrom late_{each} import late\n\n\ndef test_late():\n"
            f"    ran = Path('ran_{each}')\n    first = not ran.exists()\n    ran.touch()\n"
            "    assert late() == 1 and not first\n"
        )
        files = {f"late_{each}.py": "def late():\n    return 1\n", f"tests/test_late_{each}.py": once}
        world.deliver(f"flaky-{each}", files, accept=[command(f"late_{each}", "late", 1)])
    return {f"ok-{each}" for each in range(8)} | {"flaky-0", "flaky-1"}


def check_twenty(world, landing, good):
    """Look if everything is as it must be: what lands, what goes back, and each state of the branch."""
    expected = {name: "landed" if name in good else "sent back" for name in (*good, *fates(landing))}
    assert (len(expected), fates(landing)) == (20, expected)
    assert landing.ended.proved
    assert landing.ended.measured
    assert {each.story for each in landing.ended.patches} == good
    for each in (name for name in expected if name not in good):
        card = find_card(world.project, each)
        text = Path(card.path).read_text("utf-8")
        assert (card.status, text.count("## Sent back by")) == (Status.READY, 1)
        assert text.count("+def ") >= 2  # both changes
    gates = list[str]()
    for each in landing.landed:
        gates += cheap.gates_of(world.project, landing.queued(each.story)).order.story.acceptance
        assert cheap.failing(world.root, each.commit, gates) == []


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_twenty_branches_land_or_go_back(world):
    good = twenty(world)
    landing = lane.land_once(world.project, into="main")
    check_twenty(world, landing, good)
    assert world.git("rev-parse", "main") == landing.ended.commit
    assert world.git("status", "--porcelain", "--untracked-files=no") == ""
    assert (world.root / "double_7.py").is_file()
    assert lane.land_once(world.project, into="main") is None


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_twenty_branches_are_measured_as_they_are_merged(tmp_path):
    world = World(tmp_path / "shop")
    good = twenty(world)
    landing = lane.land_once(world.project)
    check_twenty(world, landing, good)
    for each in landing.landed:
        (measured,) = [one for one in landing.measured if one.commit == each.commit and not one.red]
        assert measured.evaluation.tree == world.git("rev-parse", f"{each.commit}^{{tree}}")
        assert not measured.proof.missing
    assert any(each.evaluation.flaky for each in landing.measured)
    world.project.store.close()


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_a_landing_that_is_killed_twenty_times_ends_the_same(world, tmp_path):
    good = twenty(world)
    copy = tmp_path / "copy"
    shutil.copytree(world.root, copy)
    calm = lane.land_once(world.project, into="main")
    tests = Path(__file__).parents[2]
    paths = os.pathsep.join([str(tests), str(tests.parent / "src")])
    words = [sys.executable, "-m", "app.landing.cheap", str(copy)]

    def start():
        return subprocess.Popen(words, env={**os.environ, "PYTHONPATH": paths}, cwd=tests)

    chance, killed = random.Random(7), 0
    while killed < 20:
        process = start()
        time.sleep(chance.uniform(0.5, 4))
        if process.poll() is None:
            killed += 1
        process.send_signal(signal.SIGKILL)
        process.wait()
        other = open_project(copy)
        over = newest(other) is not None and newest(other).ended is not None
        other.store.close()
        if over:
            break
    assert start().wait(300) == 0
    other = open_project(copy)
    landing = newest(other)
    assert killed >= 5
    assert landing.ended == calm.ended.model_copy(update={"landing": landing.name})
    assert fates(landing) == fates(calm)
    paid = (copy / ".setpoint" / "paid").read_text().splitlines()
    assert len(paid) <= len((world.project.state / "paid").read_text().splitlines()) + killed
    for each in fates(landing):
        if each not in good:
            assert Path(find_card(other, each).path).read_text("utf-8").count("## Sent back by") == 1
    other.store.close()


def meanwhile(monkeypatch, number, act):
    """Have a person do something during one measurement."""
    calls = []

    async def measured(*words, **options):
        calls.append(words)
        if len(calls) == number:
            act()
        return await cheap.measure(*words, **options)

    monkeypatch.setattr(lane, "measure", measured)


def four(world):
    for each in range(4):
        world.deliver(f"s{each}", {f"s{each}.py": f"N = {each}\n"}, accept=[f"test -f s{each}.py"])


def test_a_trial_says_what_would_come_of_each_story(world):
    for name, price in (("cheap", 1), ("dear", 3)):
        world.deliver(name, {"shop.py": f"PRICE = 1{price}\n"})
    lines = [each.text for each in planned_lines(lane.planned(world.project))]
    assert lines == [
        "cheap: merges cleanly, and would be measured",
        "dear: would be sent back: conflicts with what has landed in shop.py",
    ]
    assert newest(world.project) is None


def test_accepted_fixes_land_with_the_work(world):
    branch = world.deliver("rates", {"rate.py": "RATE = 2\n"})
    best = world.git("rev-parse", branch)
    world.git("checkout", "-q", "-b", f"{branch}-fixes", branch)
    fixed = world.commit("Fix: say what it is", {"rate.py": "RATE = 2  # per cent\n"})
    world.git("checkout", "-q", "main")
    run = find_card(world.project, "rates").run
    fix = FixApplied(**OF_A_FIX | {"start": best, "commit": fixed}, branch=f"{branch}-fixes", kept=True)
    world.project.log.append(run, "fix", [fix])
    landing = lane.land_once(world.project, into="main")
    assert fates(landing) == {"rates": "landed"}
    assert holds(world, "RATE = 2  # per cent", "rate.py")


def test_a_person_who_merges_in_the_middle_is_followed(world, monkeypatch):
    four(world)
    meanwhile(monkeypatch, 3, lambda: world.commit("by hand", {"hand.py": "H = 1\n"}))
    landing = lane.land_once(world.project, into="main")
    assert set(fates(landing).values()) == {"landed"}
    assert [each.split(" ", 1)[1] for each in landing.ended.others] == ["by hand"]
    assert (landing.ended.proved, landing.ended.measured) == (True, True)
    assert [holds(world, f"N = {each}", f"s{each}.py") for each in range(4)] == [True] * 4
    assert holds(world, "H = 1", "hand.py")
    assert len([each for each in landing.measured if each.story == "s2"]) == 2  # on each of both


def test_what_a_person_takes_out_by_force_is_told_and_lands_again(world, monkeypatch):
    four(world)
    meanwhile(monkeypatch, 3, lambda: world.git("reset", "-q", "--hard", "main~1"))
    landing = lane.land_once(world.project, into="main")
    assert fates(landing) == {"s0": "landed", "s1": "gone", "s2": "landed", "s3": "landed"}
    assert landing.ended.proved
    again = lane.land_once(world.project, into="main")
    assert fates(again) == {"s1": "landed"}
    assert [holds(world, f"N = {each}", f"s{each}.py") for each in range(4)] == [True] * 4


def test_a_branch_that_is_pushed_over_meanwhile_is_held(world, monkeypatch):
    four(world)
    branch = "setpoint/s3-4"
    meanwhile(monkeypatch, 2, lambda: world.git("update-ref", f"refs/heads/{branch}", "main"))
    landing = lane.land_once(world.project, into="main")
    assert landing.decided["s3"].reason == f"{branch} was changed since the landing began"
    assert find_card(world.project, "s3").status is Status.DONE


def test_a_change_that_somebody_merged_by_hand_has_landed(world, monkeypatch):
    four(world)

    def squash():
        world.git("merge", "-q", "--squash", "setpoint/s3-4")
        world.git("commit", "-qm", "squash")

    meanwhile(monkeypatch, 2, squash)
    landing = lane.land_once(world.project, into="main")
    assert set(fates(landing).values()) == {"landed"}
    assert landing.ended.proved
    assert "s3" not in {each.story for each in landing.measured}


def test_a_checked_out_branch_with_edits_is_not_touched(world):
    four(world)
    (world.root / "shop.py").write_text("PRICE = 9\n")
    before = world.git("rev-parse", "main")
    with pytest.raises(WorkspaceError, match="'main' is checked out there, with changes"):
        lane.land_once(world.project, into="main")
    assert world.git("rev-parse", "main") == before
    world.git("checkout", "-q", "--", "shop.py")
    assert set(fates(lane.land_once(world.project))) == {"s0", "s1", "s2", "s3"}  # it continues


def test_a_story_that_went_back_lands_first_the_next_time(world):
    world.deliver("one", {"shop.py": "PRICE = 2\n"}, priority=200)
    world.deliver("two", {"shop.py": "PRICE = 3\n"})
    world.deliver("three", {"three.py": "N = 3\n"}, priority=300)
    first = lane.land_once(world.project, into="main")
    assert fates(first) == {"three": "landed", "one": "landed", "two": "sent back"}
    assert find_card(world.project, "two").status is Status.READY
    world.deliver("two", {"shop.py": "PRICE = 5\n"}, base=first.decided["two"].before)
    world.deliver("four", {"four.py": "N = 4\n"}, priority=900)
    second = lane.land_once(world.project, into="main")
    assert list(fates(second).items()) == [("two", "landed"), ("four", "landed")]
    assert holds(world, "PRICE = 5", "shop.py")


def test_a_story_lands_after_what_it_begins_from(world):
    base = world.deliver("cart", {"cart.py": "N = 1\n"}, priority=1)
    world.deliver("till", {"till.py": "N = 2\n"}, base=base, priority=900)
    landing = lane.land_once(world.project)
    assert list(fates(landing).items()) == [("cart", "landed"), ("till", "landed")]
    assert world.git("rev-parse", landing.began.branch) == landing.ended.commit
    assert world.git("rev-parse", "main") == landing.began.base


def test_only_what_is_asked_for_and_examined_lands(world):
    four(world)
    world.deliver("weak", {"weak.py": "N = 1\n"}, ending=Ending.SELF_TESTED)
    with pytest.raises(UsageError, match="'weak' cannot land: it"):
        lane.land_once(world.project, ["weak"])
    with pytest.raises(UsageError, match="'nothing' cannot land: no story has this id"):
        lane.land_once(world.project, ["nothing"])
    plan = lane.planned(world.project)
    assert set(fates(plan)) == {"s0", "s1", "s2", "s3"}
    assert (newest(world.project), world.git("branch", "--list", "*landing*")) == (None, "")
    assert fates(lane.land_once(world.project, ["s2"], branch="mine")) == {"s2": "landed"}
    assert holds(world, "N = 2", "s2.py", "mine")


def test_one_lands_at_a_time_and_a_cancelled_landing_keeps_what_landed(world, monkeypatch):
    four(world)
    with world.project.locks.held(TRACE), pytest.raises(RunInUse):
        lane.land_once(world.project)
    meanwhile(monkeypatch, 2, lambda: lane.cancel(world.project))
    landing = lane.land_once(world.project)
    assert (fates(landing), landing.cancelled) == ({"s0": "landed"}, True)
    assert landing.ended.proved
    with pytest.raises(UsageError, match="no landing is open"):
        lane.cancel(world.project)

    def stop():
        raise KeyboardInterrupt

    meanwhile(monkeypatch, 1, stop)
    with pytest.raises(KeyboardInterrupt):
        lane.land_once(world.project)
    with pytest.raises(UsageError, match="landing-2 is not finished"):
        lane.land_once(world.project, into="main")
    assert set(fates(lane.land_once(world.project)).values()) == {"landed"}


def test_branches_that_conflict_are_known_before_anybody_merges_them(world, monkeypatch):
    world.deliver("one", {"shop.py": "PRICE = 2\n"})
    world.deliver("two", {"shop.py": "PRICE = 3\n"})
    world.deliver("three", {"three.py": "N = 3\n"})
    cards = {each.id: each.overlaps for each in cards_with_overlaps(world.project)}
    assert [(each.story, each.files) for each in cards["one"]] == [("two", ("shop.py",))]
    assert [each.story for each in cards["two"]] == ["one"]
    assert cards["three"] == ()
    monkeypatch.setattr("setpoint.app.runs.overlaps.conflicts", lambda *_: 1 / 0)
    assert {each.id: each.overlaps for each in cards_with_overlaps(world.project)} == cards
    world.git("merge", "-q", "setpoint/one-1")
    assert not any(each.overlaps for each in cards_with_overlaps(world.project))


def test_gone_work_cannot_hide(world, monkeypatch):
    """A merge that brings something else than the story delivered is noticed after it landed."""
    four(world)
    landing = lane.land_once(world.project, into="main")
    wrong = landing.decided["s1"].model_copy(update={"commit": landing.decided["s0"].commit})
    told = landing.model_copy(update={"decided": {**landing.decided, "s1": wrong}, "ended": None})
    strange = world.commit("strange", {"strange.py": "N = 1\n"})
    ended = lane.asyncio.run(lane.proved(world.project, told, strange))
    assert [each.found for each in ended.patches] == [True, False, True, True]
    assert ([each.split(" ", 1)[1] for each in ended.unexplained], ended.proved) == (["strange"], False)
    assert Fate.LANDED in {each.fate for each in landing.landed}
    assert len(landing.measured) <= 4 * MOST_MEASURED
