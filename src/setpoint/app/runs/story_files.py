"""Look at story files before anything is run, and make many of one file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from setpoint.app.runs.board import board_faults, read_one, read_stories, story_folder
from setpoint.errors import StoryError
from setpoint.stories.story_file import StoryFile
from setpoint.stories.story_import import imported
from setpoint.wiring.project import Project

FILE_ENDINGS = (".md", ".markdown", ".mdown", ".txt", ".yaml", ".yml")
"""Endings of what is meant as a file, not as a request; stories are read from `.md` alone."""


def check_stories(project: Project, only: Collection[Path] = ()) -> Mapping[Path, str]:
    """Return every file, or these, with what is wrong with it; empty where nothing is."""
    folder = story_folder(project).folder
    read = {**read_stories(project), **{path: read_one(path) for path in only}}
    faults = {path: file for path, file in read.items() if isinstance(file, str)}
    faults |= board_faults(read)
    for path in sorted(folder.iterdir()) if folder.is_dir() and not only else ():
        if path.suffix.lower() in FILE_ENDINGS and path.suffix != ".md":
            hint = f"name it {path.stem}.md, or: setpoint story import {path}"
            faults[path] = f"{path}: not read, because its name does not end in .md; hint: {hint}"
    return {path: faults.get(path, "") for path in sorted(only or {*read, *faults})}


def import_stories(project: Project, source: Path, *, dry_run: bool) -> list[tuple[StoryFile, str]]:
    """Write a file for each story of a Markdown or YAML file, all or none; existing ones stay as they are.

    Returns each story with what became of it: `new`, `unchanged` or `kept` (another text is there already).
    Raises `StoryError` with all that is wrong.
    """
    stories = story_folder(project)
    found = imported(source, stories.folder)
    there = {file.story.id: file for file in read_stories(project).values() if isinstance(file, StoryFile)}
    fates = list[tuple[StoryFile, str]]()
    for each in found:
        known = there.get(each.story.id)
        free = known is None and stories.find(each.story.id) is None
        fate = "new" if free else "unchanged" if known and known.digest == each.digest else "kept"
        fates.append((each, fate))
    new = {file.path: file for file, fate in fates if fate == "new"}
    faults = board_faults({**read_stories(project), **new})
    if wrong := [f"{file.story.id}: {faults[path]}" for path, file in new.items() if path in faults]:
        raise StoryError(f"{source}: {'; '.join(wrong)}", hint="nothing was written; correct the file")
    if not dry_run:
        stories.add(new.values())
    return fates
