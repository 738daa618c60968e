"""A run is folded once: its row, its history and its live view say the same of it, whatever happened."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from database import postgres
from history.metrics.test_metrics import BODIES
from history.report_runs import BEGAN, BLOCKER, decided, made, measured, order, outcome, recorded, review
from model.examples import ANSWER, EXAMPLES, GATE
from setpoint.app.views import run_page
from setpoint.app.views.live import LiveRun
from setpoint.app.views.run_page import state_shown
from setpoint.database.connect import open_store
from setpoint.database.tables import EVENT, RUN
from setpoint.history.event_log import SqlEventLog
from setpoint.history.queries import Cost, RunFilter, RunState, cost_of_days, home_counts, open_runs, runs
from setpoint.history.replay import history
from setpoint.history.reports.progress_file import progress
from setpoint.history.run_figures import Reached, RunFigures
from setpoint.history.run_fold import fold
from setpoint.model.attempt import Usage
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage
from setpoint.model.events.run import (
    AgentSpent,
    GateAnswered,
    GateOpened,
    PhaseEntered,
    RunFinished,
    RunStarted,
)
from setpoint.model.gate import Choice, GateKind
from setpoint.model.ids import TraceId
from setpoint.model.run import ChangeSize
from setpoint.testing.evaluator import Scene

LATER = [body for body in EXAMPLES.values() if not isinstance(body, RunStarted | RunFinished)]
HAPPENED = st.lists(
    st.lists(st.one_of(BODIES, st.sampled_from(LATER)), min_size=1, max_size=3), min_size=1, max_size=8
)


def figures(told):
    return {name: getattr(told, name) for name in RunFigures.model_fields}


def nobody(_):
    return None


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    made_store = open_store(tmp_path_factory.mktemp("store"))
    yield made_store
    made_store.close()


AGAIN = [[GateOpened(gate=GATE)], [GateAnswered(gate=GATE.id, answer=ANSWER)], [GateOpened(gate=GATE)]]
"""A question that was answered is not open because it is recorded once more."""


@example(happened=AGAIN, over=False, number=UUID(int=1))
@given(happened=HAPPENED, over=st.booleans(), number=st.uuids())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_reader_says_the_same_at_every_moment(store, tmp_path_factory, happened, over, number):
    trace, log = TraceId(f"run-{number}"), SqlEventLog(store)
    begun = RunStarted(order=order(tmp_path_factory.getbasetemp()), workdir="/copy")
    for place, bodies in enumerate([[begun], *happened, *([[outcome()]] if over else [])]):
        log.append(trace, f"k{place}", bodies)
        events = log.replay(trace)
        told = history(events)
        (row,) = [run for run in runs(store, nobody, limit=500) if run.trace_id == trace]
        assert figures(row) == figures(fold(events).figures) == figures(told.figures)
        assert figures(LiveRun(events).moment(events[-1].at)) == figures(row)
        waits = told.waiting.question if told.waiting else ""
        assert (row.asks, row.state is RunState.WAITING, bool(row.asker)) == (waits, bool(waits), bool(waits))
        assert (row.state is RunState.FINISHED) is (told.outcome is not None)
        assert sum(row.cost_by_day.values()) == told.account.cost_usd
        assert row.cost_usd == (told.account.cost_usd if told.account.known else None)
        assert f"{told.account.cost_usd:.2f}" in row.cost or row.cost.startswith("cost not told")
        assert progress(events).feedback_loop.current_iteration == row.iteration


def test_a_row_of_an_earlier_version_is_folded_when_it_is_read(tmp_path):
    store, events = open_store(tmp_path), recorded(RunStarted(order=order(tmp_path), workdir="/c"), made(1))
    log = SqlEventLog(store)
    log.append(TraceId("run-a"), "k", [each.body for each in events])
    (now,) = runs(store, nobody)
    for told in (None, '{"version": 0, "figures": {}, "fold": {}}'):
        with store.writing() as connection:
            connection.execute(sa.update(RUN).values(told=told))
        assert runs(store, nobody) == (now,)
        with store.reading() as connection:
            assert connection.scalar(sa.select(RUN.c.told)) != told
    with store.writing() as connection:  # and one that goes on is folded from its beginning
        connection.execute(sa.update(RUN).values(told=None))
    log.append(TraceId("run-a"), "more", [PhaseEntered(phase="review", iteration=1)])
    (later,) = runs(store, nobody)
    assert (later.phase, later.cost, later.change) == ("review", "$0.25 of $5.00", "1 file +2 -1")


def test_a_record_that_cannot_be_read_leaves_a_row_with_the_reason(tmp_path):
    store = open_store(tmp_path)
    SqlEventLog(store).append(TraceId("run-a"), "k", [RunStarted(order=order(tmp_path), workdir="/c")])
    with store.writing() as connection:
        connection.execute(sa.update(RUN).values(told=None))
        row = {"id": "evt-1", "trace_id": "run-a", "seq": 2, "at": BEGAN, "key": "l", "place": 1}
        connection.execute(sa.insert(EVENT), {**row, "kind": "run.finished", "body": "{}"})
    (run,) = runs(store, nobody)
    assert (run.title, run.cost) == ("Totals must be right", "")
    assert "event 2 of run-a, kind 'run.finished', cannot be read" in run.unread


def told_of(tmp_path, *bodies):
    started = RunStarted(order=order(tmp_path), workdir=str(tmp_path))
    return fold(recorded(started, *bodies)).figures


def test_a_run_under_way_says_phase_iteration_cost_and_change(tmp_path):
    usage = Usage(cost_usd=Decimal("0.10"), scope="turn")
    spent = AgentSpent(label="implement-2", attempt=1, usage=usage)
    size = ChangeSize(files=2, insertions=15, deletions=2)
    first = made(1).model_copy(update={"size": size})
    told = told_of(tmp_path, first, PhaseEntered(phase="implement", iteration=2), spent)
    assert (told.phase, told.iteration, told.most_iterations) == ("implement", 2, 7)
    assert (told.cost, told.cost_usd, told.change) == ("$0.35 of $5.00", Decimal("0.35"), "2 files +15 -2")
    assert dict(told.phases)["plan"] is Reached.BEHIND
    assert (told.phases[2], told.verdict) == (("implement", Reached.HERE), "")


def test_a_score_is_shown_with_its_metrics_and_only_where_no_test_is_red(tmp_path):
    red = Scene(failing=("t::a", "t::b"))
    told = told_of(tmp_path, made(1), measured(1, Stage.TEST, red))
    assert (told.score, told.scores, told.tests) == ("", (), "2 of 12 tests fail")
    told = told_of(tmp_path, made(1), measured(1, Stage.EVALUATE, Scene()))
    assert (told.score, told.tests) == ("", "")
    green, covered = Scene(score=0.5), Scene(score=0.75, coverage=0.5)
    told = told_of(tmp_path, measured(1, Stage.TEST, green), measured(2, Stage.TEST, green))
    assert told.score == "0.50 (tests, security, code quality, types)"
    assert (told.tests, told.scores) == ("10 of 10 tests", (0.5, 0.5))
    for_two = told_of(tmp_path, made(1), measured(1, Stage.TEST, green), measured(2, Stage.TEST, covered))
    assert for_two.score == "0.75 (tests, coverage, security, code quality, types)"
    assert for_two.scores == (0.75,)


def test_tests_that_failed_before_are_told_beside_those_that_count(tmp_path):
    for failing, shown in ((), "10 of 10 tests; 2 known red"), (("t",), "1 of 11 tests fails; 2 known red"):
        body = measured(1, Stage.TEST, Scene(failing=failing))
        seen = body.evaluation.model_copy(update={"known_red": ("a", "b")})
        told = told_of(tmp_path, made(1), body.model_copy(update={"evaluation": seen}))
        assert told.tests == shown


def test_a_run_that_is_over_shows_the_state_that_is_delivered(tmp_path):
    best = outcome().outcome.model_copy(update={"best_iteration": 1, "iterations": 2})
    rounds = (
        made(1),
        measured(1, Stage.TEST, Scene()),
        made(2),
        measured(2, Stage.TEST, Scene(failing=("t",))),
    )
    told = told_of(tmp_path, *rounds, RunFinished(outcome=best))
    assert (told.tests, told.change, told.iteration) == ("10 of 10 tests", "1 file +2 -1", 2)
    assert told.verdict == best.verdict
    assert {reached for _, reached in told.phases} == {Reached.BEHIND}
    nothing = best.model_copy(update={"best_iteration": 0, "ending": Ending.STOPPED})
    told = told_of(tmp_path, *rounds, RunFinished(outcome=nothing))
    assert (told.tests, told.open, told.change) == ("1 of 11 tests fails", "1 failing test", "")
    stopped = best.model_copy(update={"ending": Ending.STOPPED, "reason": "no gain"})
    assert told_of(tmp_path, RunFinished(outcome=stopped)).verdict == "STOPPED: no gain"


@pytest.mark.parametrize(
    ("gate", "asker"),
    [
        ({"guard": "max_iterations"}, "the limit max_iterations"),
        ({"guard": "", "kind": GateKind.REQUEST}, "the maker scripted"),
        ({"guard": ""}, "Setpoint"),
    ],
)
def test_a_question_names_who_asks_until_it_is_answered(tmp_path, gate, asker):
    opened = GateOpened(gate=GATE.model_copy(update=gate))
    told = told_of(tmp_path, made(1), review(1, BLOCKER), decided(1, "escalate", passed=False), opened)
    assert (told.asker, told.asks) == (asker, GATE.question)
    answered = GateAnswered(gate=GATE.id, answer=ANSWER)
    told = told_of(tmp_path, opened, answered)
    assert (told.asker, told.asks) == ("", "")


@pytest.mark.parametrize("where", ["sqlite", *postgres.WHERE_GIVEN])
def test_home_counts_what_needs_a_person_and_sums_up_the_week(tmp_path, where):
    store = open_store(tmp_path if where == "sqlite" else postgres.fresh_database())
    now = datetime(2026, 2, 10, 12, tzinfo=UTC)

    def lived(name, days, *bodies):
        log = SqlEventLog(store, now=lambda: now - timedelta(days=days))
        began = order(tmp_path).model_copy(update={"started_at": now - timedelta(days=days)})
        own = began.story.model_copy(update={"id": name})
        log.append(
            TraceId(f"run-{name}"),
            "k",
            [RunStarted(order=began.model_copy(update={"story": own}), workdir="/")],
        )
        for place, body in enumerate(bodies):
            log.append(TraceId(f"run-{name}"), f"k{place}", [body])

    broke = outcome(Ending.BROKEN_AGENT, "exit 7")
    lived("a-old", 30, made(1), outcome())
    lived("b-verified", 2, made(1), outcome())
    lived("c-broke", 20, broke)
    lived("d-asks", 40, GateOpened(gate=GATE))
    lived("e-works", 0, made(1))
    lived("f-left", 6, made(1))

    def works(trace):
        return 7 if trace == "run-e-works" else None

    counted = home_counts(store, works, now)
    assert str(counted) == "3 need you · 1 running · 1 verified this week · $0.75 this week"
    names = [run.trace_id for run in open_runs(store, works) if run.needs_you]
    assert names == ["run-f-left", "run-c-broke", "run-d-asks"]
    assert cost_of_days(store, works, 1, now).over("today") == "$0.25 today"
    assert cost_of_days(store, works, 60, now).over("in 60 days") == "$1.00 in 60 days"
    store.close()


def test_a_cost_that_runs_did_not_tell_is_counted_beside_the_sum():
    assert Cost(Decimal("1.26"), 5).over("this week") == "$1.26 known this week; 5 runs did not tell"
    assert Cost(Decimal(0), 1).over("this week") == "no cost told this week; 1 run did not tell"


def test_nothing_told_leaves_the_limit_in_the_words(tmp_path):
    usage = Usage(cost_usd=None, scope="turn")
    told = told_of(tmp_path, AgentSpent(label="implement-1", attempt=1, usage=usage))
    assert (told.cost, told.cost_usd) == ("cost not told, limit $5.00", None)


def test_a_list_by_end_begins_with_the_run_that_ended_last_and_pages_on(tmp_path):
    store = open_store(tmp_path)
    for name, began, ended in (("a", 1, 9), ("b", 2, 4), ("c", 3, 6)):
        log = SqlEventLog(store, now=lambda ended=ended: BEGAN + timedelta(hours=ended))
        own = order(tmp_path).model_copy(update={"started_at": BEGAN + timedelta(hours=began)})
        log.append(TraceId(f"run-{name}"), "k", [RunStarted(order=own, workdir="/"), outcome()])
    by_end = RunFilter(by_end=True)
    found = runs(store, nobody, sought=by_end)
    assert [run.trace_id for run in found] == ["run-a", "run-c", "run-b"]
    assert runs(store, nobody, sought=by_end, before=found[0]) == found[1:]
    store.close()


def test_a_stopped_run_shows_what_it_tried_last(tmp_path):
    started = RunStarted(order=order(tmp_path), workdir="/c")
    base = order(tmp_path).base
    stopped = outcome(Ending.STOPPED, "used up").outcome.model_copy(
        update={"best": base, "best_iteration": 0}
    )
    tried = (made(1), measured(1, Stage.TEST, Scene(failing=("t",))), RunFinished(outcome=stopped))
    told = history(recorded(started, *tried))
    assert state_shown(told) == told.rounds[-1].snapshot.commit != base


def test_an_answer_that_dismisses_marks_the_finding_until_the_run_acts(tmp_path):
    asked = GateOpened(gate=GATE.model_copy(update={"objections": ("f1",)}))
    wrong = ANSWER.model_copy(update={"choice": Choice.DISMISS, "reason": "it is meant so"})
    events = recorded(
        RunStarted(order=order(tmp_path), workdir="/c"), asked, GateAnswered(gate=GATE.id, answer=wrong)
    )
    assert [line.body.answer.reason for line in run_page._decided(events)["f1"]] == ["it is meant so"]
    assert run_page._unheeded(events) == wrong
    assert run_page._unheeded((*events, *recorded(RunFinished(outcome=outcome().outcome)))) is None
