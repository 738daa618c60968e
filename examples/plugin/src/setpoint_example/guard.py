"""A guard against rounds that change the same files again and again."""

from __future__ import annotations

from setpoint.model.facts.rounds import RunFacts
from setpoint.model.run import Halt

ROUNDS = 3


def same_files(past: RunFacts) -> Halt | None:
    """Stop when the last rounds all changed the same files."""
    files = [frozenset(each.snapshot.files) for each in past.recent[-ROUNDS:]]
    if len(files) < ROUNDS or not files[0] or len(set(files)) > 1:
        return None
    return Halt(
        guard="same-files",
        reason=f"{ROUNDS} rounds in a row changed the same files: {', '.join(sorted(files[0]))}",
        figures={"rounds": ROUNDS, "files": len(files[0])},
        go_on="give an instruction, or try another agent (--agent)",
    )
