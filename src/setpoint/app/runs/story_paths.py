"""Which files a story is about, as far as it names them: two of one file are not worked on at once."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from setpoint.app.runs.board import story_path
from setpoint.errors import SetpointError
from setpoint.model.changes.path_globs import matches
from setpoint.model.ids import StoryId
from setpoint.stories.story_file import read_file
from setpoint.system.git.git import ask_at_once, names_of
from setpoint.system.git.merge import commit_named
from setpoint.wiring.project import Project

_WORDS = re.compile(r"[\w./+-]+")


def story_files(project: Project, name: StoryId) -> frozenset[str]:
    """Return the files of its base that a story names or may change, and those that its last branch changes.

    What is not known is left out, and so it keeps no other story waiting.
    """
    try:
        file = read_file(story_path(project, name))
    except SetpointError:
        return frozenset()
    story, root = file.story, project.root
    base = commit_named(root, story.base or "HEAD")
    if base is None:
        return frozenset()
    there = _files_at(root, base)
    words = _WORDS.findall("\n".join((story.wish, *story.acceptance)))
    named = {word.rstrip(".").removeprefix("./") for word in words}
    free = {path for path in there if matches(path, story.may_change)} if story.may_change else set[str]()
    tip = commit_named(root, f"refs/heads/{file.record.branch}") if file.record.branch else None
    diff = ("diff-tree", "-r", "-z", "--no-renames", "--name-only", "--merge-base", base, tip or base)
    changed = names_of(ask_at_once(root, *diff).stdout) if tip else ()
    return frozenset((named & there) | free | set(changed))


@lru_cache(maxsize=16)
def _files_at(root: Path, commit: str) -> frozenset[str]:
    listed = ask_at_once(root, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
    return frozenset(names_of(listed.stdout))
