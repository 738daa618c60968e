"""The in-memory durable engine, which crashes on demand."""

from __future__ import annotations

from setpoint.durable.inline import Crash, InlineDurable

__all__ = ["Crash", "InlineDurable"]
