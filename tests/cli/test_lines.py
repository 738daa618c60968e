"""Each event as the line that a person sees."""

from decimal import Decimal

import pytest

from model.examples import BLOCKER, EXAMPLES, HALT, OUTCOME, a_snapshot, an_attempt
from setpoint.cli.render.event_lines import line
from setpoint.model import events as e
from setpoint.model.attempt import Breakage, BreakageKind, Stop, ToolCall
from setpoint.model.ending import EXAMINED, Ending
from setpoint.model.evaluation import Stage
from setpoint.model.events.live import PauseRequested
from setpoint.model.exam import Exam, Examiner
from setpoint.model.proof import Obligation, ObligationState, Proof, Vouched, WorkKind
from setpoint.model.run import UNPROVEN_MARK, Action
from setpoint.testing import Scene, evaluation

SHOWN = {
    "run.started": "Totals must be right (maker scripted, base bbbbbbbbbb)"
    "\n  pytest: tests\n  maker: scripted",
    "run.resumed": "resumed by process 4711: its process was gone",
    "baseline.measured": "base: tests 10 passed; parse, integrity, ruff, mypy, bandit pass; "
    "coverage not measured; quality 0.50 "
    "(tests 1.00, security 1.00, code quality 1.00, types 1.00, integrity 1.00)",
    "tests.quarantined": "quarantine: t::shaky until 2026-02-15 (failures do not count); "
    "expired, failures count again: t::old",
    "phase.entered": "implement #1",
    "phase.completed": "plan: 1. Mend it.",
    "phase.approved": "review: approved",
    "phase.passed": "test: passed",
    "agent.started": "scripted works on implement-1 (fresh)",
    "tool.executed": "  bash: pytest -q [ok 0.5 s]",
    "tool.started": "  bash: pytest -q ...",
    "agent.said": "  | I look at the test.\n  | It is red.",
    "agent.project_text": "  gemini is given AGENTS.md, 1 skill; reads GEMINI.md "
    "(implement-1, as at the base)",
    "agent.question_answered": "  implement-1 asks: Which of A or B? "
    "(answered by rule: what fits the request best)",
    "agent.session_opened": "  implement-1 begins a new session; its prompt shows the edits that are "
    "in the work copy",
    "agent.edits_chosen": "  what implement-1.broke-1 edited counts, not what the last try left "
    "(measured: implement-1.broke-1 0 failing, 0 blocking; not measured: implement-1.broke-2)",
    "run.copy_remade": "the work copy was at /c/one; it is at /c/two now, made again from cccccccccc; "
    "uncommitted edits of implement-1 are gone",
    "run.hint_given": "hint by Ann: round half up",
    "agent.hint_taken": "the hint reaches implement-1",
    "agent.interrupted": "  the turn of implement-1 ends for it; the edits are kept",
    "run.pause_requested": "paused by Ann: the run holds before its next step",
    "run.held": "the run holds; this time does not count",
    "run.pause_ended": "Ann lets the run continue",
    "model.called": "  model claude-sonnet-4-5 [200 1.5 s]: 1000 in, 50 out, 0 cached, "
    "$0.0038 (genai-prices 0.2.3)",
    "agent.spent": "  spent $0.0215, 1500 tokens (told by the agent)",
    "agent.finished": "change cccccccccc: 1 file, +3 -1",
    "tests.hidden": "hidden tests of claude: 1 file fails at the base, as it should; "
    "not used: tests/test_other.py passes at the base already",
    "tests.answered": "claude withdraws tests/test_hidden.py: the message is open",
    "proof.measured": "proved as repair: 1 test",
    "iteration.evaluated": "test: tests 9 passed, 1 failed, 1 flaky; 1 to fix; "
    "1 known red; 1 flaky; parse, integrity, ruff, mypy, bandit pass; "
    "coverage not measured",
    "review.answered": "security:rules says approve: nothing found",
    "answer.rejected": "critic gave an invalid answer (review-1:security): decision: Field required; "
    "asked again",
    "candidate.made": "candidate 2 (scripted), cccccccccc: 1 file, +3 -1",
    "candidate.measured": "candidate 2: test: tests 9 passed, 1 failed, 1 flaky; 1 to fix; "
    "1 known red; 1 flaky; parse, integrity, ruff, mypy, bandit pass; "
    "coverage not measured",
    "candidate.chosen": "candidate 2 (scripted) has fewer failing tests than candidate 1 (other)\n"
    "  2 scripted: 1 red, 0 blocking, quality 0.90, 0 findings, 4 lines, cost not told",
    "finding.declined": f"the maker declines {BLOCKER.fingerprint}: it is meant so",
    "review.completed": "review by rules: request_changes, 1 finding (1 blocking)",
    "integrity.change_requested": "the maker requests permission to change tests/test_calc.py "
    "(add() is to round now)",
    "integrity.change_reviewed": "rules on the request: tests/test_calc.py: for it",
    "integrity.change_settled": "tests/test_calc.py may be changed (Ann: wanted)",
    "integrity.reasons_given": "the maker explains 1 signals",
    "loop.phase_bounce": "bounce 1: test -> implement: 1 failing",
    "loop.restarted": "restart from cccccccccc: the same problems came back",
    "loop.diminishing_returns": "diminishing returns: open problems 2 -> 2 -> 3",
    "loop.guard_fired": "guard max_iterations: 7 of 7 iterations are used up; "
    "hint: raise limits.max_iterations",
    "loop.guard_unable": "guard minimum_quality cannot judge this run: no round reached the full test suite",
    "budget.warned": "budget: 52% of cost used (2.60 of 5.00)",
    "halting.decided": "#1 going on is worth 0.53, stopping 0.00 → go on: 1 problem is open",
    "agent.broke": "  rate_limit: 429: too many requests; waiting 90 s, then trying again in its session, "
    "if that can be continued; its edits are kept",
    "loop.stagnated": "the agent repeats itself: pytest -q, 3 times with the same result; sent one reminder",
    "gate.requested": "waits for a person: 7 of 7 iterations are used up: how is it to go on?",
    "gate.answered": "answered by Ann (cli): continue, 2 more iterations, $1.50 more, "
    "instruction: look at the rounding",
    "gate.expired": "no answer in time: cancel is the default answer",
    "run.cancel_requested": "Ann cancels the run: not wanted any more",
    "run.delivered": "delivered cccccccccc to branch setpoint/totals (verified)",
    "product.shown": "shown, not proof: python -m shop export: exit 0, then no browser is on this machine",
    "proof.step": "  witness met: ",
    "run.finished": "IMPLEMENTATION_VERIFIED \N{MIDDLE DOT} 2 iterations, sent back once, $0.04",
    "memory.recalled": "plan: recalled 1 learning (1 held back at random, to measure the effect)",
    "memory.followed": "recalled learnings that were followed: lrn-0example (wrote so)",
    "reflection.completed": "reflection by rules: 1 learning to review\n  advice: look at cart.py",
    "reflection.answered": "thinker proposes learnings: none: no JSON object",
    "reflection.skipped": "no reflection (run_completed): no money left",
    "feedback.confidence_increased": "confidence in lrn-0example: 0.60 -> 0.70 (fix_applied)",
    "feedback.confidence_decreased": "confidence in lrn-0example: 0.70 -> 0.50 (finding_dismissed)",
    "feedback.finding_dismissed": "Ann dismisses 0123456789abcdef (rounded twice): it is not",
    "feedback.finding_lifted": "Ann lifts the dismissal of 0123456789abcdef: it counts again",
    "feedback.fix_applied": "Ann applies the fix of 0123456789abcdef in src/cart.py: "
    "kept, on setpoint/totals",
    "feedback.fix_rewritten": "Ann rewrites the fix of 0123456789abcdef in src/cart.py: "
    "not kept: 1 test is red",
    "feedback.human_edited": "Ann changed src/cart.py by hand, answering escalation-1",
    "feedback.human_comment_added": "Ann on src/cart.py:3: what of null?",
    "feedback.delivery_judged": "git shows: setpoint/totals was edited (src/cart.py) in cccccccccc",
    "production.deployed": "v2 (dddddddddd) runs in production since 2026-02-01 11:55Z",
    "production.anomaly_detected": "sig-bb3112f1a543 error from shop/errors: ZeroDivisionError in average",
    "production.anomaly_ended": "sig-bb3112f1a543 is over",
    "production.cause_suspected": "sig-bb3112f1a543: bbbbbbbbbb is suspected (0.58): last changed it",
    "production.story_opened": "story production-zerodivisionerror-012345 of sig-bb3112f1a543, "
    "waits for approval: by rule",
    "production.story_deferred": "no story of sig-bb3112f1a543 before 13:00Z: too many",
    "production.problem_decided": "0123456789abcdef is dismissed (Ann: a drill)",
    "production.fix_deployed": "the fix of 0123456789abcdef (run-0mended) runs in production: "
    "v3 (ffffffffff)",
    "production.fix_held": "the fix of 0123456789abcdef held: not seen",
    "production.problem_returned": "0123456789abcdef is back, production-zerodivisionerror-012345 "
    "is open again: seen again",
    "feedback.review_given": "ana on pull request 13: changes requested: what of null?",
    "forge.news_stored": "ana put setpoint on issue 12",
    "forge.delivery_stored": "message 72d3162e-cc78-11e3-81ab-4c9367dc0958 of the forge is stored",
    "forge.news_settled": "labelled:12:setpoint:1769947200: story: ordered by ana",
    "forge.pull_published": "run-0totals is shown in pull request 13 https://forge.example/shop/pull/13",
    "forge.publish_refused": "run-0totals could not be pushed to pull request 13: "
    "the branch has other commits",
    "forge.question_shown": "run-0totals asks in 13",
    "forge.rework_ordered": "issue-12-totals-are-wrong is worked on again from dddddddddd: 1 remark",
    "work.story_counted": "story counted",
    "work.shift_noted": "shift noted",
    "hook.turn_checked": "check of claude: failed in 2.5 s; sent back (1)",
    "feedback.suggested_by_agent": "sug-0123456789: claude-code suggests to dismiss 0123456789abcdef "
    "(rounded twice): the second rounding is a copy",
    "feedback.suggestion_settled": "Ann confirms sug-0123456789",
    "mcp.run_requested": "claude-code had a run started (at most $2.00): Totals must be right",
    "landing.began": "landing-1: 1 story on main",
    "landing.measured": "totals: t::x: 2 != 3",
    "landing.decided": "totals: sent back: conflicts with what has landed in totals.py",
    "landing.done": "landing.done",
    "landing.moved": "somebody moved the branch to 2222222222",
    "landing.cancelled": "landing.cancelled",
    "landing.ended": "2222222222 holds just what was landed",
}


def test_every_event_has_its_line():
    assert {kind: line(body).text for kind, body in EXAMPLES.items()} == SHOWN


def test_only_details_are_left_out():
    hidden = {kind for kind, body in EXAMPLES.items() if line(body).detail}
    assert hidden == {
        "phase.completed",
        "phase.approved",
        "phase.passed",
        "agent.interrupted",
        "agent.project_text",
        "agent.said",
        "agent.spent",
        "tool.started",
        "model.called",
        "proof.step",
        "review.answered",
        "forge.news_stored",
        "forge.delivery_stored",
        "integrity.change_reviewed",
        "integrity.reasons_given",
        "reflection.answered",
        "reflection.skipped",
        "memory.followed",
        "feedback.confidence_increased",
        "feedback.confidence_decreased",
        "loop.guard_unable",
        "work.shift_noted",
        "work.story_counted",
    }


def test_names_of_policies_and_learnings_are_shown_on_request_alone():
    for kind, name in (("halting.decided", "rules-v1"), ("memory.recalled", "lrn-0example")):
        shown = line(EXAMPLES[kind])
        assert name not in shown.text
        assert name in shown.more


def varied(kind, **more):
    return line(EXAMPLES[kind].model_copy(update=more))


def test_an_agent_that_needs_the_person_says_what_the_person_can_do():
    told = line(PauseRequested(by="claude", needs="Up or down?")).text
    assert told.startswith("claude needs you: Up or down?; hint: h types a hint, p lets the run continue")


def test_a_resumption_without_a_reason():
    assert varied("run.resumed", reason="").text == "resumed by process 4711"


def test_a_delivery_that_is_not_verified_says_so():
    shown = varied("run.delivered", verified=False)
    assert shown.text.endswith("(not verified, best so far)")
    assert shown.style == "yellow"


@pytest.mark.parametrize("ending", [ending for ending in Ending if ending not in EXAMINED])
def test_no_other_ending_looks_verified(ending):
    outcome = OUTCOME.model_copy(update={"ending": ending, "reason": "why", "halt": HALT})
    word = UNPROVEN_MARK if ending is Ending.UNPROVEN else ending.upper().replace("_", " ")
    shown = line(e.RunFinished(outcome=outcome))
    assert shown.text.startswith(f"{word} by max_iterations")
    assert shown.text.endswith("why")
    assert shown.style == ("bold" if ending is Ending.MET else "bold red")
    done = {Ending.MET: " (nothing was done)", Ending.UNPROVABLE: " (no agent was started)"}
    bare = line(e.RunFinished(outcome=outcome.model_copy(update={"halt": None}))).text
    assert bare == f"{word}{done.get(ending, '')}{' ' if ending is Ending.ACCEPTED else ': '}why"


BY = [
    (Exam(examiner=Examiner.HIDDEN_TESTS, author="claude", count=4), "by 4 hidden tests of claude"),
    (
        Exam(examiner=Examiner.HIDDEN_TESTS, readable="no sandbox"),
        "by your test, not hidden from the maker (no sandbox)",
    ),
    (Exam(examiner=Examiner.FAILING_TESTS, count=3), "by your 3 failing tests (the maker could read them)"),
    (Exam(examiner=Examiner.COMMAND), "by your command (the maker could read it)"),
    (Exam(examiner=Examiner.BASE_TESTS, count=12), "by 12 tests of the base"),
    (Exam(examiner=Examiner.REVIEWER, author="codex"), "by reviewer codex"),
    (Exam(examiner=Examiner.SETPOINT, what="nothing that runs is changed"), "by Setpoint: nothing that runs"),
]


@pytest.mark.parametrize(("exam", "words"), BY)
def test_the_first_words_say_who_vouches_for_verified_work(exam, words):
    proof = Proof(work=WorkKind.BEHAVIOUR, why="", obligations=(), exams=(exam,))
    outcome = OUTCOME.model_copy(update={"by": proof.exams, "rests_on": proof.by})
    assert line(e.RunFinished(outcome=outcome)).text.startswith(f"IMPLEMENTATION_VERIFIED {words}")


def test_the_first_words_name_all_who_vouch_who_reviewed_and_what_could_not_run():
    exams = (BY[0][0], BY[2][0])
    proof = Proof(
        work=WorkKind.REPAIR, why="", obligations=(), exams=exams, not_run=("canary", "same calls"),
        vouched=Vouched(reviewers=("codex",)),
    )  # fmt: skip
    assert proof.by == (
        "by 4 hidden tests of claude and your 3 failing tests (the maker could read them), "
        "reviewed by codex; runs not possible here: canary, same calls"
    )


def test_work_that_the_maker_alone_examined_is_self_tested():
    mine = Exam(examiner=Examiner.MAKER)
    own = Proof(work=WorkKind.BEHAVIOUR, why="", obligations=(), exams=(mine,))
    against = own.model_copy(update={"exams": (BY[0][0],), "contradicts": ("tests/test_a.py::test_a",)})
    ended = [
        OUTCOME.model_copy(update={"ending": Ending.SELF_TESTED, "by": each.exams, "rests_on": each.by})
        for each in (own, against)
    ]
    said = [line(e.RunFinished(outcome=each)).text for each in ended]
    assert said[0].startswith(
        "SELF-TESTED: all runs passed, and only the maker's own tests say what is right; no"
    )
    assert (
        "contradicts the old test tests/test_a.py::test_a, and only the maker says that it should" in said[1]
    )


def test_a_proof_is_one_short_line():
    met, idle = ObligationState.MET, ObligationState.NOT_APPLICABLE
    obligations = (
        Obligation(name="witness", state=met, reason=f"3 fail without the change: {'tests/test_a.py ' * 20}"),
        Obligation(name="side effects", state=idle, reason="no function"),
        Obligation(name="sensitivity", state=met, reason="tests notice " * 20),
        Obligation(name="instrument", state=met, reason="9 tests"),
    )
    shown = varied("proof.measured", proof=Proof(work=WorkKind.REPAIR, why="", obligations=obligations)).text
    assert shown.startswith("proved as repair: 3 fail without the change: tests/test_a.py")
    assert shown.endswith(" …; also met: sensitivity, instrument")
    assert len(shown) < 200


def test_cost_that_is_known_in_part_is_called_known():
    outcome = OUTCOME.model_copy(update={"cost_known": False, "score": None, "iterations": 1})
    shown = line(e.RunFinished(outcome=outcome)).text
    assert shown == "IMPLEMENTATION_VERIFIED \N{MIDDLE DOT} 1 iteration, sent back once, $0.04 known"


def test_breakage_is_shown_in_red():
    breakage = Breakage(kind=BreakageKind.CRASH, message="it died\nsomewhere")
    broken = an_attempt(stop=Stop.BROKEN, breakage=breakage)
    made = varied(
        "agent.finished", snapshot=a_snapshot(broken).model_copy(update={"restored": ("conftest.py",)})
    )
    assert made.text.endswith("+3 -1; restored conftest.py; scripted broke: crash: it died")
    assert made.style == "red"
    assert varied("agent.finished", snapshot=a_snapshot(None)).style == ""
    assert varied("phase.completed", breakage=breakage).text == "plan: skipped, it died\nsomewhere"


def test_files_that_the_maker_hid_are_named():
    hidden = a_snapshot(None).model_copy(update={"unhidden": ("shop/sum.py",)})
    told = varied("agent.finished", snapshot=hidden).text
    assert told.endswith("; kept although ignore rules hide them: shop/sum.py")


def test_small_variations():
    call = ToolCall(id="2", name="read")
    assert varied("tool.executed", call=call).text == "  read:  [?]"
    assert varied("agent.started", attempt=2).text.endswith("(fresh, try 2)")
    assert varied("phase.entered", iteration=0).text == "implement"
    assert varied("phase.completed", text="").text == "plan: no text"
    approved = EXAMPLES["review.completed"].verdict.model_copy(
        update={"findings": (), "judgement": "approve"}
    )
    assert varied("review.completed", verdict=approved)[:3] == ("review by rules: approve", "green", False)


def test_a_tree_without_tests_shows_what_passed():
    measured = evaluation(Stage.EVALUATE, "c", "t", Scene())
    assert line(e.IterationEvaluated(iteration=1, evaluation=measured))[:3] == (
        "evaluate: parse, integrity, ruff, mypy, bandit pass",
        "green",
        False,
    )
    bare = measured.model_copy(update={"evidence": ()})
    assert line(e.IterationEvaluated(iteration=1, evaluation=bare)).text == "evaluate: nothing measured"


def test_findings_coverage_and_broken_tools_are_told():
    scene = Scene(
        findings=EXAMPLES["review.completed"].verdict.findings, coverage=0.5, broken=("bandit",), score=0.4
    )
    measured = evaluation(Stage.TEST, "c", "t", scene)
    assert line(e.IterationEvaluated(iteration=1, evaluation=measured)).text == (
        "test: tests 10 passed; 1 finding (1 blocking); coverage 50%; "
        "bandit broke: scripted to break; integrity, ruff, mypy, coverage pass; parse fail; quality 0.40 "
        "(tests 1.00, coverage 0.50, security 1.00, code quality 1.00, types 1.00, integrity 1.00)"
    )


@pytest.mark.parametrize("action", Action)
def test_every_decision_has_a_style(action):
    decision = EXAMPLES["halting.decided"].decision.model_copy(update={"action": action})
    shown = varied("halting.decided", decision=decision)
    assert shown.text.endswith(": 1 problem is open")
    assert shown.style
    assert "rules-v1" in shown.more
    assert "rules-v1" not in shown.text


def test_a_decision_says_its_score_and_what_is_open():
    figures = {"score": 0.784, "failing_tests": 1, "open_problems": 3}
    made = EXAMPLES["halting.decided"].decision.model_copy(update={"figures": figures})
    shown = varied("halting.decided", decision=made).text
    assert shown.startswith("#1 score 0.78 · 1 test fails · 2 other problems · going on is worth 0.53")


def test_a_decision_before_the_first_round_leaves_the_reason_to_the_ending():
    reason = "no agent was started, because nothing here could prove the work"
    made = EXAMPLES["halting.decided"].decision.model_copy(update={"reason": reason})
    shown = varied("halting.decided", decision=made, iteration=0)
    assert shown.text == "CONTINUE: no agent was started"


def test_the_cost_is_shown_as_it_was_recorded():
    outcome = OUTCOME.model_copy(update={"cost_shown": "$0.04 (told by the agent)", "score": None})
    assert "$0.04 (told by the agent)" in varied("run.finished", outcome=outcome).text


def test_a_call_without_figures_says_so():
    call = EXAMPLES["model.called"].call.model_copy(
        update={"input_tokens": None, "cost_usd": None, "model": "", "status": 502, "fault": "refused"}
    )
    assert varied("model.called", call=call).text == (
        "  model /v1/messages [502 1.5 s]: tokens unknown, cost not told; refused"
    )


def test_money_has_cents():
    spent = EXAMPLES["agent.spent"].usage.model_copy(update={"cost_usd": Decimal("0.5")})
    assert varied("agent.spent", usage=spent).text == "  spent $0.5000, 1500 tokens (told by the agent)"
