"""Stories as Markdown files with YAML front matter."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from pydantic import ValidationError

from setpoint.domain.ids import StoryId
from setpoint.domain.story import Story
from setpoint.errors import StoryError
from setpoint.store.files import write_atomic

_FRONT_MATTER = re.compile(r"\A---\s*\n(.*?)\n---\s*\n?", re.DOTALL)
_KNOWN = frozenset(Story.model_fields) - {"body"}
MOST_SLUG = 48


def slug(text: str) -> str:
    """Make a short name of a text, fit for a file and a branch; at most 48 characters."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return words[:MOST_SLUG].rstrip("-") or "story"


def read_story(path: Path) -> Story:
    """Read a story file; keys that a story does not have are left to others and ignored here.

    Raises `StoryError` naming the file, the key and the mend.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path}: cannot be read as a story: {error}"
        raise StoryError(message, mend="give the path of a Markdown file in UTF-8") from None
    match = _FRONT_MATTER.match(text)
    front = _front_matter(path, match.group(1)) if match else {}
    body = text[match.end() :] if match else text
    title = front.get("title") or next(
        (line.lstrip("# ").strip() for line in body.splitlines() if line.strip()), ""
    )
    if not title:
        message = f"{path}: an empty story"
        raise StoryError(message, mend="write what is wanted, or a title into the front matter")
    values = {key: value for key, value in front.items() if key in _KNOWN and value is not None}
    try:
        return Story.model_validate(
            {**values, "id": slug(str(values.get("id") or path.stem)), "title": title, "body": body.strip()}
        )
    except ValidationError as error:
        details = "; ".join(
            f"key '{'.'.join(map(str, each['loc']))}': {each['msg'].lower()}" for each in error.errors()
        )
        message = f"{path}: {details}"
        raise StoryError(message, mend="docs/how-to/stories.md lists the keys of a story") from None


def _front_matter(path: Path, text: str) -> dict[str, object]:
    try:
        front = yaml.safe_load(text)
    except yaml.YAMLError as error:
        message = f"{path}: the front matter is not valid YAML: {error}"
        raise StoryError(message, mend="correct the text between the two lines of ---") from None
    if front is None:
        return {}
    if not isinstance(front, dict):
        message = f"{path}: the front matter is {type(front).__name__}, not a table of keys"
        raise StoryError(message, mend="write one 'key: value' per line between the two lines of ---")
    return front


def new_story(folder: Path, wish: str) -> tuple[Story, Path]:
    """Make a story of a sentence and write its file; the same sentence again gives the same story."""
    title = wish.strip().splitlines()[0].strip()
    name = slug(title)
    path, number = folder / f"{name}.md", 1
    while (
        path.exists() and read_story(path).wish != Story(id=StoryId(name), title=title, body=_body(wish)).wish
    ):
        number += 1
        path = folder / f"{name}-{number}.md"
    story = Story(id=StoryId(path.stem), title=title, body=_body(wish))
    if not path.exists():
        front = yaml.safe_dump(
            {"id": str(story.id), "title": title}, sort_keys=False, allow_unicode=True, width=10_000
        )
        write_atomic(path, f"---\n{front}---\n\n{story.body}\n")
    return story, path


def _body(wish: str) -> str:
    return "\n".join(wish.strip().splitlines()[1:]).strip()
