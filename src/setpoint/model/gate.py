"""A question to a person, and the answer; it may stay open for days while no process runs."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from setpoint.model.ids import Commit, GateId
from setpoint.model.unjudged import UnjudgedEdits
from setpoint.model.value import Instant, Text, Usd, Value

MOST_GRANTED = 10
"""Iterations that one answer may grant: the hard cap of a run, once more for each answer."""
MOST_GRANTED_USD = 1_000_000
"""US dollars that one answer may grant: more than that is a slip of the hand."""
MOST_GRANTED_S = 366 * 86_400
"""Seconds of work that one answer may grant: a year."""


class OnLimit(StrEnum):
    """What becomes of a run that a guard stops or that wants a person."""

    MANUAL = "manual"
    """It waits for an answer, for days if need be: exit code 10."""
    ERROR = "error"
    """It ends with the best state: exit code 11."""
    SKIP = "skip"
    """It ends with the best state and the story is left to a person: exit code 12."""


class GateKind(StrEnum):
    """What a person is asked about."""

    ESCALATION = "escalation"
    """A guard stopped the run, or a reviewer wants a person."""
    REQUEST = "request"
    """The maker asks leave for something that it may not do by itself."""


class Choice(StrEnum):
    """What a person may answer."""

    CONTINUE = "continue"
    ACCEPT = "accept"
    CANCEL = "cancel"
    APPROVE = "approve"
    REJECT = "reject"
    RETRY = "retry"
    """What broke the agent is repaired: the first agent tries again."""
    PROVE = "prove"
    """Here is a command that proves the work: it fails without the change and passes with it."""
    DISMISS = "dismiss"
    """Objections that were reported again are wrong, for a reason."""

    @property
    def continues(self) -> bool:
        """Whether the run works on with what the answer grants."""
        return self in (Choice.CONTINUE, Choice.RETRY)

    @property
    def judges_again(self) -> bool:
        """Whether the newest round is judged again by what the answer adds, without an agent."""
        return self in (Choice.PROVE, Choice.DISMISS)


class Via(StrEnum):
    """How an answer came."""

    TERMINAL = "terminal"
    """The menu of the process that drove the run."""
    CLI = "cli"
    """A verb, in whatever terminal."""
    WEB = "web"
    LIBRARY = "library"
    """A program that uses Setpoint as a library."""
    FORGE = "forge"
    """A comment or review where the code is hosted."""
    DEADLINE = "deadline"
    """Nobody answered in time."""


class Grant(Value):
    """What an answer adds to the limits of a run."""

    iterations: int = Field(default=0, ge=0, le=MOST_GRANTED)
    """More full passes; every guard that counts passes, bounces or reworks gives way by as many."""
    cost_usd: Usd = Field(default=Decimal(0), ge=0)
    """More US dollars."""
    wall_s: float = Field(default=0.0, ge=0)
    """More seconds of work."""
    tokens: int = Field(default=0, ge=0)
    """More tokens."""


class Option(Value):
    """One of the answers to choose from."""

    choice: Choice
    text: str
    """What happens then, in one line."""


class Gate(Value):
    """A question to a person about a run; the run stands still until it is answered."""

    id: GateId
    """Names the gate within its run, for example `escalation-3`."""
    kind: GateKind
    iteration: int = 0
    """The round it is about; 0 where it is about none."""
    question: Text
    """One sentence."""
    options: tuple[Option, ...]
    context: tuple[Text, ...] = ()
    """What a person should know to answer, one line each; Markdown is not read in it."""
    guard: str = ""
    """The guard that stopped the run, where one did."""
    go_on: str = ""
    """What would help, in the words of the guard."""
    offer: Grant = Grant()
    """What `continue` adds where the answer names no figures of its own."""
    asked_at: Instant
    unjudged: tuple[UnjudgedEdits, ...] = ()
    """States with edits that Setpoint keeps and did not judge."""
    deadline: Instant | None = None
    """When `default` is taken for the answer; none waits without end."""
    default: Choice | None = None
    """The answer at the deadline; without one there is no deadline."""
    objections: tuple[str, ...] = ()
    """Fingerprints of the objections that `dismiss` takes for wrong."""

    def allows(self, choice: Choice) -> bool:
        """Whether this may be answered here."""
        return any(option.choice is choice for option in self.options)

    def expired(self, now: Instant) -> bool:
        """Whether the deadline has passed, so that the default is the answer."""
        return self.deadline is not None and self.default is not None and now >= self.deadline


class Edited(Value):
    """A change that a person made to the work as part of an answer."""

    commit: Commit
    """The newest round's state with the change; the run goes on from here."""
    files: tuple[Text, ...]
    diff: Text
    """The change alone."""


class Answer(Value):
    """What a person decided."""

    choice: Choice
    by: Text
    """Who answered."""
    via: Via
    grant: Grant = Grant()
    """What the run gets more; only with `continue`."""
    new_approach: bool = False
    """Whether to go on from the best state with a fresh context; only with `continue`."""
    instruction: Text = ""
    """A person's word for the maker, believed and put into its prompts."""
    reason: Text = ""
    """Why, for the record."""
    edited: Edited | None = None
    """The person's own change, where the answer came with one."""
    acceptance: Text = ""
    """A command that the run has to pass from now on, as if the story named it; only with `prove`."""


def _inside(path: str) -> str:
    parts = path.split("/")
    if not all(part and part not in (".", "..") and part.lower() != ".git" for part in parts) or "\\" in path:
        raise ValueError("a path from the root of the repository, without '..', for example TECH_DEBT.md")
    return path


def _ending(choice: Choice) -> Choice:
    if choice not in (Choice.CONTINUE, Choice.ACCEPT, Choice.CANCEL):
        raise ValueError("one of continue, accept and cancel")
    return choice


class Escalation(Value):
    """What becomes of a run that a guard stops or that wants a person (`[escalation]`)."""

    on_limit: OnLimit = OnLimit.MANUAL
    """manual: asks a person, and waits; error: ends with exit code 11; skip: ends with exit code 12."""
    prompt: bool = True
    """Whether to ask at once in a terminal; otherwise the question is left for `setpoint answer`."""
    more_iterations: int = Field(default=3, ge=1, le=MOST_GRANTED)
    """Iterations that `continue` adds where no number is given."""
    deadline_s: float | None = Field(default=None, gt=0)
    """Seconds a question stays open; none waits without end."""
    at_deadline: Annotated[Choice, AfterValidator(_ending)] = Choice.CANCEL
    """The answer where nobody gave one in time: cancel, accept or continue."""
    debt_file: Annotated[str, AfterValidator(_inside)] = "TECH_DEBT.md"
    """File of the repository that known issues of accepted work are appended to."""


def opened_key(gate: GateId) -> str:
    """Name the event that a gate was opened, within its run."""
    return f"gate:{gate}"


def answered_key(gate: GateId) -> str:
    """Name the event that a gate was answered: recorded once, so the first answer counts."""
    return f"gate:{gate}:answer"
