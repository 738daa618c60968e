"""A project's memory."""

from __future__ import annotations

from setpoint.learning.store import SqlMemory
from setpoint.wiring.project import Project


def memory_of(project: Project) -> SqlMemory:
    """Open a project's memory."""
    return SqlMemory(project.store)
