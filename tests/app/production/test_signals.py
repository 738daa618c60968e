"""Production of a repository: real git, real log, real board."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from unittest.mock import Mock

import pytest

from checks.conftest import git, write
from model.examples import ORDER, OUTCOME
from setpoint.app.production.signals import ProductionRecord, decide_problem, ingest_events, record_deployment
from setpoint.app.runs.board import list_cards, set_keys, story_path
from setpoint.app.views import production
from setpoint.app.views.production import (
    Stage,
    problem_view,
    production_mark,
    production_view,
    signal_view,
)
from setpoint.errors import UsageError
from setpoint.model.ending import Ending
from setpoint.model.events.production import TRACE, AnomalyDetected
from setpoint.model.events.run import RunFinished, RunStarted
from setpoint.model.ids import TraceId
from setpoint.model.stories.story import Status
from setpoint.stories.story_file import read_file
from setpoint.wiring.project import open_project

NOW = datetime.now(UTC)
CART = "def average(prices):\n    return sum(prices) / len(prices)\n"


def event(number=1, title="It fails", **data):
    told = {
        "title": title,
        "severity": "error",
        "stacktrace": 'File "/srv/cart.py", line 2, in average',
        **data,
    }
    return {"specversion": "1.0", "id": str(number), "source": "shop", "type": "error", "data": told}


def take(book, *events):
    return ingest_events(book, json.dumps(events).encode())


@pytest.fixture
def book(tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.name", "Ada")
    for name, text in (("begin", "def average(prices):\n    return 0\n"), ("divide", CART)):
        write(tmp_path, {"cart.py": text})
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", name)
    project = open_project(tmp_path)
    made = ProductionRecord(project)
    record_deployment(made, "HEAD~1", release="v1", at=NOW - timedelta(hours=2))
    record_deployment(made, "HEAD", release="v2", at=NOW - timedelta(hours=1))
    yield made
    project.store.close()


def one(book):
    (problem,) = production_view(book).problems
    return problem


def test_from_a_signal_to_a_story_that_waits(book):
    assert len(take(book, event(release="v2")).new) == 1
    assert one(book).stage is Stage.NEW
    book.work()
    problem = one(book)
    assert (problem.stage, problem.story_status, problem.decidable) == (Stage.WAITS, Status.BACKLOG, True)
    first = problem.newest.hypothesis.suspects[0]
    assert first.title == "divide"
    (card,) = list_cards(book.project)
    assert (card.id, card.action.automatic) == (problem.story, False)
    assert first.commit in read_file(story_path(book.project, card.id)).story.body


def test_what_comes_again_is_stored_once_also_from_two_at_once(book):
    assert take(book, event()).new
    assert take(book, event(), event(2)) == take(book)._replace(
        new=(next(reversed(book.now().sightings)),), known=1
    )
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: take(ProductionRecord(book.project), event(3)), range(8)))
    assert sorted(len(each.new) for each in found) == [0] * 7 + [1]
    stored = [each for each in book.project.log.replay(TRACE) if isinstance(each.body, AnomalyDetected)]
    assert len(stored) == 3


def test_more_than_the_hour_allows_is_refused_and_taken_later(book):
    settings = book.project.settings
    few = settings.production.model_copy(update={"signals_per_hour": 1})
    narrow = ProductionRecord(book.project._replace(settings=settings.model_copy(update={"production": few})))
    taken = take(narrow, event(), event(2))
    assert (len(taken.new), taken.refused) == (1, 1)
    again = take(book, event(), event(2))
    assert (len(again.new), again.known, again.refused) == (1, 1, 0)


def test_what_applications_tell_of_themselves_keeps_out_nobody_else(book):
    settings = book.project.settings
    few = settings.production.model_copy(update={"signals_per_hour": 1})
    narrow = ProductionRecord(book.project._replace(settings=settings.model_copy(update={"production": few})))
    flood = [event(number) | {"source": f"sentry/{number}"} for number in range(5)]
    taken = take(narrow, *flood)
    assert (len(taken.new), taken.refused) == (1, 4)
    assert len(take(narrow, event(9)).new) == 1
    assert len(take(narrow, event(9) | {"source": "otlp/shop"}).new) == 1
    assert take(narrow, event(10)).refused == 1


def test_a_time_to_come_is_taken_as_now(book):
    for number, time in enumerate(("9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z")):
        take(book, event(number) | {"time": time})
    book.work()
    found = [signal_view(book, name) for name in reversed(book.now().sightings)]
    assert [each.signal.occurred_at.year for each in found] == [1, datetime.now(UTC).year]
    assert one(book).stage is Stage.WAITS


def test_a_deployment_is_recorded_once(book):
    made, new = record_deployment(book, "HEAD", release="v2")
    assert (new, made.release) == (False, "v2")
    assert record_deployment(book, "HEAD", release="v3", id_="ci-1")[1] is True
    assert record_deployment(book, "HEAD~1", release="v4", id_="ci-1") == (
        record_deployment(book, "HEAD", id_="ci-1")[0],
        False,
    )
    elsewhere, new = record_deployment(book, "HEAD", environment="staging")
    assert (new, elsewhere.environment, elsewhere.commit) == (
        True,
        "staging",
        git(book.project.root, "rev-parse", "HEAD"),
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"commit": "nothing"}, "'nothing' names no commit"),
        ({"commit": "--all"}, "'--all' names no commit"),
        ({"commit": "HEAD", "at": NOW + timedelta(days=1)}, "is to come"),
        ({"commit": "HEAD", "at": datetime.fromisoformat("0001-01-01T00:00:00+05:00")}, "long past"),
    ],
)
def test_a_wrong_deployment_is_refused(book, words, said):
    with pytest.raises(UsageError, match=said):
        record_deployment(book, **words)


def test_a_person_approves_dismisses_and_thinks_again(book):
    take(book, event())
    book.work()
    story = decide_problem(book, one(book).fingerprint[:6], approved=True, reason="it is real")
    assert (one(book).stage, one(book).reason, one(book).decidable) == (Stage.STORY, "Ada: it is real", False)
    assert [card.id for card in list_cards(book.project) if card.action.automatic] == [story]
    decide_problem(book, story, approved=False, reason="a drill")
    assert (one(book).stage, one(book).story_status) == (Stage.DISMISSED, Status.DONE)
    take(book, event(2))
    book.work()
    assert (one(book).times, len(list_cards(book.project))) == (2, 1)
    decide_problem(book, one(book).signals[0], approved=True)
    assert (one(book).stage, one(book).story_status) == (Stage.STORY, Status.READY)


def test_a_story_that_a_person_sets_ready_on_the_board_counts_as_well(book):
    take(book, event())
    book.work()
    before = production_mark(book)
    set_keys(book.project, one(book).story, ("status=ready",))
    assert one(book).stage is Stage.STORY
    assert production_mark(book) != before
    set_keys(book.project, one(book).story, ("status=done",))
    assert one(book).stage is Stage.DONE


def test_the_mark_changes_when_the_hour_is_over_that_stories_wait_for(book, monkeypatch):
    take(book, event())
    book.work()
    before = production_mark(book)
    assert production_mark(book) == before
    monkeypatch.setattr(production, "datetime", Mock(now=lambda _: datetime.now(UTC) + timedelta(hours=1)))
    assert production_mark(book) != before


def test_a_problem_whose_story_was_closed_by_hand_comes_back(book):
    take(book, event())
    book.work()
    story = one(book).story
    set_keys(book.project, story, ("status=done",))
    take(book, event(2) | {"time": (NOW - timedelta(minutes=5)).isoformat()})
    book.work()
    assert one(book).stage is Stage.DONE, "it began before the story was closed"
    take(book, event(3) | {"time": (datetime.now(UTC) + timedelta(seconds=5)).isoformat()})
    book.work()
    assert (one(book).stage, one(book).story, one(book).times) == (Stage.WAITS, story, 3)
    assert "closed by hand" in one(book).reason
    book.work()
    text = story_path(book.project, story).read_text("utf-8")
    assert text.count("## It came back") == 1


def test_a_person_approves_what_was_closed_by_hand(book):
    take(book, event())
    book.work()
    set_keys(book.project, one(book).story, ("status=done",))
    story = decide_problem(book, one(book).fingerprint, approved=True, reason="it is there still")
    assert (one(book).stage, one(book).story_status) == (Stage.STORY, Status.READY)
    assert [card.id for card in list_cards(book.project) if card.action.automatic] == [story]


def test_a_problem_without_a_story_gets_one_when_it_is_approved(book):
    take(book, event(severity="info"))
    book.work()
    assert (one(book).stage, one(book).story, one(book).decidable) == (Stage.NOTED, None, True)
    story = decide_problem(book, one(book).signals[0], approved=True)
    assert [card.id for card in list_cards(book.project) if card.action.automatic] == [story]


def test_a_story_that_was_deleted_is_said_to_be_gone_and_is_written_again_by_a_persons_word(book):
    take(book, event())
    book.work()
    story_path(book.project, one(book).story).unlink()
    book.work()
    assert (one(book).stage, one(book).reason) == (
        Stage.NOTED,
        f"its story is {one(book).story}: its file is gone",
    )
    again = decide_problem(book, one(book).fingerprint, approved=True)
    assert again.endswith("-2")


def test_what_is_not_there_is_said_to_be(book):
    take(book, event(), event(2, title="Another"))
    for which in ("", "sig-", "nothing"):
        with pytest.raises(UsageError, match="no signal, problem or story"):
            problem_view(book, which)
    with pytest.raises(UsageError, match="several signals begin"):
        signal_view(book, "sig-")
    with pytest.raises(UsageError, match="no signal begins"):
        signal_view(book, "x")


def finished(project, story, branch="setpoint/x"):
    """Record a run of a story that was verified."""
    file = read_file(story_path(project, story))
    run = TraceId("run-0mended")
    told = {"trace_id": run, "story": file.story, "root": str(project.root)}
    order = ORDER.model_copy(update={**told, "started_at": datetime.now(UTC)})
    outcome = OUTCOME.model_copy(update={"ending": Ending.VERIFIED, "branch": branch})
    bodies = [RunStarted(order=order, workdir=str(project.root)), RunFinished(outcome=outcome)]
    project.log.append(run, "all", bodies)
    set_keys(project, story, ("status=done",))
    return run


def test_a_fix_is_watched_once_it_is_deployed_and_the_story_opens_again_when_the_problem_is_back(book):
    take(book, event())
    book.work()
    project, story = book.project, one(book).story
    run = finished(project, story)
    book.work()
    assert one(book).stage is Stage.DONE
    write(project.root, {"cart.py": CART + "# mended\n"})
    git(project.root, "commit", "-qam", f"Squashed (#1)\n\n* Mend it\n\nSetpoint-Run: {run}")
    record_deployment(book, "HEAD", release="v3")
    book.work()
    assert (one(book).stage, one(book).decidable) == (Stage.WATCHED, False)
    assert one(book).reason.startswith("its fix runs in production with v3 (")
    later = event(9) | {"time": (datetime.now(UTC) + timedelta(seconds=5)).isoformat()}
    take(book, later)
    book.work()
    problem = one(book)
    assert (problem.stage, problem.story, problem.times) == (Stage.WAITS, story, 2)
    assert f"which holds the work of {run}" in problem.reason
    text = story_path(project, story).read_text("utf-8")
    book.work()
    assert story_path(project, story).read_text("utf-8") == text
    assert text.count("## It came back") == 1
