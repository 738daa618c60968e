"""Texts that a regular expression matches, made up from its parts."""

from __future__ import annotations

import importlib
import re
import string
import sys
import warnings
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

# Private, and called differently before Python 3.11.
_parser: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
_MOST = 60
"""Characters of a sample."""
_MORE_REPEATS = 2
_SIGNS = re.compile(r"\\[dwsbDWSBAZ1-9]|\[[^\]]+\]|\(.+\)|[$^]|[*+?]")
_LETTERS = string.ascii_lowercase + string.digits
_CATEGORIES = {"DIGIT": "0123456789", "SPACE": " \t", "WORD": _LETTERS + "_"}
_ANY = "abcxyz019 -_."


def is_pattern(text: str) -> bool:
    """Whether a text looks like a regular expression, and is one."""
    if not _SIGNS.search(text):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def samples(pattern: str, count: int, random: Random, flags: int = 0) -> list[str]:
    """Return up to `count` different texts that a pattern matches, short ones."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _parser.parse(pattern, flags)
            compiled = re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError):
        return []
    found: dict[str, None] = {}
    for _ in range(count * 3):
        try:
            text = _Sampling(random).of(tree)
        except (KeyError, ValueError, OverflowError, RecursionError):
            return list(found)
        if len(text) <= _MOST and compiled.search(text):
            found[text] = None
        if len(found) == count:
            break
    return list(found)


class _Sampling:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._groups: dict[int, str] = {}
        self._plain: dict[str, Callable[[Any], str]] = {
            "LITERAL": chr,
            "IN": self._one_of,
            "BRANCH": lambda given: self.of(random.choice(given[1])),
            "ATOMIC_GROUP": self.of,
            "GROUPREF": lambda given: self._groups.get(given, ""),
        }
        """What looks at nothing else leaves: places, and what must or must not follow, add no text."""

    def of(self, parts: Iterable[Any]) -> str:
        return "".join(self._part(str(op), given) for op, given in parts)

    def _part(self, op: str, given: Any) -> str:  # noqa: ANN401 - what the parser gives
        if op in ("ANY", "NOT_LITERAL"):
            return self._random.choice([each for each in _ANY if op == "ANY" or ord(each) != given])
        if op.endswith("_REPEAT"):
            least, most, part = given
            times = self._random.randint(least, max(least, min(int(most), least + _MORE_REPEATS)))
            return "".join(self.of(part) for _ in range(times))
        if op == "SUBPATTERN":
            self._groups[given[0]] = text = self.of(given[-1])
            return text
        make = self._plain.get(op)
        return make(given) if make else ""

    def _one_of(self, parts: Iterable[Any]) -> str:
        letters: set[str] = set()
        negated = False
        for op, given in parts:
            name = str(op)
            if name == "NEGATE":
                negated = True
            elif name == "LITERAL":
                letters.add(chr(given))
            elif name == "RANGE":
                letters |= {chr(each) for each in range(given[0], min(given[1], given[0] + 60) + 1)}
            elif name == "CATEGORY":
                letters |= _of_category(str(given))
        if negated:
            letters = set(string.ascii_letters + string.digits + " -_.") - letters
        return self._random.choice(sorted(letters))


def _of_category(name: str) -> set[str]:
    kind = name.rpartition("_")[2]
    inside = set(_CATEGORIES.get(kind, _LETTERS))
    return set(_LETTERS + " -.") - inside if "_NOT_" in name else inside
