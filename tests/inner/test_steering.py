"""A person's hint reaches the agent behind its present tool call, and a paused run does no work."""

from setpoint.inner.steering import hints_for, pause_of
from setpoint.model.attempt import Stop, ToolCall
from setpoint.model.ending import Ending
from setpoint.model.events.live import (
    AgentInterrupted,
    HintGiven,
    HintTaken,
    PauseEnded,
    PauseRequested,
    RunHeld,
)
from setpoint.model.facts.budget_account import account_of
from setpoint.model.ids import TraceId
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

RUN = TraceId("run-1")
CALL = ToolCall(id="1", name="bash", title="pytest -q", ok=True)


class Watched(ScriptedAgent):
    """An agent that keeps its sessions; somebody does something just before one of its calls ends."""

    def __init__(self, *acts, meanwhile, keeps=True):
        super().__init__(*acts)
        self.meanwhile, self.keeps, self.ended = list(meanwhile), keeps, []

    def goes_on(self, brief):
        return self.keeps

    async def attempt(self, brief, observer):
        said = self.meanwhile.pop(0) if self.meanwhile else None
        if said is not None:
            self.log.append(RUN, f"said-{len(self.briefs)}", [said])
        self.ended.append(observer.called(CALL))
        made = await super().attempt(brief, observer)
        return made.model_copy(update={"stop": Stop.CANCELLED}) if self.ended[-1] else made


def driven(tmp_path, agent, *scenes):
    harness = RunHarness(agent=agent, evaluator=ScriptedEvaluator(*(scenes or [Scene()])), folder=tmp_path)
    agent.log = harness.log
    return harness, harness.drive()


def told(harness, kind):
    return [event.body for event in harness.log.replay(RUN) if isinstance(event.body, kind)]


async def test_a_hint_ends_the_turn_behind_its_call_and_begins_the_next_prompt(tmp_path):
    hint = HintGiven(text="round half up", by="Ann")
    agent = Watched(Act(edits={"a.py": "1\n"}), Act(edits={"b.py": "2\n"}), meanwhile=[hint])
    harness, run = driven(tmp_path, agent)
    outcome = await run
    first, second = agent.briefs
    assert agent.ended == [True, False]
    assert ("round half up" in first.prompt, "round half up" in second.prompt) == (False, True)
    assert "as that turn left them" in second.prompt
    assert "you left" not in second.prompt, "the session may be new, where the old one cannot be opened"
    assert (first.session, first.label) == (second.session, second.label)
    assert outcome.ending is Ending.VERIFIED
    assert {"a.py", "b.py"} <= set(harness.workspace.files(outcome.best))
    assert (len(told(harness, AgentInterrupted)), len(told(harness, HintTaken))) == (1, 1)


async def test_an_agent_without_sessions_hears_at_its_next_prompt(tmp_path):
    hint = HintGiven(text="round half up", by="Ann")
    acts = (Act(edits={"a.py": "1\n"}), Act(edits={"a.py": "2\n"}), Act(edits={"a.py": "3\n"}))
    agent = Watched(*acts, meanwhile=[hint], keeps=False)
    red = Scene(failing=("t::a",))
    _harness, run = driven(tmp_path, agent, red, red, Scene())
    await run
    assert not any(agent.ended)
    assert ["round half up" in brief.prompt for brief in agent.briefs] == [False, True, False]


async def test_a_paused_run_holds_and_its_time_does_not_count(tmp_path):
    agent = Watched(
        Act(edits={"a.py": "1\n"}), Act(edits={"b.py": "2\n"}), meanwhile=[PauseRequested(by="Ann")]
    )
    harness, run = driven(tmp_path, agent)
    sleep, naps = harness.clock.sleep, []

    async def nap(seconds):
        await sleep(seconds)
        naps.append(seconds)
        if len(naps) == 20:
            harness.log.append(RUN, "enough", [PauseEnded(by="Ann")])

    harness.clock.sleep = nap
    outcome = await run
    assert outcome.ending is Ending.VERIFIED
    assert len(told(harness, RunHeld)) == 1
    events = list(harness.log.replay(RUN))
    elapsed = (events[-1].at - events[0].at).total_seconds()
    assert account_of(events).active_s == elapsed - sum(naps)


async def test_every_candidate_is_given_a_hint_once(tmp_path):
    agent = Watched(meanwhile=[])
    harness, run = driven(tmp_path, agent)
    await run
    harness.log.append(RUN, "h", [HintGiven(text="x", by="Ann")])
    assert len(hints_for(harness.log.replay(RUN), "implement-1-c1", 1)) == 1
    harness.log.append(RUN, "t", [HintTaken(iteration=1, label="implement-1-c1", hints=("h",))])
    events = harness.log.replay(RUN)
    assert hints_for(events, "implement-1-c1", 1) == ()
    assert len(hints_for(events, "implement-1-c2", 1)) == 1
    assert hints_for(events, "implement-2", 2) == ()
    assert pause_of(events) is None
