"""The production loop over a log, a told history and a board: each thing once, whatever is done again."""

import pytest

from model.production_examples import BAD, BEFORE, CHANGES, DEPLOYED, FRAME, MINUTE, NOON, OLD, SIGNAL
from setpoint.model.config.production import ProductionTerms
from setpoint.model.events import production as p
from setpoint.model.ids import Commit, TraceId
from setpoint.model.production import Change, Deployment
from setpoint.model.stories.story import Status
from setpoint.production.loop import LoopPorts, work_through
from setpoint.testing import ListBoard, ListLineage, ManualClock, MemoryEventLog

HISTORY = (Change(commit=OLD, title="Begin", at=BEFORE.at), CHANGES[1], CHANGES[0])


@pytest.fixture
def outlook():
    clock = ManualClock(NOON)
    return LoopPorts(
        log=MemoryEventLog(now=clock.now),
        lineage=ListLineage(HISTORY, {(FRAME.file, FRAME.line): BAD}),
        board=ListBoard(),
        clock=clock,
        terms=ProductionTerms(stories_per_hour=1),
    )


def tell(outlook, *bodies):
    for body in bodies:
        outlook.log.append(p.TRACE, body.model_dump_json(), [body])


def deployed(*deployments):
    return [p.Deployed(deployment=each) for each in deployments]


def kinds(outlook):
    return [event.body.kind for event in outlook.log.replay(p.TRACE)]


def seen(**more):
    return p.AnomalyDetected(signal=SIGNAL.model_copy(update=more))


async def test_from_signal_to_suspect_to_story(outlook):
    tell(outlook, *deployed(BEFORE, DEPLOYED), seen())
    made = await work_through(outlook)
    (sighting,) = made.sightings.values()
    assert [each.commit for each in sighting.hypothesis.suspects] == [BAD, CHANGES[0].commit]
    (story,) = outlook.board.stories.values()
    assert BAD in story.body
    assert made.problems[SIGNAL.fingerprint].stories == (story.id,)
    assert kinds(outlook)[3:] == ["production.cause_suspected", "production.story_opened"]


async def test_a_second_pass_and_the_same_problem_again_open_nothing_more(outlook):
    tell(outlook, *deployed(BEFORE, DEPLOYED), seen())
    known = await work_through(outlook)
    before = kinds(outlook)
    assert await work_through(outlook, known) == await work_through(outlook) == known
    assert kinds(outlook) == before
    tell(outlook, seen(id="4712"))
    again = await work_through(outlook, known)
    assert len(again.problems[SIGNAL.fingerprint].signals) == 2
    assert len(outlook.board.stories) == 1


async def test_a_story_that_was_written_before_a_crash_is_found_again(outlook):
    class Crash(Exception):
        pass

    def lost(*_told):
        raise Crash

    tell(outlook, *deployed(BEFORE, DEPLOYED), seen())
    log = MemoryEventLog()
    log.replay, log.append = outlook.log.replay, lost
    board = outlook.board
    with pytest.raises(Crash):
        await work_through(outlook._replace(log=log))
    kept = outlook.log.append
    log.append = lambda trace, key, bodies: lost() if key.startswith("story:") else kept(trace, key, bodies)
    with pytest.raises(Crash):
        await work_through(outlook._replace(log=log))
    (written,) = board.stories
    assert (await work_through(outlook)).problems[SIGNAL.fingerprint].stories == (written,)
    assert list(board.stories) == [written]


async def test_a_deployment_that_is_told_late_is_taken_into_account(outlook):
    tell(outlook, seen())
    made = await work_through(outlook)
    assert made.sightings[SIGNAL.name].hypothesis.suspects == ()
    tell(outlook, *deployed(DEPLOYED))
    alone = await work_through(outlook, made)
    assert [each.commit for each in alone.sightings[SIGNAL.name].hypothesis.suspects] == [BAD]
    tell(outlook, *deployed(BEFORE))
    both = (await work_through(outlook, alone)).sightings[SIGNAL.name].hypothesis
    assert (both.previous, len(both.suspects)) == (BEFORE, 2)


async def test_what_is_too_much_for_an_hour_is_put_off_and_said_once(outlook):
    tell(outlook, seen(), seen(id="2", fingerprint="f" * 16))
    made = await work_through(outlook)
    assert made.problems["f" * 16].deferred_until is not None
    assert kinds(outlook).count("production.story_deferred") == 1
    await work_through(outlook)
    assert kinds(outlook).count("production.story_deferred") == 1
    outlook.clock.wait(3601)
    later = await work_through(outlook)
    assert len(later.problems["f" * 16].stories) == 1
    assert len(outlook.board.stories) == 2


RUN = TraceId("run-0mended")
MENDING = Change(commit=Commit("f" * 40), title=f"Mend it ({RUN})", at=NOON + 20 * MINUTE)
FIXED = Deployment(environment="production", commit=MENDING.commit, release="v3", at=NOON + 30 * MINUTE)


@pytest.fixture
async def fixed(outlook):
    """A problem whose story is done, before its fix is deployed."""
    outlook = outlook._replace(lineage=ListLineage((*HISTORY, MENDING), {(FRAME.file, FRAME.line): BAD}))
    tell(outlook, *deployed(BEFORE, DEPLOYED), seen())
    await work_through(outlook)
    (story,) = outlook.board.stories
    outlook.board.columns[story] = Status.DONE
    outlook.board.runs[story] = RUN
    outlook.clock.wait(1900)
    return outlook


async def test_a_fix_that_is_deployed_is_watched_until_it_held(fixed):
    tell(fixed, *deployed(DEPLOYED.model_copy(update={"at": NOON + 10 * MINUTE})))
    assert (await work_through(fixed)).problems[SIGNAL.fingerprint].fix is None
    tell(fixed, *deployed(FIXED))
    made = await work_through(fixed)
    assert made.problems[SIGNAL.fingerprint].fix.deployment == FIXED
    fixed.clock.wait(86_400)
    assert (await work_through(fixed)).problems[SIGNAL.fingerprint].held
    before = kinds(fixed)
    await work_through(fixed)
    assert kinds(fixed) == before
    assert before[-2:] == ["production.fix_deployed", "production.fix_held"]


async def test_a_problem_that_comes_back_opens_its_story_again_once(fixed):
    tell(fixed, *deployed(FIXED), seen(id="later", occurred_at=FIXED.at + MINUTE))
    made = await work_through(fixed)
    made = await work_through(fixed, made)
    problem = made.problems[SIGNAL.fingerprint]
    (story,) = fixed.board.stories.values()
    assert (problem.failed, fixed.board.status(story.id)) == ((RUN,), Status.BACKLOG)
    assert story.body.count("## It came back") == 1
    before = kinds(fixed)
    fixed.board.columns[story.id] = Status.DONE
    await work_through(fixed)
    assert kinds(fixed) == before
    fixed.board.runs[story.id] = TraceId("run-0other")
    tell(fixed, *deployed(FIXED.model_copy(update={"at": FIXED.at + 60 * MINUTE})))
    assert (await work_through(fixed)).problems[SIGNAL.fingerprint].fix is None


async def test_only_what_begins_after_a_story_was_closed_by_hand_opens_it_again_within_the_budget(outlook):
    tell(outlook, *deployed(BEFORE, DEPLOYED), seen())
    (story,) = (await work_through(outlook)).problems[SIGNAL.fingerprint].stories
    outlook.board.columns[story] = Status.DONE
    outlook.board.times[story] = NOON + MINUTE
    before = kinds(outlook)
    tell(outlook, seen(id="2", occurred_at=NOON))
    await work_through(outlook)
    assert outlook.board.columns[story] is Status.DONE
    tell(outlook, seen(id="3", occurred_at=NOON + 2 * MINUTE))
    await work_through(outlook)
    assert kinds(outlook)[-1] == "production.story_deferred", "a story has its hourly budget"
    outlook.clock.wait(3601)
    made = await work_through(outlook)
    assert (outlook.board.columns[story], list(outlook.board.stories)) == (Status.BACKLOG, [story])
    assert made.problems[SIGNAL.fingerprint].stories == (story,)
    after = kinds(outlook)
    assert after.count("production.story_opened") == before.count("production.story_opened") + 1
    assert await work_through(outlook) == made


async def test_what_a_run_mended_is_not_opened_again_while_its_fix_waits_to_be_deployed(outlook):
    tell(outlook, *deployed(BEFORE, DEPLOYED), seen())
    (story,) = (await work_through(outlook)).problems[SIGNAL.fingerprint].stories
    outlook.board.columns[story] = Status.DONE
    outlook.board.times[story] = NOON
    outlook.board.runs[story] = TraceId("run-0mended")
    tell(outlook, seen(id="3", occurred_at=NOON + 2 * MINUTE))
    outlook.clock.wait(3601)
    await work_through(outlook)
    assert outlook.board.columns[story] is Status.DONE
