"""Which files of the tree a command of the story runs: its scripts, and what defines its targets."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import takewhile

from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.shell import SHELLS, calls

_SHELLS = re.compile(rf"{SHELLS.pattern}|source|\.")
_CODE = re.compile(r"-\w*[cmep]|--(?:eval|print)(?:=.*)?")
_GIVEN = re.compile(r"-\w*c")
"""Options after which interpreters and shells are given code or a module instead of a script."""
_INTERPRETERS = re.compile(r"python[\d.]*|pypy\d*|node|deno|bun|tsx|ts-node|ruby|perl|php|lua")
_PASSED_ON = frozenset(
    {"exec", "time", "env", "nice", "command", "timeout", "uv", "poetry", "pipenv", "run", "sudo"}
)
_MAKE = frozenset({"make", "gmake", "bmake"})
_PACKAGE = frozenset({"npm", "yarn", "pnpm"})
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
"""In the order in which make takes them."""
_JUST = ("justfile", ".justfile", "Justfile")
DEFINING = (*MAKEFILES, *_JUST, "package.json")
"""Files that define what the targets of commands run."""
_CHECKING = re.compile(
    r"check|test|verif|valid|accept|assert|lint|smoke|e2e|bench|(^|[_-])(ci|perf)([_.-]|$)", re.IGNORECASE
)
_TOOL_FOLDERS = frozenset(
    {"tools", "tool", "scripts", "script", "ci", ".ci", "bin", "checks", "hack", "dev", "build"}
)
_SETTINGS = ("jest", "vitest", "mocha", "ava", "tap", "c8", "nyc", "eslintConfig", "xo")
"""Tables of a `package.json` that configure tests and quality tools."""
_DEFINED = re.compile(r"^\s*(?:\S.*:|\t)\s*@?-?(.+)$", re.MULTILINE)


def run_by(commands: Iterable[str], texts: Mapping[str, str]) -> frozenset[str]:
    """Return the paths that the commands run, whether they exist or not.

    `texts` are the Makefiles and `package.json` of the base, by path: what their targets run is run as well.
    """
    found = set[str]()
    for command in commands:
        for path in _run(command, texts):
            found.add(path)
    return frozenset(found)


def scripts_added(commands: Iterable[str], added: Collection[str]) -> list[Finding]:
    """Report scripts that the work brought in and by which it is accepted."""
    return [
        Finding(
            source="integrity",
            rule="protected",
            severity=Severity.WARNING,
            category=Category.INTEGRITY,
            message=f"{path}: is new, and an acceptance command runs it: the work wrote its own check",
            file=path,
        )
        for path in sorted(run_by(commands, {}) & set(added))
    ]


def _run(command: str, texts: Mapping[str, str]) -> Iterator[str]:
    folder = ""
    for words in _simple(command):
        if words[0] == "cd" and len(words) > 1:
            folder = _inside(folder, words[1])
            continue
        yield from _of_words(words, folder)
        if words[0] in _MAKE or words[0] == "just":
            names = MAKEFILES if words[0] in _MAKE else _JUST
            yield from (_inside(folder, name) for name in names)
            for name in names:
                for recipe in _DEFINED.findall(texts.get(_inside(folder, name), "")):
                    yield from (path for each in _simple(recipe) for path in _of_words(each, folder))
        if words[0] in _PACKAGE:
            for script in scripts_of(texts.get(_inside(folder, "package.json"), "")).values():
                yield from (path for each in _simple(script) for path in _of_words(each, folder))


def _simple(command: str) -> Iterator[list[str]]:
    """Split a command of the shell into its simple commands, without what only starts them."""
    for call in calls(command):
        words = list(call.words)
        while words and (words[0] in _PASSED_ON or re.match(r"\w+=|-|\d+s?$", words[0])):
            words = words[1:]
        if words:
            yield words


def _of_words(words: list[str], folder: str) -> Iterator[str]:
    program, *rest = words
    name = program.rpartition("/")[2]
    if _SHELLS.fullmatch(name) or _INTERPRETERS.fullmatch(name):
        given = _GIVEN if _SHELLS.fullmatch(name) else _CODE
        if any(given.fullmatch(word) for word in takewhile(lambda word: word.startswith("-"), rest)):
            return
        script = next((word for word in rest if not word.startswith("-")), "")
        if script and (_SHELLS.fullmatch(name) or checks(script)):
            yield _inside(folder, script)
    elif "/" in program and not program.startswith("/"):
        yield _inside(folder, program)


def checks(script: str) -> bool:
    """Whether a script, by its place or its name, checks the work; others may be what the work is about."""
    *folders, name = script.split("/")
    return not _TOOL_FOLDERS.isdisjoint(folders) or _CHECKING.search(name) is not None


def scripts_of(text: str) -> dict[str, str]:
    """Return the scripts of a `package.json`; none where it cannot be read."""
    try:
        held = json.loads(text).get("scripts", {})
    except (json.JSONDecodeError, AttributeError):
        return {}
    return (
        {name: script for name, script in held.items() if isinstance(script, str)}
        if isinstance(held, dict)
        else {}
    )


def steers_package(before: str, after: str, commands: Iterable[str]) -> bool:
    """Whether a `package.json` is tested otherwise: by other scripts that check or are run, or settings."""
    old, new = scripts_of(before), scripts_of(after)
    asked = {word for command in commands for word in re.split(r"[\s;&|()]+", command)}
    held = {name for name in old if _CHECKING.search(name) or name in asked}
    around = {f"{when}{name}" for name in held for when in ("pre", "post")}
    if any(old.get(name) != new.get(name) for name in held | around):
        return True
    return _tables(before) != _tables(after)


def _tables(text: str) -> dict[str, object]:
    try:
        held = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return {name: held[name] for name in _SETTINGS if name in held} if isinstance(held, dict) else {}


def names(wish: str, path: str) -> bool:
    """Whether the text of a story names a file, by its path or its name."""
    found = rf"(?<![\w/.-])(?:\./)?(?:{re.escape(path)}|{re.escape(path.rpartition('/')[2])})(?![\w/-])"
    return re.search(found, wish) is not None


def _inside(folder: str, path: str) -> str:
    parts = list[str]()
    for part in f"{folder}/{path}".split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
