"""The contract of event logs, on the real one and on the shipped fake; and events as JSON."""

import datetime as dt
import types
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from database import postgres
from setpoint.database.connect import open_store
from setpoint.history.event_log import SqlEventLog
from setpoint.model.answers.reflection import TaughtShape
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.events import BODY, Body
from setpoint.model.gate import Choice, Escalation, OnLimit
from setpoint.model.goals import GoalMode, MetricGoal
from setpoint.model.halting_worth import HaltingWorth
from setpoint.model.ids import TraceId
from setpoint.model.learning import LearningKind
from setpoint.model.pipeline import Pipeline
from setpoint.model.product import Shown, ShownPage
from setpoint.model.stories.story import Story
from setpoint.ports import EventLog
from setpoint.testing.contracts.counted_run import PIPELINE
from setpoint.testing.contracts.event_log import ONE, EventLogContract, entered
from setpoint.testing.log import MemoryEventLog

NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


class TestMemory(EventLogContract):
    @pytest.fixture
    def log(self):
        return MemoryEventLog()


class TestSql(EventLogContract):
    @pytest.fixture(params=["sqlite", *postgres.WHERE_GIVEN])
    def log(self, request, tmp_path):
        store = open_store(tmp_path if request.param == "sqlite" else postgres.fresh_database())
        yield SqlEventLog(store)
        store.close()


@pytest.mark.parametrize("make", ["memory", "sqlite"])
def test_times_come_from_the_clock_that_was_handed_in(make: str, tmp_path: Path) -> None:
    east = NOON.astimezone(dt.timezone(dt.timedelta(hours=9)))
    if make == "memory":
        log: EventLog = MemoryEventLog(lambda: east)
        log.append(ONE, "a", [entered("plan")])
    else:
        store = open_store(tmp_path)
        log = SqlEventLog(store, lambda: east)
        log.append(ONE, "a", [entered("plan")])
    (event,) = log.replay(ONE)
    assert event.at == NOON
    assert event.at.utcoffset() is not None
    if make == "sqlite":
        assert event.at.utcoffset() == dt.timedelta(0)
        store.close()


FINITE = st.floats(allow_nan=False, allow_infinity=False, width=32)
LEAVES: dict[Any, st.SearchStrategy[Any]] = {
    Shown: st.sampled_from(["shop export", ShownPage(start="serve", page="http://127.0.0.1:8000/")]),
    str: st.text(max_size=12),
    int: st.integers(2, 10),
    float: FINITE.map(lambda number: abs(number) % 1 or 0.5),
    bool: st.booleans(),
    Decimal: st.decimals(0, 100, places=4),
    dt.datetime: st.datetimes(
        dt.datetime(2020, 1, 1),  # noqa: DTZ001 - hypothesis puts the zone on
        dt.datetime(2030, 1, 1),  # noqa: DTZ001 - as above
        timezones=st.just(dt.UTC),
    ),
    type(None): st.none(),
    TaughtShape: st.builds(
        TaughtShape,
        kind=st.sampled_from(LearningKind),
        title=st.text(min_size=8, max_size=12),
        confidence=st.floats(0, 1),
    ),
    Pipeline: st.just(PIPELINE),
    Story.model_fields["goals"].annotation: st.dictionaries(
        st.sampled_from(("diff_coverage", "mutation")),
        st.builds(MetricGoal, mode=st.sampled_from(GoalMode), target=st.none() | st.floats(0, 1)),
    ),
    Escalation: st.builds(
        Escalation,
        on_limit=st.sampled_from(OnLimit),
        deadline_s=st.none() | st.floats(1, 1e6, width=32),
        at_deadline=st.sampled_from((Choice.CONTINUE, Choice.ACCEPT, Choice.CANCEL)),
        debt_file=st.sampled_from(("TECH_DEBT.md", "docs/debt.md")),
    ),
    MemoryTerms: st.builds(
        MemoryTerms,
        max_tokens=st.integers(50, 2000),
        hold_out=st.floats(0, 0.5, width=32),
        withhold=st.floats(0, 0.5, width=32),
        max_reflection_usd=st.decimals(0, 100, places=4),
    ),
    HaltingWorth: st.sampled_from(
        [
            HaltingWorth(),
            HaltingWorth(worth_usd=Decimal("20.50"), wrong_usd=Decimal(0), question_usd=Decimal(1)),
        ]
    ),
}


def values_of(kind: Any) -> st.SearchStrategy[Any]:  # noqa: PLR0911 - one line for each form of a type
    """Give any value of a type that the domain's fields are made of."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in LEAVES:
        return LEAVES[kind]
    if origin is Annotated:
        return values_of(arguments[0])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of(*(values_of(each) for each in arguments))
    if origin is tuple:
        every = st.lists(values_of(arguments[0]), max_size=2).map(tuple)
        return every if Ellipsis in arguments else st.tuples(*map(values_of, arguments))
    if origin is dict:
        return st.dictionaries(values_of(arguments[0]), values_of(arguments[1]), max_size=2)
    if hasattr(kind, "__supertype__"):
        return values_of(kind.__supertype__)
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    if issubclass(kind, BaseModel):
        fields = {name: values_of(field.annotation) for name, field in kind.model_fields.items()}
        return st.builds(kind, **fields)
    raise TypeError(kind)


KINDS: tuple[Any, ...] = get_args(get_args(Body)[0])
EXAMPLES = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_body_passes_through_json_unchanged(kind: Any) -> None:
    @settings(EXAMPLES, max_examples=5)
    @given(values_of(kind))
    def unchanged(body: Body) -> None:
        assert BODY.validate_json(body.model_dump_json()) == body

    unchanged()


@EXAMPLES
@given(batches=st.lists(st.lists(st.sampled_from(KINDS).flatmap(values_of), max_size=2), max_size=3))
def test_replay_gives_what_was_appended(
    batches: list[list[Body]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = open_store(tmp_path_factory.getbasetemp() / "replay")
    log = SqlEventLog(store)
    trace = TraceId(f"run-{len(log.traces()) + 1}")
    try:
        appended = [
            event for key, batch in enumerate(batches) for event in log.append(trace, str(key), batch)
        ]
        assert [event.body for event in appended] == [body for batch in batches for body in batch]
        assert log.replay(trace) == tuple(appended)
    finally:
        store.close()
