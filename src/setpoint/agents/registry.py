"""The agents that can be started: those Setpoint knows, and those of the project's own settings."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import ValidationError

from setpoint.agents.launch import Launch, Quirks
from setpoint.agents.model_api.provider import vendor_of
from setpoint.agents.own_programs import OwnPrograms, located, node_package
from setpoint.errors import SettingsError
from setpoint.settings import CustomAgent

BUILT_IN = ("generator", "mechanic", "rules")
"""Agents that are part of Setpoint and need no start."""


def known(own: Mapping[str, CustomAgent] | None = None, *, proxied: bool = False) -> dict[str, Launch]:
    """Return every agent by name: the registry's, with the project's own laid over or added.

    With `proxied`, every agent that can be pointed at the recording proxy is, unless its own table says no.

    An own agent with a name from the registry keeps what it does not state; its variables are added.
    Raises `SettingsError` for a new agent without a command and for the name of a built-in.
    """
    launches = shipped()
    node, programs = pinned_node(), OwnPrograms()
    for name, agent in (own or {}).items():
        launches[name] = _laid_over(name, agent, launches.get(name))
    launches = {name: located(launch, node, programs) for name, launch in launches.items()}
    return {
        name: _counted(launch, (own or {}).get(name), everyone=proxied) for name, launch in launches.items()
    }


def shipped() -> dict[str, Launch]:
    """Return the agents of the registry as they are, whatever the settings of a project say."""
    return {name: _known(name, table) for name, table in _tables().items() if isinstance(table, dict)}


def _known(name: str, table: dict[str, Any]) -> Launch:
    """Return an agent of the registry; `{defaults}` in its variables is the folder beside the registry."""
    launch, folder = Launch(name=name, **table), str(files("setpoint.agents").joinpath("defaults"))
    environment = {key: value.replace("{defaults}", folder) for key, value in launch.environment.items()}
    return launch.model_copy(update={"environment": environment})


def pinned_node() -> str:
    """Return the npm package with the Node.js that `setpoint agents setup` installs."""
    return node_package(str(_tables()["node"]))


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(files("setpoint.agents").joinpath("registry.toml").read_text("utf-8"))


def _counted(launch: Launch, own: CustomAgent | None, *, everyone: bool) -> Launch:
    wanted = own.proxy if own is not None and own.proxy is not None else None
    able = launch.protocol != "model" and bool(launch.base_urls or launch.config_base_urls)
    if wanted and not able:
        message = (
            f"[agent.{launch.name}] proxy: it is not known which variable holds the address of its model"
        )
        hint = f'name it: [agent.{launch.name}.base_urls] OPENAI_BASE_URL = "https://api.openai.com/v1"'
        raise SettingsError(message, hint=hint)
    return launch.model_copy(update={"proxied": able and (everyone if wanted is None else wanted)})


def _laid_over(name: str, agent: CustomAgent, under: Launch | None) -> Launch:
    if name in BUILT_IN:
        raise SettingsError(
            f"[agent.{name}]: '{name}' is built in and cannot be redefined", hint="choose another name"
        )
    if agent.protocol == "model":
        return _model(name, agent)
    if under is None:
        if not agent.command:
            hint = f'add a line such as `command = ["my-agent", "{{prompt}}"]` under [agent.{name}]'
            raise SettingsError(f"[agent.{name}]: a new agent needs a command", hint=hint)
        return Launch(
            name=name,
            argv=agent.command,
            protocol=agent.protocol or "command",
            vendor=agent.vendor,
            model=agent.model,
            pass_environment=agent.pass_environment,
            environment=agent.environment,
            base_urls=agent.base_urls,
            quirks=_quirks(name, agent, Quirks()),
            writes=agent.writes,
            sandbox=agent.sandbox,
        )
    return under.model_copy(update=_changes(name, agent, under))


def _changes(name: str, agent: CustomAgent, under: Launch) -> dict[str, Any]:
    stated = {"vendor": agent.vendor, "protocol": agent.protocol, "model": agent.model}
    changes: dict[str, Any] = {
        "environment": {**under.environment, **agent.environment},
        "base_urls": {**under.base_urls, **agent.base_urls},
        "quirks": _quirks(name, agent, under.quirks),
        "pass_environment": tuple(dict.fromkeys((*under.pass_environment, *agent.pass_environment))),
        "writes": tuple(dict.fromkeys((*under.writes, *agent.writes))),
        "sandbox": agent.sandbox or under.sandbox,
        **{key: value for key, value in stated.items() if value},
    }
    if agent.command:
        # Another command need not print what this one prints, nor take its arguments.
        changes |= {
            "argv": agent.command,
            "stream": "",
            "resume_argv": (),
            "model_argv": (),
            "npm": "",
            "behind": "",
            "min_node": None,
        }
    return changes


def _quirks(name: str, agent: CustomAgent, under: Quirks) -> Quirks:
    try:
        return Quirks(
            **{**under.model_dump(), **({"mode": agent.mode} if agent.mode else {}), **agent.quirks}
        )
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        known_ones = ", ".join(Quirks.model_fields)
        raise SettingsError(
            f"[agent.{name}] quirks.{place}: {error.errors()[0]['msg']}", hint=f"there are {known_ones}"
        ) from None


def _model(name: str, agent: CustomAgent) -> Launch:
    if not agent.model or agent.command:
        wrong = "a model by API has no command" if agent.command else "which model is meant?"
        hint = 'write `model = "openai:gpt-5-mini"` and no command'
        raise SettingsError(f"[agent.{name}]: {wrong}", hint=hint)
    launch = Launch(
        name=name,
        protocol="model",
        model=agent.model,
        base_url=agent.base_url,
        api_key_env=agent.api_key_env,
        vendor=agent.vendor or ("" if agent.base_url else vendor_of(name, agent.model)),
    )
    vendor_of(name, agent.model)  # a provider that is not known ends here
    return launch
