"""Open a session over ACP: a new one or a resumed one; select model and mode in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import acp
from acp.schema import AgentCapabilities, SessionConfigOptionSelect, SessionConfigSelectOption

from setpoint.agents import breakage
from setpoint.agents.acp.servers import Server
from setpoint.agents.launch import Launch
from setpoint.model.attempt import Breakage

Ask = Callable[[Awaitable[Any]], Awaitable[Any]]
"""Waits for an answer within the time limits; returns a breakage if none comes."""


@dataclass(frozen=True, kw_only=True)
class Begun:
    """A session that is open."""

    session: str
    resumed: bool
    """Whether the session contains the earlier conversation."""
    options: tuple[object, ...] = ()
    """What can be chosen in it."""
    mode: str = ""
    """The mode that it begins in; empty if the agent has none."""


@dataclass(frozen=True, kw_only=True)
class Opening:
    """Opens a session with an agent that was greeted."""

    launch: Launch
    connection: acp.ClientSideConnection
    ask: Ask
    forgive: Callable[[], bool]
    """Continues after a refusal; false if the connection is lost."""
    servers: tuple[Server, ...] = ()
    """Servers with tools that the agent is to start."""

    @property
    def chosen(self) -> str:
        """The model that is chosen as an option of the session; empty if the agent decides."""
        return "" if self.launch.model_argv else self.launch.model

    async def begin(self, workdir: str, can: AgentCapabilities | None, earlier: str) -> Begun | Breakage:
        """Resume the earlier session if there is one and the agent supports it, else begin a new one."""
        again = self._again(workdir, can, earlier) if earlier else None
        if again is not None:
            answer = await self.ask(again)
            if not isinstance(answer, Breakage):
                options = tuple(getattr(answer, "config_options", None) or ())
                return Begun(session=earlier, resumed=True, options=options, mode=_mode(answer))
            if not self.forgive():
                return answer
        answer = await self.ask(self.connection.new_session(cwd=workdir, mcp_servers=[*self.servers]))
        if isinstance(answer, Breakage):
            return answer
        options = tuple(answer.config_options or ())
        return Begun(session=answer.session_id, resumed=False, options=options, mode=_mode(answer))

    async def choose(self, begun: Begun) -> Breakage | None:
        """Select model and mode if the settings name them."""
        quirks = self.launch.quirks
        if self.chosen:
            failed = await self._set(begun, "model", self.chosen)
            if failed is not None:
                return failed
        failed = await self._enter(begun, quirks.mode) if quirks.mode else None
        # A user may forbid a mode without questions; the agent works in its own mode then.
        spared = failed is not None and quirks.mode == quirks.held_mode and self.forgive()
        return None if spared else failed

    async def _enter(self, begun: Begun, mode: str) -> Breakage | None:
        if self._option(begun, "mode") is not None:
            return await self._set(begun, "mode", mode)
        asked = self.connection.set_session_mode(session_id=begun.session, mode_id=mode)
        answer = await self.ask(asked)
        return answer if isinstance(answer, Breakage) else None

    def _again(self, workdir: str, can: AgentCapabilities | None, earlier: str) -> Awaitable[Any] | None:
        if can is None:
            return None
        if can.session_capabilities is not None and can.session_capabilities.resume is not None:
            resumed: Awaitable[Any] = self.connection.resume_session(
                cwd=workdir, session_id=earlier, mcp_servers=[*self.servers]
            )
            return resumed
        if can.load_session:  # it replays its history, which nothing listens to before a turn
            loaded: Awaitable[Any] = self.connection.load_session(
                cwd=workdir, session_id=earlier, mcp_servers=[*self.servers]
            )
            return loaded
        return None

    async def _set(self, begun: Begun, what: str, wanted: str) -> Breakage | None:
        option = self._option(begun, what)
        if option is None:
            return breakage.no_choice(self.launch, what, wanted, ())
        offered = tuple(each.value for each in _values(option))
        if wanted not in offered:
            return breakage.no_choice(self.launch, what, wanted, offered)
        if option.current_value == wanted:
            return None
        asked = self.connection.set_config_option(config_id=option.id, session_id=begun.session, value=wanted)
        answer = await self.ask(asked)
        return answer if isinstance(answer, Breakage) else None

    @staticmethod
    def _option(begun: Begun, category: str) -> SessionConfigOptionSelect | None:
        selects = (each for each in begun.options if isinstance(each, SessionConfigOptionSelect))
        return next((each for each in selects if category in (each.category, each.id)), None)


def _values(option: SessionConfigOptionSelect) -> Iterator[SessionConfigSelectOption]:
    for each in option.options:
        if isinstance(each, SessionConfigSelectOption):
            yield each
        else:
            yield from each.options


def _mode(answer: object) -> str:
    modes = getattr(answer, "modes", None)
    return modes.current_mode_id if modes is not None else ""


def can_open_again(can: AgentCapabilities | None) -> bool:
    """Whether an agent with these capabilities can open a session of an earlier process."""
    if can is None:
        return False
    resumes = can.session_capabilities is not None and can.session_capabilities.resume is not None
    return resumes or bool(can.load_session)


def chosen_model(options: Sequence[object]) -> str:
    """Return the model that is chosen among a session's options; empty where none of them is about that."""
    for option in options:
        if isinstance(option, SessionConfigOptionSelect) and option.category == "model":
            return option.current_value
    return ""
