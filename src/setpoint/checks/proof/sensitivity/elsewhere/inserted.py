"""Texts that sabotage puts into sources: code that turns a value into another one of its type."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_TYPED = {"/*any*/": ": any", "/*as any*/": " as any"}
RAISES, NOTHING, OTHER, OTHER_PROBE = "raises", "nothing", "other", "other?"
"""What functions in a value do: raise, return nothing, return another value, raise in its place."""
VALUE, VALUE_PROBE = "value", "value?"
"""Data in the value is other data; or it raises where it would be, or where the value holds a function."""
RETURNED, RETURNED_PROBE = "w", "w?"
"""The value that a function returns is another one; or it raises where it would be."""


@cache
def go_walk(*, declared: bool) -> str:
    """Return the functions that are put at the end of a source in Go."""
    return _read("other_value.go") + (_read("declared.go") if declared else "")


GO_IMPORT = '; import setpointreflect "reflect"'


@cache
def script_walk(*, typed: bool) -> str:
    """Return the function that is put at the end of a script."""
    text = _read("other_value.js")
    for mark, written in _TYPED.items():
        text = text.replace(mark, written if typed else "")
    return text


@cache
def rust_items(*, probe: bool) -> str:
    """Return the items that are put into a function in Rust, on one line."""
    text = " ".join(_read("other_value.rs").split())
    return text.replace("PROBE", "true" if probe else "false", 1)


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")
