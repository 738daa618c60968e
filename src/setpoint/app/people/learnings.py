"""What was learnt: looking at it, saying what one thinks of it, sharing it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from setpoint.app.people.gates import current_person
from setpoint.errors import UsageError
from setpoint.learning.policy.merging import pairs_alike
from setpoint.model.ids import LearningId
from setpoint.model.learning import (
    EVERYWHERE,
    VERDICTS,
    WEIGHTS,
    EvidenceKind,
    LearningEvidence,
    LearningState,
    LearningStatus,
    Proposal,
    Trust,
)
from setpoint.wiring.memory import memory_of
from setpoint.wiring.project import Project

PACK = "setpoint-learnings/1"
"""First line of a pack, so that a reader knows what it is."""
_OUT = (LearningStatus.RETIRED, LearningStatus.SUPERSEDED)
_SHARED = (LearningStatus.ACTIVE, LearningStatus.CANDIDATE)


class ImportCount(NamedTuple):
    """What became of a pack."""

    new: int
    known: int
    """Said the same as something that was known."""


def list_learnings(project: Project) -> tuple[LearningState, ...]:
    """Return every learning with its status, highest confidence first."""
    found = memory_of(project).standings()
    return tuple(sorted(found, key=lambda each: (-each.confidence.mean, each.learning.id)))


def find_learning(project: Project, which: str) -> LearningState:
    """Return the learning whose id begins so, with or without `lrn-`; none or several is a `UsageError`."""
    begins = which if which.startswith("lrn-") else f"lrn-{which}"
    memory = memory_of(project)
    found = memory.named(begins)
    if len(found) != 1 or not which:
        message = f"{len(found)} learnings have an id that begins with '{which}'"
        raise UsageError(message, hint="`setpoint learn list` gives the ids")
    (standing,) = memory.standings(found)
    return standing


def memory_mark(project: Project) -> str:
    """Name the state of a project's memory, so that a change is seen without reading it."""
    return memory_of(project).mark()


def similar_learnings(project: Project, found: LearningState, most: int = 5) -> tuple[LearningState, ...]:
    """Return the learnings in use that share most words with one, the likest first."""
    known = found.learning
    hits = memory_of(project).search(f"{known.title} {known.body}", most * 2)
    others = [each.standing for each in hits if each.standing.learning.id != known.id]
    return tuple(others[:most])


def judge_learning(project: Project, which: str, kind: EvidenceKind, reason: str = "") -> LearningState:
    """Record a verdict (approved, rejected or retired); return the learning with its new status."""
    found = find_learning(project, which)
    last = [each.kind for each in found.evidence if each.kind in VERDICTS]
    if last and last[-1] is kind:
        return found  # said already
    _said(project, found, kind, reason)
    return find_learning(project, found.learning.id)


def learnings_from(project: Project, source: str) -> tuple[LearningState, ...]:
    """Return the learnings of a source that nobody retired."""
    found = memory_of(project).of_source(source)
    return tuple(each for each in found if each.status is not LearningStatus.RETIRED)


def retire_learnings_from(project: Project, source: str, reason: str) -> tuple[LearningState, ...]:
    """Retire everything that comes from a source, for example `run:run-0m...` or `pack:team.jsonl`."""
    found = learnings_from(project, source)
    if not found:
        message = f"nothing in use comes from '{source}'"
        raise UsageError(message, hint="`setpoint learn show ID` names the source of a learning")
    for each in found:
        _said(project, each, EvidenceKind.RETIRED, reason)
    return found


def merge_learnings(project: Project, which: str, into: str) -> LearningState:
    """Replace a learning by another, which takes over its evidence.

    A person's verdict on the one is none on the other. `UsageError` where the other is not in use itself.
    """
    old, new = find_learning(project, which), find_learning(project, into)
    if old.learning.id == new.learning.id:
        raise UsageError("a learning cannot be merged into itself", hint="name another one after --into")
    if new.status in _OUT:
        message = f"{new.learning.id} is {new.status}: what is merged into it would be lost with it"
        hint = (
            f"name one in use after --into, or approve it first: `setpoint learn approve {new.learning.id}`"
        )
        raise UsageError(message, hint=hint)
    carried = [
        each.model_copy(update={"learning": new.learning.id, "source": f"{each.source}@{old.learning.id}"})
        for each in old.evidence
        if each.weight and each.kind not in VERDICTS
    ]
    now = datetime.now(UTC)
    memory_of(project).weigh(
        [
            *carried,
            LearningEvidence(
                learning=old.learning.id,
                source=f"superseded:{new.learning.id}",
                kind=EvidenceKind.SUPERSEDED,
                weight=0.0,
                at=now,
                by=current_person(project),
                note=new.learning.id,
            ),
        ]
    )
    return find_learning(project, new.learning.id)


def similar_pairs(project: Project) -> tuple[tuple[LearningId, LearningId, float], ...]:
    """Name learnings that may be one, for a person to merge."""
    found = pairs_alike(memory_of(project).standings())
    return tuple((one.id, other.id, likeness) for one, other, likeness in found)


def export_learnings(project: Project, *, candidates: bool = False) -> str:
    """Write a pack of what is believed here, one learning a line: texts and belief, no evidence."""
    lines = [PACK]
    for each in list_learnings(project):
        if each.status not in _SHARED or (each.status is LearningStatus.CANDIDATE and not candidates):
            continue
        kept = {name: getattr(each.learning, name) for name in Proposal.model_fields}
        proposal = Proposal.model_validate(kept).model_copy(
            update={
                "scope": EVERYWHERE,
                "believed": round(each.confidence.mean, 4),
                "cites": {},
                "events": (),
            }
        )
        lines.append(proposal.model_dump_json())
    return "\n".join(lines) + "\n"


def import_learnings(project: Project, path: Path, *, trusted: bool) -> ImportCount:
    """Take a pack in: as candidates until a person approves each, or as the team's word where it is trusted.

    Raises `UsageError` if the file is not a pack; then nothing is imported.
    """
    try:
        head, *lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise UsageError(
            f"{path}: cannot be read as a pack: {error}", hint="name a file that `learn export` wrote"
        ) from None
    if head.strip() != PACK:
        raise UsageError(f"{path}: no pack of learnings", hint=f"its first line is '{PACK}'")
    trust = Trust.TEAM if trusted else Trust.EXTERNAL
    proposals = [_read(path, number, line, trust) for number, line in enumerate(lines, 2) if line.strip()]
    memory = memory_of(project)
    before = {each.learning.id for each in memory.standings()}
    names = set(memory.learn(proposals))
    return ImportCount(new=len(names - before), known=len(proposals) - len(names - before))


def reindex_learnings(project: Project) -> None:
    """Rebuild the search index."""
    memory_of(project).rebuild()


def _read(path: Path, number: int, line: str, trust: Trust) -> Proposal:
    try:
        given = Proposal.model_validate_json(line)
    except (ValidationError, json.JSONDecodeError) as error:
        raise UsageError(f"{path}, line {number}: {error}", hint="export the pack again") from None
    taken = {"trust": trust, "source": f"pack:{path.name}", "tags": tuple(given.tags)}
    if trust is Trust.EXTERNAL:
        taken["subject"] = ""  # otherwise a third party could contradict our learnings
    return given.model_copy(update=taken)


def _said(project: Project, found: LearningState, kind: EvidenceKind, reason: str) -> None:
    who = current_person(project)
    turn = sum(1 for each in found.evidence if each.kind is kind)
    entry = LearningEvidence(
        learning=found.learning.id,
        source=f"{kind}:{who}:{turn + 1}",
        kind=kind,
        weight=WEIGHTS[kind],
        at=datetime.now(UTC),
        by=who,
        note=reason,
    )
    memory_of(project).weigh([entry])
