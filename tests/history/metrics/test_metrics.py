"""Every metric against an independent computation from the raw events, on every database there is."""

import shutil
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from database import postgres
from history.plain_metrics import STUCK, flat, plain, same, window_before
from model.examples import COMMIT, EXAMPLES, GATE, HALT, ORDER, OUTCOME, a_snapshot, an_attempt
from setpoint.database.connect import open_store
from setpoint.errors import RecordedDataError
from setpoint.history.event_log import SqlEventLog
from setpoint.history.metrics.definitions import measures
from setpoint.history.metrics.event_counts import STAGNATION_GUARDS
from setpoint.history.metrics.metrics import report, reports
from setpoint.model import events as e
from setpoint.model.attempt import Breakage, BreakageKind, Stop, ToolCall, Usage
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage
from setpoint.model.events import learning as m
from setpoint.model.events import people
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.gate import Answer, Choice, GateKind, Via, answered_key, opened_key
from setpoint.model.ids import TraceId
from setpoint.model.learning import LearningKind, LearningStatus, Recollection
from setpoint.model.run import Action, Decision
from setpoint.model.verdict import Judgement, Verdict
from setpoint.phase.policy.loop_guards import exhausting
from setpoint.phase.policy.progress_guards import stuck
from setpoint.testing import Scene, evaluation

NOW = datetime(2026, 3, 20, 9, 30, tzinfo=UTC)
MEASURED = {each.name for each in measures() if each.total}
UNMEASURABLE = {"tool_cost"}
"""Nothing that is recorded today gives it; its reason says why."""
PHASES = ("implement", "review", "test")
SCORES = st.none() | st.floats(0, 1)
MONEY = st.none() | st.decimals(0, 5, places=6)
USAGES = MONEY.map(lambda cost: Usage(cost_usd=cost, scope="none" if cost is None else "turn"))
BREAKAGES = st.sampled_from([None, None, Breakage(kind=BreakageKind.CRASH, message="it fell")])
FINDINGS = st.lists(
    st.builds(
        Finding,
        source=st.just("check"),
        severity=st.sampled_from(Severity),
        category=st.sampled_from([Category.INTEGRITY, Category.STYLE]),
        message=st.just('integrity \N{BULLET} "quoted" \x00 text'),
    ),
    max_size=2,
)


@st.composite
def evaluations(draw, stages=tuple(Stage)):
    scene = Scene(score=draw(SCORES), flaky=("t::shaky",) if draw(st.booleans()) else ())
    made = evaluation(draw(st.sampled_from(stages)), COMMIT, "t" * 40, scene)
    restored = ("tests/conftest.py",) if draw(st.integers(0, 3)) == 0 else ()
    # The scene's score falls back to one that follows from the rest; here it may be unmeasured.
    update = {"findings": tuple(draw(FINDINGS)), "restored": restored}
    return made.model_copy(update=update if scene.score is not None else {**update, "score": None})


@st.composite
def finished_attempts(draw):
    broke = draw(BREAKAGES)
    attempt = an_attempt(stop=Stop.BROKEN if broke else Stop.END_TURN, breakage=broke, usage=draw(USAGES))
    snapshot = a_snapshot(draw(st.sampled_from([None, attempt])))
    restored = draw(st.sampled_from([(), (), ("tests/test_a.py",)]))
    told = {
        "iteration": draw(st.integers(1, 3)),
        "snapshot": snapshot.model_copy(update={"restored": restored}),
        "lost": draw(st.integers(0, 2)),
    }
    if draw(st.integers(0, 3)) == 0:
        return e.CandidateMade(phase="implement", candidate=2, agent="scripted", **told)
    return e.AgentFinished(phase="implement", candidate=draw(st.sampled_from([0, 0, 2])), **told)


BODIES = st.one_of(
    st.builds(e.PhaseEntered, phase=st.sampled_from(PHASES), iteration=st.integers(0, 3)),
    st.builds(e.PhaseApproved, phase=st.just("review"), bounces=st.integers(0, 2)),
    st.builds(e.PhasePassed, phase=st.sampled_from(["test", "evaluate"]), bounces=st.integers(0, 2)),
    st.builds(e.PhaseCompleted, phase=st.just("plan"), usage=USAGES, breakage=BREAKAGES),
    st.builds(
        e.ToolExecuted,
        phase=st.just("implement"),
        iteration=st.just(1),
        label=st.just("implement-1"),
        call=st.builds(
            ToolCall,
            id=st.just("1"),
            name=st.sampled_from(["bash", "edit", "read 'it'"]),
            ok=st.sampled_from([True, False, None]),
            duration_s=st.none() | st.floats(0, 100),
        ),
    ),
    finished_attempts(),
    st.builds(e.IterationEvaluated, iteration=st.integers(1, 3), evaluation=evaluations()),
    st.builds(
        e.ReviewCompleted,
        iteration=st.just(1),
        verdict=st.builds(Verdict, reviewer=st.just("rules"), judgement=st.sampled_from(Judgement)),
        usage=USAGES,
    ),
    st.builds(
        e.PhaseBounce,
        source=st.sampled_from(["review", "test", "gates"]),
        target=st.just("implement"),
        bounce=st.just(1),
        iteration=st.just(1),
    ),
    st.builds(
        e.HaltingDecided,
        iteration=st.just(1),
        decision=st.builds(
            Decision,
            policy=st.sampled_from(["rules-v1", "halter-v1"]),
            action=st.sampled_from(Action),
            reason=st.just("so"),
            figures=st.sampled_from([{}, {"p_verified": None}, {"p_verified": 0.25}, {"p_verified": 1}]),
        ),
    ),
    st.just(e.DiminishingReturns(phase="test", bounces=3, counts=(2, 2, 3))),
    st.just(
        e.LoopStagnated(
            phase="implement",
            iteration=1,
            label="implement-1",
            attempt=1,
            call=ToolCall(id="1", name="bash"),
            times=3,
            nudged=True,
        )
    ),
    st.builds(
        m.MemoryRecalled,
        phase=st.just("implement"),
        question=st.just("what?"),
        items=st.lists(
            st.builds(
                Recollection,
                learning=st.sampled_from(["lrn-1", "lrn-2"]),
                kind=st.sampled_from(LearningKind),
                title=st.just("a [title]"),
                rank=st.just(1),
                score=st.just(0.5),
                confidence=st.just(0.5),
                status=st.sampled_from(LearningStatus),
                shown=st.booleans(),
                propensity=st.just(0.85),
            ),
            max_size=2,
        ),
    ),
    st.builds(
        m.LearningsJudged,
        items=st.lists(st.builds(m.Followed, learning=st.just("lrn-1"), followed=st.booleans()), max_size=3),
    ),
    st.builds(
        m.ReflectionCompleted,
        trigger=st.sampled_from(m.Trigger),
        learnings=st.lists(st.just("lrn-1"), max_size=3),
    ),
    st.sampled_from(["style", "types"]).map(
        lambda category: people.FindingDismissed(finding="f", category=category, by="Ada")
    ),
    st.builds(
        people.FixApplied,
        finding=st.just("f"),
        category=st.just("style"),
        by=st.just("Ada"),
        commit=st.just(COMMIT),
        kept=st.booleans(),
    ),
    st.sampled_from(["max_iterations", "stagnation", "max_empty_diffs"]).map(
        lambda guard: e.GuardFired(iteration=1, halt=HALT.model_copy(update={"guard": guard}))
    ),
)


@st.composite
def outcomes(draw):
    ending = draw(st.sampled_from(Ending))
    halt = HALT if ending is Ending.STOPPED else None
    update = {
        "ending": ending,
        "halt": halt,
        "cost_usd": draw(st.decimals(0, 5, places=6)),
        "cost_known": draw(st.booleans()),
        "score": draw(SCORES),
        "iterations": draw(st.integers(0, 10)),
        "duration_s": draw(st.floats(0, 1e5)),
    }
    return OUTCOME.model_copy(update=update)


@st.composite
def runs(draw):
    """Give the batches of one run, each with its age in hours; most runs finish."""
    begun = draw(st.integers(0, 24 * 16))
    bodies = draw(st.lists(BODIES, max_size=14))
    first = [e.RunStarted(order=ORDER, workdir="/copy")]
    if draw(st.booleans()):
        first.append(e.BaselineMeasured(evaluation=draw(evaluations([Stage.BASE]))))
    last = [e.RunFinished(outcome=draw(outcomes()))] if draw(st.integers(0, 4)) else []
    half = len(bodies) // 2
    batches = (first + bodies[:half], bodies[half:], last)
    made = [(max(begun - 11 * place, 0), f"k{place}", batch) for place, batch in enumerate(batches)]
    for number in range(draw(st.integers(0, 2))):
        gate = GATE.model_copy(update={"id": f"g-{number}", "kind": draw(st.sampled_from(GateKind))})
        asked = draw(st.integers(0, 24 * 16))
        made.append((asked, opened_key(gate.id), [e.GateOpened(gate=gate)]))
        if draw(st.booleans()):
            choice, via = draw(st.sampled_from(Choice)), draw(st.sampled_from(Via))
            given_ = e.GateAnswered(gate=gate.id, answer=Answer(choice=choice, by="Ada", via=via))
            made.append((draw(st.integers(0, asked)), answered_key(gate.id), [given_]))
    return made


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    folder = tmp_path_factory.mktemp("empty")
    open_store(folder).open().dispose()
    return folder / "app.db"


@pytest.fixture(params=["sqlite", *postgres.WHERE_GIVEN])
def new_store(request, empty, tmp_path_factory):
    opened = []

    def make():
        for store in opened[-1:]:  # a database server has only so many connections
            store.close()
        folder = tmp_path_factory.mktemp("store")
        if request.param == "sqlite":
            shutil.copy(empty, folder)
        opened.append(open_store(folder if request.param == "sqlite" else postgres.fresh_database()))
        return opened[-1]

    yield make
    opened[-1].close()


def record(store, played):
    """Append the batches of all runs at their times, and give every event."""
    now = [NOW]
    log = SqlEventLog(store, now=lambda: now[0])
    for number, batches in enumerate(played):
        for hours, key, batch in batches:
            now[0] = NOW - timedelta(hours=hours)
            log.append(TraceId(f"run-{number}"), key, batch)
    return [event for trace in log.traces() for event in log.replay(trace)]


@pytest.mark.timeout(600)  # forty databases, one after the other
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(played=st.lists(runs(), max_size=5), days=st.sampled_from([1, 7]))
@example(played=[], days=7)
def test_every_metric_is_what_the_raw_events_say(new_store, played, days):
    store = new_store()
    events = record(store, played)
    made = report(store, days, NOW)

    expected = plain(events, made.since, made.until)
    whole = {name: value for name, value in expected.items() if ":" not in name}
    same(flat(made), whole)
    assert report(store, days, NOW) == made, (
        "counted once more, mostly from what is kept of days that are over"
    )
    assert reports(store, (3, days, 2), NOW)[1] == made, "several windows at once are as each alone"
    before = plain(events, *window_before(made.since, made.until))
    same(flat(made, value="previous", n="previous_n"), {k: v for k, v in before.items() if ":" not in k})
    # A part that was seen only in the other window is 0 of something here, or nothing.
    parts = {f"{m.name}:{p.label}": (p.value, p.n) for m in made.metrics for p in m.parts if p.value}
    same(parts, {name: value for name, value in expected.items() if ":" in name and value[0]})
    for metric in made.metrics:
        assert (metric.value is None) == (metric.n == 0) == bool(metric.reason)


@pytest.mark.timeout(300)  # ten databases, one after the other
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(played=st.lists(runs(), min_size=2, max_size=5))
def test_each_day_is_what_a_window_of_that_day_says(new_store, played):
    store = new_store()
    events = record(store, played)
    for metric in report(store, 3, NOW).metrics:
        for each in metric.by_day:
            value, n = plain(events, each.day, each.day).get(metric.name, (None, 0))
            assert (each.value, each.n) == (pytest.approx(value, abs=1e-3), n) if n else (None, 0), (
                metric.name
            )


def test_a_window_has_no_parts_of_a_longer_one_that_is_computed_with_it(new_store):
    store = new_store()
    now = [EXAMPLES["loop.phase_bounce"], e.RunFinished(outcome=OUTCOME)]
    earlier = [now[0].model_copy(update={"source": "elsewhere"}), now[1]]
    record(store, [[(1, "now", now)], [(24 * 5, "earlier", earlier)]])
    assert reports(store, (7, 1), NOW)[1] == report(store, 1, NOW)


def test_nothing_recorded_is_nothing_measured(new_store):
    made = report(new_store(), 30, NOW)
    assert [each.name for each in made.metrics] == [each.name for each in measures()]
    for each in made.metrics:
        assert (each.value, each.n, each.previous, each.trend, each.parts) == (None, 0, None, "", ())
        assert each.reason
        assert all(day.value is None for day in each.by_day)
    assert {len(each.by_day) for each in made.metrics if each.name in MEASURED} == {30}


def test_without_single_days_everything_else_stands_as_with_them(new_store):
    store = new_store()
    record(store, [[(1, "now", [EXAMPLES["loop.phase_bounce"], e.RunFinished(outcome=OUTCOME)])]])
    (lean,), whole = reports(store, (7,), NOW, by_day=False), report(store, 7, NOW)
    assert (
        lean.metrics
        == tuple(each.model_copy(update={"by_day": ()}) for each in whole.metrics)
        != whole.metrics
    )


def test_a_window_has_whole_days_in_utc(new_store):
    """A run on the first minute of the window counts, one a minute earlier belongs to the window before."""
    store = new_store()
    inside = datetime(2026, 3, 14, 0, 0, tzinfo=UTC)
    earlier = inside - timedelta(minutes=1)
    for number, (at, ending) in enumerate([(inside, Ending.VERIFIED), (earlier, Ending.CANCELLED)]):
        log = SqlEventLog(store, now=partial(datetime.fromisoformat, at.isoformat()))
        outcome = OUTCOME.model_copy(update={"ending": ending})
        log.append(TraceId(f"run-{number}"), "finish", [e.RunFinished(outcome=outcome)])
    made = report(store, 7, NOW)
    success = next(each for each in made.metrics if each.name == "success_rate")
    assert (made.since, made.until) == (inside.date(), NOW.date())
    assert (success.value, success.n, success.previous, success.previous_n) == (1.0, 1, 0.0, 1)
    assert (success.trend, success.better) == ("up", "higher")
    assert [day.n for day in success.by_day] == [1, 0, 0, 0, 0, 0, 0]


def test_what_an_agent_calls_its_tools_cannot_act_on_a_terminal(new_store):
    store = new_store()
    call = ToolCall(id="1", name="ba\x1b[31msh\nrm " + "x" * 500, ok=True)
    body = e.ToolExecuted(phase="implement", iteration=1, label="implement-1", call=call)
    record(store, [[(0, "k", [body])]])
    (part,) = next(each for each in report(store, 7, NOW).metrics if each.name == "tool_success_rate").parts
    assert part.label.startswith("ba[31msh")
    assert len(part.label) == 60
    assert part.label.isprintable()


def test_the_guards_of_stagnation_are_guards():
    known = {*stuck(ORDER.limits).name.split(" | "), *exhausting(ORDER.limits).name.split(" | ")}
    assert set(STAGNATION_GUARDS) == STUCK
    assert known >= STUCK


def test_a_damaged_event_is_named_as_such(new_store):
    store = new_store()
    record(store, [[(1, "k", [e.RunFinished(outcome=OUTCOME)])]])
    with store.writing() as connection:
        connection.execute(
            sa.text("INSERT INTO event SELECT 'evt-x', 'run-x', 1, at, kind, 'k', 1, '{oops' FROM event")
        )
    with pytest.raises(RecordedDataError, match="cannot be computed from the recorded events"):
        report(store, 7, NOW)


def test_every_metric_is_measured_where_everything_happened(new_store):
    """No metric is compared with nothing alone: here each has a value, and it is the independent one."""
    stated = Decision(policy="halter-v1", action=Action.HALT, reason="so", figures={"p_verified": 0.25})
    told = [
        body
        for kind, body in EXAMPLES.items()
        if kind not in ("run.finished", "gate.requested", "gate.answered")
    ]
    told += [e.HaltingDecided(iteration=1, decision=stated), e.PhaseApproved(phase="review", bounces=0)]
    held = EXAMPLES["memory.recalled"]
    held = held.model_copy(
        update={"items": tuple(item.model_copy(update={"shown": False}) for item in held.items)}
    )
    ending = {"ending": Ending.STOPPED, "halt": HALT}
    first = [
        (3, "all", told),
        (2, opened_key(GATE.id), [e.GateOpened(gate=GATE)]),
        (1, answered_key(GATE.id), [EXAMPLES["gate.answered"]]),
        (1, "end", [e.RunFinished(outcome=OUTCOME)]),
    ]
    second = [(1, "end", [held, e.RunFinished(outcome=OUTCOME.model_copy(update=ending))])]
    store = new_store()
    events = record(store, [first, second])
    made = report(store, 7, NOW)
    assert {each.name for each in made.metrics if each.value is None} == UNMEASURABLE
    expected = plain(events, made.since, made.until)
    same(flat(made), {name: value for name, value in expected.items() if ":" not in name})
