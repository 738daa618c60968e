"""Weigh the objections of a review by what earlier reviews said, so that reviews end."""

from __future__ import annotations

import re
from collections.abc import Collection

from setpoint.model.config.limits import Limits
from setpoint.model.finding import Finding, Severity
from setpoint.model.run import Round
from setpoint.model.value import Value
from setpoint.model.verdict import Judgement, Verdict

_DECLINE = re.compile(r"^[\s>*-]*`?DECLINE\s+`?([0-9a-f]{16})`?\s*:\s*(\S.*)$", re.MULTILINE)
UNNAMED = "request-changes"
"""Rule of the finding that stands for a request for changes that names none."""
MOST_REASON = 500
"""Characters kept of the reason for declining."""


class Docket(Value):
    """Result of the earlier reviews of a run."""

    reviews: int = 0
    """Number of completed reviews."""
    open: tuple[Finding, ...] = ()
    """Blocking objections of the last review."""
    known: frozenset[str] = frozenset()
    """Fingerprints of all objections that ever blocked."""
    withdrawn: frozenset[str] = frozenset()
    """Objections that a reviewer withdrew."""
    upheld: frozenset[str] = frozenset()
    """Objections that the maker declined once and a reviewer upheld."""


NOTHING_REVIEWED = Docket()


def declined(text: str) -> dict[str, str]:
    """Return the objections that a maker declines in its answer: the reason by fingerprint.

    Only lines of the form `DECLINE <fingerprint>: <reason>` count.
    """
    return {found[1]: found[2].strip(" `")[:MOST_REASON] for found in _DECLINE.finditer(text)}


def declined_in(past: Round) -> dict[str, str]:
    """Return the objections that the maker declined in a round."""
    attempt = past.snapshot.attempt
    return declined(attempt.text) if attempt else {}


def docket(rounds: tuple[Round, ...]) -> Docket:
    """Summarise the reviews of earlier rounds."""
    reviewed = [
        (past, past.verdict)
        for past in rounds
        if past.verdict is not None
        and past.verdict.judgement is not Judgement.FAILED
        and not past.verdict.missing
    ]
    known, withdrawn, upheld = set[str](), set[str](), set[str]()
    for past, verdict in reviewed:
        blocking = {finding.fingerprint for finding in verdict.blocking}
        withdrawn |= {each.fingerprint for each in verdict.settled if each.withdrawn}
        upheld |= blocking & known & set(declined_in(past))
        known |= blocking
    return Docket(
        reviews=len(reviewed),
        open=reviewed[-1][1].blocking if reviewed else (),
        known=frozenset(known),
        withdrawn=frozenset(withdrawn),
        upheld=frozenset(upheld - withdrawn),
    )


def is_frozen(before: Docket, limits: Limits) -> bool:
    """Whether a request for changes has to name an objection of severity error or above to send work back."""
    return limits.freeze_reviews_after is not None and before.reviews >= limits.freeze_reviews_after


def weighed(verdict: Verdict, before: Docket, limits: Limits, declined_now: Collection[str]) -> Verdict:
    """Return the verdict that counts; objections that the reviewer withdrew are recorded and do not block.

    An objection that was upheld and is declined again escalates to a person. So does a late request for
    changes that names no objection of weight: the reviewer was asked for one, and could have approved.
    """
    withdrawn = before.withdrawn | {each.fingerprint for each in verdict.settled if each.withdrawn}
    findings = tuple(
        _recorded(finding) if finding.blocking and finding.fingerprint in withdrawn else finding
        for finding in verdict.findings
    )
    judgement, feedback = verdict.judgement, verdict.feedback
    blocking = [finding for finding in findings if finding.blocking]
    if judgement is Judgement.REQUEST_CHANGES and verdict.blocking and not blocking:
        judgement = Judgement.APPROVE
    unnamed = bool(blocking) and all(finding.rule == UNNAMED for finding in blocking)
    if judgement is Judgement.REQUEST_CHANGES and unnamed and is_frozen(before, limits):
        judgement = Judgement.REQUIRE_HUMAN
        feedback = f"it requests changes in review {before.reviews + 1} and names no error. {feedback}"
    contested = {finding.fingerprint for finding in blocking} & before.upheld & set(declined_now)
    if contested and judgement is not Judgement.FAILED:
        judgement = Judgement.REQUIRE_HUMAN
        named = ", ".join(sorted(contested))
        feedback = f"declined twice by the maker and upheld by the reviewer: {named}. {feedback}"
    return verdict.model_copy(
        update={"findings": findings, "judgement": judgement, "feedback": feedback.strip()}
    )


def as_advice(verdict: Verdict, why: str) -> Verdict:
    """Let a request for changes be advice by a rule, which `why` names; anything else stays as it is.

    Its findings are recorded and do not block, and it supports no test of the change.
    """
    if not why or verdict.judgement is not Judgement.REQUEST_CHANGES:
        return verdict
    findings = tuple(
        _recorded(finding, "advice", Severity.WARNING) if finding.blocking else finding
        for finding in verdict.findings
    )
    told = f"{verdict.reviewer} requested changes, which counts as advice by {why}"
    silent = {"expressing": (), "all_express": False}
    update = {"judgement": Judgement.APPROVE, "findings": findings, "advice": told, **silent}
    return verdict.model_copy(update=update)


def _recorded(
    finding: Finding, how: str = "withdrawn by the reviewer", severity: Severity = Severity.INFO
) -> Finding:
    detail = f"{finding.detail}\n{how}".strip()
    return finding.model_copy(update={"severity": severity, "detail": detail})
