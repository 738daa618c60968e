"""Find the functions that a change added or changed in shell, and sabotage them.

A function is read by its first and last line: `name() {` and a brace in the same column. What is written
otherwise counts as code outside functions, which is not sabotaged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import compress
from typing import NamedTuple

from setpoint.checks.proof.sensitivity.changed_function import (
    MARK,
    ChangedFunction,
    Insertion,
    changed,
    weighed,
)

ENDINGS = (".sh", ".bash")
_BEGINS = re.compile(
    rb"^(?P<indent>[ \t]*)(?:function[ \t]+(?P<word>[\w.:-]+)[ \t]*(?:\([ \t]*\))?"
    rb"|(?P<name>[\w.:-]+)[ \t]*\([ \t]*\))[ \t]*\n?[ \t]*\{(?=[ \t\n])",
    re.MULTILINE,
)
_ENDS = {
    "raises": "return 97",
    "does nothing": "return 0",
    "returns something else": "echo 7919; return 1",
}


class _Function(NamedTuple):
    name: str
    start: int
    body: int
    """Where its body begins, behind the brace."""
    end: int


def changed_in_shell(path: str, old: bytes | None, new: bytes) -> tuple[tuple[ChangedFunction, ...], bool]:
    """Return the functions of a file that differ from before, and whether anything outside of them does."""
    here, then = list(_functions(new)), list(_functions(old or b""))
    differs = changed(
        [(each.name, (old or b"")[each.start : each.end]) for each in then],
        [(each.name, new[each.start : each.end]) for each in here],
    )
    found = [_changed(path, each, new) for each in compress(here, differs)]
    known = {*_outside(old or b"", then)}
    outside = any(line not in known for line in _outside(new, here))
    return tuple(weighed(each, old or b"") for each in found), outside


def _functions(text: bytes) -> Iterator[_Function]:
    last = 0
    for each in _BEGINS.finditer(text):
        line = text.find(b"\n", each.end())
        first = text[each.end() : line if line >= 0 else len(text)]
        end = re.compile(rb"^" + re.escape(each["indent"]) + rb"\}", re.MULTILINE).search(text, each.end())
        if re.search(rb";[ \t]*\}[ \t]*(?:#.*)?$", first):
            stop = each.end() + len(first)
        elif end is not None:
            stop = end.end()
        else:
            continue
        if each.start() >= last:  # one inside another belongs to that
            last = stop
            yield _Function((each["name"] or each["word"]).decode(), each.start(), each.end(), stop)


def _outside(text: bytes, functions: list[_Function]) -> Iterator[bytes]:
    """Yield the lines outside functions that say something."""
    at = 0
    for each in (*functions, _Function("", len(text), len(text), len(text))):
        lines = (line.strip() for line in text[at : each.start].splitlines())
        yield from (line for line in lines if line and not line.startswith(b"#"))
        at = each.end


def _changed(path: str, function: _Function, source: bytes) -> ChangedFunction:
    return ChangedFunction(
        path=path,
        name=function.name,
        sabotages={
            does: (Insertion(function.body, f" : >>{MARK}; {ends};"),) for does, ends in _ENDS.items()
        },
        harmless=(Insertion(function.body, f" : >>{MARK};"),),
        marks=True,
        text=source[function.start : function.end].decode("utf-8", "replace"),
    )
