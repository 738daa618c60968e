"""Finding what says the same in other words, with the real model of the extra `semantic`."""

import os
import struct
import subprocess
import sys

import pytest

from database import postgres
from setpoint.database.connect import open_store
from setpoint.errors import UsageError
from setpoint.learning.policy.recall import recollections
from setpoint.learning.store import SqlMemory
from setpoint.learning.store.embedding import DIMENSIONS, MiniLm, meaning_here, missing
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.ids import TraceId
from setpoint.model.learning import EvidenceKind, LearningKind, Proposal, Trust
from setpoint.testing import ManualClock

pytestmark = pytest.mark.skipif(
    bool(missing()) and not os.environ.get("CI"), reason=f"the extra is not installed: {missing()}"
)
SAID = {
    "cache": ("Stored results stay old", "Take the entry out of the cache when its record changes."),
    "parse": ("A broken line ends the whole file", "Report it with its number and read on."),
    "auth": ("Sign-in tokens run out at once", "Expiry is compared in local time; use UTC."),
}
ASKED = {
    "cache": "outdated values are served although the row was updated",
    "parse": "one malformed row in the CSV aborts the import",
    "auth": "users are logged out immediately after login",
}


def proposal(name, **more):
    title, body = SAID[name]
    values = {"kind": LearningKind.SEMANTIC, "source": f"x:{name}", "trust": Trust.HUMAN, **more}
    return Proposal(title=title, body=body, **values)


@pytest.fixture(scope="module")
def model():
    return meaning_here()


@pytest.fixture(params=["sqlite", *postgres.WHERE_GIVEN])
def store(request, tmp_path):
    opened = open_store(tmp_path if request.param == "sqlite" else postgres.fresh_database())
    yield opened
    opened.close()


def test_vectors_have_length_one_and_do_not_hang_on_their_neighbours(model):
    alone, longer = model.vectors(["a missing key"])[0], model.vectors(["a missing key", "word " * 500])
    values = struct.unpack(f"<{DIMENSIONS}f", alone)
    assert sum(value * value for value in values) == pytest.approx(1.0, abs=1e-5)
    beside = struct.unpack(f"<{DIMENSIONS}f", longer[0])
    assert sum(one * other for one, other in zip(values, beside, strict=True)) > 0.98
    assert model.vectors([]) == ()


def test_what_says_it_in_other_words_is_found_and_shown(model, store):
    memory = SqlMemory(store, ManualClock().now, model)
    names = dict(zip(SAID, memory.learn([proposal(name) for name in SAID]), strict=True))
    wanted = MemoryTerms(hold_out=0, withhold=0)
    for name, question in ASKED.items():
        hits = memory.search(question)
        assert hits[0].standing.learning.id == names[name]
        shown = recollections(hits, question, TraceId("run-1"), "here", wanted)
        words = recollections(SqlMemory(store).search(question), question, TraceId("run-1"), "here", wanted)
        assert names[name] in [item.learning for item in shown] or hits[0].nearness < 0.5
        assert names[name] not in [item.learning for item in words]
    assert sum(memory.search(question)[0].nearness >= 0.5 for question in ASKED.values()) >= 1
    assert memory.search("") == ()


def test_learnings_that_were_there_before_the_model_get_their_vectors(model, store):
    before = SqlMemory(store)
    (old,) = before.learn([proposal("auth")])
    assert before.rebuild() == 0
    memory = SqlMemory(store, meaning=model)
    assert memory.search(ASKED["auth"])[0].standing.learning.id == old
    assert memory.rebuild() == 0
    memory.learn([proposal("auth", source="x:2", context="sessions end too early")])
    (hit,) = memory.search("the session is over too soon")
    assert hit.nearness > 0.6
    memory.weigh(
        [memory.standings()[0].evidence[0].model_copy(update={"kind": EvidenceKind.RETIRED, "source": "p"})]
    )
    assert memory.search(ASKED["auth"]) == ()


def test_a_model_that_is_not_the_known_one_is_refused(tmp_path):
    other = tmp_path / "model.onnx"
    other.write_bytes(b"something else")
    with pytest.raises(UsageError, match="not the file that Setpoint knows"):
        MiniLm(other).vectors(["x"])
    with pytest.raises(UsageError, match="cannot be read"):
        MiniLm(tmp_path / "none.onnx").vectors(["x"])


def test_the_runtime_of_the_model_leaves_nothing_in_the_home_and_reports_nothing(tmp_path):
    code = "from setpoint.learning.store.embedding import meaning_here as m; print(len(m().vectors(['x'])))"
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ORT_"))}
    told = subprocess.run(
        [sys.executable, "-c", code],
        env=environment | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (told.stdout, told.stderr) == ("1\n", "")
    assert list(tmp_path.rglob("*")) == []
