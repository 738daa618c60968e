"""The memory in lists, with the promises of the real one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime

from setpoint.learning.policy import tokenizer
from setpoint.learning.policy.bm25 import rarities, relevance, telling
from setpoint.learning.policy.confidence import learning_state
from setpoint.learning.policy.maintenance import (
    against_others,
    cleaned,
    first_evidence,
    kept,
    repeated_evidence,
)
from setpoint.learning.policy.merging import placed
from setpoint.learning.store.word_index import words_of
from setpoint.model.ids import LearningId
from setpoint.model.learning import Hit, Learning, LearningEvidence, LearningState, LearningStatus, Proposal

_OUT = (LearningStatus.RETIRED, LearningStatus.SUPERSEDED)


def _now() -> datetime:
    return datetime.now(UTC)


class ListMemory:
    """Remembers until it is thrown away."""

    def __init__(self, now: Callable[[], datetime] = _now) -> None:
        """Begin empty; `now` gives the times of learnings, aware, in UTC."""
        self._now = now
        self._learnings: dict[LearningId, Learning] = {}
        self._evidence: dict[LearningId, dict[str, LearningEvidence]] = {}

    def learn(self, proposals: Sequence[Proposal]) -> tuple[LearningId, ...]:
        """Take proposals in, each as a learning or as evidence for one that says the same."""
        return tuple(self._learn(cleaned(each)) for each in proposals)

    def weigh(self, evidence: Sequence[LearningEvidence]) -> tuple[LearningEvidence, ...]:
        """Add evidence, once per source; gives what was new."""
        new: list[LearningEvidence] = []
        for each in evidence:
            if each.learning in self._learnings and each.source not in self._evidence[each.learning]:
                self._evidence[each.learning][each.source] = each
                new.append(each)
        return tuple(new)

    def search(self, question: str, most: int = 50) -> tuple[Hit, ...]:
        """Return the learnings that share words with a question, the most relevant first."""
        found = {each.learning.id: each for each in self.standings() if each.status not in _OUT}
        words = {id_: words_of(each.learning, each.contexts) for id_, each in found.items()}
        lengths = {id_: sum(held.values()) for id_, held in words.items()}
        average = sum(lengths.values()) / len(lengths) if lengths else 0.0
        holding = {term: sum(term in held for held in words.values()) for term in tokenizer.telling(question)}
        weights = rarities(len(words), holding)
        hits = [
            Hit(
                standing=found[id_],
                score=(score := relevance(held, lengths[id_], average, weights)),
                matched=sum(term in held for term in weights),
                telling=telling(score, len(words)),
            )
            for id_, held in words.items()
        ]
        ordered = sorted(
            (hit for hit in hits if hit.matched), key=lambda hit: (-hit.score, hit.standing.learning.id)
        )
        return tuple(ordered[:most])

    def standings(self, which: Collection[LearningId] | None = None) -> tuple[LearningState, ...]:
        """Return learnings as they are now, oldest first."""
        now = self._now()
        wanted = sorted(self._learnings if which is None else set(which) & self._learnings.keys())
        return tuple(
            learning_state(self._learnings[id_], tuple(self._evidence[id_].values()), now) for id_ in wanted
        )

    def _learn(self, proposal: Proposal) -> LearningId:
        place, at = placed(proposal, self.standings()), self._now()
        if place.same is not None:
            known = place.same.learning
            self.weigh(repeated_evidence(known, proposal, at))
            return known.id
        learning = kept(proposal, at)
        self._learnings[learning.id], self._evidence[learning.id] = learning, {}
        self.weigh((*first_evidence(learning), *against_others(learning, place, proposal, at)))
        return learning.id
