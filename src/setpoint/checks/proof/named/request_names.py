"""Read from a request which code it names: functions, classes, constants and options of a command line.

Only what is written as code counts, never a plain word: `split(total, parts)`, anything in backticks,
`snake_case`, `camelCase`, `module.name`, what follows `function` or `class`, and `--flags`.
"""

from __future__ import annotations

import builtins
import keyword
import re
from typing import NamedTuple

_NAME = r"[A-Za-z_$][\w$]*"
_CALL = re.compile(rf"(?<![\w$])({_NAME})(?:<[^<>()]*>)?\((?!e?s\))")
_AFTER_KIND = re.compile(
    rf"\b(?:function|method|class|constant|dataclass|struct|trait|enum|interface|fn|def|func|const)"
    rf"\s+(?:(?:named|called)\s+)?({_NAME})"
)
_TICKED = re.compile(r"`([^`\n]{1,120})`")
_PATH = re.compile(rf"{_NAME}(?:(?:\.|::|#){_NAME})*")
_DOTTED = re.compile(rf"(?<![\w$./-]){_NAME}(?:(?:\.|::){_NAME})+(?![\w$/-])")
_SHAPED = re.compile(
    r"(?<![\w$./-])(?:_*[A-Za-z]\w*_\w+|[a-z]+\d*[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)(?![\w$./-])"
)
_FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")
_FILE = re.compile(
    r"\.(?:py|pyi|js|mjs|cjs|jsx|ts|mts|cts|tsx|go|rs|md|rst|txt|toml|json|ya?ml|cfg|ini|css|html|sh|csv)$"
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")
_ADDS = re.compile(
    r"^\W*(?:please\s+)?(?:add|implement|create|write|provide|introduce|define|offer|export)\b"
    r"|^\W*in \S+,? (?:please )?(?:add|implement|create|write|provide|introduce|define)\b",
    re.IGNORECASE,
)
_CODED = re.compile(r"\b(?:tests?|example|docs?|documentation)\b", re.IGNORECASE)
_KNOWN = frozenset((*dir(builtins), *keyword.kwlist, "fn", "func", "function", "undefined"))


class Requested(NamedTuple):
    """The code that a request names."""

    names: frozenset[str] = frozenset()
    """Last parts of the names of functions, methods, classes and constants."""
    wanted: tuple[str, ...] = ()
    """Those that it asks to be added, in its order."""
    flags: tuple[str, ...] = ()
    """Options of a command line, with their dashes."""


def requested(text: str) -> Requested:
    """Return what a request names."""
    names = {*_CALL.findall(text), *_AFTER_KIND.findall(text), *_SHAPED.findall(text)}
    for ticked in _TICKED.findall(text):
        whole = _PATH.fullmatch(ticked.partition("(")[0].strip())
        if whole and not _FILE.search(whole[0]):
            names.add(_last(whole[0]))
    names |= {_last(each) for each in _DOTTED.findall(text) if not _FILE.search(each)}
    wanted = [name for each in _SENTENCE.split(text) for name in _wanted(each)]
    return Requested(
        names=frozenset(names - _KNOWN),
        wanted=tuple(dict.fromkeys(name for name in wanted if name not in _KNOWN)),
        flags=tuple(dict.fromkeys(_FLAG.findall(text))),
    )


def _wanted(sentence: str) -> list[str]:
    """Return names with parameters in a sentence that asks to add them, and not only their tests."""
    found = _ADDS.search(sentence)
    first = _CALL.search(sentence)
    if not found or not first or _CODED.search(sentence[: first.start()]):
        return []
    return [name for name in _CALL.findall(sentence) if name not in _KNOWN]


def _last(path: str) -> str:
    return re.split(r"\.|::|#", path)[-1]
