"""Read many stories from one file: the sections of a Markdown file, or a list in YAML."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import yaml

from setpoint.errors import StoryError
from setpoint.model.changes.slug import slug
from setpoint.stories.front_matter import Page, front_matter, read_yaml, with_keys
from setpoint.stories.story_faults import Fault, names_key, story_error
from setpoint.stories.story_file import StoryFile, parsed, text_of

_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*")


def imported(source: Path, folder: Path) -> tuple[StoryFile, ...]:
    """Return the stories of a file with the place of each in the folder; nothing is written.

    An id is given, or made from the title, so that the same file gives the same ids. Raises `StoryError`
    with all that is wrong.
    """
    read = {".yaml": _listed, ".yml": _listed, ".md": _sections, ".markdown": _sections}.get(source.suffix)
    if read is None:
        raise StoryError(f"{source}: not a file of stories", hint="name a .md, .yaml or .yml file")
    found, wrong = list[StoryFile](), list[StoryError]()
    for page, first in read(source, text_of(source).removeprefix("\ufeff").replace("\r\n", "\n")):
        try:
            made = _made(source, page, first)
            found.append(made._replace(path=folder / f"{made.story.id}.md"))
            if [each.story.id for each in found].count(made.story.id) > 1:
                text, hint = f"a second story has the id '{made.story.id}'", "give it another one: `id: ...`"
                raise story_error(source, [Fault(first, text, hint)])
        except StoryError as error:
            wrong.append(error)
    if wrong:
        hints = dict.fromkeys(error.hint for error in wrong)
        raise StoryError("\n".join(error.message for error in wrong), hint="; ".join(hints))
    return tuple(found)


def _made(source: Path, page: Page, first: int) -> StoryFile:
    keys = front_matter(page, str(source), first)
    if not isinstance(keys.get("body"), str | None):
        hint = "write `body: |`, and the text in the lines below"
        raise story_error(source, [Fault(first, "key 'body' is not text", hint)])
    body = str(keys.get("body") or "").strip()
    title = str(keys.get("title") or "")
    # A key `body` is moved below, all others stay as they are written.
    whole = page._replace(body=f"\n{body}\n") if body else page
    named = with_keys(whole, {"body": None, "id": keys.get("id") or slug(title)}, str(source))
    parsed(source, page if not body else whole, first, frozenset({"body"}))
    return parsed(source, named, first)


def _listed(source: Path, text: str) -> Iterator[tuple[Page, int]]:
    node, data = read_yaml(text, str(source), 1)
    if not isinstance(node, yaml.SequenceNode) or not all(isinstance(each, dict) for each in data):
        hint = "write a list, each item with `title: ...` and the other keys of a story"
        raise StoryError(f"{source}:1: not a list of stories", hint=hint)
    for each in node.value:
        start, end = each.start_mark, each.end_mark
        front = textwrap.dedent(" " * start.column + text[start.index : end.index])
        yield Page("---\n", f"{front.rstrip()}\n", "---\n", ""), start.line + 1


def _sections(source: Path, text: str) -> Iterator[tuple[Page, int]]:
    """Yield a page for each section: its heading, keys in the lines below, and a text."""
    lines, code = text.split("\n"), False
    headings = dict[int, tuple[int, str]]()
    for at, line in enumerate(lines):
        code ^= line.lstrip().startswith(("```", "~~~"))
        if not code and (match := _HEADING.fullmatch(line)):
            headings[at] = len(match[1]), match[2]
    levels = [level for level, _ in headings.values()]
    level = next((each for each in sorted(levels) if levels.count(each) > 1), min(levels, default=0))
    starts = [at for at, (each, _) in headings.items() if each == level]
    lost = [
        at
        for at, line in enumerate(lines)
        if (at not in headings and line.strip() and at < min(starts, default=len(lines)))
        or (starts and at > starts[0] and at in headings and headings[at][0] < level)
    ]
    if lost or not starts:
        hint = "begin each story with a line of `## Title`, all of one level, and put its text below"
        raise story_error(source, [Fault(min(lost, default=0) + 1, "this belongs to no story", hint)])
    for at, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        first = next((each for each in range(at + 1, end) if lines[each].strip()), end)
        last = first
        if first < end and names_key(lines[first], strict=False):
            last = next((each for each in range(first, end) if not lines[each].strip()), end)
        front = "".join(f"{line}\n" for line in (f"title: {json.dumps(headings[at][1])}", *lines[first:last]))
        body = "\n".join(lines[last:end]).strip()
        # Keys behind an empty line are refused, as they are directly below front matter.
        gap = "" if last > first and names_key(body.partition("\n")[0], strict=True) else "\n"
        page = Page("---\n", front, "---\n", f"{gap}{body}\n" if body else "")
        yield page, first if last > first else at + 1
