"""Landing on the branch of a remote that other people push to, merge into, and protect."""

import pytest

from app.landing import cheap
from app.landing.test_lane import fates, four, holds, meanwhile
from app.landing.world import QUICK, World
from setpoint.app.landing import lane
from setpoint.app.landing.queue import newest
from setpoint.app.landing.standing import landing_standing
from setpoint.errors import ForgeError, UsageError
from setpoint.forges.git_remote import GitRemote
from setpoint.model.config.limits import BoardLimits
from setpoint.model.events.landing import Fate
from setpoint.testing.forge import FakeForge
from setpoint.wiring.project import open_project
from setpoint.workspace.shared_repository import SharedRepository


@pytest.fixture
def world(tmp_path, monkeypatch):
    made = World(tmp_path / "shop")
    monkeypatch.setattr(lane, "measure", cheap.measure)
    made.there = tmp_path / "there.git"
    made.git("init", "-q", "--bare", "-b", "main", str(made.there))
    made.git("remote", "add", "origin", str(made.there))
    made.git("push", "-q", "origin", "main")
    made.git("clone", "-q", str(made.there), str(tmp_path / "person"))
    made.person = tmp_path / "person"
    yield made
    made.project.store.close()


def at_remote(world, name="main"):
    return world.git("rev-parse", f"refs/heads/{name}", place=world.there)


def pushes_by_hand(world, name="hand"):
    """Merge a pull request of one's own at the remote."""
    world.git("pull", "-q", place=world.person)
    (world.person / f"{name}.py").write_text("H = 1\n")
    world.git("add", "-A", place=world.person)
    world.git("commit", "-qm", "by hand", place=world.person)
    world.git("push", "-q", "origin", "main", place=world.person)


def takes_out(world):
    """Push by force what was there before the newest landing."""
    world.git("pull", "-q", place=world.person)
    world.git("reset", "-q", "--hard", "HEAD~1", place=world.person)
    world.git("push", "-qf", "origin", "main", place=world.person)


def has_all(world, count=4):
    there = at_remote(world)
    world.git("fetch", "-q", "origin")
    assert [holds(world, f"N = {each}", f"s{each}.py", there) for each in range(count)] == [True] * count


def test_each_story_is_pushed_and_the_branch_here_follows(world):
    four(world)
    landing = lane.land_once(world.project, into="main", push=True)
    assert set(fates(landing).values()) == {"landed"}
    assert (landing.ended.proved, landing.ended.measured, landing.began.remote) == (True, True, "origin")
    assert at_remote(world) == world.git("rev-parse", "main") == landing.ended.commit
    log = world.git("log", "--first-parent", "--format=%s", "main~3..main")
    assert log.splitlines() == ["Land s3: s3", "Land s2: s2", "Land s1: s1"]
    assert lane.land_once(world.project, into="main", push=True) is None


def test_a_merge_at_the_remote_in_the_middle_is_followed(world, monkeypatch):
    four(world)
    meanwhile(monkeypatch, 3, lambda: pushes_by_hand(world))
    landing = lane.land_once(world.project, into="main", push=True)
    assert set(fates(landing).values()) == {"landed"}
    assert [each.split(" ", 1)[1] for each in landing.ended.others] == ["by hand"]
    assert (landing.ended.proved, landing.ended.measured) == (True, True)
    has_all(world)
    assert world.git("rev-parse", "main") == at_remote(world)


def test_a_push_between_the_look_and_the_own_push_is_not_lost(world, monkeypatch):
    four(world)
    pushed, calls = GitRemote.push, []

    async def late(self, root, commit, refs, **options):
        calls.append(commit)
        if len(calls) == 2:
            pushes_by_hand(world)
        await pushed(self, root, commit, refs, **options)

    monkeypatch.setattr(GitRemote, "push", late)
    landing = lane.land_once(world.project, into="main", push=True)
    assert set(fates(landing).values()) == {"landed"}
    assert len(calls) == 5
    assert [each.split(" ", 1)[1] for each in landing.ended.others] == ["by hand"]
    has_all(world)


def test_what_is_taken_out_between_the_look_and_the_own_push_does_not_come_back(world, monkeypatch):
    """The own push would be a fast-forward for git, and would restore what a person removed."""
    four(world)
    pushed, calls = GitRemote.push, []

    async def late(self, root, commit, refs, **options):
        calls.append(commit)
        if len(calls) == 3:
            takes_out(world)
        await pushed(self, root, commit, refs, **options)

    monkeypatch.setattr(GitRemote, "push", late)
    landing = lane.land_once(world.project, into="main", push=True)
    assert fates(landing) == {"s0": "landed", "s1": "gone", "s2": "landed", "s3": "landed"}
    assert landing.ended.proved
    assert "s1.py" not in world.git("ls-tree", "--name-only", landing.ended.commit)


def test_a_force_push_of_a_person_in_the_middle_is_told_and_the_story_lands_again(world, monkeypatch):
    four(world)
    meanwhile(monkeypatch, 3, lambda: takes_out(world))
    landing = lane.land_once(world.project, into="main", push=True)
    assert fates(landing) == {"s0": "landed", "s1": "gone", "s2": "landed", "s3": "landed"}
    assert landing.ended.proved
    again = lane.land_once(world.project, into="main", push=True)
    assert fates(again) == {"s1": "landed"}
    has_all(world)


def test_a_protected_branch_is_told_with_what_to_use_instead(world):
    four(world)
    hook = world.there / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho 'GH006: Protected branch update failed' >&2\nexit 1\n")
    hook.chmod(0o755)
    before = at_remote(world)
    with pytest.raises(ForgeError, match="push is refused") as told:
        lane.land_once(world.project, into="main", push=True)
    assert "merge queue of the forge" in told.value.hint
    assert at_remote(world) == world.git("rev-parse", "main") == before
    landing = lane.cancel(world.project)
    assert (fates(landing), at_remote(world)) == ({}, before)
    assert set(fates(lane.land_once(world.project)).values()) == {"landed"}  # on a branch of its own


def test_commits_that_are_not_pushed_are_named_before_anything_is_done(world):
    four(world)
    world.commit("mine", {"mine.py": "M = 1\n"})
    with pytest.raises(UsageError, match=r"'main' holds .* here, which is not pushed"):
        lane.land_once(world.project, into="main", push=True)
    assert newest(world.project) is None
    with pytest.raises(UsageError, match="there is no remote 'upstream'"):
        lane.asyncio.run(lane.remote_of(world.project, "upstream"))


def test_edits_that_begin_meanwhile_stop_the_branch_here_alone(world, monkeypatch):
    four(world)
    meanwhile(monkeypatch, 2, lambda: (world.root / "shop.py").write_text("PRICE = 9\n"))
    landing = lane.land_once(world.project, into="main", push=True)
    assert set(fates(landing).values()) == {"landed"}
    has_all(world)
    assert (world.root / "shop.py").read_text() == "PRICE = 9\n"
    assert holds(world, "N = 0", "s0.py")
    assert world.git("rev-parse", "main") != at_remote(world)
    board = world.project.settings.model_copy(update={"board": BoardLimits(land="main")})
    told = landing_standing(world.project._replace(settings=board))
    assert (told.waits, told.command, len(told.landed)) == ((), "", 4)


def test_pull_requests_of_landed_stories_are_merged_for_the_forge(world, tmp_path, monkeypatch):
    """By the push alone, with the token; a person merges one of them, and pushes by force, in the middle."""
    with FakeForge(tmp_path / "forge") as forge:
        forge.people["ada"] = "admin"
        world.git("push", "-q", str(forge.folder), "main")
        monkeypatch.setenv("FORGE_TOKEN", forge.token)
        world.git("remote", "set-url", "origin", forge.clone_url)
        terms = {"kind": "github", "api_url": forge.api_url}
        project = open_project(world.root, {**QUICK, "forge": terms})
        four(world)
        for each in range(4):
            branch = f"setpoint/s{each}-{each + 1}"
            world.git("push", "-q", str(forge.folder), branch)
            forge.open_pull(branch, f"s{each}", by="ada")

        def person():
            forge.merge(forge.pulls()[3].number, by="ada")
            now = world.git("rev-parse", "main", place=forge.folder)
            forge.push("main", {"late.py": "L = 1\n"}, by="ada")
            world.git("update-ref", "refs/heads/main", now, place=forge.folder)

        meanwhile(monkeypatch, 2, person)
        landing = lane.land_once(project, into="main", push=True)
        assert set(fates(landing).values()) == {"landed"}
        assert landing.ended.proved
        assert "s3" not in {each.story for each in landing.measured}
        assert [pull.merging.merged_at is not None for pull in forge.pulls()] == [True] * 4
        assert world.git("rev-parse", "main", place=forge.folder) == landing.ended.commit
        project.store.close()


def test_branches_of_other_machines_are_fetched_and_what_lands_is_passed_on(world, monkeypatch):
    """The branches lie in the shared repository alone, and so does the branch that they land on."""
    four(world)
    for each in range(4):
        world.git("push", "-q", "origin", f"setpoint/s{each}-{each + 1}")
        world.git("branch", "-D", f"setpoint/s{each}-{each + 1}")
    assert lane.land_once(world.project) is None
    shared = SharedRepository(world.root, "origin")
    monkeypatch.setattr(type(world.project), "shared", lambda *_: shared)
    monkeypatch.setattr(lane, "remote_name", lambda *_, **__: "origin")
    assert set(fates(lane.planned(world.project))) == {"s0", "s1", "s2", "s3"}
    landing = lane.land_once(world.project)
    assert set(fates(landing).values()) == {"landed"}
    assert at_remote(world, landing.began.branch) == landing.ended.commit
    assert world.git("rev-parse", landing.began.branch) == landing.ended.commit
    assert at_remote(world) == landing.began.base


def test_a_story_that_is_sent_back_again_and_again_waits_for_a_person(world):
    world.deliver("ok", {"shop.py": "PRICE = 2\n"})
    lane.land_once(world.project, into="main")
    base = "main~1"
    for number in range(3):
        world.deliver("late", {"shop.py": f"PRICE = {number + 7}\n"}, base=base)
        landing = lane.land_once(world.project, into="main")
        assert landing.decided["late"].fate is (Fate.SENT_BACK if number < 2 else Fate.HELD)
    assert "landings sent it back 2 times, so a person has to look" in landing.decided["late"].reason
    assert lane.land_once(world.project, into="main") is None
    assert lane.land_once(world.project, ["late"], into="main").decided["late"].for_person  # a person asks
    world.deliver("late", {"other.py": "N = 1\n"})  # or has it done once more
    assert fates(lane.land_once(world.project, into="main")) == {"late": "landed"}
