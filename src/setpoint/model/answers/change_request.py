"""What a maker asks for in its answer, and what becomes of it; none of it counts by itself."""

from __future__ import annotations

from setpoint.model.value import Text, Value


class ChangeRequest(Value):
    """The maker asks leave to change a protected file."""

    path: Text
    """From the root of the repository."""
    reason: Text
    """Why it has to change, in the maker's words."""


class Opinion(Value):
    """What a reviewer says of a request; a person decides."""

    path: Text
    grant: bool | None = None
    """Whether it should be allowed; none where the reviewer cannot tell."""
    reason: Text = ""


class GivenReason(Value):
    """Why the maker did what a sign of tampering points at; runs of earlier versions recorded it."""

    signal: str
    """The finding's fingerprint."""
    reason: Text
