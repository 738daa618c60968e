"""What memory is worth, read from the log of runs that ask it again and again."""

import random
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal

import pytest
import sqlalchemy as sa

from database import postgres
from model.examples import ORDER, OUTCOME
from model.memory_examples import ITEM
from setpoint.database.connect import open_store
from setpoint.database.tables import EVENT
from setpoint.history.event_log import SqlEventLog
from setpoint.history.recall_usage import uses
from setpoint.learning.policy.recall import _coin, held_out
from setpoint.learning.policy.uplift import lifts
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.ending import Ending
from setpoint.model.events.learning import MemoryRecalled
from setpoint.model.events.run import RunFinished, RunStarted
from setpoint.model.ids import LearningId, TraceId
from setpoint.model.learning import LearningKind

TERMS = MemoryTerms(hold_out=0.3, withhold=0.3)


@pytest.fixture(params=["sqlite", *postgres.WHERE_GIVEN])
def place(tmp_path, request):
    return tmp_path if request.param == "sqlite" else postgres.fresh_database()


@pytest.fixture
def store(place):
    with closing(open_store(place)) as opened:
        yield opened


def recalls(run, count, chance, *, old):
    """A learning more at each asking, shown or held back as the program decides it."""
    whole = held_out(run, TERMS.hold_out)
    found = []
    for number in range(count):
        names = [LearningId(f"lrn-{chance.random()}") for _ in range(1 + number % 2)]
        items = tuple(
            ITEM.model_copy(
                update={
                    "learning": name,
                    "kind": chance.choice(list(LearningKind)),
                    "shown": not whole and _coin(run, name) >= TERMS.withhold,
                }
            )
            for name in names
        )
        found.append(MemoryRecalled(phase="x", question="q", items=items, held_out=None if old else whole))
    return found


def runs(store, seed, count, worth=0, *, old=False):
    """Runs of one to four iterations, each asking memory; `worth` iterations fewer where it is open."""
    chance = random.Random(seed)
    log = SqlEventLog(store)
    for number in range(count):
        run = TraceId(f"run-{seed}-{number}")
        length = chance.choice([1, 1, 2, 3, 4]) + worth
        length -= worth * (not held_out(run, TERMS.hold_out))
        order = ORDER.model_copy(update={"trace_id": run, "root": f"/{seed}", "memory": TERMS})
        outcome = OUTCOME.model_copy(
            update={
                "trace_id": run,
                "ending": Ending.VERIFIED if length < 4 else Ending.STOPPED,
                "iterations": length,
                "cost_usd": Decimal(length) / 10,
                "cost_known": True,
            }
        )
        asked = recalls(run, length, chance, old=old)
        log.append(run, "all", [RunStarted(order=order, workdir="/w"), *asked, RunFinished(outcome=outcome)])


def worth(store, seed):
    return [each for each in lifts(uses(store, f"/{seed}")) if each.group == "all"]


def test_memory_that_is_worth_nothing_is_not_said_to_be_worse(store):
    said = []
    for seed in range(2):
        runs(store, seed, 120)
        found = worth(store, seed)
        assert found[0].with_ + found[0].without == 120
        said += [each.said for each in found]
    wrong = [each for each in said if "interval holds 0" not in each]
    assert len(wrong) <= 1, "of six intervals of 95 in 100"


def test_what_memory_is_really_worth_is_found(store):
    runs(store, 1, 120, worth=1)
    found = {each.figure: each for each in worth(store, 1)}
    assert found["iterations"].said == "better with"
    assert found["iterations"].low < -1 < found["iterations"].high
    assert found["cost_usd"].said == "better with"


@pytest.mark.parametrize("old", [False, True], ids=["the coin is recorded", "the coin is thrown again"])
def test_runs_of_a_store_of_an_older_version_count(place, old):
    with closing(open_store(place)) as store:
        runs(store, 1, 60, worth=1, old=old)
        known = worth(store, 1)
        _as_before(store)
    with closing(open_store(place)) as store:
        found = worth(store, 1)
    assert found[0].with_ + found[0].without == 60
    if not old:
        assert found == known


def _as_before(store):
    """Leave the store as the version before the columns left it, with records that cannot be read."""
    with store.writing() as connection:
        connection.execute(sa.text("DROP INDEX run_by_recalled"))
        connection.execute(sa.text("ALTER TABLE run DROP COLUMN recalled"))
        connection.execute(sa.text("ALTER TABLE run DROP COLUMN held_out"))
        connection.execute(sa.text("ALTER TABLE run DROP COLUMN told"))
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0006'"))
        for seq, body in enumerate(("{", "[1]", '{"items": 5}', '{"items": [1, {}]}')):
            row = {"id": f"evt-{seq}", "trace_id": "run-x", "seq": seq, "key": "k", "place": seq}
            told = {"body": body, "kind": "memory.recalled", "at": datetime.now(UTC)}
            connection.execute(sa.insert(EVENT), {**row, **told})


def test_only_what_fitted_first_counts(store):
    chance = random.Random(1)
    run = TraceId("run-1")
    order = ORDER.model_copy(update={"trace_id": run, "root": "/x", "memory": TERMS})
    none = MemoryRecalled(phase="plan", question="q", held_out=False)
    first, later = recalls(run, 2, chance, old=False)
    outcome = OUTCOME.model_copy(update={"trace_id": run})
    bodies = [RunStarted(order=order, workdir="/w"), none, first, later, RunFinished(outcome=outcome)]
    SqlEventLog(store).append(run, "all", bodies)
    (found,) = uses(store, "/x")
    assert found.kinds == {each.kind for each in first.items}
    assert (found.runs, found.held_out) == (1, held_out(run, TERMS.hold_out))
