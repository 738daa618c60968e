"""What is told while an agent works; part of the union in `events`."""

from __future__ import annotations

from typing import Literal

from setpoint.model.attempt import Role, ToolCall
from setpoint.model.ids import Commit
from setpoint.model.proof import Obligation
from setpoint.model.value import Text, Value


class ToolStarted(Value):
    """An agent began to call a tool; `tool.executed` with the same call id tells how it ended.

    It is recorded once more where the agent names the call better a moment later.
    """

    kind: Literal["tool.started"] = "tool.started"
    phase: str
    iteration: int
    label: str
    attempt: int
    """1 for the first try of this label."""
    call: ToolCall


class AgentSaid(Value):
    """An agent wrote text while it worked; shown on request, and never believed."""

    kind: Literal["agent.said"] = "agent.said"
    phase: str
    iteration: int
    label: str
    attempt: int
    """1 for the first try of this label."""
    text: Text


class ProjectTextShown(Value):
    """A session of an agent began, with what it learns of the project's own instructions at the base."""

    kind: Literal["agent.project_text"] = "agent.project_text"
    label: str
    role: Role
    agent: str
    files: tuple[Text, ...] = ()
    """Files with instructions that the prompt repeats, since the agent does not read them by itself."""
    skills: tuple[Text, ...] = ()
    """Skills that the prompt names."""
    read: tuple[Text, ...] = ()
    """Files that the agent reads by itself."""
    servers: tuple[Text, ...] = ()
    """Servers of tools that it can use: those of the project that a person approved."""
    left_out: tuple[Text, ...] = ()
    """Servers that it cannot use, each with the reason."""


class QuestionAnswered(Value):
    """A maker ended its turn with a question and no edit; it is answered once for each attempt."""

    kind: Literal["agent.question_answered"] = "agent.question_answered"
    iteration: int
    label: str
    attempt: int
    """1 for the first try of this label."""
    question: Text
    by: Literal["person", "rule"] = "rule"
    """Who answered: the person at the terminal by a hint, else the rule to choose what fits best."""


class SessionOpened(Value):
    """An agent opened the session for a try that follows another one."""

    kind: Literal["agent.session_opened"] = "agent.session_opened"
    iteration: int
    label: str
    attempt: int
    """The try; at least 2."""
    continued: bool
    """Whether the agent proved that it continues the session before; else it knows what the prompt says."""


class MeasuredEdits(Value):
    """What was measured of a state that a try left."""

    of: str
    """Label of the snapshot that holds it."""
    failing: int
    """Failing tests that count, and checks that broke."""
    blocking: int
    """Findings that block."""


class EditsChosen(Value):
    """Of what several tries of an attempt edited, Setpoint chose the state that becomes its result."""

    kind: Literal["agent.edits_chosen"] = "agent.edits_chosen"
    iteration: int
    label: str
    chosen: str
    """Label of the snapshot that holds it."""
    measured: tuple[MeasuredEdits, ...] = ()
    """What was compared, in this order; empty where no other try left edits."""
    unmeasured: tuple[str, ...] = ()
    """Labels of other states with edits, which were not compared: one passed before, or time was up."""
    earlier: bool = True
    """Whether an earlier try made what was chosen, and not the last one."""


class CopyRemade(Value):
    """A work copy was not where it was, for example in another cache folder, and was made again."""

    kind: Literal["run.copy_remade"] = "run.copy_remade"
    former: Text
    """Where it was."""
    path: Text
    """Where it is now."""
    commit: Commit
    """What it was made from: the newest recorded state."""
    kept: bool
    """Whether uncommitted edits were brought along from the former place."""
    label: str = ""
    """The attempt that was under way; empty if none was."""

    @property
    def lost(self) -> bool:
        """Whether edits of an attempt are gone."""
        return bool(self.label) and not self.kept


class ProofStep(Value):
    """One run of a proof that is being measured has ended; `proof.measured` tells the whole."""

    kind: Literal["proof.step"] = "proof.step"
    obligation: Obligation


class HintGiven(Value):
    """A person tells the maker something while a run works; it reaches the maker with its next prompt."""

    kind: Literal["run.hint_given"] = "run.hint_given"
    text: Text
    by: Text


class HintTaken(Value):
    """A prompt of an attempt began with hints of a person."""

    kind: Literal["agent.hint_taken"] = "agent.hint_taken"
    iteration: int
    label: str
    hints: tuple[str, ...]
    """Keys of the events that gave them."""


class AgentInterrupted(Value):
    """A turn was ended behind a tool call, since a person gave a hint or paused the run; it continues."""

    kind: Literal["agent.interrupted"] = "agent.interrupted"
    iteration: int
    label: str
    attempt: int
    """1 for the first try of this label."""


class PauseRequested(Value):
    """A person pauses a run, or an agent needs the person at the terminal; it holds before its next step."""

    kind: Literal["run.pause_requested"] = "run.pause_requested"
    by: Text
    needs: Text = ""
    """What an agent needs of the person; empty: a person paused the run."""


class RunHeld(Value):
    """A paused run holds; the time from now on does not count as work."""

    kind: Literal["run.held"] = "run.held"
    by: Text
    """Who paused it: a person, or an agent that needs one."""


class PauseEnded(Value):
    """A person lets a paused run continue, or its wait for the person has ended."""

    kind: Literal["run.pause_ended"] = "run.pause_ended"
    by: Text


Steering = HintGiven | HintTaken | AgentInterrupted | PauseRequested | RunHeld | PauseEnded
"""What a person asks for while a run works, and what became of it."""
AboutEdits = SessionOpened | EditsChosen | CopyRemade
"""What becomes of edits that were not recorded as the result of an attempt."""
AboutLive = ToolStarted | AgentSaid | ProofStep | ProjectTextShown | QuestionAnswered | AboutEdits | Steering
"""What an agent is doing at the moment, and what a person says to it."""
