"""Resolve which files a `package.json` means, as Node and bundlers do."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping

_MODE = frozenset({"node", "module-sync", "default"})
"""Conditions under which Node looks for a file, whoever asks for it."""
_KEYS = ("main", "module", "browser", "imports", "exports")
_OUTSIDE = frozenset({"types", "typings"})
"""Conditions of compilers alone."""


def means_otherwise(before: str, after: str) -> Iterator[tuple[str, str, str]]:
    """Yield what a manifest names, the file that it meant and the one that it means, where these differ.

    A file for another kind of modules may be added (a build for `require` beside one for `import`).
    """
    old, new = _parsed(before), _parsed(after)
    seen: set[tuple[str, str, str]] = set()
    for mode in _modes(old, new):
        for name in _names(old):
            was, now = _target(old, name, mode), _target(new, name, mode)
            if was and now and was != now and (name, was, now) not in seen:
                seen.add((name, was, now))
                yield name, was, now
    for key in _KEYS:
        for was, now in _leaves(old.get(key), new.get(key)):
            if was != now and not any(each[1:] == (was, now) for each in seen):
                yield key, was, now


def _parsed(text: str) -> Mapping[str, object]:
    try:
        held = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return held if isinstance(held, dict) else {}


def _modes(*manifests: Mapping[str, object]) -> Iterator[frozenset[str]]:
    """Yield sets of conditions: those of the package's own modules, and with each that the manifests name."""
    named = {
        each for held in manifests for key in ("exports", "imports") for each in _conditions(held.get(key))
    }
    mode = _MODE | {"import" if manifests[-1].get("type") == "module" else "require"}
    yield mode
    yield from (mode | {each} for each in sorted(named - mode - _OUTSIDE - {"import", "require"}))


def _conditions(held: object) -> Iterator[str]:
    if isinstance(held, dict):
        for key, inner in held.items():
            if not str(key).startswith((".", "#")):
                yield str(key)
            yield from _conditions(inner)


def _names(manifest: Mapping[str, object]) -> list[str]:
    """Return what the manifest names: the package itself, its parts and its aliases."""
    named = ["."]
    for key in ("exports", "imports"):
        held = manifest.get(key)
        named += (
            [str(each) for each in held if str(each).startswith((".", "#"))] if isinstance(held, dict) else []
        )
    return list(dict.fromkeys(named))


def _target(manifest: Mapping[str, object], name: str, mode: Collection[str]) -> str:
    """Return the file that a name means under some conditions; empty where it means none."""
    held = manifest.get("imports" if name.startswith("#") else "exports")
    if name.startswith("#"):
        return _resolved(held.get(name), mode) if isinstance(held, dict) else ""
    if held is None:
        main = manifest.get("main")
        return (_plain(main) if isinstance(main, str) else "index.js") if name == "." else ""
    if isinstance(held, dict) and any(str(each).startswith(".") for each in held):
        return _resolved(held.get(name), mode)
    return _resolved(held, mode) if name == "." else ""


def _resolved(held: object, mode: Collection[str]) -> str:
    """Follow conditions in their order, as Node does."""
    if isinstance(held, str):
        return _plain(held)
    if isinstance(held, list):
        return next((found for each in held if (found := _resolved(each, mode))), "")
    if isinstance(held, dict):
        return next(
            (found for key, each in held.items() if key in mode and (found := _resolved(each, mode))), ""
        )
    return ""


def _plain(target: str) -> str:
    return target.removeprefix("./")


def _leaves(old: object, new: object) -> Iterator[tuple[str, str]]:
    """Yield both meanings of what two values both name."""
    if isinstance(old, str) and isinstance(new, str):
        yield _plain(old), _plain(new)
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in old.keys() & new.keys():
            yield from _leaves(old[key], new[key])
