"""A guard stops the run: a person lets it go on, accepts, or ends it; or nobody is asked."""

from decimal import Decimal

import pytest

from setpoint.errors import RunWaiting
from setpoint.model.attempt import Usage
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage as Measuring
from setpoint.model.events.run import CancelRequested, GateOpened, LoopRestarted, PhaseBounce
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.gate import Answer, Choice, Escalation, Grant, OnLimit, Via
from setpoint.model.ids import TraceId
from setpoint.testing import Act, Crash, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator, failure

TRACE = TraceId("run-1")
RED = ("t::a", "t::b", "t::c")
ILL_TYPED = Finding(source="mypy", severity=Severity.ERROR, category=Category.TYPES, message="wrong type")
ASKING = Escalation()


def answer(choice, **more):
    return Answer(choice=choice, by="Ann", via=Via.CLI, **more)


def going_on(iterations=3, **more):
    return answer(Choice.CONTINUE, grant=Grant(iterations=iterations), **more)


def differing(number, left=1):
    """Scenes with so many failures, of which none looks like another."""
    return [
        Scene(failing=tuple(failure(f"t::{'abc'[each]}", f"assert {word}") for each in range(left)))
        for word in "klmnopqrst"[:number]
    ]


def a_stage(tmp_path, *scenes, limits=None, escalation=ASKING, **more):
    acts = more.pop("acts", [Act(edits={"src/work.py": f"value = {number}\n"}) for number in range(1, 20)])
    return RunHarness(
        agent=ScriptedAgent(*acts, **more),
        evaluator=ScriptedEvaluator(*scenes, base=Scene(failing=RED)),
        folder=tmp_path,
        limits=limits or Limits(max_iterations=2),
        escalation=escalation,
    )


async def waits(harness):
    """Drive until a person is asked; gives what is asked."""
    with pytest.raises(RunWaiting) as waiting:
        await harness.drive()
    return next(
        event.body.gate
        for event in reversed(harness.log.replay(TRACE))
        if isinstance(event.body, GateOpened) and event.body.gate.id == waiting.value.gate
    )


def of(harness, kind):
    return [event.body for event in harness.log.replay(TRACE) if isinstance(event.body, kind)]


async def test_a_person_is_told_what_stopped_the_run_and_what_may_be_answered(tmp_path):
    harness = a_stage(tmp_path, *differing(2))

    gate = await waits(harness)

    assert gate.question == "1 test fails: t::a; 2 of 2 iterations are used up"
    assert gate.go_on == "", "an answer raises the limit"
    assert (gate.id, gate.guard, gate.iteration) == ("escalation-2", "max_iterations", 2)
    assert [option.choice for option in gate.options] == [Choice.CONTINUE, Choice.ACCEPT, Choice.CANCEL]
    assert gate.options[0].text == "continue with 3 more iterations (3 are left then)"
    assert any("t::a: assert l" in line for line in gate.context)
    assert any(line.startswith("best so far: iteration 2, 1 open problem, ") for line in gate.context)
    assert any(line.startswith("gained by it: ") for line in gate.context)
    assert harness.forge.branches == {}


async def test_more_iterations_lead_to_the_end(tmp_path):
    harness = a_stage(tmp_path, *differing(2), Scene())
    await waits(harness)
    harness.answer("escalation-2", going_on(1, instruction="Mind the rounding."))

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations, outcome.bounces) == (Ending.VERIFIED, 3, 2)
    assert [each.mode for each in harness.agent.briefs] == ["fresh", "fix", "fix"]
    assert "Mind the rounding." in harness.agent.briefs[2].prompt
    assert "Mind the rounding." not in harness.agent.briefs[1].prompt
    assert "iteration 3 of at most 3" in harness.agent.briefs[2].prompt
    assert len(of(harness, PhaseBounce)) == 2


async def test_when_these_are_used_up_it_is_asked_again(tmp_path):
    harness = a_stage(tmp_path, *differing(9))
    await waits(harness)
    harness.answer("escalation-2", going_on(2))

    gate = await waits(harness)

    assert (gate.id, gate.question) == ("escalation-4", "1 test fails: t::a; 4 of 4 iterations are used up")


async def test_a_new_approach_begins_at_the_best_state_with_a_fresh_context(tmp_path):
    worse = Scene(failing=("t::a",), findings=(ILL_TYPED,))
    harness = a_stage(tmp_path, *differing(1), worse, Scene())
    await waits(harness)
    harness.answer("escalation-2", going_on(new_approach=True))

    outcome = await harness.drive()

    assert outcome.ending is Ending.VERIFIED
    assert [each.mode for each in harness.agent.briefs] == ["fresh", "fix", "restart"]
    assert harness.agent.briefs[2].session != harness.agent.briefs[1].session
    (restart,) = of(harness, LoopRestarted)
    assert harness.workspace.files(restart.commit)["src/work.py"] == b"value = 1\n"
    assert "value = 2" in harness.agent.briefs[2].prompt  # it is told what was tried


async def test_what_stopped_the_run_counts_anew_when_a_person_lets_it_go_on(tmp_path):
    limits = Limits(max_iterations=10, restart_on_repeat=False)
    harness = a_stage(tmp_path, *[Scene(failing=("t::a",))] * 5, Scene(), limits=limits)
    gate = await waits(harness)
    assert (gate.guard, gate.iteration) == ("repeated_findings", 3)
    harness.answer("escalation-3", going_on())

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations) == (Ending.VERIFIED, 6)


async def test_used_up_money_is_offered_once_more(tmp_path):
    paid = Usage(cost_usd=Decimal("1.50"), scope="turn")
    acts = [Act(edits={"src/work.py": f"value = {number}\n"}, usage=paid) for number in range(1, 9)]
    limits = Limits(max_cost_usd=Decimal(3))
    harness = a_stage(tmp_path, *differing(2), Scene(), limits=limits, acts=acts)

    gate = await waits(harness)
    assert (gate.guard, gate.offer.cost_usd) == ("max_cost_usd", Decimal(3))
    harness.answer("escalation-2", answer(Choice.CONTINUE, grant=gate.offer))

    assert (await harness.drive()).ending is Ending.VERIFIED


async def test_used_up_tokens_are_offered_once_more(tmp_path):
    used = Usage(input_tokens=900, output_tokens=100, scope="turn")
    acts = [Act(edits={"src/work.py": f"value = {number}\n"}, usage=used) for number in range(1, 9)]
    harness = a_stage(tmp_path, *differing(1), Scene(), limits=Limits(max_tokens=1000), acts=acts)

    gate = await waits(harness)
    assert (gate.guard, gate.offer.tokens) == ("max_tokens", 1000)
    assert "1000 more tokens" in gate.options[0].text
    harness.answer("escalation-1", answer(Choice.CONTINUE, grant=gate.offer))

    assert (await harness.drive()).ending is Ending.VERIFIED


async def test_what_is_not_enough_for_one_more_round_is_offered_too(tmp_path):
    limits = Limits(max_wall_s=500)
    harness = a_stage(tmp_path, *differing(9), limits=limits)
    acts = [Act(edits={"src/work.py": f"value = {number}\n"}, duration_s=300) for number in range(1, 9)]
    harness.agent = ScriptedAgent(*acts, clock=harness.clock)

    gate = await waits(harness)

    assert (gate.guard, gate.iteration, gate.offer.wall_s) == ("enough_left", 1, 500)


async def test_what_a_first_attempt_left_that_the_time_ended_is_continued(tmp_path):
    limits = Limits(max_wall_s=100, max_agent_breakages=1)
    harness = a_stage(tmp_path, *differing(1), Scene(), limits=limits)
    acts = [Act(edits={"src/work.py": f"value = {number}\n"}, duration_s=150) for number in range(1, 9)]
    harness.agent = ScriptedAgent(*acts, clock=harness.clock)

    gate = await waits(harness)
    assert (gate.iteration, gate.guard) == (1, "max_wall_s")
    assert "iteration 1" in gate.context[0]
    harness.answer("escalation-1", answer(Choice.CONTINUE, grant=Grant(wall_s=500)))

    outcome = await harness.drive()

    assert outcome.ending is Ending.VERIFIED
    assert [each.mode for each in harness.agent.briefs] == ["fresh", "fix"]
    assert "as that try left them" in harness.agent.briefs[1].prompt


async def test_an_attempt_that_the_time_ended_goes_on_with_more_of_it(tmp_path):
    limits = Limits(max_wall_s=300, enough_left=False, max_agent_breakages=1)
    harness = a_stage(tmp_path, *differing(2), Scene(), limits=limits)
    acts = [Act(edits={"src/work.py": f"value = {number}\n"}, duration_s=200) for number in range(1, 9)]
    harness.agent = ScriptedAgent(*acts, clock=harness.clock)

    gate = await waits(harness)
    assert (gate.guard, gate.iteration, gate.offer.wall_s) == ("max_wall_s", 2, 300)
    harness.clock.wait(90_000)
    harness.answer("escalation-2", answer(Choice.CONTINUE, grant=gate.offer))

    outcome = await harness.drive()

    assert outcome.ending is Ending.VERIFIED
    assert [each.label for each in harness.agent.briefs] == ["implement-1", "implement-2", "implement-3"]


async def test_accepted_work_is_delivered_with_what_is_wrong_with_it(tmp_path):
    harness = a_stage(tmp_path, *differing(1, left=3), *differing(1, left=2))
    await waits(harness)
    harness.answer("escalation-2", answer(Choice.ACCEPT, reason="good enough for the demo"))

    outcome = await harness.drive()

    assert (outcome.ending, outcome.mark, outcome.best_iteration) == (Ending.ACCEPTED, "", 2)
    assert "accepted as it is by Ann (good enough for the demo)" in outcome.reason
    assert any("t::b" in issue for issue in outcome.known_issues)
    delivery = harness.forge.branches[outcome.branch]
    assert "not verified: accepted as it is by Ann" in delivery.message
    assert f"- {outcome.known_issues[0]}" in delivery.message
    assert delivery.appendix is not None
    assert delivery.appendix.path == "TECH_DEBT.md"
    assert f"\nSetpoint-Run: {outcome.trace_id}" in delivery.appendix.message
    assert "good enough for the demo" in delivery.appendix.text
    assert "[evidence " in delivery.appendix.text


async def test_a_person_may_accept_what_would_not_be_offered(tmp_path):
    worse = Scene(failing=(*RED, "t::new"))
    harness = a_stage(tmp_path, worse, worse)
    await waits(harness)
    harness.answer("escalation-2", answer(Choice.ACCEPT))

    outcome = await harness.drive()

    assert (outcome.ending, outcome.branch) == (Ending.ACCEPTED, "setpoint/work")
    assert any("t::new fails, which passed before" in issue for issue in outcome.known_issues)


async def test_a_worse_state_that_was_measured_in_full_is_not_measured_again(tmp_path):
    worse = {Measuring.EVALUATE: Scene(), Measuring.TEST: Scene(failing=(*RED, "t::new"))}
    harness = a_stage(tmp_path, worse, worse)
    await waits(harness)
    harness.answer("escalation-2", answer(Choice.ACCEPT))

    outcome = await harness.drive()

    assert (outcome.ending, outcome.branch) == (Ending.ACCEPTED, "setpoint/work")
    assert len([each for each in harness.evaluator.calls if each.stage is Measuring.TEST]) == 2


async def test_nothing_can_be_accepted_where_nothing_was_changed(tmp_path):
    harness = a_stage(tmp_path, Scene(failing=RED), acts=[Act(text="done"), Act(text="done")])

    gate = await waits(harness)

    assert [option.choice for option in gate.options] == [Choice.CONTINUE, Choice.CANCEL]


async def test_a_cancelled_run_keeps_its_best_state(tmp_path):
    harness = a_stage(tmp_path, *differing(2))
    await waits(harness)
    harness.answer("escalation-2", answer(Choice.CANCEL))

    outcome = await harness.drive()

    assert (outcome.ending, outcome.branch) == (Ending.CANCELLED, "unverified/setpoint/work")
    assert outcome.known_issues == ()
    assert "not verified" in harness.forge.branches[outcome.branch].message


async def test_nobody_is_asked_where_the_order_says_so(tmp_path):
    for on_limit, ending in ((OnLimit.ERROR, Ending.STOPPED), (OnLimit.SKIP, Ending.SKIPPED)):
        escalation = Escalation(on_limit=on_limit)
        harness = a_stage(tmp_path / on_limit, *differing(2), escalation=escalation)

        outcome = await harness.drive()

        assert (outcome.ending, outcome.branch) == (ending, "unverified/setpoint/work")
        assert of(harness, GateOpened) == []


@pytest.mark.parametrize(
    ("wanted", "ending"),
    [
        (Choice.CANCEL, Ending.CANCELLED),
        (Choice.ACCEPT, Ending.ACCEPTED),
    ],
)
async def test_past_the_deadline_the_default_is_taken(tmp_path, wanted, ending):
    harness = a_stage(tmp_path, *differing(2), escalation=Escalation(deadline_s=3600, at_deadline=wanted))
    await waits(harness)
    harness.clock.wait(3601)

    assert (await harness.drive()).ending is ending


async def test_a_default_that_cannot_be_taken_ends_the_run(tmp_path):
    escalation = Escalation(deadline_s=3600, at_deadline=Choice.ACCEPT)
    acts = [Act(text="done"), Act(text="done")]
    harness = a_stage(tmp_path, Scene(failing=RED), acts=acts, escalation=escalation)

    assert (await waits(harness)).default is Choice.CANCEL


async def test_a_run_past_its_deadline_ends_and_asks_nobody(tmp_path):
    limits = Limits(deadline_s=500, enough_left=False)
    harness = a_stage(tmp_path, *differing(9), limits=limits)
    acts = [Act(edits={"src/work.py": f"value = {number}\n"}, duration_s=250) for number in range(1, 9)]
    harness.agent = ScriptedAgent(*acts, clock=harness.clock)

    outcome = await harness.drive()

    assert outcome.halt is not None
    assert (outcome.ending, outcome.halt.guard, outcome.iterations) == (Ending.STOPPED, "deadline_s", 2)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("choice", [Choice.CONTINUE, Choice.ACCEPT])
async def test_a_crash_at_any_step_around_a_gate_changes_nothing(tmp_path, when, choice):
    async def through(harness):
        with pytest.raises(RunWaiting):
            await harness.drive()
        harness.answer("escalation-2", answer(choice, grant=Grant(iterations=2)))
        return await harness.drive()

    whole = a_stage(tmp_path / "whole", *differing(2), Scene())
    wanted = await through(whole)
    for number, step in enumerate(whole.durable.steps):
        harness = a_stage(tmp_path / f"{number}", *differing(2), Scene())
        harness.durable.crash(**{when: step})
        for _ in range(3):
            try:
                outcome = await through(harness)
            except Crash:
                continue
            except pytest.fail.Exception:  # it came past the gate before it crashed
                outcome = await harness.drive()
            break

        assert outcome.model_dump(exclude={"duration_s"}) == wanted.model_dump(exclude={"duration_s"}), step
        assert harness.kinds() == whole.kinds(), step


class Wish:
    """A person who wants the run ended while the maker works."""

    def __init__(self):
        self.harness = None

    def __call__(self, brief):
        if brief.label == "implement-2":
            self.harness.log.append(TRACE, "cancel", (CancelRequested(by="Ann", reason="not needed"),))
            raise Crash(brief.label)  # the engine ends the step


async def test_a_run_that_is_cancelled_in_the_middle_ends_with_what_was_measured(tmp_path):
    wish = Wish()
    acts = [Act(edits={"src/work.py": f"value = {number}\n"}, do=wish) for number in range(1, 9)]
    in_full = {Measuring.EVALUATE: Scene(), Measuring.TEST: Scene(failing=("t::a",))}
    harness = a_stage(tmp_path, in_full, *differing(9), limits=Limits(), acts=acts)
    wish.harness = harness
    with pytest.raises(Crash):
        await harness.drive()

    outcome = await harness.drive()

    assert (outcome.ending, outcome.reason) == (Ending.CANCELLED, "cancelled by Ann (not needed)")
    assert (outcome.iterations, outcome.branch) == (1, "unverified/setpoint/work")
    assert len(harness.agent.briefs) == 2
    assert await harness.drive() == outcome


async def test_a_run_may_be_cancelled_before_anything_was_measured(tmp_path):
    harness = a_stage(tmp_path, Scene())
    harness.durable.crash(before="baseline")
    with pytest.raises(Crash):
        await harness.drive()
    harness.log.append(TRACE, "cancel", (CancelRequested(by="Ann"),))

    outcome = await harness.drive()

    assert (outcome.ending, outcome.iterations, outcome.branch) == (Ending.CANCELLED, 0, "")


async def test_a_wish_that_comes_too_late_changes_nothing(tmp_path):
    harness = a_stage(tmp_path, Scene())
    harness.durable.crash(before="finish")
    with pytest.raises(Crash):
        await harness.drive()
    harness.log.append(TRACE, "cancel", (CancelRequested(by="Ann"),))

    assert (await harness.drive()).ending is Ending.VERIFIED


async def test_a_waiting_run_may_be_cancelled_too(tmp_path):
    harness = a_stage(tmp_path, *differing(2))
    await waits(harness)
    harness.log.append(TRACE, "cancel", (CancelRequested(by="Ann"),))

    assert (await harness.drive()).ending is Ending.CANCELLED
