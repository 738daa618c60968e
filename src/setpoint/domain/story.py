"""A unit of wanted work and the quality it must reach."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from setpoint.domain.gate import OnLimit
from setpoint.domain.ids import StoryId
from setpoint.domain.value import Instant, Value


class IntegrityMode(StrEnum):
    """What a maker may do to protected tests."""

    READ_ONLY = "read-only"
    """Nothing in a protected file may change."""
    APPEND_ONLY = "append-only"
    """Tests may be added to a protected file; what stood there stays."""
    FREE = "free"
    """Tests may change; the signals are still measured and shown."""


class KnownRed(StrEnum):
    """What is wanted of tests that fail at the base commit."""

    TOLERATE = "tolerate"
    """They are reported and not blamed on the work."""
    FIX = "fix"
    """The story asks for them: they must pass."""


class Story(Value):
    """A unit of wanted work, as read from its Markdown file or from the command line."""

    id: StoryId
    title: str
    body: str = ""
    """What is wanted, in Markdown."""
    priority: int = 100
    """Higher is more urgent."""
    acceptance: tuple[str, ...] = ()
    """Commands, each run by Setpoint with the shell in the work copy; each must exit 0."""
    protected: tuple[str, ...] = ()
    """More protected paths, as globs from the root of the repository."""
    integrity: IntegrityMode = IntegrityMode.APPEND_ONLY
    granted: tuple[str, ...] = ()
    """Protected paths, as globs, that a person released: they are judged as the maker leaves them."""
    known_red: KnownRed = KnownRed.TOLERATE
    max_refinement_attempts: int | None = Field(default=None, ge=1, le=10)
    """Overrides the refinement attempts of the settings; frozen when a run starts."""
    on_limit: OnLimit | None = None
    """Overrides `escalation.on_limit`: what becomes of a run that a guard stops."""
    gate_deadline_s: float | None = Field(default=None, gt=0)
    """Overrides `escalation.deadline_s`: seconds a question about this story stays open."""
    deadline: Instant | None = None
    """When a run of this story ends at the latest, whatever it waits for; with a time zone."""

    @property
    def wish(self) -> str:
        """Title and body as one text."""
        return f"{self.title}\n\n{self.body}".strip()
