"""A unit of wanted work and the quality it must reach."""

from __future__ import annotations

from enum import StrEnum

from pydantic import ConfigDict, Field, field_validator, model_validator

from setpoint.model.changes.slug import slug
from setpoint.model.gate import OnLimit
from setpoint.model.goals import Goal, Goals, MetricGoal
from setpoint.model.ids import Commit, StoryId, TraceId
from setpoint.model.product import Shown
from setpoint.model.proof import WorkKind
from setpoint.model.value import Instant, Value

EARLIER_MODES = ("append-only", "free")
"""Values of `IntegrityMode` in settings, stories and orders of earlier versions; they are read as `both`."""


class IntegrityMode(StrEnum):
    """What happens to a change of the tests that the base holds."""

    BOTH = "both"
    """The tests run as they were at the base and as they are now; the change of them stays."""
    READ_ONLY = "read-only"
    """Changes of tests and of the settings of runner and CI are restored."""

    @classmethod
    def _missing_(cls, value: object) -> IntegrityMode | None:
        """Read the values of earlier versions."""
        return cls.BOTH if value in EARLIER_MODES else None


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
    accept_hidden: tuple[str, ...] = ()
    """Files of hidden tests, from the root of the repository and kept outside it; `FILE=PATH` says where in
    the tree each is run, otherwise beside the other tests. The maker is not told of them.
    """
    show: tuple[Shown, ...] = ()
    """Commands and pages to show before and after the work, in place of those of the setting `show`."""
    protected: tuple[str, ...] = ()
    """Paths, as globs from the root of the repository, that are always restored."""
    integrity: IntegrityMode = IntegrityMode.BOTH
    may_change: tuple[str, ...] = ()
    """Paths, as globs, that a person released: they are never restored, and the change may contradict the
    tests in them.
    """
    base: str = ""
    """Commit or branch that the work starts from; empty: what is checked out, or `--base`."""
    external: bool = False
    """Strangers wrote the text, for example a monitoring system: it releases nothing."""
    known_red: KnownRed = KnownRed.TOLERATE
    kind: WorkKind | None = None
    """What kind of work it is, which decides what must be proved; none: Setpoint guesses from the title."""
    depends_on: tuple[StoryId, ...] = ()
    """Ids of stories that must deliver first; the work starts from what they delivered."""
    worker: str = ""
    """What a machine must have where several share a database: an agent, or a label of `[board] labels`."""
    goals: dict[str, Goal] = {}
    """Goals of its own by metric; they go before those of the settings."""
    max_refinement_attempts: int | None = Field(default=None, ge=1, le=10)
    """Overrides the refinement attempts of the settings; frozen when a run starts."""
    on_limit: OnLimit | None = None
    """Overrides `escalation.on_limit`: what becomes of a run that a guard stops."""
    gate_deadline_s: float | None = Field(default=None, gt=0)
    """Overrides `escalation.deadline_s`: seconds a question about this story stays open."""
    deadline: Instant | None = None
    """When a run of this story ends at the latest, whatever it waits for; with a time zone."""

    @field_validator("goals")
    @classmethod
    def _of_known_metrics(cls, goals: dict[str, MetricGoal]) -> dict[str, MetricGoal]:
        """Refuse what the goals of the settings refuse."""
        Goals.model_validate(goals)
        return goals

    @field_validator("depends_on")
    @classmethod
    def _ids(cls, named: tuple[StoryId, ...]) -> tuple[StoryId, ...]:
        """Write ids as files have them, each once."""
        return tuple(dict.fromkeys(StoryId(slug(each)) for each in named))

    @model_validator(mode="before")
    @classmethod
    def _earlier_name(cls, given: object) -> object:
        """Read orders and stories in which `may_change` was called `granted`."""
        if not isinstance(given, dict) or "granted" not in given:
            return given
        rest = {name: value for name, value in given.items() if name != "granted"}
        return {**rest, "may_change": (*rest.get("may_change", ()), *(given["granted"] or ()))}

    @property
    def wish(self) -> str:
        """Title and body as one text."""
        return f"{self.title}\n\n{self.body}".strip()


class Delivery(Value):
    """What a story delivered, for those that depend on it."""

    story: StoryId
    run: TraceId
    commit: Commit
    """The end of its branch."""


class Status(StrEnum):
    """The column of the board that a story stands in."""

    BACKLOG = "backlog"
    """Not to be worked on yet; only a person takes it out of here."""
    READY = "ready"
    """May be taken up; a story without a status is ready."""
    WAITING = "waiting"
    """Waits for what other stories deliver (`depends_on`)."""
    IN_PROGRESS = "in_progress"
    """Researched, planned or made."""
    REWORK = "rework"
    """Sent back with feedback."""
    IN_REVIEW = "in_review"
    """Made, and now evaluated, reviewed or tested."""
    BLOCKED = "blocked"
    """A person has to look."""
    DONE = "done"
    """Verified, or accepted by a person."""


class Refinement(Value):
    """One time that the work was sent back; its keys in the front matter are those of R4."""

    model_config = ConfigDict(populate_by_name=True)

    iteration: int
    """1 for the first time."""
    agent_type: str = Field(alias="agentType")
    """The phase that it was sent back to."""
    started_at: str = Field(alias="startedAt")
    """When, in UTC."""
    review_feedback: str = Field(alias="reviewFeedback")
    """What was wrong, in one line."""
    result: str
    """in_progress, failed or passed."""


class StoryRecord(Value):
    """What Setpoint keeps in a story's front matter for people to read; the event log knows it better."""

    status: Status | None = None
    """Column of the board. A person may set `ready` (run it again), `backlog` or `done`."""
    last_run: str = ""
    """The run that the other keys tell of."""
    branch: str = ""
    """Where its result lies."""
    refinement_count: int = Field(default=0, ge=0)
    """How often that run was sent back; a person who sets 0 lets a blocked story run again."""
    refinement_iterations: tuple[Refinement, ...] = ()
    """Each time that it was sent back."""
    last_error: str = ""
    """Why it is blocked."""
