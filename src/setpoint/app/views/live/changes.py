"""How a change is noticed of anything that a page shows, whichever process makes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from setpoint.app.runs.board import story_folder
from setpoint.system.files.changes import FileChanges
from setpoint.wiring.project import Project


class ProjectChanges(NamedTuple):
    """Signs of a change."""

    commits: Callable[[], str]
    """Gives another text after every commit."""
    files: FileChanges
    """Stories, locks of processes at work, and the database where it is a file."""
    in_files: bool
    """Whether every commit changes one of these files."""


def project_changes(project: Project) -> ProjectChanges:
    """Follow the changes of a project."""
    journal, folders = project.store.journal, (project.state / "locks", story_folder(project).folder)
    files = FileChanges((journal,) if journal else (), folders)
    return ProjectChanges(project.store.mark, files, journal is not None)
