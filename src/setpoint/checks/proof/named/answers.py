"""Describe where a function answers, whether it can only raise, and whether it looks at its input."""

from __future__ import annotations

from dataclasses import dataclass

from setpoint.checks.proof.sensitivity.changed_function import Sabotage


@dataclass(frozen=True, kw_only=True)
class Answers:
    """How one function answers, as it is written."""

    name: str
    """Its qualified name, for example `Cart.total`."""
    places: Sabotage = ()
    """Lets each place raise where it returns a value that reports no failure; empty without such a place."""
    only_raises: bool = False
    """Whether each call ends in an error, so that there is nothing else that it could do."""
    guarded: bool = False
    """Whether some of its calls may end in an error."""
    blind: bool = False
    """Whether it has parameters, uses none of them, and returns a value."""
    text: str = ""
    """The function as it is written."""
