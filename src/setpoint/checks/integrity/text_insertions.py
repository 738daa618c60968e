"""Whether a file of tests in JavaScript, Go or Rust only gained tests: told by its lines and brackets.

Without a parser for each language, what was there must remain, line by line and in order; new lines
must be whole by itself and be between tests, not in one. Anything else counts as an edit of what was there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from setpoint.checks.integrity.syntax_comparison import Change

SCRIPTS = (".js", ".jsx", ".cjs", ".mjs", ".ts", ".tsx", ".cts", ".mts", ".go", ".rs")
"""Endings of files that are judged so."""
_GROUP = re.compile(r"\b(?:describe|suite|context)\b[\w.]*\s*[(`.]|^\s*(?:pub\s+)?mod\s+\w+\s*\{|^import \(")
"""A line that opens a group of tests, or of imports."""
_ENDED = re.compile(r"^(?!\s*(?:#\[|@)).*[;})\],\"'`]\s*(?://.*)?$")
"""The last line of an addition that does not reach into what follows, as an attribute of Rust would."""
_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'|[()\[\]{}]",
    re.DOTALL,
)
_BINDS = re.compile(
    r"\b(?:fn|mod|struct|enum|type|trait|static|macro_rules!|function\*?|class|func|var|let)\s+(\w+)"
    r"|\bconst\s+(\w+)|\bas\s+(\w+)"
)
"""What a statement binds in Rust, JavaScript or Go."""
_USES = re.compile(r"^[ \t]*(?:pub\s+)?use\s+([^;*]+);", re.MULTILINE)
_LIFETIME = re.compile(r"(?<!\w)'(?=[a-z_]\w*\b(?!'))")
_OPENING, _CLOSING = "([{", ")]}"
_MOST_LINES = 20_000
_SLIDES = 40


def changes_of_text(path: str, before: str, after: str) -> list[Change]:
    """Return what was done to the tests of a file that is not Python; nothing where tests were only added."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > _MOST_LINES:
        return [] if new[: len(old)] == old else [_edited(path)]
    text = _LIFETIME.sub("", before) if path.endswith(".rs") else before
    around = _enclosing(text, old)
    for tag, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        blank = not any(line.strip() for line in [*old[start:end], *new[first:last]])
        if tag == "equal" or blank:
            continue
        if tag != "insert" or not _stands_apart(_Inserted(start, first, last), new, around):
            return [_edited(path)]
        if _rebinds("\n".join(new[first:last]), before):
            return [Change(symbol="", what="an addition binds a name that existing tests use", weakens=True)]
    return []


def block_at(text: str, at: int) -> str:
    """Return what lies between the bracket at this place and the one that closes it."""
    depth = 0
    for place, bracket in _brackets(text[at:]):
        depth += 1 if bracket in _OPENING else -1
        if not depth:
            return text[at + 1 : at + place]
    return text[at + 1 :]


@dataclass(frozen=True)
class _Inserted:
    at: int
    """Number of lines of the old text before it."""
    first: int
    last: int


def _edited(path: str) -> Change:
    return Change(symbol="", what=f"{path.rpartition('/')[2]}: existing lines were edited", weakens=True)


def _stands_apart(part: _Inserted, new: list[str], around: list[tuple[str, ...]] | None) -> bool:
    """Whether some reading of an insertion is whole and lies between tests; equal lines allow several."""
    if around is None:  # brackets that do not match: only what is put at the end is beyond doubt
        return part.at == len(new) - (part.last - part.first)
    return any(
        all(_GROUP.search(line) for line in around[moved.at])
        and _whole("\n".join(new[moved.first : moved.last]))
        for moved in _slid(part, new)
    )


def _rebinds(inserted: str, old: str) -> bool:
    """Whether an addition defines a name beside the tests that they use, and would stand for it."""
    outer, depth, at = list[str](), 0, 0
    for place, bracket in _brackets(inserted):
        if not depth:
            outer.append(inserted[at:place])
        depth += 1 if bracket in _OPENING else -1
        at = place + 1
    outer.append(inserted[at:])
    named = {name for names in _BINDS.findall(" ".join(outer)) for name in names if name}
    named |= {word for words in _USES.findall(inserted) for word in re.findall(r"\w+", words)}
    return any(re.search(rf"\b{re.escape(name)}\b", old) for name in named)


def _slid(part: _Inserted, new: list[str]) -> Iterator[_Inserted]:
    yield part
    for step in (-1, 1):
        moved = part
        for _ in range(_SLIDES):
            edge, other = moved.first + min(step, 0), moved.last + min(step, 0)
            if edge < 0 or other >= len(new) or new[edge] != new[other]:
                break
            moved = _Inserted(moved.at + step, moved.first + step, moved.last + step)
            yield moved


def _enclosing(text: str, lines: list[str]) -> list[tuple[str, ...]] | None:
    """Give, before each line and after the last, the lines of open brackets; none where they do not match."""
    found: list[tuple[str, ...]] = []
    open_lines: list[str] = []
    starts = _starts(text)
    events = iter([*_brackets(text), (len(text) + 1, "")])
    place, bracket = next(events)
    for number in range(len(lines) + 1):
        limit = starts[number] if number < len(starts) else len(text) + 1
        while bracket and place < limit:
            if bracket in _OPENING:
                open_lines.append(lines[_line_of(starts, place)])
            elif not open_lines:
                return None
            else:
                open_lines.pop()
            place, bracket = next(events)
        found.append(tuple(open_lines))
    return found if not open_lines else None


def _whole(text: str) -> bool:
    if not _ENDED.match(next((line for line in reversed(text.splitlines()) if line.strip()), "")):
        return False
    depth = 0
    for _, bracket in _brackets(text):
        depth += 1 if bracket in _OPENING else -1
        if depth < 0:
            return False
    unclosed = any(
        token[0].startswith("/*") and not token[0].endswith("*/") for token in _TOKEN.finditer(text)
    )
    return depth == 0 and not unclosed


def _brackets(text: str) -> Iterator[tuple[int, str]]:
    for token in _TOKEN.finditer(text):
        if token[0] in _OPENING or token[0] in _CLOSING:
            yield token.start(), token[0]


def _starts(text: str) -> list[int]:
    starts, at = [], 0
    for line in text.splitlines(keepends=True):
        starts.append(at)
        at += len(line)
    return starts


def _line_of(starts: list[int], place: int) -> int:
    return bisect_right(starts, place) - 1
