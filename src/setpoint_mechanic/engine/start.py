"""How the engine is started: by the probe, in an interpreter where neither of them is installed."""

from __future__ import annotations

from pathlib import Path

from setpoint_probe import ENGINE as PROBE

_HERE = Path(__file__).parent


def start(python: str, work: str, *options: str) -> tuple[str, ...]:
    """Return the words that start a module of the engine; its order and its answer follow."""
    return (python, str(PROBE), *options, "--engine", str(_HERE), work)
