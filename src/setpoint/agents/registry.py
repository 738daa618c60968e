"""The agents that can be started: those Setpoint knows, and those of the project's own settings."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from setpoint.agents.launch import Launch
from setpoint.agents.model.at import vendor_of
from setpoint.errors import SettingsError
from setpoint.settings import CustomAgent

BUILT_IN = ("mechanic", "rules")
"""Agents that are part of Setpoint and need no start."""


def known(own: Mapping[str, CustomAgent] | None = None) -> dict[str, Launch]:
    """Give every agent by name: the registry's, with the project's own laid over or added.

    An own agent with a name from the registry keeps what it does not state; its variables are added.
    Raises `SettingsError` for a new agent without a command and for the name of a built-in.
    """
    tables: dict[str, Any] = tomllib.loads(
        files("setpoint.agents").joinpath("registry.toml").read_text("utf-8")
    )
    launches = {name: Launch(name=name, **table) for name, table in tables.items()}
    for name, agent in (own or {}).items():
        launches[name] = _laid_over(name, agent, launches.get(name))
    return launches


def _laid_over(name: str, agent: CustomAgent, under: Launch | None) -> Launch:
    if name in BUILT_IN:
        raise SettingsError(
            f"[agent.{name}]: '{name}' is built in and cannot be redefined", mend="choose another name"
        )
    if agent.protocol == "model":
        return _model(name, agent)
    if under is None:
        if not agent.command:
            mend = f'add a line such as `command = ["my-agent", "{{prompt}}"]` under [agent.{name}]'
            raise SettingsError(f"[agent.{name}]: a new agent needs a command", mend=mend)
        return Launch(
            name=name,
            argv=agent.command,
            protocol=agent.protocol or "command",
            vendor=agent.vendor,
            pass_environment=agent.pass_environment,
            environment=agent.environment,
        )
    changes: dict[str, Any] = {
        "environment": {**under.environment, **agent.environment},
        "pass_environment": tuple(dict.fromkeys((*under.pass_environment, *agent.pass_environment))),
    }
    if agent.command:
        changes["argv"] = agent.command
    if agent.vendor:
        changes["vendor"] = agent.vendor
    if agent.protocol:
        changes["protocol"] = agent.protocol
    return under.model_copy(update=changes)


def _model(name: str, agent: CustomAgent) -> Launch:
    if not agent.model or agent.command:
        wrong = "a model by API has no command" if agent.command else "which model is meant?"
        mend = 'write `model = "openai:gpt-5-mini"` and no command'
        raise SettingsError(f"[agent.{name}]: {wrong}", mend=mend)
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
