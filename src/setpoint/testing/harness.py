"""Fakes for every port of a run, and an order to drive with them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from setpoint.agents.rules import RulesAgent
from setpoint.durable.inline import InlineDurable
from setpoint.model.config.limits import Limits
from setpoint.model.events.run import GateAnswered
from setpoint.model.gate import Answer, Escalation, OnLimit, answered_key
from setpoint.model.halting_worth import HaltingWorth
from setpoint.model.ids import Commit, GateId, StoryId, TraceId
from setpoint.model.pipeline import PhaseKind, Pipeline
from setpoint.model.proof import HiddenTest, ProofTerms
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.model.stories.story import KnownRed, Story
from setpoint.phase import loop as phase
from setpoint.phase.candidates import PREFIX
from setpoint.pipelines import load_pipeline, render
from setpoint.ports import Agent, Evaluator, Memory, RunPorts
from setpoint.testing.clock import ManualClock
from setpoint.testing.log import MemoryEventLog
from setpoint.testing.workspace import FolderWorkspace, RecordingForge

FILES = {"src/work.py": "value = 0\n"}
"""The files of the base commit of the run."""
STORY = Story(id=StoryId("work"), title="Make it work", known_red=KnownRed.FIX)


NO_QUESTIONS = Escalation(on_limit=OnLimit.ERROR)


@dataclass(kw_only=True)
class RunHarness:
    """A run over fakes; everything is in memory, except the files of the work copy."""

    agent: Agent
    evaluator: Evaluator
    folder: Path
    """Where work copies may be made."""
    reviewer: Agent = field(default_factory=RulesAgent)
    reviewers: Mapping[str, Agent] = field(default_factory=dict)
    """Who reviews by kind, where there is more than one review; all are asked at once."""
    roles: Mapping[str, Agent] = field(default_factory=dict)
    """Who plays other roles, for example the tester; planner and researcher are by rule otherwise."""
    candidates: tuple[Agent, ...] = ()
    """Makers that try the same work at once, in place of `agent`."""
    limits: Limits = field(default_factory=Limits)
    story: Story = STORY
    clock: ManualClock = field(default_factory=ManualClock)
    durable: InlineDurable = field(default_factory=InlineDurable)
    escalation: Escalation = NO_QUESTIONS
    """By default nobody is asked."""
    worth: HaltingWorth = field(default_factory=HaltingWorth)
    """What outcomes are worth; by default nothing is stated."""
    proof: ProofTerms = field(default_factory=ProofTerms)
    """What must be proved."""
    hidden: tuple[HiddenTest, ...] = ()
    """Hidden tests of the person who ordered the work."""
    files: Mapping[str, str] = field(default_factory=lambda: FILES)
    memory: Memory | None = None
    """What is remembered between runs; none: nothing."""
    attended: bool = False
    """Whether a person is at the terminal."""
    published: int = 0

    def __post_init__(self) -> None:
        """Create the log, the workspace and the forge."""
        self.log = MemoryEventLog(self.clock.now)
        self.workspace = FolderWorkspace(self.folder, self.files)
        self.forge = RecordingForge(self.workspace)

    def order(self, **changes: Any) -> RunOrder:  # noqa: ANN401 - any field of a RunOrder
        """Return the order of the run."""
        values: dict[str, Any] = {
            "trace_id": TraceId("run-1"),
            "root": str(self.folder),
            "base": Commit(self.workspace.base),
            "story": self.story,
            "pipeline": self._pipeline(),
            "limits": self.limits,
            "escalation": self.escalation,
            "halting": self.worth,
            "proof": self.proof,
            "hidden": self.hidden,
            "agents": {
                "maker": self.agent.name,
                "reviewer": self.reviewer.name,
                **{role: agent.name for role, agent in self._candidates().items()},
            },
            "branch": f"setpoint/{self.story.id}",
            "started_at": self.clock.now(),
        }
        return RunOrder(**{**values, **changes})

    def ports(self) -> RunPorts:
        """Return the ports of the run."""
        rules = RulesAgent()
        return RunPorts(
            agents={
                "maker": self.agent,
                "reviewer": self.reviewer,
                **{f"reviewer:{kind}": agent for kind, agent in self.reviewers.items()},
                "planner": rules,
                "researcher": rules,
                **self.roles,
                **self._candidates(),
            },
            workspace=self.workspace,
            forge=self.forge,
            evaluator=self.evaluator,
            log=self.log,
            durable=self.durable,
            clock=self.clock,
            keep=_named,
            read=lambda name: name.encode(),
            kept_at=str,
            hide=_named,
            render=render,
            publish=self._published,
            folder=str(self.folder / "run"),
            memory=self.memory,
            attended=self.attended,
        )

    def _candidates(self) -> dict[str, Agent]:
        return {f"{PREFIX}{number}": agent for number, agent in enumerate(self.candidates, start=1)}

    def _pipeline(self) -> Pipeline:
        shipped = load_pipeline("change", self.folder)
        phases = tuple(
            phase.model_copy(update={"reviews": tuple(self.reviewers)})
            if self.reviewers and phase.kind is PhaseKind.REVIEW
            else phase
            for phase in shipped.phases
        )
        return shipped.model_copy(update={"phases": phases})

    def _published(self, trace_id: TraceId) -> None:
        del trace_id
        self.published += 1

    async def drive(self) -> RunOutcome:
        """Drive the run to its end, or to the crash that was ordered; again after a crash continues."""
        self.durable.resume()
        return await phase.drive(self.order(), self.ports(), self.durable)

    def answer(self, gate: str, answer: Answer) -> None:
        """Answer a gate from outside, whether or not the loop has come to it."""
        name = GateId(gate)
        self.log.append(TraceId("run-1"), answered_key(name), (GateAnswered(gate=name, answer=answer),))

    def kinds(self) -> list[str]:
        """Name what is recorded, in order."""
        return [event.body.kind for event in self.log.replay(TraceId("run-1"))]


def _named(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
