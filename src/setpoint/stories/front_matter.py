"""Change front matter in place: everything else stays as it is, byte for byte.

The YAML parser reports where each value begins and ends, and only these spans are replaced. Every change is
parsed again before it is given back, so a file is either changed rightly or refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

import yaml

from setpoint.errors import StoryError

_NEWLINE = r"(?:\r\n|\n|\r)"
_PAGE = re.compile(
    rf"\A\ufeff?---[ \t]*{_NEWLINE}(?P<front>.*?)(?<=[\r\n])---[ \t]*(?:{_NEWLINE}|\Z)", re.DOTALL
)
_COLON = re.compile(r"[ \t]*:")
_REST = re.compile(r"[^\r\n]*")
_COMMENT = re.compile(r"[ \t]*(?:#.*)?")


class Page(NamedTuple):
    """A Markdown file in parts; joined again they are the same text."""

    head: str
    """The opening line of `---`; empty if there is no front matter."""
    front: str
    """The YAML between the two lines of `---`, with its line ends."""
    fence: str
    """The closing line of `---`."""
    body: str
    """All that follows."""

    @property
    def text(self) -> str:
        """Return the whole file."""
        return self.head + self.front + self.fence + self.body

    @property
    def newline(self) -> str:
        """How lines end in this file."""
        return "\r\n" if "\r\n" in self.text else "\n"


def taken_apart(text: str) -> Page:
    """Find the front matter of a text."""
    match = _PAGE.match(text)
    if match is None:
        return Page("", "", "", text)
    start, end = match.span("front")
    return Page(text[:start], match["front"], text[end : match.end()], text[match.end() :])


def front_matter(page: Page, name: str, first: int = 2) -> dict[str, Any]:
    """Read the keys; `StoryError` with the name of the file where they cannot be read."""
    return dict(table(page.front, name, first)[1])


def with_keys(page: Page, changes: Mapping[str, object], name: str) -> Page:
    """Change, add or (with none) remove keys; return the page itself if nothing changes.

    Comments, order, quoting and line ends of all other keys stay, as does a comment behind a changed value.
    Raises `StoryError` where the front matter is written in a way that cannot be changed safely.
    """
    node, data = table(page.front, name)
    wanted = {key: value for key, value in changes.items() if value != data.get(key)}
    if not wanted:
        return page
    gone = {key for key, value in wanted.items() if value is None}
    expected = {key: value for key, value in {**data, **wanted}.items() if key not in gone}
    front = _changed(page, node, data, wanted)
    if front is None or not _means(front, expected, name):
        keys = ", ".join(sorted(wanted))
        message = f"{name}: the front matter is written in a way that cannot be changed safely ({keys})"
        raise StoryError(message, hint="write one 'key: value' per line, without anchors and outer braces")
    if page.head:
        return page._replace(front=front)
    gap = "" if not page.body or page.body[0] in "\r\n" else page.newline
    mark = "\ufeff" if page.body.startswith("\ufeff") else ""
    fence = f"---{page.newline}"
    return Page(mark + fence, front, fence + gap, page.body.removeprefix("\ufeff"))


def _means(front: str, expected: dict[str, Any], name: str) -> bool:
    try:
        return table(front, name)[1] == expected
    except StoryError:
        return False


@lru_cache(maxsize=1024)
def _read(front: str) -> tuple[yaml.Node | None, Any]:
    """Parse a text; kept, because a change is read, changed, checked and read again within a moment.

    A board that is open in a browser reads the same files again and again.
    """
    loader = yaml.SafeLoader(front)
    try:
        node = loader.get_single_node()
        return node, loader.construct_document(node) if node is not None else None
    finally:
        loader.dispose()


def table(front: str, name: str, first: int = 2) -> tuple[yaml.MappingNode | None, dict[str, Any]]:
    """Parse keys, also to the nodes with their places; `first` is the line of the file with the first key."""
    node, data = read_yaml(front, name, first)
    if data is None:
        return None, {}
    if not isinstance(data, dict) or not isinstance(node, yaml.MappingNode):
        message = f"{name}:{first}: the front matter is {type(data).__name__}, not a table of keys"
        raise StoryError(message, hint="write one 'key: value' per line between the two lines of ---")
    return node, data


def read_yaml(front: str, name: str, first: int) -> tuple[yaml.Node | None, Any]:
    """Parse one document; `StoryError` with the line of the file, in which the text begins at `first`."""
    try:
        return _read(front)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        line, problem = _told(error)
        message = f"{name}:{line + first}: not valid YAML: {problem}"
        hint = (
            "correct the line; a text with ': ', ' #' or a quote in it goes into quotes, and no tabs indent"
        )
        raise StoryError(message, hint=hint) from None


def _told(error: Exception) -> tuple[int, str]:
    """Describe the error in one line, and say in which line, from 0."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        scanned = error.context_mark if str(error.context).startswith("while scanning") else None
        return (scanned or error.problem_mark).line, str(error.problem or error.context)
    return 0, " ".join(str(error).split())


class _Dumper(yaml.SafeDumper):
    """Writes lists indented below their key, as people write them."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002 - the signature is PyYAML's
        del indentless
        super().increase_indent(flow, indentless=False)


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # Between single quotes PyYAML writes some line breaks so that they are read as others.
    style = '"' if any(each in text for each in "\n\r\x85\u2028\u2029") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _string)


def _dumped(value: object) -> str:
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10**9).rstrip("\n")


def _changed(
    page: Page, node: yaml.MappingNode | None, data: Mapping[str, Any], wanted: Mapping[str, object]
) -> str | None:
    """Return the front matter with the changes; none if one of them is impossible in place."""
    column = node.start_mark.column if node is not None else 0
    if node is not None and node.flow_style:
        return None
    pairs = {key.value: (key, value) for key, value in node.value} if node is not None else {}
    front, added, cuts = page.front, "", list[_Cut]()
    for name, value in wanted.items():
        if name in pairs:
            cut = _Value(front, *pairs[name], page.newline, column).cut(name, data.get(name), value)
            if cut is None:
                return None
            cuts.append(cut)
        elif value is not None:
            added += " " * column + _lines(_dumped({name: value}), column, page.newline) + page.newline
    for start, end, text in sorted(cuts, reverse=True):
        front = front[:start] + text + front[end:]
    return front + added


def _lines(text: str, column: int, newline: str) -> str:
    return text.replace("\n", newline + " " * column)


class _Cut(NamedTuple):
    """A span of a text and its replacement."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class _Value:
    """The value of one key, with its span in the front matter."""

    front: str
    key: yaml.Node
    node: yaml.Node
    newline: str
    column: int
    """Where the keys of the table begin."""

    def cut(self, name: str, old: object, new: object) -> _Cut | None:
        """Return the edit that gives the key another value; none if that is unclear."""
        colon = _COLON.match(self.front, self.key.end_mark.index)
        if colon is None or self.node.start_mark.index < colon.end():
            return None  # an explicit key, or an alias, whose value is elsewhere
        begin, end = colon.end(), max(_end(self.front, self.node), colon.end())
        rest = _rest(self.front, end)
        if not _COMMENT.fullmatch(rest):
            return None
        if new is None:
            start = _line_start(self.front, self.key.start_mark.index)
            return _Cut(start, _next_line(self.front, end), "")
        text = _lines(
            _dumped({name: new})[len(_dumped({name: None})) - len(" null") :], self.column, self.newline
        )
        return self._kept(old, new, end) or self._replaced(begin, end, text)

    def _replaced(self, begin: int, end: int, text: str) -> _Cut:
        """Put a text behind the colon, and keep the comment in the line of the key."""
        below = self.front[begin : self.node.start_mark.index]
        rest = _rest(self.front, end)
        many = self.newline in text
        if "\n" in below:  # the value begins below the line of its key
            kept = below[: below.rindex("\n")].removesuffix("\r")
            return _Cut(begin, end, kept + text if many else text + _rest(self.front, begin).rstrip())
        return _Cut(begin, end + len(rest), rest + text if many else text + rest)

    def _kept(self, old: object, new: object, end: int) -> _Cut | None:
        """Keep the unchanged first items of a list, so that comments between them stay."""
        node = self.node
        if not (isinstance(node, yaml.SequenceNode) and isinstance(old, list) and isinstance(new, list)):
            return None
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
        if node.flow_style or not same or same == len(new):
            return None
        column = node.start_mark.column
        text = " " * column + _lines(_dumped(new[same:]), column, self.newline)
        if same < len(old):
            return _Cut(_line_start(self.front, node.value[same].start_mark.index), end, text)
        after = end + len(_rest(self.front, end))
        return _Cut(after, after, self.newline + text)


def _end(text: str, node: yaml.Node) -> int:
    """Return where a value ends; the end mark of a block lies behind trailing comments and empty lines."""
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return len(text[: node.end_mark.index].rstrip())
    if not isinstance(node, yaml.CollectionNode) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(text, last[1] if isinstance(node, yaml.MappingNode) else last)


def _rest(text: str, place: int) -> str:
    match = _REST.match(text, place)
    return match.group() if match is not None else ""


def _line_start(text: str, place: int) -> int:
    return max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1


def _next_line(text: str, place: int) -> int:
    end = place + len(_rest(text, place))
    return end + (2 if text.startswith("\r\n", end) else 1)
