"""Whether the address of an agent's model takes a connection: tried by Setpoint where an agent goes silent.

Agents try a refused connection again without a word, or with words of their own. A connection that Setpoint
tries itself says the same of every agent.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from setpoint.agents.launch import Launch
from setpoint.agents.spending.proxy.route import rerouted
from setpoint.model.attempt import CUT_OFF, Breakage, BreakageKind, ModelCall
from setpoint.settings import inherited
from setpoint.system.processes import NETWORK_KEEP

_CONNECT_S = 5.0
_PORTS = {"http": 80, "https": 443}
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


async def network_seen(
    launch: Launch, passed: Mapping[str, str], broken: Breakage | None, asked: ModelCall | None = None
) -> Breakage | None:
    """Name a silence or an error without a cause by the network, where no address of the model answers.

    `passed` are the variables that the agent gets from Setpoint's own environment; `asked` is its last call
    of a model, where the proxy saw one. A silence is named by the model, where that takes connections.
    """
    if broken is None or not _unexplained(broken):
        return broken
    tried = [(address, await _refusal(address)) for address in addresses(launch, passed)]
    if taking := [urlsplit(address).netloc for address, why in tried if not why]:
        return _silent(launch, broken, ", ".join(taking), asked)
    if not tried:
        return broken
    named = ", ".join(f"{urlsplit(address).netloc} ({why})" for address, why in tried)
    message = (
        f"the network refused the connection of {launch.name} to its model: {named}; "
        f"check the network and the address of the model"
    )
    if broken.kind is not BreakageKind.IDLE:
        message = f"{f'{launch.name}: {broken.said}' if broken.said else broken.message}; {message}"
    return broken.model_copy(update={"kind": BreakageKind.NETWORK, "message": message})


def _silent(launch: Launch, broken: Breakage, where: str, asked: ModelCall | None) -> Breakage:
    """Say of a silent agent whether it waited for its model, as far as that was seen."""
    if broken.kind is not BreakageKind.IDLE:
        return broken
    seen = f"{where} takes connections: its model may set a limit, or not answer"
    if asked is not None and asked.fault == CUT_OFF:
        seen = f"its model at {where} did not answer in full for {asked.duration_s:.0f} s: see that it works"
    elif not launch.proxied:
        seen += f" (`[agent.{launch.name}] proxy = true` watches its calls)"
    silence, *hint = broken.message.split("; ", 1)
    return broken.model_copy(update={"message": "; ".join((silence, seen, *hint))})


def addresses(launch: Launch, passed: Mapping[str, str]) -> tuple[str, ...]:
    """Return the addresses of an agent's models: those that are set, else those that hold by default.

    An address that is reached through a proxy of the network is not among them.
    """
    variables = {**passed, **launch.environment}
    plain = {"base_urls": dict.fromkeys(launch.base_urls, "")}
    plain["config_base_urls"] = dict.fromkeys(launch.config_base_urls, "")
    found = _collected(launch.model_copy(update=plain), variables) or _collected(launch, variables)
    through = {**inherited(NETWORK_KEEP), **variables}
    proxied = any(through.get(name) for name in through if name.lower() in ("https_proxy", "all_proxy"))
    return tuple(each for each in found if not proxied or urlsplit(each).hostname in _LOOPBACK)


def _collected(launch: Launch, variables: Mapping[str, str]) -> list[str]:
    found: list[str] = []

    def lane(address: str) -> str:
        found.append(address)
        return address

    rerouted(launch, variables, lane)
    return [address for address in dict.fromkeys(found) if urlsplit(address).hostname]


def _unexplained(broken: Breakage) -> bool:
    untold = broken.kind in (BreakageKind.MODEL, BreakageKind.OVERLOAD) and broken.status is None
    return untold or broken.kind in (BreakageKind.IDLE, BreakageKind.NETWORK)


async def _refusal(address: str) -> str:
    """Say why no connection to an address can be opened; empty if one can."""
    parts = urlsplit(address)
    try:
        port = parts.port or _PORTS.get(parts.scheme, 443)
        async with asyncio.timeout(_CONNECT_S):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except TimeoutError:
        return f"no answer within {_CONNECT_S:g} s"
    except (OSError, ValueError) as error:
        number = getattr(error, "errno", None)
        return os.strerror(number) if number and number > 0 else str(error)
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return ""
