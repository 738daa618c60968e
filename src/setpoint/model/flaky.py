"""Tests whose failures do not count for a while, because they fail by chance."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from setpoint.model.value import Instant, Text, Value


class PutBy(StrEnum):
    """Who put a test into quarantine."""

    PERSON = "person"
    """By `setpoint admin quarantine add`: its failures do not count, whatever they are."""
    SETPOINT = "setpoint"
    """Setpoint has seen it fail and pass on the same tree; a failure that never passes still counts."""


class Quarantined(Value):
    """One test in quarantine."""

    test: Text
    """Identifier of a test; of a file, class or test with parameters, it stands for all in it."""
    since: Instant
    until: Instant
    """From then on its failures count again."""
    by: PutBy
    reason: Text = ""

    def active(self, at: datetime) -> bool:
        """Whether it still holds."""
        return at < self.until

    def covers(self, test: str) -> bool:
        """Whether it stands for a test."""
        return test == self.test or test.startswith((f"{self.test}[", f"{self.test}::"))


class FlakyTest(Value):
    """When a test was seen to fail and then to pass on the same tree."""

    test: Text
    seen: tuple[Instant, ...]
    """Once for each run in which it was seen, oldest first, however often it flipped in that run."""
    last_tree: str = ""
    """The git tree on which it was seen last."""


def covering(quarantine: tuple[Quarantined, ...], test: str) -> Quarantined | None:
    """Return what excuses a test, if anything does."""
    return next((each for each in quarantine if each.covers(test)), None)
