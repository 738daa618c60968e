"""Pair each file that declares dependencies with its lock file, and compare the two by reading."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

import yaml

from setpoint.checks.proof.kinds.locks.of_others import cargo_differs, go_differs
from setpoint.checks.proof.kinds.locks.of_python import pdm_differs, poetry_differs, uv_differs
from setpoint.checks.proof.kinds.locks.of_scripts import npm_differs, pnpm_differs, yarn_differs

Compare = Callable[[str, str], list[str] | None]
"""Is given what is declared and what is locked; returns what disagrees, none where it cannot tell."""
_LOCKS: Mapping[str, tuple[tuple[str, Compare], ...]] = {
    "pyproject.toml": (("uv.lock", uv_differs), ("poetry.lock", poetry_differs), ("pdm.lock", pdm_differs)),
    "package.json": (
        ("package-lock.json", npm_differs),
        ("npm-shrinkwrap.json", npm_differs),
        ("yarn.lock", yarn_differs),
        ("pnpm-lock.yaml", pnpm_differs),
    ),
    "go.mod": (("go.sum", go_differs),),
    "Cargo.toml": (("Cargo.lock", cargo_differs),),
}


class Pair(NamedTuple):
    """A file that declares dependencies, and the lock file beside it."""

    manifest: str
    lock: str
    compare: Compare

    def differs(self, texts: Mapping[str, str]) -> list[str] | None:
        """Return what disagrees; none where reading does not tell, or a file is missing."""
        if self.manifest not in texts or self.lock not in texts:
            return None
        try:
            return self.compare(texts[self.manifest], texts[self.lock])
        except (
            tomllib.TOMLDecodeError,
            json.JSONDecodeError,
            yaml.YAMLError,
            AttributeError,
            TypeError,
            KeyError,
        ):
            return None


def pairs_of(files: Collection[str]) -> Iterator[Pair]:
    """Yield the pairs that a tree holds; in a workspace the lock file may lie further up."""
    for path in sorted(files):
        folder, slash, name = path.rpartition("/")
        for lock, compare in _LOCKS.get(name, ()):
            places = [f"{folder}{slash}{lock}"]
            places += [lock] if folder and name == "Cargo.toml" else []
            if found := next((each for each in places if each in files), ""):
                yield Pair(path, found, compare)


def declares(path: str) -> bool:
    """Whether a file declares dependencies."""
    return path.rpartition("/")[2] in _LOCKS
