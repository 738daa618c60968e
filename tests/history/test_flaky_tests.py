"""Which tests were flaky in which runs, out of the log."""

from datetime import timedelta

import pytest

from model.examples import AT, ORDER
from setpoint.database.connect import open_store
from setpoint.history.event_log import SqlEventLog
from setpoint.history.flaky_tests import flaky_history
from setpoint.model.evaluation import Stage
from setpoint.model.events.run import BaselineMeasured, IterationEvaluated, RunStarted
from setpoint.model.ids import TraceId
from setpoint.testing import Scene, evaluation


@pytest.fixture
def store(tmp_path):
    made = open_store(tmp_path)
    yield made
    made.close()


def record(store, trace, minute, *scenes, root="/project", cached=False):
    log = SqlEventLog(store, lambda: AT + timedelta(minutes=minute))
    order = ORDER.model_copy(update={"trace_id": TraceId(trace), "root": root})
    log.append(order.trace_id, "run", (RunStarted(order=order, workdir="/copy"),))
    for number, scene in enumerate(scenes):
        measured = evaluation(Stage.TEST, "c" * 40, f"tree-{trace}-{number}", scene)
        evidence = tuple(each.model_copy(update={"cached": cached}) for each in measured.evidence)
        body = IterationEvaluated(
            iteration=number + 1, evaluation=measured.model_copy(update={"evidence": evidence})
        )
        base = BaselineMeasured(evaluation=body.evaluation)
        log.append(order.trace_id, f"e{number}", (base if number == 0 else body,))


def test_each_run_counts_once_and_the_most_seen_comes_first(store):
    shaky, other = Scene(flaky=("t::shaky",)), Scene(flaky=("t::other", "t::shaky"))
    record(store, "run-1", 1, shaky, shaky, shaky)
    record(store, "run-2", 2, Scene(), other)
    record(store, "run-3", 3, Scene())

    first, second = flaky_history(store, "/project", AT)

    assert (first.test, first.seen) == ("t::shaky", (AT + timedelta(minutes=1), AT + timedelta(minutes=2)))
    assert first.last_tree == "tree-run-2-1"
    assert (second.test, len(second.seen)) == ("t::other", 1)


def test_other_projects_older_runs_and_cached_results_do_not_count(store):
    shaky = Scene(flaky=("t::shaky",))
    record(store, "run-1", 1, shaky, root="/elsewhere")
    record(store, "run-2", 2, shaky)
    record(store, "run-3", 9, shaky, cached=True)

    assert flaky_history(store, "/project", AT + timedelta(minutes=5)) == ()
    assert [len(each.seen) for each in flaky_history(store, "/project", AT)] == [1]
