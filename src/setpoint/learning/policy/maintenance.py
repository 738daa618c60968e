"""What happens to learnings by rule: cleaning what comes in, noticing that a file they rest on changed."""

from __future__ import annotations

from datetime import datetime

from setpoint.learning.policy.merging import Placing, supersedes
from setpoint.model.changes.redaction import alarms, orders, redacted
from setpoint.model.ids import LearningId, sortable
from setpoint.model.learning import (
    ON_APPROVAL,
    WEIGHTS,
    EvidenceKind,
    Hint,
    Learning,
    LearningEvidence,
    Proposal,
    Trust,
)

MOST_CONTEXT = 400
"""Letters of a situation that are kept where a learning is taught once more."""
OBSERVED = "verified"
"""The tag of a learning by rule from a run that was verified."""
_READ = ("title", "body", "context")
_TEXTS = (*_READ, "subject", "by", "source")


def cleaned(proposal: Proposal) -> Proposal:
    """Take secrets out of every text of a proposal, and note what is suspicious in it.

    What Setpoint writes by rule quotes findings, failures and changes, which others wrote. A person's own
    words are taken as they are; who makes a proposal of them names the alarms of what they quote.
    """
    texts = {name: redacted(getattr(proposal, name)) for name in _TEXTS}
    hint = _without_secrets(proposal.hint)
    read = "\n".join((*(texts[name] for name in _READ), hint.command))
    found = proposal.alarms
    if proposal.trust is Trust.EXTERNAL:
        found = (*found, *alarms(read))
    elif proposal.trust is not Trust.HUMAN:
        found = (*found, *orders(read))
    return proposal.model_copy(
        update={
            **texts,
            "title": texts["title"][:200],
            "tags": tuple(redacted(each) for each in proposal.tags),
            "cites": {redacted(path): blob for path, blob in proposal.cites.items()},
            "hint": hint,
            "alarms": tuple(dict.fromkeys(found)),
        }
    )


def _without_secrets(hint: Hint) -> Hint:
    many = {
        name: tuple(map(redacted, getattr(hint, name))) for name in ("avoid", "files", "symbols", "rules")
    }
    return Hint(template=redacted(hint.template), command=redacted(hint.command), **many)


def first_evidence(learning: Learning) -> tuple[LearningEvidence, ...]:
    """Return the initial evidence for a learning: Setpoint itself verified the run it comes from."""
    if learning.trust is not Trust.SYSTEM or OBSERVED not in learning.tags:
        return ()
    kind = EvidenceKind.OBSERVED
    source = f"{kind}:{learning.source}"
    return (
        LearningEvidence(
            learning=learning.id, source=source, kind=kind, weight=WEIGHTS[kind], at=learning.made_at
        ),
    )


def of_proposal(
    id_: LearningId, kind: EvidenceKind, proposal: Proposal, at: datetime, note: str = ""
) -> LearningEvidence:
    """Say of a learning what a proposal says about it; once for each source of proposals."""
    source = f"{kind}:{note or proposal.source}"
    weight = 0.0 if proposal.trust is Trust.EXTERNAL else WEIGHTS[kind]  # a third party's word moves nothing
    return LearningEvidence(
        learning=id_, source=source, kind=kind, weight=weight, at=at, by=proposal.by, note=note
    )


def repeated_evidence(known: Learning, proposal: Proposal, at: datetime) -> tuple[LearningEvidence, ...]:
    """Say that a learning was taught once more, and in which situation; nothing where the source is the same.

    A third party adds none. A person who says in the same words what nobody trusted has said approves of it.
    """
    if known.source == proposal.source:
        return ()
    again = of_proposal(known.id, EvidenceKind.REPEATED, proposal, at)
    trusted = proposal.trust is not Trust.EXTERNAL
    repeated = again.model_copy(update={"note": proposal.context[:MOST_CONTEXT] if trusted else ""})
    if proposal.trust is Trust.HUMAN and known.trust is Trust.EXTERNAL and ON_APPROVAL not in proposal.tags:
        return repeated, of_proposal(known.id, EvidenceKind.APPROVED, proposal, at)
    return (repeated,)


def against_others(
    learning: Learning, place: Placing, proposal: Proposal, at: datetime
) -> tuple[LearningEvidence, ...]:
    """Record which learnings a new one contradicts or replaces."""
    told = [(older, EvidenceKind.CONTRADICTED) for older in place.contradicts]
    told += [(older, EvidenceKind.SUPERSEDED) for older in place.contradicts if supersedes(learning, older)]
    told += [(older, EvidenceKind.SUPERSEDED) for older in place.overtakes]
    return tuple(of_proposal(older.learning.id, kind, proposal, at, note=learning.id) for older, kind in told)


def kept(proposal: Proposal, at: datetime) -> Learning:
    """Make a proposal a learning."""
    given = {name: getattr(proposal, name) for name in Proposal.model_fields}
    return Learning(id=LearningId(sortable("lrn", at)), made_at=at, **given)
