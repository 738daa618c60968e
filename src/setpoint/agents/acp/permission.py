"""Answer an agent that asks whether it may do something, with the reason where it may not."""

from __future__ import annotations

from collections.abc import Sequence

from acp.schema import (
    AllowedOutcome,
    DeniedOutcome,
    PermissionOption,
    RequestPermissionResponse,
    ToolCallUpdate,
)

from setpoint.agents.acp.tool_calls import Calls
from setpoint.model.attempt import Role

_ALLOW = ("allow_once", "allow_always")
_REJECT = ("reject_once", "reject_always")
_CHANGING = frozenset({"edit", "delete", "move"})
CANCELLED = RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))


def refusal_of(call: ToolCallUpdate, calls: Calls, role: Role, *, held: bool) -> str:
    """Say why a call is not allowed and what is possible instead; empty where it is allowed.

    What a sandbox holds may look and run anything: the sandbox itself refuses writing, and the agent reads
    why. A refusal by us has no words in the protocol, and some agents end their turn at it.
    """
    changes = calls.kind(call) in _CHANGING
    if changes and role not in (Role.MAKER, Role.REVIEWER):  # a reviewer works in a copy of its own
        return f"a {role} changes no file; say in the answer what has to be changed"
    outside = calls.outside(call)
    if outside and (changes or not held):
        return f"{outside[0]} is outside the work copy; use the working directory or $TMPDIR"
    return ""


def answered(options: Sequence[PermissionOption], *, refused: bool) -> RequestPermissionResponse:
    """Choose among the options of an agent, by their kinds."""
    for kind in _REJECT if refused else _ALLOW:
        for option in options:
            if option.kind == kind:
                outcome = AllowedOutcome(outcome="selected", option_id=option.option_id)
                return RequestPermissionResponse(outcome=outcome)
    return CANCELLED
