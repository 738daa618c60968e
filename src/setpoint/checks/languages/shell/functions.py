"""Find the functions of a shell script, and say how to sabotage them.

A function is read by its first and last line: `name() {` and a brace in the same column. What is written
otherwise counts as code outside functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from setpoint.checks.languages.changed_function import (
    MARK,
    NOTHING,
    OTHER,
    RAISES,
    ChangedFunction,
    Insertion,
)

_BEGINS = re.compile(
    rb"^(?P<indent>[ \t]*)(?:function[ \t]+(?P<word>[\w.:-]+)[ \t]*(?:\([ \t]*\))?"
    rb"|(?P<name>[\w.:-]+)[ \t]*\([ \t]*\))[ \t]*\n?[ \t]*\{(?=[ \t\n])",
    re.MULTILINE,
)
_ENDS_ON_LINE = re.compile(rb";[ \t]*\}[ \t]*(?:#.*)?$")
_ENDS = {RAISES: "return 97", NOTHING: "return 0", OTHER: "echo 7919; return 1"}


class Function(NamedTuple):
    """A function as it is written."""

    name: str
    start: int
    body: int
    """Where its body begins, behind the brace."""
    text: bytes

    @property
    def end(self) -> int:
        """Return where it ends."""
        return self.start + len(self.text)


def functions_in(source: bytes) -> Iterator[Function]:
    """Yield the outermost functions."""
    last = 0
    for each in _BEGINS.finditer(source):
        line, _, _ = source[each.end() :].partition(b"\n")
        closed = re.compile(rb"^" + re.escape(each["indent"]) + rb"\}", re.MULTILINE)
        end = closed.search(source, each.end())
        if _ENDS_ON_LINE.search(line):
            stop = each.end() + len(line)
        elif end is not None:
            stop = end.end()
        else:
            continue
        if each.start() >= last:  # one inside another belongs to that
            last = stop
            name = (each["name"] or each["word"]).decode()
            yield Function(name, each.start(), each.end(), source[each.start() : stop])


def outside(source: bytes, functions: Sequence[Function]) -> Iterator[bytes]:
    """Yield the lines outside functions that hold code."""
    at = 0
    for start, end in (*((each.start, each.end) for each in functions), (len(source), len(source))):
        lines = (line.strip() for line in source[at:start].splitlines())
        yield from (line for line in lines if line and not line.startswith(b"#"))
        at = end


def described(path: str, function: Function) -> ChangedFunction:
    """Return a function with the ways to break it."""
    return ChangedFunction(
        path=path,
        name=function.name,
        sabotages={does: (Insertion(function.body, f" : >>{MARK}; {end};"),) for does, end in _ENDS.items()},
        harmless=(Insertion(function.body, f" : >>{MARK};"),),
        marks=True,
        text=function.text.decode("utf-8", "replace"),
    )
