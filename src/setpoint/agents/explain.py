"""Explain in plain words why an agent does not work, and what to do about it."""

from __future__ import annotations

import shlex

from setpoint.agents.error_data import FORBIDDEN
from setpoint.agents.launch import Launch
from setpoint.agents.probing import Probe
from setpoint.model.attempt import Breakage, BreakageKind
from setpoint.model.value import Value

NO_LOGIN, NO_PERMISSION = "not_logged_in", "no_permission"
_WHAT = {
    NO_LOGIN: "it is not logged in, or its key was refused",
    NO_PERMISSION: "its account may not use what it asked for",
    BreakageKind.MISSING: "it could not be started",
    BreakageKind.CRASH: "it ended in the middle of its work",
    BreakageKind.TIMEOUT: "it was not ready in time",
    BreakageKind.IDLE: "it gave no sign of life",
    BreakageKind.PROTOCOL: "it does not speak the protocol that Setpoint expects",
    BreakageKind.RATE_LIMIT: "the limit of its account is used up for now",
    BreakageKind.OVERLOAD: "the provider of its model has no room for now",
    BreakageKind.NETWORK: "the provider of its model cannot be reached",
    BreakageKind.OVERFLOW: "the conversation is too long for its model",
    BreakageKind.SESSION: "it lost the session",
    BreakageKind.MODEL: "its model answered with an error",
    BreakageKind.BUDGET: "nothing is left to pay its model with",
}


class Explanation(Value):
    """Why an agent does not work."""

    fault: str
    """A name for programs, for example `adapter_missing` or `not_logged_in`."""
    what: str
    """What happened, in words."""
    hint: str
    """What to do next, with a command where there is one."""


def lacking(launch: Launch, found: Probe) -> Explanation:
    """Explain what a probe found missing."""
    what, _, _ = found.why_not.partition("; install it: ")
    hint = launch.way_in or f"correct the command under [agent.{launch.name}]"
    if found.lack is not None and found.lack.value == "not_executable":
        what, _, hint = found.why_not.partition("; allow it: ")
    return Explanation(fault=str(found.lack or "not_installed"), what=what, hint=hint)


def explained(launch: Launch, broken: Breakage) -> Explanation:
    """Explain a breakage by its kind; what the agent reported follows the words."""
    again = f"then: setpoint agents test {launch.name}"
    fault = _fault(broken)
    what = f"{_WHAT[fault]}: {broken.message}"
    return Explanation(fault=fault, what=what, hint=_way_out(launch, fault, again))


def way_out(launch: Launch, broken: Breakage) -> str:
    """Return what to do about an agent that cannot begin the work of a run."""
    return _way_out(launch, _fault(broken), "then run the same command again")


def _fault(broken: Breakage) -> str:
    if broken.kind is not BreakageKind.AUTH:
        return str(broken.kind)
    return NO_PERMISSION if broken.status == FORBIDDEN else NO_LOGIN


def _way_out(launch: Launch, fault: str, again: str) -> str:
    by_hand = f"start `{shlex.join(launch.argv)}` by hand in an empty folder and see what it does"
    newer = launch.way_in or f"bring {launch.name} up to date"
    model = f"choose another model under [agent.{launch.name}]"
    login = launch.login or f"log in to {launch.name}, or hand on its key (pass_environment)"
    start = launch.way_in or f"correct its command under [agent.{launch.name}]"
    ways = {
        NO_LOGIN: f"{login}; {again}",
        NO_PERMISSION: f"{model}, or log in with another account; {again}",
        BreakageKind.MISSING: f"{start}; {again}",
        BreakageKind.CRASH: by_hand,
        BreakageKind.TIMEOUT: f"{by_hand}: it may wait for a login or an answer; or raise agents.wall_s",
        BreakageKind.IDLE: f"{by_hand}: it may wait for a login or an answer; or raise agents.idle_s",
        BreakageKind.PROTOCOL: f"{newer}; {again}",
        BreakageKind.RATE_LIMIT: "wait until the limit is lifted, or use another agent or account",
        BreakageKind.NETWORK: "check the network, the proxy variables and the address of the model",
    }
    return ways.get(fault, f"try again, or {model}")
