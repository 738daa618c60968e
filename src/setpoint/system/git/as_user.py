"""Git as the user runs it: with all of the user's configuration, programs for signing, and identity."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from setpoint.system.environment import DEFAULT_KEEP, clean_environment
from setpoint.system.processes import Command, Completed, run

_KEEP = (
    *DEFAULT_KEEP, "EMAIL", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GNUPGHOME",
    "SSH_AUTH_SOCK", "SSH_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
)  # fmt: skip
"""What git and the programs that sign read; no terminal, on which nobody would answer."""
LIMIT_S = 120.0
"""Seconds that git has, as a program for signing may ask a person."""


async def git_as_user(
    root: Path, *argv: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None
) -> Completed:
    """Run git in the user's repository; whatever comes of it is the answer."""
    variables = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8", **(environment or {})}
    return await run(
        Command(
            argv=("git", *argv),
            cwd=root,
            environment=clean_environment(variables, _KEEP),
            timeout_s=LIMIT_S,
            stdin=stdin,
        )
    )
