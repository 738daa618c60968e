"""Decide which of a project's own instructions a prompt has to give, since the agent does not read them."""

from __future__ import annotations

import re

from setpoint.model.project_text import InstructionFile, ProjectText, ProjectTextGiven, ReadsItself

GENERAL = "AGENTS.md"
"""The file for every agent; others are for one agent each, and are given where it is missing."""
MOST_TEXT = 16_000
"""Characters of instructions that a prompt repeats; the rest is read in the file."""
MOST_SKILLS = 40
MOST_NESTED = 20
_CUT = "\n[... cut; the file has the rest]"


def unread(project: ProjectText, reads: ReadsItself) -> ProjectTextGiven:
    """Return what a prompt has to give an agent, within bounds."""
    own = _own(project, reads)
    names = (*reads.files, *reads.otherwise)
    nested = [path for path in project.nested if path.rpartition("/")[2] not in names]
    folders = tuple(f"{folder}/" for folder in reads.skills)
    skills = [each for each in project.skills if not each.path.startswith(folders)]
    known = [each.path for each in project.skills if each.path.startswith(folders)]
    return ProjectTextGiven(
        files=tuple(_bounded(each) for each in _missing(project, own)),
        nested=tuple(nested[:MOST_NESTED]),
        skills=tuple(skills[:MOST_SKILLS]),
        read=(*(each.path for each in own), *known),
    )


def _own(project: ProjectText, reads: ReadsItself) -> list[InstructionFile]:
    """Return the files that an agent reads by itself."""
    found = [each for each in project.files if each.path in reads.files]
    return found or [each for each in project.files if each.path in reads.otherwise]


def _missing(project: ProjectText, own: list[InstructionFile]) -> list[InstructionFile]:
    """Return the instructions that an agent would miss: the general ones, else the first of all."""
    plain = [each for each in project.files if each.text]
    general = next((each for each in plain if each.path == GENERAL), None)
    if general is None:
        return [] if own or not plain else plain[:1]
    return [] if any(_holds(each, general) for each in own) else [general]


def _holds(file: InstructionFile, other: InstructionFile) -> bool:
    """Whether who reads a file has read another one, too."""
    same = other.path in (file.path, file.target) or file.text.strip() == other.text.strip()
    return same or re.search(rf"(?<!\S)@(?:\./)?{re.escape(other.path)}(?!\S)", file.text) is not None


def _bounded(file: InstructionFile) -> InstructionFile:
    if len(file.text) <= MOST_TEXT:
        return file
    return file.model_copy(update={"text": file.text[:MOST_TEXT] + _CUT})
