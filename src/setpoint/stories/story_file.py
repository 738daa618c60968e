"""Stories as Markdown files with YAML front matter."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from setpoint.errors import StoryError
from setpoint.model.changes.slug import slug
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import EARLIER_MODES, Story, StoryRecord
from setpoint.stories.front_matter import Page, front_matter, table, taken_apart, with_keys
from setpoint.stories.story_faults import (
    KEYS,
    RECORD_KEYS,
    Fault,
    key_faults,
    key_lines,
    story_error,
    stray_faults,
    value_faults,
)
from setpoint.stories.story_notes import without_notes
from setpoint.system.files.atomic import write_atomic

_ID = re.compile(r"""^id:[ \t]*["']?([^\s"'#]*)""", re.MULTILINE)
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

    def line_of(self, key: str) -> int:
        """Return the line of a key; 1 where the file does not have it."""
        return key_lines(table(self.page.front, str(self.path))[0], 2).get(key, 1)

    @property
    def digest(self) -> str:
        """Hash of the request; other keys, comments and Setpoint's own part do not count."""
        asked = self.story.model_dump(mode="json", exclude_defaults=True)
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]


def read_story(path: Path) -> Story:
    """Read the request of a story; `StoryError` names the file, the line, the key and the remedy."""
    return read_file(path).story


def read_file(path: Path) -> StoryFile:
    """Read a story and what Setpoint keeps in its file; raises as `read_story` does."""
    return parsed(path, taken_apart(text_of(path)))


def text_of(path: Path) -> str:
    """Return the text of a file as it is."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        message = f"{path}:{line}: cannot be read as a story: it is not UTF-8 ({error.reason})"
        raise StoryError(message, hint="save the file in UTF-8") from None
    except OSError as error:
        message = f"{path}: cannot be read as a story: {error}"
        raise StoryError(message, hint="pass the path of a Markdown file in UTF-8") from None


def claimed_id(path: Path) -> StoryId:
    """Return the id that a file names, or else that of its name, whether or not it can be read."""
    with contextlib.suppress(OSError):
        page = taken_apart(path.read_bytes().decode("utf-8", "replace"))
        named = _ID.search(page.front or page.body.partition("\n\n")[0])
        return StoryId(slug(named[1] if named and named[1] else path.stem))
    return StoryId(slug(path.stem))


def parsed(path: Path, page: Page, first: int = 2, also: frozenset[str] = frozenset()) -> StoryFile:
    """Make a story of a file's content, already read; `StoryError` with all that is wrong.

    `first` is the line of the file with the first key, and `also` names more keys that may be there.
    """
    node, front = table(page.front, str(path), first)
    faults = [*key_faults(node, page.front, first, also), *stray_faults(page, first)]
    body = without_notes(page.body.removeprefix("\ufeff")).replace("\r\n", "\n").replace("\r", "\n")
    for hint in HINTS.split("\n\n"):
        body = body.replace(hint.strip(), "")
    title = front.get("title") or _heading(body, any_line=not page.head)
    if not title and not faults:
        what = "the story has no title" if body.strip() else "an empty story"
        hint = "write `title: ...` into the front matter, or `# ...` above the text"
        faults.append(Fault(first if also else 0, what, hint))
    bad = {each.key for each in faults}
    known = {key: value for key, value in front.items() if value is not None and key not in bad}
    told = {"id": slug(str(known.get("id") or path.stem)), "title": title or "-", "body": body.strip()}
    kinds: tuple[tuple[type[Story | StoryRecord], dict[str, Any]], ...] = (
        (Story, {key: known[key] for key in KEYS & known.keys()} | told),
        (StoryRecord, {key: known[key] for key in RECORD_KEYS & known.keys()}),
    )
    made = list[Any]()
    for kind, values in kinds:
        try:
            made.append(kind.model_validate(values))
        except ValidationError as error:
            faults += value_faults(error, node, first)
    if faults:
        raise story_error(path, faults)
    return StoryFile(path, page, *made)


def _heading(body: str, *, any_line: bool) -> str:
    """Return the title that a body begins with: its heading, or `any_line` that is its first."""
    first = next((line for line in body.splitlines() if line.strip()), "")
    return first.lstrip("# ").strip() if any_line or first.startswith("#") else ""


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
