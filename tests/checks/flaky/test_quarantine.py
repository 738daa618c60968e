"""Which tests go into quarantine by themselves."""

from datetime import UTC, datetime, timedelta

from setpoint.checks.flaky.quarantine import SEEN_WITHIN, due, remembered
from setpoint.model.flaky import FlakyTest, PutBy, Quarantined, covering

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def seen(*days_ago: float, test: str = "t.py::a") -> FlakyTest:
    return FlakyTest(test=test, seen=tuple(NOW - timedelta(days=ago) for ago in days_ago))


def held(since: float, until: float, by: PutBy = PutBy.SETPOINT, test: str = "t.py::a") -> Quarantined:
    start, end = NOW - timedelta(days=since), NOW + timedelta(days=until)
    return Quarantined(test=test, since=start, until=end, by=by)


def names(*history: FlakyTest, entries=(), after: int = 2) -> list[str]:
    return [each.test for each in due(history, entries, NOW, after=after, days=14)]


def test_two_runs_put_a_test_in_for_some_days() -> None:
    (entry,) = due([seen(3, 1)], (), NOW, after=2, days=14)

    assert (entry.test, entry.by, entry.since) == ("t.py::a", PutBy.SETPOINT, NOW)
    assert entry.until == NOW + timedelta(days=14)
    assert "2 runs" in entry.reason


def test_one_run_or_old_runs_or_the_setting_do_not() -> None:
    assert names(seen(1)) == []
    assert names(seen(SEEN_WITHIN.days + 1, 1)) == []
    assert names(seen(2, 1), after=0) == []
    assert names(seen(3, 2, 1), after=3) == ["t.py::a"]


def test_what_is_in_already_is_not_put_in_again() -> None:
    assert names(seen(3, 1), entries=[held(1, 5)]) == []
    assert names(seen(3, 1, test="t.py::a[1]"), entries=[held(1, 5)]) == []


def test_after_its_end_only_newer_sightings_count() -> None:
    ended = held(20, -6)
    assert names(seen(30, 25, 3), entries=[ended]) == []
    assert names(seen(30, 3, 1), entries=[ended]) == ["t.py::a"]


def test_what_a_person_took_out_does_not_come_back_by_old_sightings() -> None:
    assert names(seen(5, 4), entries=[held(3, 0)]) == []


def test_an_entry_stands_for_parameters_classes_and_files() -> None:
    entries = (held(1, 1, test="t.py::T"),)
    covered = [
        covering(entries, test) is not None for test in ("t.py::T::a", "t.py::T[1]", "t.py::Two", "t.py")
    ]
    assert covered == [True, True, False, False]


def test_the_end_is_the_first_moment_at_which_it_counts() -> None:
    entry = held(1, 0)
    assert [entry.active(NOW - timedelta(seconds=1)), entry.active(NOW)] == [True, False]


def test_what_ended_long_ago_is_forgotten() -> None:
    entries = (held(200, -91), held(20, -6), held(1, 1))
    assert remembered(entries, NOW) == entries[1:]
