"""The contract of memories, on the real one and on the shipped fake, and that the two rank the same."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from database import postgres
from setpoint.database.connect import Store, open_store
from setpoint.learning.store import SqlMemory
from setpoint.model.ids import LearningId
from setpoint.model.learning import EvidenceKind, Hit
from setpoint.testing import ListMemory, ManualClock
from setpoint.testing.contracts.memory import Kept, MemoryContract, entry, proposal

TEXTS = (
    ("Clear mocks between tests", "When a test fails with a mock called twice, clear mocks in a fixture."),
    ("KeyError in load_config", "load_config reads a missing key; give the mapping a default."),
    ("Off by one in paginate", "The last page is lost: compare with <= where < stands."),
    ("Review bounced on error handling", "Plan error handling for each endpoint before editing."),
    ("parseHTTPHeader splits once", "Header values may hold colons; split at the first one."),
    ("The suite needs two runs", "Run pytest -p no:randomly when the order matters."),
)
QUESTIONS = (
    "KeyError: 'port' raised in load_config",
    "mock was called twice, clear the mocks",
    "add an endpoint with error handling",
    "http header parse colon",
    "paginate loses the last page",
    "tests",
    "",
)


@contextmanager
def sql_kept(where: Path | str) -> Iterator[Kept]:
    clock, store = ManualClock(), open_store(where)
    yield Kept(memory=SqlMemory(store, clock.now), clock=clock)
    store.close()


class TestLists(MemoryContract):
    @pytest.fixture
    def kept(self):
        clock = ManualClock()
        return Kept(memory=ListMemory(clock.now), clock=clock)


class TestSql(MemoryContract):
    @pytest.fixture(params=["sqlite", *postgres.WHERE_GIVEN])
    def kept(self, request, tmp_path):
        with sql_kept(tmp_path if request.param == "sqlite" else postgres.fresh_database()) as made:
            yield made


@pytest.fixture(params=["sqlite", *postgres.WHERE_GIVEN])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    with sql_kept(tmp_path if request.param == "sqlite" else postgres.fresh_database()) as made:
        yield made


def ranking(hits: tuple[Hit, ...], names: dict[LearningId, int]) -> list[tuple[float, int, int]]:
    """The hits in order, those of equal score by the place of their text: ids of one moment are random."""
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return sorted((-hit.score, names[hit.standing.learning.id], hit.matched) for hit in hits)


def test_every_memory_ranks_the_same(kept: Kept) -> None:
    proposals = [proposal(title, body, source=f"run:{title}") for title, body in TEXTS]
    beside = ListMemory(kept.clock.now)
    names = {id_: place for place, id_ in enumerate(kept.memory.learn(proposals))}
    others = {id_: place for place, id_ in enumerate(beside.learn(proposals))}
    for question in QUESTIONS:
        found, expected = kept.memory.search(question), beside.search(question)
        assert ranking(found, names) == ranking(expected, others)
    assert names[kept.memory.search(QUESTIONS[0])[0].standing.learning.id] == 1
    assert names[kept.memory.search(QUESTIONS[3])[0].standing.learning.id] == 4


KINDS = st.sampled_from([kind for kind in EvidenceKind if kind is not EvidenceKind.SUPERSEDED])
TOLD = st.lists(st.tuples(st.integers(0, 3), KINDS, st.integers(0, 5)), max_size=8)
SCOPES = count()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12)
@given(told=TOLD, again=st.lists(st.integers(0, 7), max_size=8))
def test_whatever_is_told_twice_changes_nothing(
    kept: Kept, told: list[tuple[int, EvidenceKind, int]], again: list[int]
) -> None:
    once = ListMemory(kept.clock.now)
    scope = f"place {next(SCOPES)}"  # a store serves many examples
    proposals = [proposal(f"{title} {scope}", body, scope=scope) for title, body in TEXTS[:4]]
    memories = (once, kept.memory)
    ids = [dict(enumerate(memory.learn(proposals))) for memory in memories]

    def tell(which: int, place: int) -> None:
        about, kind, source = told[place]
        name = f"{kind}:{source}"
        memories[which].weigh([entry(ids[which][about], kind, name, kept.clock.now(), note="elsewhere")])

    for place in range(len(told)):
        for which in (0, 1):
            tell(which, place)
        for other in again:
            if other <= place:
                tell(1, other)
        assert tuple(kept.memory.learn(proposals)) == tuple(ids[1].values())
    for place in range(4):
        ((one,), (other,)) = (memories[which].standings([ids[which][place]]) for which in (0, 1))
        assert (one.confidence, one.status, one.contexts) == (other.confidence, other.status, other.contexts)
        assert len(one.evidence) == len(other.evidence)


def test_the_database_itself_keeps_learnings_and_evidence_as_they_are(tmp_path: Path) -> None:
    store: Store = open_store(tmp_path)
    SqlMemory(store).learn([proposal(tags=("verified",))])
    for statement in (
        "UPDATE learning SET kind = 'x'",
        "DELETE FROM learning",
        "UPDATE learning_evidence SET weight = 9",
        "DELETE FROM learning_evidence",
    ):
        with pytest.raises(sa.exc.IntegrityError, match="append-only"), store.writing() as connection:
            connection.execute(sa.text(statement))
    store.close()
