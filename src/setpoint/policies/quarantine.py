"""Which flaky tests go into quarantine by themselves, and which entries are forgotten."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from setpoint.domain.quarantine import FlakyTest, PutBy, Quarantined

SEEN_WITHIN = timedelta(days=90)
"""Older sightings do not count, and an entry that ended longer ago is forgotten."""


def due(
    history: Iterable[FlakyTest], held: Iterable[Quarantined], now: datetime, *, after: int, days: int
) -> tuple[Quarantined, ...]:
    """Give the tests that are put into quarantine now: flaky in `after` runs (0: never) since the last time.

    Runs are counted, not sightings: what one run's work made flaky is seen in that run alone.
    """
    if not after:
        return ()
    entries = tuple(held)
    found = []
    for flaky in history:
        ends = [entry.until for entry in entries if entry.covers(flaky.test)]
        since = max([now - SEEN_WITHIN, *ends])
        sightings = sum(at > since for at in flaky.seen)
        if sightings >= after and since <= now:
            entry = Quarantined(
                test=flaky.test,
                since=now,
                until=now + timedelta(days=days),
                by=PutBy.SETPOINT,
                reason=f"failed and passed on the same tree in {sightings} runs",
            )
            found.append(entry)
    return tuple(found)


def remembered(entries: Iterable[Quarantined], now: datetime) -> tuple[Quarantined, ...]:
    """Leave out entries that ended so long ago that nothing depends on them."""
    return tuple(entry for entry in entries if entry.until > now - SEEN_WITHIN)
