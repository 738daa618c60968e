"""Decide whether a test fails at the base because the change is missing, and not for another reason."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from setpoint.model.changes.work_kind import runs
from setpoint.model.evidence import Cause, Failure

_NAMED = re.compile(r"['\"`]([\w./-]+)['\"`]|undefined: ([\w.]+)|\.(\w+) undefined")
_SAYS_WHY = re.compile(
    r"^\s*(\w*Error\b|error(\[\w+\])?:)|\bundefined\b|cannot find|not defined", re.IGNORECASE
)
"""Lines of a detail in which a runner names what is missing."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_MODULES = (".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".go", ".rs")
_NEVER = frozenset({Cause.ENVIRONMENT, Cause.TIMEOUT, Cause.FLAKY})


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a change adds, as far as a failure at the base can name it."""

    request: str
    """What was asked for."""
    files: frozenset[str]
    """Files that it adds or changes, no tests among them."""
    names: frozenset[str]
    """Identifiers that it adds to its files, and the names of modules that it adds."""

    def explains(self, failure: Failure) -> str:
        """Return why a failure at the base shows that the change is missing; empty where it does not."""
        if failure.cause in _NEVER:
            return ""
        if failure.cause is Cause.ASSERTION:
            return "an assertion fails"
        said = "\n".join([failure.message, *filter(_SAYS_WHY.search, failure.detail.splitlines())])
        missing = {name for each in _NAMED.findall(said) for name in _parts("".join(each))}
        if added := sorted(missing & self.names):
            return f"'{added[0]}' is missing"
        if failure.error and failure.error.rpartition(".")[2] in self.request:
            return f"{failure.error}, which the request names"
        if failure.cause is Cause.RUNTIME and failure.file in self.files:
            return f"{failure.error or 'an error'} in {failure.file}, which the change touches"
        return ""


def change_of(request: str, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Change:
    """Compare the files of a change, by path, with those of the base."""
    files = frozenset(path for path in (*before, *after) if runs(path))
    names: set[str] = set()
    for path in files & after.keys():
        names |= _words(after[path]) - _words(before.get(path, b""))
        if path not in before and path.endswith(_MODULES):
            names.update(_parts(path.rpartition(".")[0]))
    return Change(request=request, files=files, names=frozenset(names))


def _words(content: bytes) -> set[str]:
    return set(_WORD.findall(content.decode("utf-8", "replace")))


def _parts(name: str) -> Collection[str]:
    return [part for part in re.split(r"[./]", name) if part]
