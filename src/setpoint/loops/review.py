"""Asking reviewers; an answer that cannot be read is a broken reviewer, not an opinion."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal

from setpoint.domain.attempt import Attempt, Brief, Usage
from setpoint.domain.events import ReviewCompleted
from setpoint.domain.finding import Category, Finding, Fix, Severity
from setpoint.domain.verdict import Judgement, Verdict
from setpoint.loops.inner import InnerLoop
from setpoint.loops.running import Running

_FENCED = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)


async def review(run: Running, key: str, brief: Brief, iteration: int) -> Verdict:
    """Ask the reviewer for its verdict; a broken reviewer is asked again, then the verdict is `failed`.

    What a reviewer edits goes nowhere: trees are judged as committed, and each attempt begins from a commit.
    """

    async def act() -> ReviewCompleted:
        agent = run.world.agents[brief.role]
        tries, usages = 0, list[Usage]()
        while True:
            tries += 1
            attempt = await agent.attempt(brief, InnerLoop(run.journal, "review", iteration, key, tries))
            usages.append(attempt.usage)
            verdict = read_verdict(agent.name, attempt)
            if verdict.judgement is not Judgement.FAILED or tries >= run.order.limits.max_agent_breakages:
                return ReviewCompleted(iteration=iteration, verdict=verdict, usage=_added(usages))

    return (await run.journal.step(key, act, ReviewCompleted)).verdict


def _added(usages: list[Usage]) -> Usage:
    """Add up the cost of all tries; unknown where one of them did not tell."""
    costs = [usage.cost_usd for usage in usages if usage.scope != "none"]
    if not costs:
        return usages[-1]
    known = [cost for cost in costs if cost is not None]
    return usages[-1].model_copy(
        update={"cost_usd": sum(known, Decimal(0)) if len(known) == len(costs) else None}
    )


def read_verdict(reviewer: str, attempt: Attempt) -> Verdict:
    """Read a verdict from a reviewer's answer, a JSON object as asked for in `prompts/review.md.j2`."""
    if attempt.breakage is not None:
        return Verdict(reviewer=reviewer, judgement=Judgement.FAILED, feedback=attempt.breakage.message)
    fenced = _FENCED.search(attempt.text)
    text = fenced.group(1) if fenced else attempt.text[attempt.text.find("{") : attempt.text.rfind("}") + 1]
    try:
        answer = json.loads(text)
        findings = tuple(_finding(reviewer, each) for each in answer.get("findings", ()))
        judgement = Judgement(answer["decision"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        feedback = f"the answer is not the JSON object that was asked for: {type(error).__name__}: {error}"
        return Verdict(reviewer=reviewer, judgement=Judgement.FAILED, feedback=feedback)
    if judgement is Judgement.APPROVE and any(finding.blocking for finding in findings):
        judgement = Judgement.REQUEST_CHANGES
    return Verdict(
        reviewer=reviewer,
        judgement=judgement,
        findings=findings,
        feedback=str(answer.get("feedback", ""))[:2000],
    )


def _finding(reviewer: str, answer: Mapping[str, object]) -> Finding:
    suggestion = str(answer.get("suggested_fix") or "")
    return Finding(
        source=f"review:{reviewer}",
        rule=str(answer.get("rule") or ""),
        severity=Severity(str(answer["severity"])),
        category=Category(str(answer["category"])),
        message=str(answer["message"])[:1000],
        file=str(answer.get("file") or ""),
        line=int(str(answer.get("line") or 0)),
        confidence=float(str(answer.get("confidence") or 1.0)),
        reproducible=bool(answer.get("reproducible", False)),
        fix=Fix(description=suggestion, edits=(), safe=False) if suggestion else None,
    )
