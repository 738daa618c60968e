"""What every event log promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from setpoint.model.events.run import BudgetWarned, PhaseEntered
from setpoint.model.ids import TraceId
from setpoint.ports import EventLog

ONE, TWO = TraceId("run-one"), TraceId("run-two")


class EventLogContract:
    """What every event log does: it appends, numbers and replays, and forgets nothing."""

    @pytest.fixture
    def log(self, tmp_path: Path) -> Iterator[EventLog]:
        """Make an empty log; override this."""
        raise NotImplementedError

    def test_events_are_numbered_without_gaps_per_run_and_read_back_as_given(self, log: EventLog) -> None:
        first = log.append(ONE, "a", [entered("plan"), entered("implement", 1)])
        other = log.append(TWO, "a", [entered("plan")])
        second = log.append(ONE, "b", [BudgetWarned(budget="cost", share=0.5, used=2.5, limit=5)])
        assert [event.seq for event in (*first, *second)] == [1, 2, 3]
        assert [event.seq for event in other] == [1]
        assert log.replay(ONE) == (*first, *second)
        assert log.replay(ONE, after=2) == second
        assert log.replay(TraceId("run-none")) == ()

    def test_a_key_is_recorded_once_as_a_whole_whatever_comes_later(self, log: EventLog) -> None:
        first = log.append(ONE, "implement-1", [entered("implement", 1), entered("evaluate", 1)])
        assert log.append(ONE, "implement-1", [entered("review", 9)]) == first
        assert log.append(ONE, "implement-1", []) == first
        assert log.replay(ONE) == first
        assert log.append(TWO, "implement-1", [entered("review", 9)]) != first

    def test_nothing_recorded_under_a_key_leaves_it_free(self, log: EventLog) -> None:
        assert log.append(ONE, "later", []) == ()
        assert len(log.append(ONE, "later", [entered("plan")])) == 1

    def test_ids_differ_and_sort_like_the_events(self, log: EventLog) -> None:
        log.append(ONE, "many", [entered("plan", number) for number in range(200)])
        ids = [event.id for event in log.replay(ONE)]
        assert ids == sorted(set(ids))

    def test_runs_are_listed_newest_first(self, log: EventLog) -> None:
        assert log.traces() == ()
        log.append(ONE, "a", [entered("plan")])
        log.append(TWO, "a", [entered("plan")])
        log.append(ONE, "b", [entered("implement")])
        assert log.traces() == (TWO, ONE)


def entered(phase: str, iteration: int = 0) -> PhaseEntered:
    """Return an event."""
    return PhaseEntered(phase=phase, iteration=iteration)
