"""What is offered to be weighed, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from setpoint.model.evidence import Evidence
from setpoint.model.ids import Tree
from setpoint.model.value import Text, Value

CHECK = "rewrites"
"""Name of the evidence."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """Protected files that the work changed, and the two trees to be compared."""

    paths: tuple[str, ...]
    """Files of the base on the side of the tests that differ, and new ones that reach tests of the base."""
    old: Tree
    """The work with these files as they were at the base."""
    new: Tree
    """The work with these files as the maker left them."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Changed files of settings that may demand nothing less, by path; as the maker left them."""


class Weighed(Value):
    """Whether rewritten tests notice all that the old ones noticed."""

    paths: tuple[Text, ...] = ()
    """Protected files that count as the maker left them; none where the old ones count."""
    followed: tuple[Text, ...] = ()
    """Those of them whose old tests cannot run on the result: what they name is gone, as asked."""
    gone: tuple[Text, ...] = ()
    """Tests of the base that fail on the result because what they test was removed, as asked."""
    judges: tuple[Text, ...] = ()
    """Files of the new tests that noticed what the old ones had noticed."""
    reason: Text = ""
    """What was measured, or why the old ones count."""
    evidence: Evidence | None = None
    """None where no tests were compared."""
    settings: tuple[Text, ...] = ()
    """Files of settings that count as the maker left them."""
    lower: Text = ""
    """What changed settings demand less; empty for nothing, or where they were not measured."""

    @property
    def kept(self) -> tuple[str, ...]:
        """Return all files that count as the maker left them."""
        return (*self.paths, *self.settings)
