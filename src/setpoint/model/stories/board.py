"""The board: how each story stands and what may be done next with it."""

from __future__ import annotations

from enum import StrEnum

from setpoint.model.ending import Ending, is_usable
from setpoint.model.ids import StoryId, TraceId
from setpoint.model.stories.story import Delivery, Refinement, Status
from setpoint.model.value import Instant, Text, Value


class PhaseProgress(Value):
    """How a run stands, as its events tell."""

    trace_id: TraceId
    phases: tuple[str, ...]
    """Phases of its pipeline, in order."""
    judging: tuple[str, ...]
    """Those behind the making."""
    complete: tuple[str, ...] = ()
    """Phases that are done and need not be done again."""
    next_phase: str = ""
    """The first phase that is not done."""
    target: str = ""
    """The phase that the work was sent back to, until it is done again."""
    refinements: tuple[Refinement, ...] = ()
    """Each time that the work was sent back."""
    limit: int
    """How often it may be sent back."""
    texts: dict[str, str] = {}
    """What thinking phases wrote, by phase."""
    reasons: tuple[str, ...] = ()
    """What came of each round that was sent back, in one line each."""
    last_error: str = ""
    """Why a person has to look; empty where nobody has to."""
    ending: Ending | None = None
    """None while it is not finished."""
    branch: str = ""
    """Where the result lies."""
    needs: tuple[Delivery, ...] = ()
    """Work of other stories that it began from."""
    digest: str = ""
    """What the story asked for when the run began, as a hash."""
    alive: bool = False
    """A living process works on it."""
    waiting: bool = False
    """It waits for a person."""
    waits_until: Instant | None = None
    """When it goes on without an answer; none waits without end."""

    @property
    def finished(self) -> bool:
        """Whether the run ended."""
        return self.ending is not None

    @property
    def succeeded(self) -> bool:
        """Whether the run ended with work that passed the exam it needs, or that a person accepted."""
        return is_usable(self.ending, self.branch)


class ActionKind(StrEnum):
    """What may be done next with a story."""

    REWORK = "rework"
    """Mend what was sent back."""
    DELIVER = "deliver"
    """Bring finished work to its branch."""
    JUDGE = "judge"
    """Evaluate, review or test what was made."""
    MAKE = "make"
    """Have the change made."""
    THINK = "think"
    """Research or plan."""
    START = "start"
    """Begin a run."""
    ANSWER = "answer"
    """A person answers what the run waits for."""
    LOOK = "look"
    """A person looks at what stopped the run."""
    WAIT = "wait"
    """Somebody works on it just now, or it waits for other stories."""
    REST = "rest"
    """Nothing is to be done."""


class NextAction(Value):
    """What may be done next with a story, and how urgent it is."""

    kind: ActionKind
    phase: str = ""
    """The phase it is about."""
    priority: int
    """Higher goes first."""
    reason: str
    """One sentence."""
    automatic: bool
    """Whether it needs no person."""
    trace_id: TraceId | None = None
    """The run that goes on; none where a new one begins."""

    @property
    def shown(self) -> str:
        """Name the action for people, for example `rework(implement)`."""
        return f"{self.kind}({self.phase})" if self.phase else str(self.kind)


class Overlap(Value):
    """Another delivered story that cannot be merged together with this one."""

    story: StoryId
    files: tuple[Text, ...]
    """Files that conflict."""


class Card(Value):
    """A story on the board."""

    id: StoryId
    title: str
    path: str
    """Its file."""
    status: Status
    """Its column, as the event log and the file tell together."""
    priority: int = 100
    """Higher is more urgent."""
    refinement_count: int = 0
    """How often its newest run was sent back."""
    refinement_limit: int | None = None
    """How often that run may be sent back; none without a run."""
    last_error: str = ""
    """Why it is blocked."""
    run: TraceId | None = None
    """Its newest run."""
    branch: str = ""
    """Where that run's result lies."""
    edited: bool = False
    """The file asks for something else than when that run began."""
    needs: tuple[Delivery, ...] = ()
    """Work of other stories that its newest run began from."""
    waits_for: tuple[StoryId, ...] = ()
    """Stories of `depends_on` that have not delivered yet."""
    overlaps: tuple[Overlap, ...] = ()
    """Delivered stories that it conflicts with; known where the board is shown."""
    fault: str = ""
    """Why the file cannot be read as a story."""
    action: NextAction
