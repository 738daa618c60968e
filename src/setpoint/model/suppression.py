"""A finding that a person dismissed: it is shown, and blocks nothing, at its place until that ends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from setpoint.model.changes.path_globs import matches
from setpoint.model.finding import Finding, normalised
from setpoint.model.ids import TraceId
from setpoint.model.value import Instant, Text, Value

DAYS = 90
"""Days that a dismissal holds where the person names no others."""


class Suppression(Value):
    """What a person does not hold for a fault, where, why and for how long."""

    id: str
    """The fingerprint of the finding that was dismissed."""
    finding: Finding
    """As it was then."""
    place: Text = ""
    """A path or glob, with `::symbol` where one is meant; empty: the line of code that it was found in."""
    reason: Text = ""
    by: Text
    since: Instant
    until: Instant
    """From then on the finding counts again."""
    run: TraceId
    """The run that it was dismissed in."""

    @property
    def where(self) -> str:
        """Say where it holds."""
        symbol = f"::{self.finding.symbol}" if self.finding.symbol else ""
        return self.place or f"{self.finding.file}{symbol}" or "this project"

    @property
    def told(self) -> str:
        """Say who suppressed it, until when, and why."""
        why = f": {self.reason}" if self.reason else ""
        return f"suppressed by {self.by} until {self.until:%Y-%m-%d}{why}"

    @property
    def of_review(self) -> bool:
        """Whether a reviewer found it."""
        return self.finding.source.startswith("review")

    def covers(self, found: Finding) -> bool:
        """Whether it is the same finding, or the same rule at the same place; likeness of words is neither.

        Without a place of a person's the code is the place: the same line in the same file and symbol. A
        source that names no line must say the same words; one without a rule must, too.
        """
        was = self.finding
        if found.fingerprint == self.id:
            return True
        if (found.source, found.rule, found.category) != (was.source, was.rule, was.category):
            return False
        if self.place:
            path, _, symbol = self.place.partition("::")
            return matches(found.file, (path,)) and symbol in ("", found.symbol)
        line = normalised(was.text)
        same = (found.file, found.symbol, normalised(found.text)) == (was.file, was.symbol, line)
        return same and bool(was.rule and line)


def suppressed_in_words(findings: Iterable[Finding]) -> str:
    """Count the suppressed findings by who suppressed them: `2 suppressed by Ada`; empty for none."""
    by = Counter(re.split(r" until |: ", each.suppressed)[0] for each in findings if each.suppressed)
    return ", ".join(f"{count} {who}" for who, count in by.items())


def suppressed(findings: Iterable[Finding], held: tuple[Suppression, ...]) -> tuple[Finding, ...]:
    """Return findings, those that a person suppressed with who did it, until when, and why."""
    return tuple(
        found.model_copy(update={"suppressed": by.told})
        if (by := next((each for each in held if each.covers(found)), None)) is not None
        else found
        for found in findings
    )
