"""Changes of CI files that concern versions alone: what is tried grows, and what is pinned gets newer."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_VERSION = (
    r"(?:pypy|python|py|cp|node|go)?-?v?\d+(?:\.\d+)*(?:\.x)?(?:-?(?:dev|nightly|alpha|beta|rc)[\d.]*)?"
    r"(?: - [\d.]+)?"
)
_ITEM = re.compile(rf"{_VERSION}(?:\s*:\s*{_VERSION})?|pypy")
_BRACES = re.compile(r"(?P<word>[a-z]+)\{(?P<many>[\d,. ]+)\}")
_LISTS = re.compile(
    r"(?:[\w-]+[-_])?versions?|python|py|node(?:_?js)?|go|rvm|jdk|php|rust|env_?list", re.IGNORECASE
)
_KEYED = re.compile(r"(?P<before>\s*(?:- )?)(?P<key>[\w-]+)\s*[:=]\s*(?P<held>.*)")
_PIN = re.compile(r"(?P<before>\s*(?:- )?(?:uses:\s*[\w./-]+@|rev:\s*))v?(?P<version>\d+(?:\.\d+)*)")
_DROPS = re.compile(r"\b(?:drop|remov|end|stop|no longer|without)", re.IGNORECASE)
_FILES = (".yml", ".yaml", "tox.ini")


@dataclass(kw_only=True)
class _Read:
    """A file without its versions."""

    rest: list[str] = field(default_factory=list)
    """Every other line, without comments."""
    lists: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The versions of each list, by the number of the line that names it."""
    pins: list[tuple[int, ...]] = field(default_factory=list)
    """Versions of which there is one alone, in order."""


def tries_no_less(path: str, before: str, after: str, wish: str) -> bool:
    """Whether a CI file differs in versions alone, and none is gone that the request does not name.

    A version that is released now takes the place of its own preview.
    """
    if not path.endswith(_FILES):
        return False
    old, new = _read(before), _read(after)
    if old.rest != new.rest or len(old.pins) != len(new.pins):
        return False
    newer = all(was <= now for was, now in zip(old.pins, new.pins, strict=True))
    return newer and all(_grown(old.lists[place], new.lists[place], wish) for place in list(old.lists))


def _grown(before: Sequence[str], after: Sequence[str], wish: str) -> bool:
    gone = Counter(before) - Counter(after)
    released = {_numbers(each) for each in after if _numbers(each) == each}
    dropped = {each.replace(".", "") for each in re.findall(r"\d+(?:\.\d+)*", wish)}
    named = dropped if _DROPS.search(wish) else set()
    return bool(after or not before) and all(
        _numbers(each).replace(".", "") in named or (_numbers(each) != each and _numbers(each) in released)
        for each in gone
    )


def _numbers(version: str) -> str:
    """Return the first number of a version, with its parts: 3.13 of `3.13-dev`, 3.11 of `3.11.0-alpha`."""
    found = re.search(r"\d+(?:\.\d+)*", version)
    number = found[0] if found else ""
    preview = found is not None and version[found.end() :].startswith("-")
    return ".".join(number.split(".")[:2]) if preview else number


def _read(text: str) -> _Read:
    read, inside = _Read(), False
    for line in _lines(text):
        keyed = _KEYED.fullmatch(line)
        item = _unquoted(line.strip().removeprefix("- "))
        if pin := _PIN.fullmatch(line):
            read.rest.append(pin["before"])
            read.pins.append(_parts(pin["version"]))
            inside = False
        elif inside and _ITEM.fullmatch(item):
            read.lists[len(read.rest)].append(item)
        elif keyed and _LISTS.fullmatch(keyed["key"]):
            inside = _keyed(keyed, read)
        else:
            read.rest.append(line)
            inside = False
    return read


def _keyed(found: re.Match[str], read: _Read) -> bool:
    """Take the versions out of a line that names a list; return whether more may follow below."""
    held = found["held"].strip()
    read.rest.append(f"{found['before']}{found['key']}:")
    items = [_unquoted(each.strip()) for each in held.strip("[]").split(",") if each.strip()]
    alone = len(items) == 1 and not held.startswith("[") and not _is_envlist(found["key"])
    if alone and re.fullmatch(r"\d+(?:\.\d+)*", items[0]):
        read.pins.append(_parts(items[0]))
        return False
    versions = [each for each in items if _ITEM.fullmatch(each)]
    read.rest[-1] += " " + ", ".join(each for each in items if each not in versions)
    read.rest[-1] = read.rest[-1].rstrip()
    read.lists[len(read.rest)].extend(versions)
    return not items or _is_envlist(found["key"])


def _is_envlist(key: str) -> bool:
    return key.lower().replace("_", "") == "envlist"


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        kept = re.sub(r"(?:^|\s)#.*", "", line).rstrip()
        if kept:
            yield _BRACES.sub(_expanded, kept)


def _expanded(found: re.Match[str]) -> str:
    return ",".join(f"{found['word']}{each.strip()}" for each in found["many"].split(","))


def _unquoted(text: str) -> str:
    return text.strip("\"'")


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in version.split("."))
