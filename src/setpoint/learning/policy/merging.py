"""What becomes of a learning that is proposed: new, the same again, or against an older one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from setpoint.learning.policy.tokenizer import likeness, terms
from setpoint.model.learning import Learning, LearningState, LearningStatus, Proposal, Trust

SIMILAR = 0.8
"""Share of common terms from which two learnings of one kind say the same."""
ALIKE = 0.6
"""Share of common terms from which a person is asked whether two learnings are one."""
_OUT = (LearningStatus.SUPERSEDED, LearningStatus.RETIRED)
_RANK = list(Trust)


class Placing(NamedTuple):
    """What is to be done with a proposal."""

    same: LearningState | None = None
    """It says what this one says: it becomes evidence for it."""
    contradicts: tuple[LearningState, ...] = ()
    """Older ones about the same subject that say something else."""
    overtakes: tuple[LearningState, ...] = ()
    """What third parties said in nearly the same words: it replaces theirs."""


def placed(proposal: Proposal, known: Iterable[LearningState]) -> Placing:
    """Compare a proposal with what is known; what is out of use keeps a proposal of the same words out.

    What a person rejected or retired keeps out what says nearly the same, too, unless a person repeats it.

    Only the very same words are added to a third party's: what says nearly the same would be left out
    with them, or they would gain by it.
    """
    against: list[LearningState] = []
    alike: list[tuple[float, LearningState]] = []
    overtaken: list[LearningState] = []
    refused: list[LearningState] = []
    for each in known:
        learning = each.learning
        if (learning.scope, learning.kind) != (proposal.scope, proposal.kind):
            continue
        strange = learning.trust is Trust.EXTERNAL and proposal.trust is not Trust.EXTERNAL
        if learning.content_hash == proposal.content_hash or (_says(each, proposal) and not strange):
            return Placing(same=each)
        if each.status in _OUT:
            refused += [each] if _refuses(each, proposal) and not strange else []
        elif strange and (_says(each, proposal) or similarity(learning, proposal) >= SIMILAR):
            overtaken.append(each)
        elif proposal.subject and learning.subject == proposal.subject:
            against.append(each)
        elif (likely := similarity(learning, proposal)) >= SIMILAR:
            alike.append((likely, each))
    if alike:
        return Placing(same=max(alike, key=lambda found: (found[0], found[1].learning.id))[1])
    if refused:
        return Placing(same=refused[-1])
    return Placing(contradicts=tuple(against), overtakes=tuple(overtaken))


def similarity(one: Proposal, other: Proposal) -> float:
    """Say how much two learnings have in common, 0 to 1; other files or edits make them different."""
    if one.hint != other.hint or (one.subject or other.subject) != (other.subject or one.subject):
        return 0.0
    return likeness(_words(one), _words(other))


def _same_way(one: Proposal, other: Proposal) -> bool:
    """Whether both say that the same family of edits clears the same failure; the example may differ."""
    return bool(one.hint.template) and (one.title, one.hint.template) == (other.title, other.hint.template)


def _says(known: LearningState, proposal: Proposal) -> bool:
    """Whether a learning says what is proposed in other words: by the same title, or the same way."""
    if _same_way(known.learning, proposal):
        return True
    return known.status not in _OUT and _same_title(known.learning, proposal)


def _same_title(one: Proposal, other: Proposal) -> bool:
    return bool(one.subject) and (one.subject, one.title) == (other.subject, other.title)


def _refuses(known: LearningState, proposal: Proposal) -> bool:
    """Return whether a person retired what is proposed; people themselves may repeat it."""
    if known.status is not LearningStatus.RETIRED or proposal.trust is Trust.HUMAN:
        return False
    place = (proposal.hint.rules, proposal.hint.files)
    if all(place) and place == (known.learning.hint.rules, known.learning.hint.files):
        return True  # the same rule in the same place, whatever the example is
    return _same_title(known.learning, proposal) or similarity(known.learning, proposal) >= SIMILAR


def supersedes(newer: Proposal, older: LearningState) -> bool:
    """Whether a newer learning takes an older one's place: not against someone more trusted.

    What a person approved is as a person's own, and a third party replaces nothing that is in use.
    """
    if newer.alarms or (newer.trust is Trust.EXTERNAL and older.status is LearningStatus.ACTIVE):
        return False
    behind = Trust.HUMAN if older.binds else older.learning.trust
    return _RANK.index(newer.trust) <= _RANK.index(behind)


def pairs_alike(known: Sequence[LearningState]) -> tuple[tuple[Learning, Learning, float], ...]:
    """Name learnings in use that may be one, the likest first; a person merges them."""
    groups: dict[tuple[str, str], list[Learning]] = {}
    for each in known:
        if each.status not in _OUT:
            groups.setdefault((each.learning.kind, each.learning.scope), []).append(each.learning)
    found = [
        (one, other, round(alike, 3))
        for group in groups.values()
        for one, other in _worth_comparing(group)
        if (alike := similarity(one, other)) >= ALIKE
    ]
    return tuple(sorted(found, key=lambda each: -each[2]))


def _worth_comparing(group: Sequence[Learning]) -> Iterator[tuple[Learning, Learning]]:
    """Yield the pairs that may share `ALIKE` of their terms; thousands of learnings have millions of pairs.

    Two sets of which that share is common have a term in common among the rarest few of each, in one order of
    all terms: as many as could be missing in the other, and one more.
    """
    words = [_words(each) for each in group]
    frequent = Counter(term for each in words for term in each)
    by_term: dict[str, list[int]] = {}
    for place, terms_of in enumerate(words):
        rarest = sorted(terms_of, key=lambda term: (frequent[term], term))
        few = rarest[: len(rarest) - math.ceil(ALIKE * len(rarest) - 1e-9) + 1] or [""]
        for other in sorted({each for term in few for each in by_term.get(term, ())}):
            yield group[other], group[place]
        for term in few:
            by_term.setdefault(term, []).append(place)


def _words(learning: Proposal) -> set[str]:
    return set(terms(f"{learning.title} {learning.body}"))
