"""The port to learnings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from setpoint.model.ids import LearningId
from setpoint.model.learning import Hit, LearningEvidence, LearningState, Proposal


class Memory(Protocol):
    """Learnings from runs and people, with the evidence for and against each."""

    def learn(self, proposals: Sequence[Proposal]) -> tuple[LearningId, ...]:
        """Take proposals in, as learnings or as evidence for those that say the same; once per source."""

    def weigh(self, evidence: Sequence[LearningEvidence]) -> tuple[LearningEvidence, ...]:
        """Add evidence, once per source; gives what was new."""

    def search(self, question: str, most: int = 50) -> tuple[Hit, ...]:
        """Return the learnings that share words with a question, the most relevant first."""

    def standings(self, which: Collection[LearningId] | None = None) -> tuple[LearningState, ...]:
        """Return the present state of learnings, oldest first: the named ones, or all."""
