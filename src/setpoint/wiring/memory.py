"""A project's memory, opened as its settings want it."""

from __future__ import annotations

from setpoint.learning.store import SqlMemory
from setpoint.learning.store.embedding import meaning_here
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.wiring.project import Project


def memory_of(project: Project, wanted: MemoryTerms | None = None) -> SqlMemory:
    """Open a project's memory, for a run as its order says; with meanings where the extra is installed."""
    terms = wanted or project.settings.memory
    return SqlMemory(project.store, meaning=meaning_here() if terms.semantic else None)
