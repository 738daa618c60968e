"""Find the tests that lie inside Rust sources: items marked as tests, and examples in documentation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r'//[^\n]*|/\*|b?r(?P<hashes>#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"|\'(?:\\[^\n\']+|\\\'|[^\\\'\n])\'',
    re.DOTALL,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_ATTRIBUTE = re.compile(r"#\s*\[")
_MARKS = re.compile(
    r"#\s*\[\s*(?:(?:\w+\s*::\s*)*(?:[a-z]*test|test_\w+|\w+_test|quickcheck)\b"
    r"|cfg\s*\((?!\s*not\b)[^\]]*\btest\b)"
)
"""An attribute by which an item belongs to the tests."""
_NAME = re.compile(r"\b(?:mod|fn|struct|enum|trait|type|const|static)\s+\w+|\bimpl\b[^{;]*|\buse\b[^;]*")
_FUNCTION = re.compile(r"\bfn\s+(\w+)")
_OWN_MACRO = re.compile(r"\bmacro_rules!\s*((?:debug_|prop_)?assert\w*|panic|unreachable)\b")
_OTHER_BUILD = re.compile(
    r"\bcfg!\s*\([^)]*\btest\b|#\s*!?\[\s*cfg\s*\([^\]]*\bnot\s*\(\s*test\b"
    r"|#\s*!?\[\s*cfg_attr\s*\([^,\]]*\btest\b[^\]]*\bpath\s*="
)
"""A condition by which the code that is delivered is not the code that the tests run."""
_TEST_BUILD = re.compile(r"#\s*\[\s*cfg\s*\((?!\s*not\b)[^\]]*\btest\b[^\]]*\]")
_DOC_LINE = re.compile(r"[ \t]*//[/!](?!/) ?(.*)")
_DOC_BLOCK = re.compile(r"/\*[*!](?![*/])(.*?)\*/", re.DOTALL)
_FENCE = re.compile(r"\s*(```+|~~~+)\s*(.*?)\s*$")
_OF_RUST = re.compile(
    r"(?:rust|should_panic|no_run|compile_fail|test_harness|standalone\w*|ignore\S*|edition\d+|E\d+)?$"
)
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True, kw_only=True)
class Item:
    """One item of the tests inside a source file."""

    name: str
    """What it is, such as `mod tests` or `fn adds`."""
    text: str
    """All of it, from its first attribute."""

    @property
    def is_module(self) -> bool:
        """Whether it holds items itself, so that it may gain some."""
        return self.name.startswith("mod ")


def items(source: str) -> tuple[Item, ...]:
    """Return the items that attributes mark as tests, in order; what lies inside of one is part of it."""
    masked, found, at = _masked(source), [], 0
    while (begun := _ATTRIBUTE.search(masked, at)) is not None:
        marked, after = _attributes(masked, begun.start())
        if not marked:
            at = begun.end()
            continue
        at = _end(masked, after)
        named = _NAME.search(masked, after, at)
        name = " ".join((named[0] if named else masked[after:at]).split())
        found.append(Item(name=name, text=source[begun.start() : at]))
    return tuple(found)


def with_tests_of(base: str, result: str) -> str:
    """Return the code of one source with the tests of another one inside it."""
    masked, code, at = _masked(base), list[str](), 0
    for begun, end in _spans(masked, outermost=True):
        code.append(base[at:begun])
        at = end
    own = _spans(_masked(result), outermost=True)
    return "\n".join(("".join((*code, base[at:])), *(result[begun:end] for begun, end in own)))


def test_names(source: str) -> frozenset[str]:
    """Return the names of functions in the items that attributes mark as tests."""
    return frozenset(name for item in items(source) for name in _FUNCTION.findall(_masked(item.text)))


def own_assertions(source: str) -> Counter[str]:
    """Count the macros of the file that take the place of the assertions of the language."""
    return Counter(_OWN_MACRO.findall(_masked(source)))


def other_builds(source: str) -> Counter[str]:
    """Count the places outside the tests at which a build for tests is other code than a build for users.

    These are `cfg!(test)`, `cfg(not(test))`, `cfg_attr(test, path = ...)`, and `cfg(test)` in a function.
    """
    masked = _masked(source)
    for item in _spans(masked):
        masked = masked[: item[0]] + re.sub(r"[^\n]", " ", masked[item[0] : item[1]]) + masked[item[1] :]
    found = [" ".join(each[0].split()) for each in _OTHER_BUILD.finditer(masked)]
    return Counter([*found, *_inside_functions(_masked(source))])


def _inside_functions(masked: str) -> Iterator[str]:
    """Yield each `cfg(test)` on a statement of a function outside the tests."""
    tests = _spans(masked, outermost=True)
    for each in _TEST_BUILD.finditer(masked):
        around = [begun for begun, end in tests if begun < each.start() < end]
        if not around and _in_function(masked, each.start()):
            yield " ".join(each[0].split())


def _in_function(masked: str, at: int) -> bool:
    """Whether a place lies in the body of a function."""
    depth = 0
    for place in range(at - 1, -1, -1):
        if masked[place] == "}":
            depth += 1
        elif masked[place] == "{":
            depth -= 1
            head = re.split(r"[;{}]", masked[:place])[-1]
            if depth < 0 and re.search(r"\bfn\s+\w", head):
                return True
            depth = max(depth, 0)
    return False


def _spans(masked: str, *, outermost: bool = False) -> list[tuple[int, int]]:
    """Return where the items that attributes mark as tests begin and end.

    With `outermost` only those that are not inside a function.
    """
    found, at = list[tuple[int, int]](), 0
    while (begun := _ATTRIBUTE.search(masked, at)) is not None:
        marked, after = _attributes(masked, begun.start())
        at = _end(masked, after) if marked else begun.end()
        if marked and not (outermost and _in_function(masked, begun.start())):
            found.append((begun.start(), at))
    return found


def examples(source: str) -> tuple[tuple[str, ...], ...]:
    """Return the examples in documentation that are run: how each is marked, then its lines."""
    found: list[tuple[str, ...]] = []
    for lines in _documentation(source):
        fence, block = "", list[str]()
        for line in lines:
            edge = _FENCE.match(line)
            if edge is None or (fence and not (edge[1].startswith(fence) and not edge[2])):
                block.append(line.strip())
            elif fence:
                if all(_OF_RUST.match(word) for word in re.split(r"[,\s]+", block[0])):
                    found.append(tuple(block))
                fence = ""
            else:
                fence, block = edge[1], [edge[2]]
    return tuple(found)


def _documentation(source: str) -> Iterator[list[str]]:
    lines = list[str]()
    for line in [*source.splitlines(), ""]:
        if (said := _DOC_LINE.match(line)) is not None:
            lines.append(said[1])
        elif lines:
            yield lines
            lines = []
    for block in _DOC_BLOCK.finditer(source):
        yield [re.sub(r"^\s*\* ?", "", line) for line in block[1].splitlines()]


def _masked(source: str) -> str:
    """Return the source with blanks for its comments and texts, of the same length."""
    parts, at = list[str](), 0
    while (token := _TOKEN.search(source, at)) is not None:
        end = _end_of_comment(source, token.end()) if token[0] == "/*" else token.end()
        parts += [source[at : token.start()], re.sub(r"[^\n]", " ", source[token.start() : end])]
        at = end
    return "".join((*parts, source[at:]))


def _end_of_comment(source: str, at: int) -> int:
    depth = 1
    for edge in _COMMENT_EDGE.finditer(source, at):
        depth += 1 if edge[0] == "/*" else -1
        if not depth:
            return edge.end()
    return len(source)


def _attributes(masked: str, at: int) -> tuple[bool, int]:
    """Say whether one of the attributes from here on marks a test, and where they end."""
    marked = False
    while (begun := re.compile(r"\s*#\s*\[").match(masked, at)) is not None:
        end = _closed(masked, begun.end() - 1)
        marked = marked or _MARKS.match(masked[at:end].lstrip()) is not None
        at = end
    return marked, at


def _closed(masked: str, at: int) -> int:
    """Return where the bracket that opens here is closed."""
    depth = 0
    for place in range(at, len(masked)):
        if masked[place] in _OPENING:
            depth += 1
        elif masked[place] in _CLOSING:
            depth -= 1
            if not depth:
                return place + 1
    return len(masked)


def _end(masked: str, at: int) -> int:
    """Return where an item ends: after its semicolon, or after its braces."""
    while at < len(masked):
        if masked[at] == ";":
            return at + 1
        if masked[at] in _OPENING:
            braces, at = masked[at] == "{", _closed(masked, at)
            if braces:
                return at
        else:
            at += 1
    return at
