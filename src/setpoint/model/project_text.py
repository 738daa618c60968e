"""What a project itself says to coding agents, and what of it an agent reads without being shown it."""

from __future__ import annotations

from setpoint.model.value import Text, Value


class InstructionFile(Value):
    """A file in the root of a project with instructions for coding agents."""

    path: Text
    text: Text
    """Empty for a link."""
    target: Text = ""
    """Where a link leads, from the root; empty for a plain file."""


class Skill(Value):
    """Instructions for one kind of task, in a file of their own."""

    path: Text
    description: Text = ""
    """What it is for, in one line."""


class ProjectText(Value):
    """What a project says to coding agents, as it is at the base commit."""

    files: tuple[InstructionFile, ...] = ()
    """Instructions for the whole project, the most general first."""
    nested: tuple[Text, ...] = ()
    """Paths of instructions for folders."""
    skills: tuple[Skill, ...] = ()


class ReadsItself(Value):
    """What an agent reads of a project by itself, as it was measured."""

    files: tuple[str, ...] = ()
    """Names of files with instructions, from the root."""
    otherwise: tuple[str, ...] = ()
    """Names of files that it reads only where none of `files` exists."""
    skills: tuple[str, ...] = ()
    """Folders that hold skills."""
    servers: tuple[str, ...] = ()
    """Files whose servers of tools it starts by itself."""


class ProjectTextGiven(Value):
    """What the first prompt of a session tells an agent of a project's own text."""

    files: tuple[InstructionFile, ...] = ()
    nested: tuple[Text, ...] = ()
    skills: tuple[Skill, ...] = ()
    read: tuple[Text, ...] = ()
    """Paths that the agent reads by itself."""
