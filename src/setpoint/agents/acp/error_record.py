"""The error that an agent keeps in its own record of a session, where its answer over ACP leaves it out."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from setpoint.agents.launch import Launch
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.system.processes import Command, run

RECORD_S = 30.0
"""Seconds that the agent may take to print its record."""


async def error_of(launch: Launch, sandbox: Sandbox, command: Command, session: str) -> object:
    """Return the data of the error that ended a session's last message; none where it holds none.

    `command` is that of the agent, whose folder and environment the record is asked in.
    """
    if not (launch.errors_argv and session):
        return None
    argv = tuple(word.replace("{session}", session) for word in launch.errors_argv)
    held = await sandbox.hold(launch, replace(command, argv=argv, timeout_s=RECORD_S))
    try:
        done = await run(held.command)
    finally:
        await asyncio.shield(held.release())
    return _last_error(done.stdout) if done.ok else None


def _last_error(printed: bytes) -> object:
    """Return the error of the last of the `messages` that a record holds."""
    try:
        record = json.loads(printed)
    except (ValueError, RecursionError):
        return None
    messages = record.get("messages") if isinstance(record, dict) else None
    last = messages[-1] if isinstance(messages, list) and messages else None
    about = last.get("info", last) if isinstance(last, dict) else None
    return about.get("error") if isinstance(about, dict) else None
