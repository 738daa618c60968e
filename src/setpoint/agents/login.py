"""Detect a login with an agent, as far as possible without starting it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from setpoint.agents import breakage
from setpoint.agents.environment import found
from setpoint.agents.launch import Launch
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.model.attempt import Breakage
from setpoint.settings import inherited
from setpoint.system.processes import DEFAULT_KEEP, NETWORK_KEEP, Command, clean_environment, run

ASK_S = 20.0
"""Seconds that an agent may take to say whether there is a login."""

NO_LOGIN = "none found"
"""Where neither a key nor a file of a login is there."""


def login_state(launch: Launch) -> str:
    """Describe the evidence of a login: a key that is set or a file that a login leaves.

    Setpoint reads neither: a key may be wrong and a login may have expired, which only a trial shows.
    """
    if not (launch.login_keys or launch.login_files):
        return "not known"
    environment = clean_environment(inherited(launch.pass_environment) | launch.environment)
    for key in launch.login_keys:
        if environment.get(key):
            return f"{key} is set"
    file = _file(launch, environment)
    return f"~/{file} is there" if file else NO_LOGIN


async def refused_login(launch: Launch, sandbox: Sandbox, folder: Path) -> Breakage | None:
    """Ask an agent's own command whether there is a login; return what it says if there is none.

    A command that does not end in time or says nothing leaves it open.
    """
    if not launch.login_argv:
        return None
    command = Command(
        argv=found(launch.login_argv, launch),
        cwd=folder,
        environment=clean_environment(
            inherited(launch.pass_environment) | launch.environment, keep=DEFAULT_KEEP + NETWORK_KEEP
        ),
        timeout_s=ASK_S,
        merge_stderr=True,
    )
    held = await sandbox.hold(launch, command)
    try:
        done = await run(held.command)
    finally:
        await held.release()
    said = done.text.strip()
    return breakage.not_logged_in(launch, said) if done.exit_code and said and not done.timed_out else None


def _file(launch: Launch, environment: Mapping[str, str]) -> str:
    home = environment.get("HOME", "")
    return next((name for name in launch.login_files if home and (Path(home) / name).is_file()), "")


def seen_of(launch: Launch) -> str:
    """Say what can be seen of an agent's work, and what its token figures cover where not the attempt."""
    told = launch.quirks.tells
    if launch.protocol == "command" and not launch.stream:
        return "text"
    scope = launch.quirks.usage_scope
    note = " (last call only)" if scope == "last_call" and launch.protocol == "acp" else ""
    return ", ".join(f"{each}{note}" if each == "tokens" else each for each in told)
