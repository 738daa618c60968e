"""What happens about protected files; part of the union in `events`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from setpoint.model.answers.change_request import ChangeRequest, GivenReason, Opinion
from setpoint.model.attempt import Usage
from setpoint.model.value import Text, Value


class ChangeRequested(Value):
    """The maker asks leave to change protected files."""

    kind: Literal["integrity.change_requested"] = "integrity.change_requested"
    iteration: int
    requests: tuple[ChangeRequest, ...]


class ChangeReviewed(Value):
    """A reviewer said what it thinks of the maker's requests."""

    kind: Literal["integrity.change_reviewed"] = "integrity.change_reviewed"
    iteration: int
    reviewer: str
    opinions: tuple[Opinion, ...] = ()
    """Empty where the reviewer broke or did not answer as asked."""
    usage: Usage = Usage()


class ChangeSettled(Value):
    """It was decided whether protected files may change; if so, they are judged as the maker leaves them."""

    kind: Literal["integrity.change_settled"] = "integrity.change_settled"
    iteration: int
    paths: tuple[Text, ...]
    granted: bool
    by: Text
    """Who decided; `setpoint` where nobody may be asked."""
    reason: Text = ""


class ReasonsGiven(Value):
    """The maker explained signs of tampering; runs of earlier versions recorded it."""

    kind: Literal["integrity.reasons_given"] = "integrity.reasons_given"
    iteration: int
    reasons: tuple[GivenReason, ...]


AboutIntegrity = Annotated[
    ChangeRequested | ChangeReviewed | ChangeSettled | ReasonsGiven, Field(discriminator="kind")
]
"""What was asked for, said and decided about protected files."""
