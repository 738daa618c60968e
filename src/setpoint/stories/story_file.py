"""Stories as Markdown files with YAML front matter."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from setpoint.errors import StoryError
from setpoint.model.changes.slug import slug
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import EARLIER_MODES, Story, StoryRecord
from setpoint.stories.front_matter import Page, front_matter, taken_apart, with_keys
from setpoint.stories.story_notes import without_notes
from setpoint.system.files.atomic import write_atomic

KEYS = frozenset({*Story.model_fields, "granted"}) - {"body"}
"""Keys with which a person describes the goal."""
RECORD_KEYS = frozenset(StoryRecord.model_fields)
"""Keys that Setpoint keeps; more are called `PHASE_complete`."""
HINTS = """\
<!-- What is different when this is done? Give an example: what goes in, what comes out. -->

<!-- What must stay as it is? -->

<!-- How can one see that it is done? A command that must exit 0 goes above: acceptance: ["COMMAND"] -->
"""
"""The body of a new story without details; a paragraph that nobody replaced is not part of the request."""


class StoryFile(NamedTuple):
    """A story with all keys of its file."""

    path: Path
    page: Page
    story: Story
    record: StoryRecord

    @property
    def earlier_mode(self) -> str:
        """Return the mode of an earlier version that the file names; empty where it names none."""
        mode = front_matter(self.page, str(self.path)).get("integrity")
        return mode if mode in EARLIER_MODES else ""

    @property
    def digest(self) -> str:
        """Hash of the request; other keys, comments and Setpoint's own part do not count."""
        asked = self.story.model_dump(mode="json", exclude_defaults=True)
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]


def read_story(path: Path) -> Story:
    """Read the request of a story; ignore keys that a story does not have.

    Raises `StoryError` naming the file, the key and the fix.
    """
    return read_file(path).story


def read_file(path: Path) -> StoryFile:
    """Read a story and what Setpoint keeps in its file; `StoryError` names the file, the key and the fix."""
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path}: cannot be read as a story: {error}"
        raise StoryError(message, hint="pass the path of a Markdown file in UTF-8") from None
    return parsed(path, taken_apart(text))


def parsed(path: Path, page: Page) -> StoryFile:
    """Make a story of a file's content, already read."""
    front = front_matter(page, str(path))
    body = without_notes(page.body.removeprefix("\ufeff")).replace("\r\n", "\n").replace("\r", "\n")
    for hint in HINTS.split("\n\n"):
        body = body.replace(hint.strip(), "")
    title = front.get("title") or next(
        (line.lstrip("# ").strip() for line in body.splitlines() if line.strip()), ""
    )
    if not title:
        message = f"{path}: an empty story"
        raise StoryError(message, hint="describe the goal, or write a title into the front matter")
    values = {key: value for key, value in front.items() if key in KEYS and value is not None}
    kept = {key: value for key, value in front.items() if key in RECORD_KEYS and value is not None}
    try:
        story = Story.model_validate(
            {**values, "id": slug(str(values.get("id") or path.stem)), "title": title, "body": body.strip()}
        )
        return StoryFile(path, page, story, StoryRecord.model_validate(kept))
    except ValidationError as error:
        details = "; ".join(
            f"key '{'.'.join(map(str, each['loc']))}': {each['msg'].lower()}" for each in error.errors()
        )
        message = f"{path}: {details}"
        raise StoryError(message, hint="docs/how-to/stories.md lists the keys of a story") from None


def new_story(folder: Path, wish: str, **keys: Any) -> tuple[Story, Path]:  # noqa: ANN401 - any key of a story
    """Make a story of a sentence and write its file; the same sentence again returns the same story."""
    title = wish.strip().splitlines()[0].strip()
    name = slug(title)
    path, number = folder / f"{name}.md", 1
    while (
        path.exists() and read_story(path).wish != Story(id=StoryId(name), title=title, body=_body(wish)).wish
    ):
        number += 1
        path = folder / f"{name}-{number}.md"
    if path.exists():
        return read_story(path), path
    body = _body(wish)
    page = with_keys(
        Page("", "", "", f"{body}\n" if body else HINTS),
        {"id": path.stem, "title": title, **keys},
        str(path),
    )
    made = parsed(path, page)
    write_atomic(path, page.text)
    return made.story, path


def place_story(folder: Path, story: Story, **keys: Any) -> Path:  # noqa: ANN401 - any key of a story
    """Write a story under its own name, unless a file of this name exists; return the file."""
    path = folder / f"{story.id}.md"
    if not path.exists():
        told = story.model_dump(mode="json", exclude={"body"}, exclude_defaults=True)
        page = with_keys(Page("", "", "", f"{story.body}\n"), {**told, **keys}, str(path))
        parsed(path, page)
        write_atomic(path, page.text)
    return path


def _body(wish: str) -> str:
    return "\n".join(wish.strip().splitlines()[1:]).strip()
