"""Pointing an agent at the proxy: which variables hold the address of its model, and where that really is."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from setpoint.agents.launch import Launch
from setpoint.agents.spending.meter import UsageMeter
from setpoint.model.attempt import ModelCall

_NEVER_PROXIED = "127.0.0.1,localhost"
USED_UP = "the budget of this run is used up; nothing more is passed on to the model"


class Tap:
    """Hands the calls that a proxy sees to the attempt that is under way."""

    def __init__(self) -> None:
        """No attempt is under way yet."""
        self._spending: UsageMeter | None = None
        self._waiting: list[tuple[ModelCall, bool]] = []

    def turn_to(self, spending: UsageMeter | None) -> None:
        """Name the attempt under way; calls that ended between two attempts count for the next one."""
        self._spending = spending
        if spending is not None:
            waiting, self._waiting = self._waiting, []
            for call, listed in waiting:
                spending.asked(call, listed=listed)

    def seen(self, call: ModelCall, listed: bool) -> None:  # noqa: FBT001 - called by the proxy alone
        """Take a call."""
        if self._spending is None:
            self._waiting.append((call, listed))
        else:
            self._spending.asked(call, listed=listed)

    def refusal(self) -> str:
        """Return why a call must not be forwarded; empty if it may."""
        return USED_UP if self._spending is not None and self._spending.halted.is_set() else ""


@asynccontextmanager
async def counting(launch: Launch, passed: Mapping[str, str], tap: Tap) -> AsyncIterator[dict[str, str]]:
    """Run a proxy for an agent that is configured for it; yield the variables that point the agent at it.

    `passed` are the variables that the agent gets from Setpoint's own environment.
    """
    if not launch.proxied:
        yield {}
        return
    from setpoint.agents.spending.proxy.server import Proxy  # noqa: PLC0415 - most runs need no HTTP

    proxy = Proxy(tap.seen, tap.refusal)
    await proxy.open()
    try:
        yield rerouted(launch, {**passed, **launch.environment}, proxy.lane)
    finally:
        await proxy.close()


def rerouted(launch: Launch, variables: Mapping[str, str], lane: Callable[[str], str]) -> dict[str, str]:
    """Return an agent's variables with each address of a model replaced by its lane through the proxy."""
    found: dict[str, str] = {}
    for name, default in launch.base_urls.items():
        if upstream := variables.get(name) or default:
            found[name] = lane(upstream)
    if launch.config_variable:
        config = _config(variables.get(launch.config_variable, ""))
        if config is not None:
            _replace(config, launch.config_base_urls, lane)
            found[launch.config_variable] = json.dumps(config)
    for name in ("NO_PROXY", "no_proxy"):
        # A proxy of the network must not be asked for what lies on this machine.
        found[name] = ",".join(part for part in (variables.get(name, ""), _NEVER_PROXIED) if part)
    return found


def _config(text: str) -> dict[str, Any] | None:
    try:
        config = json.loads(text or "{}")
    except ValueError:
        return None  # the agent itself reports the error
    return config if isinstance(config, dict) else None


def _replace(config: dict[str, Any], wanted: Mapping[str, str], lane: Callable[[str], str]) -> None:
    """Replace the addresses at the wanted places, each once; `wanted` has their defaults by dotted path."""
    done: set[tuple[int, str]] = set()
    for dotted, default in wanted.items():
        for table, key in _places(config, dotted.split("."), make=bool(default)):
            upstream = table.get(key) or default
            if upstream and (id(table), key) not in done:
                done.add((id(table), key))
                table[key] = lane(str(upstream))


def _places(config: dict[str, Any], keys: list[str], *, make: bool) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield where a path ends, with `*` for any key; what is missing on the way is made where asked for."""
    key, *rest = keys
    for name in list(config) if key == "*" else [key]:
        if not rest:
            yield config, name
            continue
        inner = config.setdefault(name, {}) if make else config.get(name)
        if isinstance(inner, dict):
            yield from _places(inner, rest, make=make)
