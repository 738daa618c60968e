"""Scripts of `package.json`, with the scripts that they call in their place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from setpoint.model.shell import Part, parts, unquoted

_DEEPEST = 8
_MANAGERS = frozenset({"npm", "yarn", "pnpm", "bun"})
_SEQUENCES = frozenset({"run-s", "npm-run-all", "npm-run-all2", "run-p"})
_ELSEWHERE = frozenset(
    {"-ws", "--workspaces", "-w", "--workspace", "-r", "--recursive", "--filter", "--prefix", "-C"}
)
"""Options with which a script of another package is run."""
_NONE = re.compile(r"no test specified", re.IGNORECASE)


def manifest_of(text: str) -> dict[str, Any]:
    """Parse a `package.json`; empty where it cannot be read."""
    try:
        manifest = json.loads(text)
    except ValueError:
        return {}  # the project's own tools will say so, as errors
    return manifest if isinstance(manifest, dict) else {}


def scripts_of(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the scripts of a manifest, without npm's placeholder for a missing test."""
    held = manifest.get("scripts")
    texts = held.items() if isinstance(held, dict) else ()
    return {str(name): text for name, text in texts if isinstance(text, str) and not _NONE.search(text)}


def steps_of(name: str, scripts: Mapping[str, str], depth: int = 0) -> list[Part]:
    """Return the simple commands of a script, with those of the scripts around it and in it."""
    if depth > _DEEPEST or name not in scripts:
        return []
    steps = list[Part]()
    for each in (f"pre{name}", name, f"post{name}"):
        for part in parts(scripts.get(each, "")):
            steps += _followed(part, scripts, depth)
    return steps


def _followed(part: Part, scripts: Mapping[str, str], depth: int) -> Iterator[Part]:
    names = list(_called(tuple(map(unquoted, part.words)), scripts))
    if not names:
        yield part
        return
    at = part.words.index("--") if "--" in part.words else len(part.words)
    more = part.words[at + 1 :]
    for number, name in enumerate(names):
        for place, step in enumerate(inner := steps_of(name, scripts, depth + 1)):
            operator = part.operator if number == place == 0 else (step.operator or "&&")
            last = number + 1 == len(names) and place + 1 == len(inner)
            yield Part(operator, (*step.words, *more) if last else step.words)


def _called(words: tuple[str, ...], scripts: Mapping[str, str]) -> Iterator[str]:
    """Yield the scripts that a call of a package manager runs."""
    program, *rest = words
    plain = [word for word in rest if not word.startswith("-")]
    if program in _SEQUENCES:
        for name in plain:
            yield from _matching(name, scripts)
    elif program in _MANAGERS and plain and _ELSEWHERE.isdisjoint(rest):
        if plain[0] in ("run", "run-script") and len(plain) > 1:
            yield from (name for name in plain[1:2] if name in scripts)
        elif plain[0] in ("test", "t", "tst") and "test" in scripts:
            yield "test"
        elif program in ("yarn", "pnpm") and plain[0] in scripts:
            yield plain[0]


def _matching(name: str, scripts: Mapping[str, str]) -> Iterator[str]:
    pattern = re.escape(name).replace(r"\*\*", ".*").replace(r"\*", "[^:]*")
    yield from (each for each in scripts if re.fullmatch(pattern, each))
