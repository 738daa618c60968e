"""Which mutants the tests that are there let pass, so that a new test is written for no other."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from setpoint_probe.mutants.operators import Mutant
from setpoint_probe.mutants.score import judged_of, score
from setpoint_probe.wire.exchange import Progress
from setpoint_probe.wire.score import SURVIVED, UNCOVERED, Judged, ScoreRequest

from ..wire.cover import CoverRequest

Key = tuple[int, str, str]
"""What tells a mutant from others of its file: line, operator, and the changed text."""
_LET_PASS = (SURVIVED, UNCOVERED)


def key_of(judged: Judged) -> Key:
    """Return what tells a mutant from others."""
    return judged.line, judged.operator, judged.after


def key_of_mutant(tree: str, mutant: Mutant) -> Key:
    """Return the same for a mutant that was not judged yet."""
    return key_of(judged_of(tree, mutant))


def let_pass(request: CoverRequest, wall_s: float) -> frozenset[Key]:
    """Return the mutants of a file that were tried on the tests that are there, and not noticed."""
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
    return frozenset(key_of(each) for each in score(order, Progress()).judged if each.verdict in _LET_PASS)


def is_unreached(mutant: Mutant, lines: Collection[int], missed: Collection[int]) -> bool:
    """Whether no test reaches a mutant's statement: none can notice it, also where it was not tried."""
    first, last = mutant.lines
    own = {line for line in lines if first <= line <= last}
    return bool(own) and own.issubset(missed)
