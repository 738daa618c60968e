"""How a run ends."""

from __future__ import annotations

from enum import StrEnum


class Ending(StrEnum):
    """How a run ended."""

    VERIFIED = "verified"
    """Every run passed, and somebody other than the maker set the exam: `IMPLEMENTATION_VERIFIED by …`."""
    SELF_TESTED = "self_tested"
    """Every run passed, and only the maker's own tests say what is right: `SELF-TESTED`."""
    UNPROVEN = "unproven"
    """Nothing was found against it, and what must be proved is not; the best state is kept."""
    UNPROVABLE = "unprovable"
    """Nothing that is chosen here could prove the work; no agent was started."""
    STOPPED = "stopped"
    """A guard stopped it; the best state is kept."""
    ESCALATED = "escalated"
    """It needs a person; the best state is kept."""
    BROKEN_AGENT = "broken_agent"
    """No agent could be made to work."""
    ACCEPTED = "accepted"
    """A person took it as it is: not verified, its known issues are written down."""
    SKIPPED = "skipped"
    """A guard stopped it and nobody is to be asked; the best state is kept."""
    CANCELLED = "cancelled"
    """A person ended it; the best state is kept."""
    MET = "met"
    """All that was asked is there already; no agent was started."""


EXAMINED = (Ending.VERIFIED, Ending.SELF_TESTED)
"""Endings of work that passed every run of the verdict."""
UNVERIFIED_PREFIX = "unverified/"
"""Begins the branch of work that may not be used as it is."""


def is_usable(ending: Ending | None, branch: str) -> bool:
    """Whether work passed the exam that `proof.least` asks for, or a person accepted it."""
    if ending is Ending.ACCEPTED:
        return True
    return ending in EXAMINED and not branch.startswith(UNVERIFIED_PREFIX)
