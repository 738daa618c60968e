"""Read from a change which names it adds to the code, and which code of the base it rewrites.

Languages are not parsed: definitions of Python, JavaScript, TypeScript, Go and Rust look alike enough, and a
name that is none only matters where a failure names it.
"""

from __future__ import annotations

import builtins
import difflib
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

_NAME = r"[A-Za-z_$][\w$]*"
_HEADER = re.compile(
    r"(?:^|[\s(])(?:def|class|function\*?|func|fn|const|let|var|type|struct|enum|trait|interface|static|mod)"
    rf"\s+(?:\([^)]*\)\s*)?(?:mut\s+)?({_NAME})"
)
_MEMBER = re.compile(
    rf"^\s*(?:(?:export|pub|public|private|protected|static|readonly|async|get|set)\s+)*({_NAME})\s*"
    r"(?:(?:<[^>]*>)?\([^;]*\)[^;{]*\{\s*$|\??:\s*\S|:?=[^=>]|\s[\w.*\[\]]+\s*(?:`.*)?$)"
)
_ATTRIBUTE = re.compile(rf"\b(?:self|this|exports)\.({_NAME})\s*(?::[^=]+)?=[^=]")
_IMPORTS = re.compile(r"^\s*(?:from\s+\S+\s+)?(?:import|export|pub use|use)\s+(.+)$")
_LITERAL = re.compile(r"""(["'`])([^"'`\s]{1,80})\1""")
_WORD = re.compile(rf"{_NAME}")
_QUOTED = re.compile(r"""["'`\u2018\u201c]([^"'`\u2018-\u201d\s]{1,120})["'`\u2019\u201d]""")
_CALLED = re.compile(rf"(?<![\w$])({_NAME})\(\)")
_LOOSE = re.compile(r"--?[A-Za-z][\w-]*|[A-Za-z_$][\w$]*(?:-[\w$]+)*")
_KNOWN = frozenset((*dir(builtins), *keyword.kwlist, "undefined", "function", "object", "string", "number"))
_EDGES = "\"'`()[]{}<>,;:!?./"


@dataclass(frozen=True, kw_only=True)
class Added:
    """What a change adds to the code, as far as a failing test can speak of it."""

    names: frozenset[str] = frozenset()
    """Definitions, parameters, options and modules that it adds: a failure may quote them."""
    fresh: frozenset[str] = frozenset()
    """Those that the changed files did not contain before: a failure may name them without quotes."""
    touched: frozenset[str] = frozenset()
    """Functions, classes and constants that it adds or rewrites."""
    rewritten: Mapping[str, tuple[range, ...]] = field(default_factory=dict)
    """Blocks of the base that it changes, by path, as 1-based lines."""
    base: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Lines of the code at the base, by path."""

    def named_in(self, text: str, *, loosely: bool = False) -> str:
        """Return the first added name that a text names; empty where it names none.

        `loosely` takes any word for a name, as in what a compiler says, which often quotes nothing.
        """
        for quoted in _QUOTED.findall(text):
            parts = (quoted, quoted.strip(_EDGES), *_WORD.findall(quoted))
            if found := next((each for each in parts if each in self.names), ""):
                return found
        if found := next((each for each in _CALLED.findall(text) if each in self.touched), ""):
            return found
        known = self.names | self.touched if loosely else self.fresh
        return next((each for each in _LOOSE.findall(text) if each in known), "")

    def used_in(self, text: str) -> bool:
        """Whether code uses something that the change adds or rewrites."""
        return not self.touched.isdisjoint(_WORD.findall(text))

    def passes(self, text: str) -> bool:
        """Whether code uses a name that was not there before."""
        return not self.fresh.isdisjoint(
            (*_LOOSE.findall(text), *(each[1] for each in _LITERAL.findall(text)))
        )

    def holds(self, path: str, line: int) -> bool:
        """Whether a line of the base lies in code that the change rewrites, or that uses such code."""
        if any(line in each for each in self.rewritten.get(path, ())):
            return True
        lines = self.base.get(path, ())
        if not 0 < line <= len(lines):
            return False
        block = _block(lines, line - 1)
        return self.used_in("\n".join(lines[block.start - 1 : block.stop - 1]))


def added_names(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Added:
    """Read the names that a change adds from its files of code at the base and on the result."""
    old = {path: _lines(text) for path, text in before.items()}
    new = {path: _lines(text) for path, text in after.items()}
    names, touched = set[str](), set[str]()
    rewritten: dict[str, tuple[range, ...]] = {}
    for path in {**old, **new}:
        was, now = old.get(path, ()), new.get(path, ())
        if not was:
            names |= _of_path(path)
        edits = _edits(was, now)
        gone = {word for start, end, _, _ in edits for line in was[start:end] for word in _WORD.findall(line)}
        for start, end, first, last in edits:
            for line in now[first:last]:
                defined, inside = _defined(line)
                names |= defined | (inside - gone)
                touched |= defined
            touched |= _around(now, first, last) | (_around(was, start, end) if end > start else set())
        rewritten[path] = tuple(_blocks(was, now, edits))
    seen = {word for lines in old.values() for line in lines for word in _LOOSE.findall(line)}
    names = {each for each in names if each not in _KNOWN}
    fresh = frozenset(names - seen)
    return Added(
        names=frozenset(names),
        fresh=fresh,
        touched=frozenset(touched - _KNOWN),
        rewritten=rewritten,
        base=old,
    )


def imagined(sources: Iterable[str]) -> Added:
    """Return what tests written before the change may ask of it: all names that they use."""
    words = {word for source in sources for word in _LOOSE.findall(source)} - _KNOWN
    return Added(names=frozenset(words), touched=frozenset(words))


def _edits(was: Sequence[str], now: Sequence[str]) -> list[tuple[int, int, int, int]]:
    matcher = difflib.SequenceMatcher(None, was, now, autojunk=False)
    return [(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"]


def _defined(line: str) -> tuple[set[str], set[str]]:
    """Return the names that a line defines, and what else it brings: parameters, literals, imported names."""
    if line.lstrip().startswith(("#", "//", "*", "/*", '"""')):
        return set(), set()
    found = {*_HEADER.findall(line), *_ATTRIBUTE.findall(line), *_MEMBER.findall(line)}
    inside = {each[1].strip(_EDGES) for each in _LITERAL.findall(line)} | {
        each[1] for each in _LITERAL.findall(line)
    }
    if _HEADER.search(line) or _MEMBER.match(line):
        inside |= set(_WORD.findall(line))
    for listed in _IMPORTS.findall(line):
        inside |= set(_WORD.findall(listed))
    return found, {each for each in inside if len(each) > 1 or each.isalnum()}


def _around(lines: Sequence[str], start: int, end: int) -> set[str]:
    """Return the names of the definitions that some lines lie in."""
    if not lines:
        return set()
    at = min(start, len(lines) - 1)
    indent = min((_indent(line) for line in lines[start:end] if line.strip()), default=_indent(lines[at]))
    found = set[str]()
    for line in reversed(lines[: at + 1]):
        if line.strip() and _indent(line) < indent:
            indent = _indent(line)
            found |= {*_HEADER.findall(line), *_MEMBER.findall(line)}
    return found


def _block(lines: Sequence[str], at: int) -> range:
    """Return the outermost block that a line lies in, as 1-based lines: until the next line at the margin."""
    start = at
    while start > 0 and not _at_margin(lines[start]):
        start -= 1
    end = at + 1
    while end < len(lines) and not _at_margin(lines[end]):
        end += 1
    return range(start + 1, end + 1)


def _blocks(
    lines: Sequence[str], now: Sequence[str], edits: Iterable[tuple[int, int, int, int]]
) -> Iterator[range]:
    """Yield the blocks of the base that edits lie in; what is put between blocks lies in none."""
    for start, end, first, last in edits if lines else ():
        put = next((line for line in now[first:last] if line.strip()), "")
        if start == end and _at_margin(put):
            continue
        for at in {max(start - 1, 0)} if start == end else {start, end - 1}:
            yield _block(lines, at)


def _at_margin(line: str) -> bool:
    return bool(line.strip()) and _indent(line) == 0 and line[0] not in ")}]"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _of_path(path: str) -> set[str]:
    """Return the names by which a new file is imported or asked for."""
    place = PurePosixPath(path)
    inner = {part for part in place.parts[:-1] if part not in ("src", "lib")}
    return {path, place.name, place.stem, *inner}


def _lines(text: bytes) -> tuple[str, ...]:
    return tuple(text.decode("utf-8", "replace").splitlines())
