"""Whether a request asks for a change of a key in a manifest, and whether the key has any effect."""

from __future__ import annotations

import re
from collections.abc import Iterable

from setpoint.checks.integrity.thresholds import QUALITY_TOOLS
from setpoint.checks.proof.kinds.manifests.keys import EXTRAS, MARKER, SOURCE, Changed, Key

_DESCRIBES = frozenset(
    {
        "description", "readme", "license", "license-file", "license-files", "authors", "author",
        "maintainers", "contributors", "keywords", "categories", "classifiers", "urls", "homepage", "bugs",
        "repository", "funding", "documentation", "$schema", "metadata",
    }
)  # fmt: skip
"""Keys of packages in all languages that say something about the package, and do nothing."""
_TOOLS = (
    QUALITY_TOOLS
    | {"eslintConfig", "eslintIgnore", "prettier", "stylelint", "commitlint", "lint-staged", "lints", "xo"}
) - {"hatch", "tox", "nox", "setpoint"}
"""Tables of linters, formatters and type checkers; integrity compares what they demand."""
_OWNERS = frozenset({"project", "package", "workspace", "tool", "poetry"})
_RUNS = ("metadata", "options", "build", "bdist", "sdist", "egg_info", "install")
_DEPENDENCY = re.compile(r"depend|requires?$|requirements|extras|^require$", re.IGNORECASE)
_UPDATES = re.compile(
    r"\b(bump|upgrade|update|pin|unpin|dependenc\w+|requirements?|packages?|versions?|release|lock)\w*",
    re.IGNORECASE,
)
_RELEASES = re.compile(r"\b(release|version|bump|publish)\w*|\b\d+\.\d+", re.IGNORECASE)
_TAKES_AWAY = re.compile(
    r"\b(remov|drop|delet|unused|obsolete|replac|renam|instead|switch|migrat|mov|convert|without|clean"
    r"|no longer)\w*",
    re.IGNORECASE,
)
_FOR_TESTS = re.compile(r"^(dev|test|tests|testing)\b|\bdev|test", re.IGNORECASE)
_LEAST_PREFIX = 4


def acts(changed: Changed) -> bool:
    """Whether a key has an effect on what is installed, run or packaged."""
    name, key = changed.path.rpartition("/")[2].lower(), changed.key
    if name in ("tox.ini", "pytest.ini", "mypy.ini", ".coveragerc", "ruff.toml"):
        return False
    if name == "setup.cfg":
        return key[0].startswith(_RUNS) and not (key[0] == "metadata" and key[1] not in ("name", "version"))
    own = key
    while own[1:] and own[0] in _OWNERS:
        own = own[1:]
    return own[0] not in _DESCRIBES | _TOOLS


def asked(changed: Changed, wish: str, *, tests: bool = False) -> bool:
    """Whether a request speaks of a key, of its value or of its kind; `tests`: tests are asked for."""
    said, key = _words(wish), changed.key
    if key[-1] in (MARKER, EXTRAS, SOURCE) and len(key) > 1:
        return any(each in wish for each in re.findall(r"[\w.]{3,}", changed.after or changed.before or ""))
    named = _named(key[-1], said)
    if changed.after is None:
        return named or _value_named(changed.before, wish) or (_any_named(key, said) and _takes_away(wish))
    if _is_dependency(key):
        if tests and any(_FOR_TESTS.search(each) for each in key[:-1]):
            return True
        known = changed.before is not None and _UPDATES.search(wish) is not None
        return named or known or any(_named(each, said) for each in key[2:-1])
    if key[-1].lower() in ("version", "current_version", "rust-version", "requires-python", "go", "python"):
        return named or _RELEASES.search(wish) is not None
    listed_under = (
        changed.before is None and changed.after == key[-1] and len(key) > 1 and _named(key[-2], said)
    )
    return (
        named
        or listed_under
        or _value_named(changed.after, wish)
        or (key[0] == "tool" and _named(key[1], said))
    )


def speaks_of(changed: Iterable[Changed], path: str, wish: str) -> bool:
    """Whether a request clearly means a file of settings: by its name, or by a key and its table."""
    if path.rpartition("/")[2].lower() in wish.lower():
        return True
    said = _words(wish)
    return any(
        each.path == path and asked(each, wish) and any(_named(part, said) for part in each.key[:-1])
        for each in changed
    )


def _is_dependency(key: Key) -> bool:
    return any(_DEPENDENCY.search(each) for each in key[:-1])


def _takes_away(wish: str) -> bool:
    return _TAKES_AWAY.search(wish) is not None


def _any_named(key: Key, said: frozenset[str]) -> bool:
    return any(_named(each, said) for each in key)


def _value_named(value: str | None, wish: str) -> bool:
    words = re.findall(r"[A-Za-z][\w-]{4,}|\d[\w.]+", value or "")
    return any(re.search(rf"(?<![\w-]){re.escape(each)}(?![\w-])", wish) for each in words)


def _named(part: str, said: frozenset[str]) -> bool:
    """Whether a request has all words of a part of a key; the beginning of a longer word is enough."""
    own = _words(part)
    return bool(own) and all(
        any(word == each or (len(each) >= _LEAST_PREFIX and word.startswith(each)) for word in said)
        for each in own
    )


def _words(text: str) -> frozenset[str]:
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower()
    return frozenset(_plain(each) for each in re.findall(r"[a-z]+|\d+", split))


def _plain(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and len(word) >= _LEAST_PREFIX else word
