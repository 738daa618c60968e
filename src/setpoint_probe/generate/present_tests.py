"""What the tests that are there notice already, so that no new test is written for it."""

from __future__ import annotations

from pathlib import Path

from ..mutants.operators import Mutant
from ..mutants.score import judged_of, score
from ..wire.cover import CoverRequest
from ..wire.exchange import Progress
from ..wire.score import KILLED, TIMEOUT, Judged, ScoreRequest

Key = tuple[int, str, str]
"""What tells a mutant from others of its file: line, operator, and the changed text."""


def key_of(judged: Judged) -> Key:
    """Return what tells a mutant from others."""
    return judged.line, judged.operator, judged.after


def key_of_mutant(tree: str, mutant: Mutant) -> Key:
    """Return the same for a mutant that was not judged yet."""
    return key_of(judged_of(tree, mutant))


def noticed(request: CoverRequest, wall_s: float) -> frozenset[Key]:
    """Try the mutants of a file on the tests that are there; none where they cannot be run."""
    scratch = Path(request.scratch) / "present"
    scratch.mkdir(exist_ok=True)
    order = ScoreRequest(
        tree=request.tree,
        targets={request.file: ()},
        wall_s=wall_s,
        pytest_args=request.pytest_args,
        memory_bytes=request.memory_bytes,
        scratch=str(scratch),
    )
    return frozenset(
        key_of(each) for each in score(order, Progress()).judged if each.verdict in (KILLED, TIMEOUT)
    )
