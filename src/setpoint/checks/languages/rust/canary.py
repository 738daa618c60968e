"""Write tests for `cargo test` that must fail, and one that must pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from setpoint.checks.languages.language import Canary
from setpoint.checks.languages.random_text import unequal, word

_MOST_FILES = 3


def rust_canaries(tree: Path, code: Mapping[str, bytes]) -> Iterator[Canary]:
    """Write a module of tests into each of the first changed sources whose program is known."""
    for path in [*code][:_MOST_FILES]:
        if target := _target(tree, path):
            yield _canary(path, *target)


def _canary(path: str, target: str, inside: str) -> Canary:
    """Write one; `target` is the root file of the program, and `inside` the path of the module there."""
    one, other = unequal()
    bodies = ("", f'panic!("{word()}")', f"assert_eq!({one}, {other})")
    tests = {word(): body for body in bodies}
    module = word()
    text = "".join(
        f"    #[test]\n    fn {test}() {{\n        {body}\n    }}\n" for test, body in tests.items()
    )
    start = "::".join((target, *filter(None, (inside, module))))
    passing, *failing = (f"{start}::{test}" for test in tests)
    return Canary(
        appended={path: f"\n#[cfg(test)]\nmod {module} {{\n{text}}}\n"},
        failing=frozenset(failing),
        passing=frozenset((passing,)),
    )


def _target(tree: Path, path: str) -> tuple[str, str] | None:
    """Return the root file of the program that a source is built into, and its module there."""
    before, source, inner = path.rpartition("src/")
    if not source or (before and not before.endswith("/")):
        return None
    parts = PurePosixPath(inner).with_suffix("").parts
    if inner in ("lib.rs", "main.rs") or parts[0] == "bin":
        return path, ""
    root = next((each for each in ("lib.rs", "main.rs") if (tree / before / "src" / each).is_file()), "")
    if not root:
        return None
    return f"{before}src/{root}", "::".join(parts[:-1] if parts[-1] == "mod" else parts)
