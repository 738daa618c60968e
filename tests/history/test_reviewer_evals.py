from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from setpoint.history.reviewer_evals import EvalRecord, ReplayedReview, TreeKey, eval_records, why_advice
from setpoint.history.reviewer_truth import ReviewedTree, Truth, reviewed_trees
from setpoint.model.config.reviewer_terms import ReviewerTerms
from setpoint.model.events.people import DeliveryFate, DeliveryJudged, FindingDismissed
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import Commit, TraceId
from setpoint.model.verdict import Judgement, ReviewerVersion
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

RUN = TraceId("run-1")
WRONG = {
    "severity": "error",
    "category": "correctness",
    "message": "the name is wrong",
    "file": "src/work.py",
}
CRITIC = ReviewerVersion(agent="critic", version="1", prompt="p")
START = datetime(2026, 1, 1, tzinfo=UTC)


def _says(decision: str, *findings: object) -> Act:
    return Act(text=json.dumps({"decision": decision, "findings": findings}))


async def _driven(tmp_path: Path) -> RunHarness:
    """Drive a run whose first tree is objected to and whose second one is verified."""
    harness = RunHarness(
        agent=ScriptedAgent(*(Act(edits={"src/work.py": f"value = {each}\n"}) for each in (1, 2))),
        evaluator=ScriptedEvaluator(Scene(), base=Scene(failing=("t::a",))),
        reviewer=ScriptedAgent(_says("request_changes", WRONG), _says("approve"), name="critic"),
        folder=tmp_path,
    )
    await harness.drive()
    return harness


def _trees(harness: RunHarness) -> dict[int, ReviewedTree]:
    return {each.iteration: each for each in reviewed_trees(harness.log.replay(RUN))}


def _judge(harness: RunHarness, fate: DeliveryFate, files: tuple[str, ...] = ()) -> None:
    body = DeliveryJudged(branch="b", fate=fate, commit=Commit("c"), files=files)
    harness.log.append(RUN, f"fate:{fate}", (body,))


async def test_what_happened_afterwards_says_which_trees_were_right(tmp_path: Path) -> None:
    harness = await _driven(tmp_path)
    trees = _trees(harness)
    assert (trees[1].truth, trees[1].files) == (Truth.WRONG, ("src/work.py",))
    assert trees[2].truth is not Truth.WRONG
    _judge(harness, DeliveryFate.MERGED)
    assert _trees(harness)[2].truth is Truth.RIGHT
    _judge(harness, DeliveryFate.REVERTED)
    assert (_trees(harness)[2].truth, _trees(harness)[2].files) == (Truth.WRONG, ())


async def test_a_reviewers_word_alone_makes_no_tree_wrong(tmp_path: Path) -> None:
    harness = await _driven(tmp_path)
    dismissed = _trees(harness)[1]
    (finding,) = [
        each
        for event in harness.log.replay(RUN)
        if event.body.kind == "review.answered"
        for each in event.body.verdict.blocking
    ]
    body = FindingDismissed(finding=finding.fingerprint, category="correctness", by="Ada")
    harness.log.append(RUN, "dismissed", (body,))
    now = _trees(harness)[1]
    assert (dismissed.truth, now.truth) == (Truth.WRONG, Truth.UNKNOWN)
    assert (dismissed.judged(finding), now.judged(finding)) == (Truth.RIGHT, Truth.WRONG)


def _tree(number: int, truth: Truth, files: tuple[str, ...] = ()) -> ReviewedTree:
    return ReviewedTree(
        trace_id=RUN, iteration=number, kind="code", phase="review", seq=1, truth=truth, files=files
    )


def _answer(number: int, judgement: Judgement | None, *files: str, later: int = 0) -> ReplayedReview:
    findings = tuple(
        Finding(
            source="review:code",
            severity=Severity.ERROR,
            category=Category.CORRECTNESS,
            message="m",
            file=file,
        )
        for file in files
    )
    return ReplayedReview(
        at=START + timedelta(seconds=number + later),
        trace_id=RUN,
        iteration=number,
        kind="code",
        made_by=CRITIC,
        judgement=judgement,
        findings=findings,
        cost_usd=Decimal("0.1"),
        duration_s=2.0,
    )


def test_answers_are_counted_against_what_is_known() -> None:
    trees = [
        _tree(1, Truth.WRONG, ("a.py",)),
        _tree(2, Truth.WRONG, ("a.py",)),
        _tree(3, Truth.RIGHT),
        _tree(4, Truth.UNKNOWN),
        _tree(5, Truth.RIGHT),
    ]
    changes, approve = Judgement.REQUEST_CHANGES, Judgement.APPROVE
    answers = [
        _answer(1, approve),
        _answer(1, changes, "a.py", "elsewhere.py", later=60),  # the newest answer about a tree counts
        _answer(2, approve),
        _answer(3, changes, "a.py"),
        _answer(4, changes, "a.py"),
        _answer(5, None),
    ]
    known = {TreeKey(each.trace_id, each.iteration, each.kind): each for each in trees}
    (record,) = eval_records(answers, known)
    assert (record.right, record.wrong, record.undecided) == (1, 1, 2)
    assert (record.missed, record.faulty, record.unanswered) == (1, 2, 1)
    assert (record.agreed, record.decided, record.precision) == (1, 3, 0.5)
    assert (record.answers, record.cost_usd, record.duration_s) == (5, Decimal("0.5"), 10.0)


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (None, "no eval"),
        (EvalRecord(kind="code", made_by=CRITIC, right=4), "4 of its blocking findings"),
        (EvalRecord(kind="code", made_by=CRITIC, right=2, wrong=4), "33% of 6"),
        (EvalRecord(kind="code", made_by=CRITIC, right=4, wrong=2), ""),
    ],
)
def test_a_reviewer_blocks_only_after_an_eval_that_is_good_enough(
    record: EvalRecord | None, why: str
) -> None:
    told = why_advice(ReviewerTerms(block_only_after_eval=True), "code:critic", record)
    assert told.startswith("the rule reviewers.block_only_after_eval") is bool(why)
    assert why in told
