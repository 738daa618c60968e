from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from database import postgres
from model.examples import GATE
from setpoint.database.connect import Store, open_store
from setpoint.errors import UsageError
from setpoint.history.event_log import SqlEventLog
from setpoint.history.queries import (
    RunState,
    counts,
    find,
    newest_by_story,
    newest_seq,
    runs,
    runs_of,
)
from setpoint.model.attempt import Usage
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events.run import (
    GateOpened,
    IterationEvaluated,
    PhaseCompleted,
    PhaseEntered,
    RunFinished,
    RunResumed,
    RunStarted,
)
from setpoint.model.ids import Commit, StoryId, TraceId, Tree
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.model.stories.story import Story
from setpoint.pipelines import load_pipeline
from setpoint.system.files.locks import RunLocks

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)
HEAD = Commit("1" * 40)


@pytest.fixture(params=["sqlite", *postgres.WHERE_GIVEN])
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Store]:
    store = open_store(tmp_path if request.param == "sqlite" else postgres.fresh_database())
    yield store
    store.close()


def nobody(_: TraceId) -> None:
    return None


def begin(store: Store, trace: str, *, minutes: int = 0) -> None:
    order = RunOrder(
        trace_id=TraceId(trace),
        root="/repo",
        base=HEAD,
        story=Story(id=StoryId("fix"), title=f"Fix {trace}"),
        pipeline=load_pipeline("change", Path("/nowhere")),
        branch="setpoint/fix",
        started_at=BEGAN + timedelta(minutes=minutes),
    )
    SqlEventLog(store).append(TraceId(trace), "run", [RunStarted(order=order, workdir="/copy")])


def finish(store: Store, trace: str, *, cost_known: bool = True) -> None:
    outcome = RunOutcome(
        trace_id=TraceId(trace),
        ending=Ending.VERIFIED,
        reason="all gates passed",
        iterations=2,
        bounces=1,
        best=HEAD,
        best_iteration=2,
        branch="setpoint/fix",
        cost_usd=Decimal("1.25"),
        cost_known=cost_known,
        duration_s=60,
    )
    usage = Usage(cost_usd=outcome.cost_usd if cost_known else None, scope="turn")
    spent = PhaseCompleted(phase="research", iteration=0, text="", usage=usage)
    SqlEventLog(store).append(TraceId(trace), "finish", [spent, RunFinished(outcome=outcome)])


def test_runs_are_listed_newest_first_with_how_they_stand(tmp_path: Path, store: Store) -> None:
    for minutes, trace in enumerate(("run-aa1", "run-ab2", "run-c")):
        begin(store, trace, minutes=minutes)
    finish(store, "run-aa1")
    locks = RunLocks(tmp_path)
    with locks.held(TraceId("run-c")):
        listed = runs(store, locks.owner)
        assert [(run.trace_id, run.state) for run in listed] == [
            ("run-c", RunState.RUNNING),
            ("run-ab2", RunState.INTERRUPTED),
            ("run-aa1", RunState.FINISHED),
        ]
        assert listed[0].process is not None
    assert len(runs(store, nobody, limit=1)) == 1
    done = listed[2]
    assert (done.ending, done.branch, done.iteration, done.cost_usd) == (
        Ending.VERIFIED,
        "setpoint/fix",
        2,
        Decimal("1.25"),
    )
    assert done.finished_at is not None
    assert (listed[1].title, listed[1].started_at) == ("Fix run-ab2", BEGAN + timedelta(minutes=1))


def test_no_runs_are_no_error(store: Store) -> None:
    assert runs(store, nobody) == ()


def test_cost_that_is_not_known_is_not_shown_as_known(store: Store) -> None:
    begin(store, "run-a")
    finish(store, "run-a", cost_known=False)
    assert runs(store, nobody)[0].cost_usd is None


def test_the_listing_follows_the_run(store: Store) -> None:
    begin(store, "run-a")
    trace, log = TraceId("run-a"), SqlEventLog(store)
    measured = Evaluation(stage=Stage.EVALUATE, commit=HEAD, tree=Tree("2" * 40), evidence=())
    log.append(
        trace, "e", [IterationEvaluated(iteration=3, evaluation=measured), PhaseEntered(phase="review")]
    )
    log.append(trace, "r", [RunResumed(process=77)])
    assert (runs(store, nobody)[0].iteration, runs(store, nobody)[0].state) == (3, RunState.INTERRUPTED)
    begin(store, "run-a", minutes=9)
    log.append(trace, "again", [log.replay(trace)[0].body])
    assert [run.started_at for run in runs(store, nobody)] == [BEGAN]


@pytest.mark.parametrize("prefix", ["run-ab", "ab", "run-ab2", "b2", "2"])
def test_a_run_is_found_by_how_its_id_begins_or_ends(store: Store, prefix: str) -> None:
    for trace in ("run-aa1", "run-ab2", "run-ab2x" if prefix == "run-ab2" else "run-b"):
        begin(store, trace)
    assert find(store, nobody, prefix).trace_id == "run-ab2"


def test_the_id_of_a_story_names_its_newest_run(store: Store) -> None:
    for trace in ("run-a1", "run-a3", "run-a2"):
        begin(store, trace)
    assert find(store, nobody, "fix").trace_id == "run-a3"
    begin(store, "run-fix")
    assert find(store, nobody, "fix").trace_id == "run-fix"


def test_a_prefix_of_none_or_of_several_runs_is_refused(store: Store) -> None:
    for number in range(7):
        begin(store, f"run-a{number}")
    with pytest.raises(UsageError, match="no run's id begins or ends with 'run-b'"):
        find(store, nobody, "run-b")
    with pytest.raises(UsageError, match="'a' may be run-a0, run-a1, run-a2, run-a3, run-a4 or others"):
        find(store, nobody, "a")
    for nothing in ("%", "\0"):
        with pytest.raises(UsageError, match="no run's id"):
            find(store, nobody, nothing)
    begin(store, "run-b0")
    with pytest.raises(UsageError, match="'0' may be run-a0, run-b0"):
        find(store, nobody, "0")


def test_a_run_whose_process_broke_says_why_until_it_goes_on(store: Store) -> None:
    begin(store, "run-a")
    log = SqlEventLog(store)
    log.broke(TraceId("run-a"), "internal error: IndexError()")
    assert runs(store, nobody)[0].reason == "internal error: IndexError()"
    log.append(TraceId("run-a"), "again", [RunResumed(process=7)])
    assert runs(store, nobody)[0].reason == ""


def test_a_beginning_goes_before_an_ending(store: Store) -> None:
    for trace in ("run-ab", "run-xa"):
        begin(store, trace)
    assert find(store, nobody, "a").trace_id == "run-ab"


def test_what_waits_is_found_however_many_runs_came_later(store: Store) -> None:
    begin(store, "run-old")
    SqlEventLog(store).append(TraceId("run-old"), "gate", [GateOpened(gate=GATE)])
    for number in range(5):
        begin(store, f"run-{number}", minutes=1 + number)
        finish(store, f"run-{number}")
    waiting = runs(store, nobody, limit=2, recorded=(RunState.WAITING,))
    assert [(run.trace_id, run.state) for run in waiting] == [("run-old", RunState.WAITING)]
    assert len(runs(store, nobody, limit=2)) == 2


def test_the_newest_run_of_each_story_that_is_asked_for(store: Store) -> None:
    for trace in ("run-a", "run-b"):
        begin(store, trace)
    found = newest_by_story(store, nobody, (StoryId("fix"), StoryId("other")))
    assert {story: run.trace_id for story, run in found.items()} == {"fix": "run-b"}
    assert newest_by_story(store, nobody, ()) == {}


def test_a_long_list_goes_on_where_it_was_cut(store: Store) -> None:
    for number in range(7):
        begin(store, f"run-{number}", minutes=number // 3)
    whole = runs(store, nobody)
    parts, last = [], None
    while part := runs(store, nobody, limit=2, before=last):
        parts += part
        last = part[-1]
    assert parts == list(whole)
    assert len(whole) == 7


def test_runs_are_counted_by_their_ending_or_state(store: Store) -> None:
    for trace in ("run-a", "run-b", "run-c"):
        begin(store, trace)
    finish(store, "run-b")
    finish(store, "run-c")
    assert counts(store) == {"running": 1, "verified": 2}
    assert [run.trace_id for run in runs_of(store, nobody, StoryId("fix"))] == ["run-c", "run-b", "run-a"]
    assert [newest_seq(store, TraceId(trace)) for trace in ("run-a", "run-b", "run-z")] == [1, 3, 0]


def test_long_lists_are_read_from_an_index(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    begin(store, "run-a")
    runs(store, nobody)
    assert store._looking is not None
    statements: list[str] = []
    store._looking.set_trace_callback(statements.append)
    counts(store)
    runs(store, nobody, before=runs(store, nobody)[0])
    with store.reading() as connection:
        of_counts, _, of_runs = [
            str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked}").all()) for asked in statements
        ]
    assert "COVERING INDEX" in of_counts
    assert "SEARCH run USING INDEX run_by_start (started_at<?)" in of_runs
    store.close()
