"""Decide how work that passed every run of the verdict ends, and whether its exam is enough."""

from __future__ import annotations

from typing import NamedTuple

from setpoint.model.ending import Ending
from setpoint.model.exam import Least
from setpoint.model.proof import Proof

_ASKED_OF = {
    Least.HIDDEN: "hidden tests that the maker could not read",
    Least.OTHERS: "somebody other than the maker",
    Least.SELF: "anybody",
}


class Examined(NamedTuple):
    """How examined work ends."""

    ending: Ending
    enough: bool
    """Whether the exam is what the order asks for."""
    lack: str = ""
    """What it lacks; empty where it is enough."""


def examined(proof: Proof | None, least: Least) -> Examined:
    """Return how work ends that passed every run; without a proof nothing was to be proved."""
    if proof is None:
        return Examined(Ending.VERIFIED, enough=True)
    ending = Ending.SELF_TESTED if proof.level is Least.SELF else Ending.VERIFIED
    if least.admits(proof.level):
        return Examined(ending, enough=True)
    return Examined(ending, enough=False, lack=f"proof.least asks for the exam of {_ASKED_OF[least]}")
