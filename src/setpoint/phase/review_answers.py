"""Parse a reviewer's answer; an unreadable answer is a broken reviewer, not an opinion."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

from setpoint.inner.lenient_json import fragments, pieces, unique
from setpoint.inner.structured_answer import read_object
from setpoint.model.answers.role_answers import Objection, Replacement, ReproductionShape, ReviewShape
from setpoint.model.attempt import Attempt
from setpoint.model.finding import Edit, Finding, Fix
from setpoint.model.ids import Artifact
from setpoint.model.proof import HiddenTest
from setpoint.model.verdict import Judgement, Settled, Verdict

Findings = tuple[Finding, ...]
Keep = Callable[[str], str]
MOST_NAMED = 50
"""Tests that a reviewer can name."""
MOST_TEXT = 20_000
"""Characters of a suggested replacement; a longer one is left out."""


_NAME_ONE = (
    "request_changes needs a finding of severity error or critical that says what must change. If nothing of "
    "that weight is wrong, decide approve and keep the smaller findings: they are recorded"
)


_SEND_ALONE = (
    "an approval counts only as one JSON object by itself, with the names that were asked for, each once: "
    "what is around it may take it back, and an object within a text may be a quotation. Is `approve` your "
    "own decision on this change? If so, send only the object, and say so in it under `{name}`, with this "
    "word: {word}. Otherwise send the object with your decision, without that name"
)
_CONFIRMED = "confirmed"
"""Name under which a reviewer says that an approval is its own."""
_FENCE = re.compile(r"\A```\w*\n(?P<inside>.*)\n```\Z", re.DOTALL)


class Reading:
    """Reads the answers of one reviewer.

    Asked about once are a request for changes that names no error, and an answer that was cut off. What was
    whole of a request for changes counts if no better answer follows; one that names no error even then
    approves with notes. An approval must be the whole answer, or hold the word with which it was asked about:
    nothing that is quoted can hold it.
    """

    def __init__(self, reviewer: str, kind: str, objections: Findings, keep: Keep | None = None) -> None:
        """Begin before the first answer; `keep` stores texts of tests that reproduce objections."""
        self._who, self._keep = (reviewer, kind), keep
        self._objections = objections
        self._named = False
        self._word = ""
        self.unreadable = 0
        """Answers that could not be read."""
        self.last: Attempt | None = None
        """The attempt whose answer was read last."""
        self.held: Verdict | None = None
        """What was whole of a request that was cut off; it counts if no better answer follows."""

    def __call__(self, attempt: Attempt) -> Verdict:
        """Read an answer; raises `ValueError` if it does not fit, or if a finding has to be named first."""
        self.last = attempt
        try:
            verdict = read_verdict(*self._who, attempt, self._objections, self._keep)
        except ValueError:
            self.unreadable += 1
            self._hold_part(attempt)
            raise
        if verdict.judgement is Judgement.APPROVE and not self._is_own(attempt.text):
            self.unreadable += 1
            self._word = self._word or secrets.token_hex(4)
            raise ValueError(_SEND_ALONE.format(name=_CONFIRMED, word=self._word))
        if verdict.judgement is not Judgement.REQUEST_CHANGES or verdict.blocking:
            return verdict
        if not (self._named or verdict.reproductions):
            self._named = True
            raise ValueError(_NAME_ONE)
        # Who stays with it means notes: what must not be delivered has a name.
        who = (self._who[0].rpartition(":")[2],)
        return verdict.model_copy(update={"judgement": Judgement.APPROVE, "approved_by": who})

    def _is_own(self, text: str) -> bool:
        """Whether an approval is the reviewer's own: it is the whole answer, or holds the word alone."""
        if (whole := _whole(text)) is not None:
            return whole.get(_CONFIRMED, True) in (True, self._word)
        objects = [each.value for each in pieces(text) if isinstance(each.value, dict) and each.value]
        if not self._word or len(objects) != 1:
            return False
        return objects[0].get(_CONFIRMED) == self._word and _is_known(objects[0])

    def _hold_part(self, attempt: Attempt) -> None:
        """Keep what is whole of a request for changes that was cut off; a part of an approval counts not."""
        for part in fragments(attempt.text):
            whole = attempt.model_copy(update={"text": json.dumps(part)})
            with suppress(ValueError):
                verdict = read_verdict(*self._who, whole, self._objections, self._keep)
                if verdict.judgement is not Judgement.APPROVE and verdict.blocking:
                    self.held = verdict
                return


def _whole(text: str) -> dict[str, Any] | None:
    """Return an answer that is one object with known names, and nothing else but a code fence around it."""
    fenced = _FENCE.match(text.strip())
    try:
        answer = json.loads(fenced["inside"] if fenced else text, strict=False, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) and _is_known(answer) else None


def _is_known(answer: Mapping[str, Any]) -> bool:
    return answer.keys() <= {*ReviewShape.model_fields, _CONFIRMED}


def read_verdict(
    reviewer: str, kind: str, attempt: Attempt, objections: Findings = (), keep: Keep | None = None
) -> Verdict:
    """Read a verdict from an answer; raises `ValueError` if it does not fit `ReviewShape`.

    A finding that names one of the open `objections` by its fingerprint is that objection again, however it
    is worded now. Only a reviewer without a model can say that its findings are reproducible.
    """
    answer = read_object(attempt.text, ReviewShape)
    known = {finding.fingerprint: finding for finding in objections}
    by_rule = attempt.usage.scope == "none"
    findings = tuple(_finding(kind, each, known, by_rule=by_rule) for each in answer.findings)
    agent = reviewer.rpartition(":")[2]
    shown = {
        found.fingerprint: _hidden(found, each.reproduction, agent, keep)
        for found, each in zip(findings, answer.findings, strict=True)
        if each.reproduction is not None and keep is not None
    }
    judgement = Judgement(answer.decision)
    if judgement is Judgement.APPROVE and any(finding.blocking for finding in findings):
        judgement = Judgement.REQUEST_CHANGES
    settled = (
        Settled(fingerprint=each.id, withdrawn=each.withdrawn, reason=each.reason[:1000])
        for each in answer.settled
    )
    named = () if by_rule else tuple(each[:500] for each in answer.expressing_tests[:MOST_NAMED])
    every = answer.tests_express_request and not by_rule
    who = () if by_rule or judgement is not Judgement.APPROVE else (agent,)
    return Verdict(
        reviewer=reviewer,
        judgement=judgement,
        findings=findings,
        feedback=answer.feedback[:2000],
        settled=tuple(each for each in settled if each.fingerprint in known),
        expressing=named,
        all_express=every,
        approved_by=who,
        expressed_by=who if named or every else (),
        reproductions=shown,
    )


def _hidden(found: Finding, shape: ReproductionShape, agent: str, keep: Keep) -> HiddenTest:
    """Return a reproduction as a hidden test: the maker reads only what its objection says."""
    command = shape.command.strip()
    return HiddenTest(
        path=command or shape.path.strip(),
        source=Artifact("" if command else keep(shape.text)),
        command=command,
        behaviour=" ".join(found.message.split())[:500],
        author=agent,
    )


def _finding(kind: str, answer: Objection, known: Mapping[str, Finding], *, by_rule: bool) -> Finding:
    if answer.id in known:
        return known[answer.id]
    if answer.severity is None or answer.category is None or not answer.message:
        raise ValueError(f"no open objection has the id {answer.id!r}, nor does it describe the problem")
    edits = _edits(answer.suggested_edits)
    suggestion = answer.suggested_fix or ("the reviewer's edits" if edits else "")
    return Finding(
        source=f"review:{kind}",
        rule=answer.rule,
        severity=answer.severity,
        category=answer.category,
        message=answer.message[:1000],
        file=answer.file,
        line=answer.line,
        confidence=answer.confidence,
        reproducible=by_rule and answer.reproducible,
        fix=Fix(description=suggestion, edits=edits, safe=False) if suggestion else None,
    )


def _edits(wanted: Sequence[Replacement]) -> tuple[Edit, ...]:
    """Read replacements of whole lines; one invalid replacement invalidates all of them."""
    edits = []
    for each in wanted:
        if not 1 <= each.start_line <= each.end_line or len(each.replacement) > MOST_TEXT:
            return ()
        text = each.replacement
        whole = text if text.endswith("\n") or not text else f"{text}\n"
        last = each.end_line + 1
        edits.append(
            Edit(start_line=each.start_line, start_column=1, end_line=last, end_column=1, text=whole)
        )
    spans = sorted((edit.start_line, edit.end_line) for edit in edits)
    overlap = any(end > start for (_, end), (start, _) in pairwise(spans))
    return () if overlap else tuple(edits)
