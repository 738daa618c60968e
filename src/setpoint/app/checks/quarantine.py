"""The quarantine of a project: its entries, and the tests added at the start of a run."""

from __future__ import annotations

from datetime import datetime, timedelta

from setpoint.checks.flaky.quarantine import SEEN_WITHIN, QuarantineFile, due, remembered
from setpoint.errors import UsageError
from setpoint.model.flaky import FlakyTest, PutBy, Quarantined
from setpoint.wiring.project import Project

NAME = "quarantine.toml"


def quarantine_file(project: Project) -> QuarantineFile:
    """Open the file that the settings name; none needs to be there."""
    named = project.settings.failures.quarantine_file
    path = project.root / named if named else project.state / NAME
    return QuarantineFile(path, project.state / "locks" / "quarantine.lock")


def quarantine_entries(project: Project) -> tuple[Quarantined, ...]:
    """Return all entries, including expired ones."""
    return quarantine_file(project).entries()


def flaky_tests(project: Project, now: datetime) -> tuple[FlakyTest, ...]:
    """Return the recently flaky tests."""
    from setpoint.history.flaky_tests import flaky_history

    return flaky_history(project.store, str(project.root), now - SEEN_WITHIN)


def quarantine_at(project: Project, now: datetime) -> tuple[Quarantined, ...]:
    """Return all entries, ended ones too, after what was flaky too often has been put in."""
    settings = project.settings.failures
    history = flaky_tests(project, now)

    def renewed(held: tuple[Quarantined, ...]) -> tuple[Quarantined, ...]:
        new = due(history, held, now, after=settings.quarantine_after, days=settings.quarantine_days)
        names = {entry.test for entry in new}
        return (*(entry for entry in held if entry.test not in names), *new) if new else held

    return quarantine_file(project).change(renewed)


def quarantine_test(
    project: Project, test: str, *, days: int | None, reason: str, now: datetime
) -> Quarantined:
    """Put a test into quarantine by a person's word, for some days from now on."""
    if not test.strip() or "\n" in test:
        raise UsageError(f"{test!r} names no test", hint="give it as pytest does: tests/test_a.py::test_b")
    days = project.settings.failures.quarantine_days if days is None else days
    entry = Quarantined(
        test=test.strip(), since=now, until=now + timedelta(days=days), by=PutBy.PERSON, reason=reason
    )
    quarantine_file(project).change(
        lambda held: (*(each for each in remembered(held, now) if each.test != entry.test), entry)
    )
    return entry


def release_test(project: Project, test: str, now: datetime) -> None:
    """End a test's quarantine; what was seen of it before no longer counts either."""
    held = quarantine_file(project).entries()
    if not any(each.test == test and each.active(now) for each in held):
        names = ", ".join(each.test for each in held if each.active(now)) or "none"
        raise UsageError(f"'{test}' is not in quarantine", hint=f"in quarantine: {names}")
    quarantine_file(project).change(
        lambda now_held: tuple(
            each.model_copy(update={"until": now}) if each.test == test and each.active(now) else each
            for each in remembered(now_held, now)
        )
    )
