"""A project as a landscape of states: what is measured depends on the content alone, never on the round.

The work is one file that names a state; agents go from state to state, and whatever a loop restores, restarts
from or delivers is measured as what it is.
"""

import json
from dataclasses import dataclass, field

from setpoint.model.config.limits import Limits
from setpoint.model.evaluation import Stage as Measuring
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import TraceId
from setpoint.model.proof import NOBODY
from setpoint.model.stories.story import KnownRed, Story
from setpoint.ports import Toolbox
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, evaluation, proof

START = "start"
WORK = "src/work.py"


def content(state):
    return f"state = {state!r}\n"


def state_in(files):
    return files[WORK].decode().split("'")[1]


def go(state, **more):
    """An act that brings the work into a state."""
    return Act(edits={WORK: content(state)}, **more)


def objecting(*words, severity="error", line=1, decision="request_changes"):
    findings = [
        {
            "severity": severity,
            "category": "correctness",
            "message": f"the {word} is wrong",
            "file": WORK,
            "line": line,
        }
        for word in words
    ]
    return Act(text=json.dumps({"decision": decision, "findings": findings}))


def objection(word):
    """The finding that a reviewer's objection becomes; its fingerprint does not hang on severity or line."""
    return Finding(
        source="review:code",
        severity=Severity.ERROR,
        category=Category.CORRECTNESS,
        message=f"the {word} is wrong",
        file=WORK,
    )


def decline(word):
    """An act that changes nothing and declines an objection."""
    return Act(text=f"DECLINE {objection(word).fingerprint}: it is meant so")


def withdrawing(word):
    settled = {"id": objection(word).fingerprint, "withdrawn": True, "reason": "right"}
    return Act(text=json.dumps({"decision": "approve", "findings": [], "settled": [settled]}))


APPROVING = Act(text=json.dumps({"decision": "approve", "findings": []}))


@dataclass
class Surveyor:
    """Measures a commit by the state that it names; at the evaluate stage of the tests only the suspects."""

    states: dict[str, Scene]
    workspace: object = None
    calls: list = field(default_factory=list)

    async def prepare(self, order, copy):
        return Toolbox(checks={"pytest": "scripted"}, python="")

    async def protect(self, order, copy):
        return ()

    async def evaluate(self, order, measured):
        self.calls.append(measured)
        scene = self.states[state_in(self.workspace.files(measured.commit))]
        if measured.stage is Measuring.EVALUATE:
            seen = tuple(test for test in scene.failing if test in measured.suspects)
            scene = Scene(**{**vars(scene), "failing": seen, "flaky": (), "coverage": None})
        return evaluation(measured.stage, measured.commit, measured.tree, scene, order.weights)

    async def prove(self, order, measured, vouched=NOBODY):
        return proof(self.states[state_in(self.workspace.files(measured.commit))], vouched)


class Reviewer(ScriptedAgent):
    """Plays its acts and approves ever after."""

    async def attempt(self, brief, observer):
        if len(self.briefs) >= len(self.acts):
            self.acts = (*self.acts, APPROVING)
        return await super().attempt(brief, observer)


def a_run(folder, states, acts, reviews=(), limits=None, known_red=KnownRed.FIX):
    """A stage on which an agent walks through the states; `states` holds the one it starts in."""
    surveyor = Surveyor(states)
    harness = RunHarness(
        agent=ScriptedAgent(*acts),
        reviewer=Reviewer(*reviews, name="reviewer"),
        evaluator=surveyor,
        folder=folder,
        limits=limits or Limits(),
        story=Story(id="work", title="Make it work", known_red=known_red),
        files={WORK: content(START)},
    )
    surveyor.workspace = harness.workspace
    harness.agent._clock = harness.clock
    return harness


def bodies(harness, kind):
    return [event.body for event in harness.log.replay(TraceId("run-1")) if isinstance(event.body, kind)]
