"""Classify how an agent broke by the structure of its answer, never by text that echoes an error."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from setpoint.agents import error_data
from setpoint.agents.error_data import BY_STATUS, FORBIDDEN, Told
from setpoint.agents.launch import Launch
from setpoint.agents.spending.meter import UsageMeter
from setpoint.agents.streams.turn_record import Failure
from setpoint.model.attempt import NOT_REACHED, Breakage, BreakageKind

OPENING = "opening a session"
"""What a wait before the first prompt is called."""
_KNOWN_BETTER = (BreakageKind.MISSING, BreakageKind.BUDGET, BreakageKind.SESSION)
_STATUS = re.compile(r"\b(401|403|407|413|429|502|503|504|529)\b")
_ERROR = re.compile(r"\w[\w.]*(?:Error|Exception)\b")
"""How the line of a traceback begins that says what is wrong."""
_SHOWN_CHARS, _LINE_CHARS = 600, 160


def of_error(launch: Launch, code: object, message: str, data: object) -> Breakage:
    """Name the breakage behind a JSON-RPC error: by its code, else by a status or a name in its data."""
    told = error_data.read(code, message, data, launch.quirks)
    shown = _shortened(message if data is None else f"{message}: {_readable(data)}")
    return _broken(launch, told, f"answered with error {code}: {shown}", message)


def of_turn(launch: Launch, said: str, data: object) -> Breakage:
    """Name the breakage of a turn that ended as completed although the agent reports that it failed.

    `said` is the text with which the agent says so, `data` what it reports about the error beside it.
    """
    told = error_data.read("", said, data, launch.quirks)
    return _broken(launch, told, f"reported that its turn failed: {_shortened(said)}", said)


def explained(launch: Launch, broken: Breakage, data: object) -> Breakage:
    """Name a breakage by what the agent has kept of its error, where its answer told less."""
    told = error_data.read("", "", data, launch.quirks)
    if told.status is None and told.kind is BreakageKind.MODEL:
        return broken
    status = f" with status {told.status}" if told.status else ""
    seen = f"its record of the session says: {told.kind}{status}; {_mend(launch, told.kind, told.status)}"
    answered = broken.message.removesuffix(f"; {_mend(launch, broken.kind, broken.status)}")
    message = broken.message if told.kind is broken.kind else f"{answered}; {seen}"
    update = {"kind": told.kind, "message": message, "wait_s": told.wait_s, "status": told.status}
    return broken.model_copy(update=update)


def known(launch: Launch, broken: Breakage | None, spending: UsageMeter) -> Breakage | None:
    """Name a breakage by the last call of a model that the recording proxy saw, where the agent told less.

    A turn that was ended because the model refused one call after the other is a breakage too.
    """
    call = spending.last_call
    if broken is None and spending.refused:
        message = f"{launch.name} repeated a call that its model refused"
        broken = Breakage(kind=BreakageKind.MODEL, message=message)
    if broken is None or call is None or broken.kind in _KNOWN_BETTER:
        return broken
    unreached = call.status == 0 and call.fault.startswith(NOT_REACHED)
    kind = BreakageKind.NETWORK if unreached else BY_STATUS.get(call.status)
    if kind is None:
        return broken
    seen = "the model could not be reached" if unreached else f"the model answered with status {call.status}"
    hint = _mend(launch, kind, call.status)
    message = broken.message if broken.kind is kind else f"{broken.message} ({seen}; {hint})"
    wait_s = call.retry_after_s if call.retry_after_s is not None else broken.wait_s
    update = {"kind": kind, "message": message, "wait_s": wait_s, "status": call.status or None}
    return broken.model_copy(update=update)


def of_stream(launch: Launch, failure: Failure, how_long: str = "") -> Breakage:
    """Return the breakage behind an error that a command reported in its stream.

    Besides its data, a status in the message counts too: the message comes from an event that reports an
    error, and some agents put the status nowhere else.
    """
    told = error_data.read("", failure.message, failure.data, launch.quirks)
    if told.kind is BreakageKind.MODEL and (named := _STATUS.search(failure.message)) is not None:
        status = int(named.group(1))
        told = Told(kind=BY_STATUS[status], status=status, wait_s=told.wait_s)
    how = f"reported an error{f' {how_long}' if how_long else ''}: {_shortened(failure.message)}"
    return _broken(launch, told, how, failure.message)


def missing(launch: Launch, reason: str) -> Breakage:
    """Return the breakage of a program that could not be started."""
    hint = (
        f"install it: {launch.way_in}" if launch.way_in else f"correct the command of agent '{launch.name}'"
    )
    return Breakage(kind=BreakageKind.MISSING, message=f"{launch.name}: {reason}; {hint}")


def prompt_too_long(launch: Launch, size: int) -> Breakage:
    """Return the breakage of a prompt that is too long for an argument."""
    hint = f"leave {{prompt}} out of the command of agent '{launch.name}' and have it read standard input"
    message = f"{launch.name}: the prompt ({size} bytes) is too long for an argument; {hint}"
    return Breakage(kind=BreakageKind.MISSING, message=message)


def no_choice(launch: Launch, what: str, wanted: str, offered: Sequence[str]) -> Breakage:
    """Return the breakage of a setting that names a model or a mode that the agent does not offer."""
    shown = _shortened(f"it offers {', '.join(offered)}") if offered else f"it offers no choice of a {what}"
    hint = f"correct {what} under [agent.{launch.name}]"
    return Breakage(
        kind=BreakageKind.MISSING, message=f"{launch.name} has no {what} '{wanted}': {shown}; {hint}"
    )


def crash(launch: Launch, exit_code: int | None, stderr: str, junk: str) -> Breakage:
    """Return the breakage of a process that ended during its work, with its last output."""
    how = (
        "ended"
        if exit_code is None
        else f"signal {-exit_code}"
        if exit_code < 0
        else f"exit code {exit_code}"
    )
    said = _tail(stderr) or _tail(junk)
    last = f"; its last output: {said}" if said else "; it said nothing"
    if len(said) > _LINE_CHARS:
        lines = (stderr.strip() or junk.strip()).splitlines()
        telling = [line for line in lines if _ERROR.match(line)] or lines
        last = f"; its last output: {_tail(telling[-1])}; `setpoint show log -v` shows more of it"
    return Breakage(kind=BreakageKind.CRASH, message=f"{launch.name} died ({how}){last}", said=said)


def protocol(launch: Launch, what: str, sample: str = "") -> Breakage:
    """Return the breakage of output that is not the protocol."""
    shown = f", for example: {_shortened(sample)!r}" if sample else ""
    hint = f"check that `{' '.join(launch.argv)}` starts the agent's ACP mode"
    return Breakage(kind=BreakageKind.PROTOCOL, message=f"{launch.name} {what}{shown}; {hint}")


def overdue(launch: Launch, kind: BreakageKind, seconds: float, doing: str) -> Breakage:
    """Return the breakage of a time limit."""
    if kind is BreakageKind.IDLE:
        text, hint = f"gave no sign of life for {seconds:g} s", "raise agents.idle_s if it needs longer"
    else:
        text, hint = f"was not ready after {seconds:g} s", "raise agents.wall_s if it needs longer"
    if doing == OPENING:
        hint = f"start `{' '.join(launch.argv)}` by hand and see what it waits for"
    return Breakage(kind=kind, message=f"{launch.name} {text} ({doing}); {hint}")


def not_logged_in(launch: Launch, said: str) -> Breakage:
    """Return the breakage of an agent whose command for that says that there is no login."""
    return _broken(launch, Told(kind=BreakageKind.AUTH), f"says: {_tail(said)}", _tail(said))


def _broken(launch: Launch, told: Told, what: str, said: str) -> Breakage:
    message = f"{launch.name} {what}; {_mend(launch, told.kind, told.status)}"
    return Breakage(
        kind=told.kind, message=message, wait_s=told.wait_s, status=told.status, said=_shortened(said)
    )


def _mend(launch: Launch, kind: BreakageKind, status: int | None = None) -> str:
    if kind is BreakageKind.AUTH and status == FORBIDDEN:
        return f"the account lacks the permission; choose another model under [agent.{launch.name}]"
    login = launch.login or f"log in to {launch.name} or hand on its key (pass_environment)"
    return {
        BreakageKind.AUTH: f"it has no login, or its key was refused: {login}",
        BreakageKind.RATE_LIMIT: "wait until the limit is lifted, or choose another agent",
        BreakageKind.OVERLOAD: "its provider is overloaded or cut it off; wait, or choose another model",
        BreakageKind.NETWORK: "check the network and the address of the model",
        BreakageKind.OVERFLOW: "the conversation is too long for the model; a new session is shorter",
        BreakageKind.SESSION: "the agent has lost the session; a new one is begun",
        BreakageKind.MODEL: "the provider of the model may be down; try again, or choose another model",
        BreakageKind.CRASH: "a process of the agent ended; it is started again",
        BreakageKind.PROTOCOL: f"bring {launch.name} up to date",
    }[kind]


def _readable(data: object) -> str:
    try:
        return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
    except RecursionError:
        return "data that is nested too deeply to be shown"


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_CHARS else f"{flat[:_SHOWN_CHARS]}…"


def _tail(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_CHARS else f"…{flat[-_SHOWN_CHARS:]}"
