"""Reading a reviewer's answer; what cannot be read is a broken reviewer, not an opinion."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from setpoint.domain.attempt import Attempt
from setpoint.domain.finding import Category, Edit, Finding, Fix, Severity
from setpoint.domain.verdict import Judgement, Settled, Verdict

MOST_TEXT = 20_000
"""Characters of a suggested replacement; a longer one is left out."""
_FENCED = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)


def read_verdict(reviewer: str, kind: str, attempt: Attempt, objections: tuple[Finding, ...] = ()) -> Verdict:
    """Read a verdict from an answer, a JSON object as asked for in `prompts/review.md.j2`.

    A finding that names one of the open `objections` by its fingerprint is that objection again, however it
    is worded now. Only a reviewer without a model can say that its findings are reproducible.
    """
    if attempt.breakage is not None:
        return Verdict(reviewer=reviewer, judgement=Judgement.FAILED, feedback=attempt.breakage.message)
    fenced = _FENCED.search(attempt.text)
    text = fenced.group(1) if fenced else attempt.text[attempt.text.find("{") : attempt.text.rfind("}") + 1]
    known = {finding.fingerprint: finding for finding in objections}
    by_rule = attempt.usage.scope == "none"
    try:
        answer = json.loads(text)
        findings = tuple(_finding(kind, each, known, by_rule=by_rule) for each in answer.get("findings", ()))
        judgement = Judgement(answer["decision"])
        settled = tuple(_settled(each) for each in answer.get("settled", ()))
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
        settled=tuple(each for each in settled if each.fingerprint in known),
    )


def _finding(kind: str, answer: Mapping[str, Any], known: Mapping[str, Finding], *, by_rule: bool) -> Finding:
    if (again := known.get(str(answer.get("id") or ""))) is not None:
        return again
    edits = _edits(answer.get("suggested_edits") or ())
    suggestion = str(answer.get("suggested_fix") or ("the reviewer's edits" if edits else ""))
    return Finding(
        source=f"review:{kind}",
        rule=str(answer.get("rule") or ""),
        severity=Severity(str(answer["severity"])),
        category=Category(str(answer["category"])),
        message=str(answer["message"])[:1000],
        file=str(answer.get("file") or ""),
        line=int(str(answer.get("line") or 0)),
        confidence=float(str(answer.get("confidence") or 1.0)),
        reproducible=by_rule and bool(answer.get("reproducible", False)),
        fix=Fix(description=suggestion, edits=edits, safe=False) if suggestion else None,
    )


def _edits(answers: Any) -> tuple[Edit, ...]:  # noqa: ANN401 - whatever a reviewer wrote
    """Read replacements of whole lines; one that makes no sense takes the others with it."""
    edits = []
    for answer in answers:
        first, last = int(answer["start_line"]), int(answer["end_line"])
        text = str(answer["replacement"])
        if not 1 <= first <= last or len(text) > MOST_TEXT:
            return ()
        whole = text if text.endswith("\n") or not text else f"{text}\n"
        edits.append(Edit(start_line=first, start_column=1, end_line=last + 1, end_column=1, text=whole))
    spans = sorted((edit.start_line, edit.end_line) for edit in edits)
    overlap = any(end > start for (_, end), (start, _) in pairwise(spans))
    return () if overlap else tuple(edits)


def _settled(answer: Mapping[str, Any]) -> Settled:
    return Settled(
        fingerprint=str(answer["id"]),
        withdrawn=answer["withdrawn"] is True,
        reason=str(answer.get("reason") or "")[:1000],
    )
