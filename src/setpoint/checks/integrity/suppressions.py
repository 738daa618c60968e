"""Rule 5: net new suppressions, counted by comments and marks, not by text in strings."""

from __future__ import annotations

import io
import re
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from setpoint.model.value import Value

BLANKET = "*"
"""Stands for a suppression that names no code and so silences all."""
_SLASHES = re.compile(
    r"(?P<text>'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`)"
    r"|(?P<comment>//[^\n]*|/\*.*?\*/|\{/\*.*?\*/\})",
    re.DOTALL,
)
_HASHES = re.compile(
    r"(?P<text>'[^'\n]*'|\"(?:\\.|[^\"\\\n])*\")|(?P<comment>(?:(?<=\s)|^)#[^\n]*)", re.MULTILINE
)


class Mark(Value):
    """One kind of suppression, as the file of data says it."""

    files: tuple[str, ...]
    comment: bool
    pattern: str


@dataclass(frozen=True, kw_only=True)
class Suppression:
    """One thing that is silenced in one place."""

    kind: str
    code: str
    """What is silenced, or `*` for all."""
    line: int
    text: str
    """The line it is in."""


@dataclass(frozen=True, kw_only=True)
class Grown:
    """A file that silences more of one kind than it did."""

    path: str
    kind: str
    before: int
    after: int
    new: tuple[Suppression, ...]
    """Those that were not there."""


@cache
def suppression_markers() -> dict[str, Mark]:
    """Return every kind of suppression by its name."""
    text = files("setpoint.checks.integrity").joinpath("suppressions.toml").read_text("utf-8")
    return TypeAdapter(dict[str, Mark]).validate_python(tomllib.loads(text))


def suppressions(path: str, source: str) -> tuple[Suppression, ...]:
    """Find what a file silences."""
    wanted = {name: mark for name, mark in suppression_markers().items() if path.endswith(mark.files)}
    if not wanted or not any(re.search(mark.pattern, source) for mark in wanted.values()):
        return ()
    lines = source.split("\n")
    comments = list(_comments(path, source))
    code = _without(source, comments)
    found = []
    for name, mark in wanted.items():
        texts = comments if mark.comment else [(1, 0, code)]
        found += [each for line, _, text in texts for each in _of_kind(name, mark, line, text)]
    return tuple(
        Suppression(kind=kind, code=word, line=line, text=lines[line - 1].strip()[:200])
        for kind, word, line in found
    )


def grown(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Grown, ...]:
    """Return the files that silence more, of the kinds of which the whole work silences more.

    Both maps are source text by path. A suppression that moved is none, nor is one that now names a code.
    """
    old = {path: suppressions(path, text) for path, text in before.items()}
    new = {path: suppressions(path, text) for path, text in after.items()}
    found = []
    for kind in suppression_markers():
        stood, stands = _counted(old, kind), _counted(new, kind)
        more = sum(stands.values()) > sum(stood.values()) or stands[BLANKET] > stood[BLANKET]
        if more:
            found += [
                each for path in sorted(new) if (each := _in_file(path, kind, old.get(path, ()), new[path]))
            ]
    return tuple(found)


def unmasked(path: str, source: str, new: Mapping[str, tuple[Suppression, ...]]) -> str:
    """Return a file without its new comments that silence something; its lines keep their numbers."""
    wanted = {each.line for each in new.get(path, ())}
    lines = source.split("\n")
    for line, column, text in _comments(path, source):
        if line in wanted and "\n" not in text:
            held = lines[line - 1]
            lines[line - 1] = (held[:column] + held[column + len(text) :]).rstrip()
    return "\n".join(lines)


def _in_file(
    path: str, kind: str, before: tuple[Suppression, ...], after: tuple[Suppression, ...]
) -> Grown | None:
    stood = Counter((each.code, _bare(each.text)) for each in before if each.kind == kind)
    codes = Counter(each.code for each in before if each.kind == kind)
    held = [each for each in after if each.kind == kind]
    moved = Counter(each.code for each in held) - codes
    new = []
    for each in held:
        if stood[each.code, _bare(each.text)]:
            stood[each.code, _bare(each.text)] -= 1
        elif moved[each.code] > 0:
            moved[each.code] -= 1
            new.append(each)
    if not new or (len(held) <= sum(codes.values()) and not any(each.code == BLANKET for each in new)):
        return None
    return Grown(path=path, kind=kind, before=sum(codes.values()), after=len(held), new=tuple(new))


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _counted(found: Mapping[str, tuple[Suppression, ...]], kind: str) -> Counter[str]:
    return Counter(each.code for held in found.values() for each in held if each.kind == kind)


def _of_kind(name: str, mark: Mark, line: int, text: str) -> Iterator[tuple[str, str, int]]:
    for match in re.finditer(mark.pattern, text):
        codes = match.groupdict().get("codes") or ""
        place = line + text.count("\n", 0, match.start())
        for code in [each for each in re.split(r"[,\s]+", codes.strip()) if each] or [BLANKET]:
            yield name, code, place


def _comments(path: str, source: str) -> Iterator[tuple[int, int, str]]:
    """Yield each comment with its line, 1-based, and its first column, 0-based."""
    if path.endswith((".py", ".pyi")):
        yield from _python_comments(source)
        return
    pattern = _HASHES if path.endswith((".sh", ".bash", ".rb")) else _SLASHES
    for match in pattern.finditer(source):
        if match["comment"] is not None:
            start = match.start("comment")
            yield (
                source.count("\n", 0, start) + 1,
                start - (source.rfind("\n", 0, start) + 1),
                match["comment"],
            )


def _python_comments(source: str) -> Iterator[tuple[int, int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.start[1], token.string
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return  # the parse check says so; what comes before the error was read


def _without(source: str, comments: list[tuple[int, int, str]]) -> str:
    """Blank out comments, so that marks in them are not taken for code."""
    lines = source.split("\n")
    for line, column, text in comments:
        if "\n" not in text:
            held = lines[line - 1]
            lines[line - 1] = held[:column] + " " * len(text) + held[column + len(text) :]
    return "\n".join(lines)
