"""A worker that lands what was delivered, works again on what was sent back, and reports it."""

import asyncio
import json
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.landing import cheap
from app.landing.world import World
from setpoint.app.landing import lane, turns
from setpoint.app.landing.queue import newest
from setpoint.app.landing.standing import landing_standing
from setpoint.app.runs import shift_record, worker_pool
from setpoint.app.runs.board import find_card
from setpoint.app.runs.worker_pool import WorkerPool
from setpoint.app.views.night import shift_report
from setpoint.errors import WorkspaceError
from setpoint.model.config.limits import BoardLimits
from setpoint.model.events.landing import TRACE
from setpoint.model.stories.story import Status
from setpoint.wiring.project import open_project


@pytest.fixture
def world(tmp_path, monkeypatch):
    made = World(tmp_path / "shop")
    monkeypatch.setattr(lane, "measure", cheap.measure)
    made.landed, made.again = [], {}

    async def child(command, on_line):
        """Do in this process what the verb of a child does."""
        words = command.argv[command.argv.index("land") + 1 :]
        made.landed.append(words)
        into = words[1] if words else ""
        try:
            await asyncio.to_thread(land, into, lambda line: on_line(line.encode()))
        except WorkspaceError as error:
            on_line(str(error).encode())
            return SimpleNamespace(exit_code=4)
        return SimpleNamespace(exit_code=0)

    def land(into, say):
        own = open_project(made.root, made.settings)
        try:
            lane.land_once(own, into=into, say=say)
        finally:
            own.store.close()

    async def work(command, on_line):
        """Deliver what a story is to be answered with this time, on the base that its file names."""
        story = Path(command.argv[-1]).stem
        base = find_base(made, story)
        made.deliver(story, made.again[story].pop(0), base=base)
        return SimpleNamespace(exit_code=0, ok=True, ending="")

    monkeypatch.setattr(turns, "run", child)
    monkeypatch.setattr(worker_pool, "run", work)
    yield made
    made.project.store.close()


def find_base(world, story):
    text = Path(find_card(world.project, story).path).read_text("utf-8")
    named = [line.partition(":")[2].strip(" '") for line in text.splitlines() if line.startswith("base:")]
    return named[0] if named else "main"


def work(world, **limits):
    heard = []
    told = BoardLimits(land="main", **limits)
    pool = WorkerPool(world.project, told, (), lambda name, text: heard.append(f"[{name}] {text}"))
    asyncio.run(pool.work())
    return pool, heard


def test_what_is_sent_back_is_done_again_and_lands_in_the_same_shift(world):
    world.deliver("one", {"shop.py": "PRICE = 2\n"}, priority=200)
    world.deliver("two", {"shop.py": "PRICE = 3\n"})
    world.again = {"two": [{"shop.py": "PRICE = 5\n"}]}
    pool, heard = work(world)
    assert [each.story for each in pool.worked] == ["two"]
    assert world.git("show", "main:shop.py") == "PRICE = 5"
    assert world.landed == [("--into", "main")] * 2
    assert any(each.startswith("[landing] two: sent back") for each in heard)
    assert newest(world.project).ended.proved
    report = shift_report(world.project)
    assert list(report.landing.lines) == ["landed on main: one, two"]
    assert "1 with a branch, 2 landed, 0 wait for you" in report.headline


def test_a_story_that_never_fits_waits_for_a_person(world):
    world.deliver("one", {"shop.py": "PRICE = 2\n"}, priority=200)
    world.deliver("two", {"shop.py": "PRICE = 3\n"})

    class Wrong(list):
        """Answers that conflict each time: somebody changes the same line meanwhile."""

        def pop(self, _):
            world.commit("meanwhile", {"shop.py": f"PRICE = {len(world.landed) + 20}\n"})
            return {"shop.py": f"PRICE = {len(world.landed) + 10}\n"}

    world.again = {"two": Wrong()}
    pool, _ = work(world)
    assert [each.story for each in pool.worked] == ["two", "two"]
    assert find_card(world.project, "two").status is Status.DONE
    report = shift_report(world.project)
    (asked,) = [each for each in report.waits if each.on == "you"]
    assert (asked.story, asked.command) == ("two", "setpoint story show two")
    assert "landings sent it back 2 times" in asked.why
    assert not report.landing.waits
    before = len(world.landed)
    work(world)
    assert len(world.landed) == before  # no landing is begun for it again


def test_the_money_of_the_rework_counts_in_the_shift(world, monkeypatch):
    world.deliver("one", {"shop.py": "PRICE = 2\n"}, priority=200)
    world.deliver("two", {"shop.py": "PRICE = 3\n"})
    world.again = {"two": [{"shop.py": "PRICE = 5\n"}]}
    monkeypatch.setattr(shift_record, "spent_on", lambda *_: Decimal(1) if world.again["two"] else Decimal(3))
    pool, _ = work(world)
    assert pool.record.cost(pool.record.of(pool.shift)) == 2


def test_a_worker_lands_nothing_without_being_told_to_or_while_another_process_does(world):
    world.deliver("one", {"one.py": "N = 1\n"})
    pool = WorkerPool(world.project, BoardLimits(), (), lambda *_: None)
    asyncio.run(pool.work())
    with world.project.locks.held(TRACE):
        work(world)
    assert world.landed == []
    standing = landing_standing(world.project)
    assert (standing.waits, standing.command) == (("one",), "setpoint land")
    work(world)
    assert landing_standing(world.project).landed == {"one": "main"}
    assert landing_standing(world.project).command == ""


def test_a_landing_that_cannot_go_on_says_why_and_is_tried_again_later(world):
    world.deliver("one", {"one.py": "N = 1\n"})
    (world.root / "shop.py").write_text("PRICE = 9\n")
    _, heard = work(world)
    assert any("'main' is checked out there, with changes" in each for each in heard)
    assert world.landed == [("--into", "main")]
    world.git("checkout", "-q", "--", "shop.py")
    work(world)
    assert world.landed[1:] == [()]  # the open one is continued
    assert newest(world.project).ended.proved


def test_what_landed_on_a_branch_of_its_own_is_to_be_merged(world):
    world.deliver("one", {"one.py": "N = 1\n"})
    landing = lane.land_once(world.project)
    told = landing_standing(world.project)
    assert told.command == f"git merge --ff-only {landing.began.branch}"
    assert json.loads(told.model_dump_json())["landed"] == {"one": landing.began.branch}
    world.git("merge", "-q", "--ff-only", landing.began.branch)
    assert landing_standing(world.project).command == ""
