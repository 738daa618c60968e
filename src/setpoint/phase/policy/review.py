"""Weigh the objections of a review by what earlier reviews said, so that reviews end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from setpoint.model.config.limits import Limits
from setpoint.model.finding import Finding, Severity
from setpoint.model.proof import Reproduced
from setpoint.model.run import Round
from setpoint.model.suppression import Suppression, suppressed
from setpoint.model.value import Text, Value
from setpoint.model.verdict import Judgement, Verdict

_DECLINE = re.compile(r"^[\s>*-]*`?DECLINE\s+`?([0-9a-f]{16})`?\s*:\s*(\S.*)$", re.MULTILINE)
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
    """Objections that a reviewer withdrew, or that a person found wrong."""
    overruled: dict[str, str] = {}
    """The latter alone, each with who says so and why."""
    dismissed: tuple[Text, ...] = ()
    """Each of these with who says so and why."""
    held: tuple[Suppression, ...] = ()
    """What people dismissed in earlier runs."""


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


def docket(
    rounds: tuple[Round, ...],
    dismissed: Mapping[str, str] | None = None,
    held: tuple[Suppression, ...] = (),
) -> Docket:
    """Summarise the reviews of earlier rounds; `dismissed` says who found objections wrong, and why.

    What reviewers found that is `held` is named with its id, so that one who means the same says so by it.
    """
    wrong = dismissed or {}
    reviewed = [
        past.verdict
        for past in rounds
        if past.verdict is not None
        and past.verdict.judgement is not Judgement.FAILED
        and not past.verdict.missing
    ]
    known = {finding.fingerprint: finding for verdict in reviewed for finding in verdict.blocking}
    withdrawn = {each.fingerprint for verdict in reviewed for each in verdict.settled if each.withdrawn}
    last = reviewed[-1].blocking if reviewed else ()
    return Docket(
        reviews=len(reviewed),
        open=tuple(each for each in last if each.fingerprint not in wrong),
        known=frozenset(known),
        withdrawn=frozenset({*withdrawn, *wrong}),
        overruled=dict(wrong),
        dismissed=(
            *(f"{known[each].message} ({why})" for each, why in wrong.items() if each in known),
            *(f"id {each.id}: {each.finding.message} ({each.told})" for each in held if each.of_review),
        ),
        held=held,
    )


def is_frozen(before: Docket, limits: Limits) -> bool:
    """Whether so many reviews were made that a reviewer is reminded that only errors count."""
    return limits.freeze_reviews_after is not None and before.reviews >= limits.freeze_reviews_after


def weighed(verdict: Verdict, before: Docket) -> Verdict:
    """Return the verdict that counts; objections that were withdrawn or dismissed do not block.

    The maker reads an objection once. A person decides on one that is reported again and that nothing
    reproduces.
    """
    withdrawn = before.withdrawn | {each.fingerprint for each in verdict.settled if each.withdrawn}
    findings = tuple(
        _recorded(finding) if finding.blocking and finding.fingerprint in withdrawn else finding
        for finding in suppressed(_overruled(verdict.findings, before), before.held)
    )
    overruled = before.overruled.keys() | {each.fingerprint for each in findings if each.suppressed}
    judgement = verdict.judgement
    blocking = [finding.fingerprint for finding in findings if finding.blocking]
    asked = judgement is Judgement.REQUIRE_HUMAN and verdict.for_a_person
    answered = bool(asked) and overruled.issuperset(asked or ())
    if answered or (judgement is Judgement.REQUEST_CHANGES and not blocking):
        judgement = Judgement.APPROVE
    told = before.known - verdict.reproductions.keys()
    standing = tuple(each for each in blocking if each in told and judgement is not Judgement.FAILED)
    return verdict.model_copy(update={"findings": findings, "judgement": judgement, "standing": standing})


def _overruled(findings: tuple[Finding, ...], before: Docket) -> Iterator[Finding]:
    """Yield findings, those that a person's answer dismissed in this run with who did it, and why."""
    for each in findings:
        why = before.overruled.get(each.fingerprint)
        yield each.model_copy(update={"suppressed": f"suppressed by {why}"}) if why else each


def standing_in(past: Round) -> str:
    """Name the objections of a round on which a person decides, with what the maker says of them."""
    verdict, declines = past.verdict, declined_in(past)
    named = [each for each in verdict.findings if each.fingerprint in verdict.standing] if verdict else []
    return "; ".join(
        f"{each.message}{f' ({each.file})' if each.file else ''}"
        + (f"; the maker declines it: {declines[each.fingerprint]}" if each.fingerprint in declines else "")
        for each in named
    )


def reproduced(verdict: Verdict, came: Mapping[str, Reproduced]) -> Verdict:
    """Weigh findings by what came of their reproductions, by fingerprint.

    One that binds blocks whatever its severity. One that shows nothing is a warning. One that says nothing of
    the change leaves the finding as if it had none.
    """
    findings = tuple(_weighed(each, came.get(each.fingerprint)) for each in verdict.findings)
    binding = {each: found.test for each, found in came.items() if found.binds}
    blocks = any(each.blocking for each in findings)
    update = {"findings": findings, "reproductions": binding}
    if blocks and verdict.judgement is Judgement.APPROVE:
        update |= {"judgement": Judgement.REQUEST_CHANGES, "approved_by": (), "expressed_by": ()}
    return verdict.model_copy(update=update)


def _weighed(finding: Finding, came: Reproduced | None) -> Finding:
    if came is None:
        return finding
    if came.binds:
        severity = finding.severity if finding.blocking else Severity.ERROR
        held = _recorded(finding, f"reproduced by Setpoint: {came.told}", severity)
        return held.model_copy(update={"reproducible": True})
    if came.passes and finding.blocking:
        return _recorded(finding, f"did not reproduce: {came.told}", Severity.WARNING)
    return _recorded(finding, f"its reproduction does not count: {came.told}", finding.severity)


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
    finding: Finding, how: str = "withdrawn or dismissed", severity: Severity = Severity.INFO
) -> Finding:
    detail = f"{finding.detail}\n{how}".strip()
    return finding.model_copy(update={"severity": severity, "detail": detail})
