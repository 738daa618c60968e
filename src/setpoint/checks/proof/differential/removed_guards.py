"""What a change takes from the code of the base: lines that raise or decide it, and their values."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Mapping
from dataclasses import replace

from setpoint.checks.proof.differential.functions import Comparable
from setpoint.checks.proof.subject import Subject
from setpoint.model import syntax
from setpoint.model.changes.work_kind import is_code
from setpoint.model.proof import WorkKind

_RAISES = re.compile(r"\b(?:raise|throw|assert)\b")


def with_removed(subject: Subject, functions: Comparable) -> Comparable:
    """Return functions that are also tried with the values of lines which the change takes from the base.

    Where these lines raise, or are beside lines that raise, functions also get nothing and empty values.
    """
    sources = {
        path: (text, subject.after.get(path, b""))
        for path, text in subject.before.items()
        if path not in subject.of_tests and is_code(path)
    }
    files = {name.partition("::")[0] for name in functions.now}
    texts = [removed_values(path, *both) for path, both in sources.items() if path in files]
    more = tuple(filter(None, texts))
    guards = any(takes_guards(*both) for both in sources.values())
    kept: Mapping[str, tuple[str, ...]] = functions.texts
    return replace(
        functions,
        texts={name: (*more, *kept.get(name, ())) for name in functions.now},
        guarded=tuple(functions.now) if guards and subject.work is not WorkKind.REFACTOR else (),
    )


def removed_lines(before: bytes, after: bytes) -> tuple[int, ...]:
    """Return the lines of the base, from 1, that the result does not have, indentation included."""
    there, here = (text.decode("utf-8", "replace").splitlines() for text in (before, after))
    blocks = difflib.SequenceMatcher(None, there, here, autojunk=False).get_opcodes()
    return tuple(line + 1 for tag, *span, _, _ in blocks if tag != "equal" for line in range(*span))


def replaced_places(subject: Subject) -> frozenset[str]:
    """Return `path:line` of lines of the base whose text, indentation aside, the result has nowhere."""
    places: list[str] = []
    for path, text in subject.before.items():
        left = {line.strip() for line in subject.after.get(path, b"").splitlines()}
        lines = enumerate(text.splitlines(), start=1)
        places += [f"{path}:{number}" for number, line in lines if line.strip() not in left]
    return frozenset(places)


def takes_guards(before: bytes, after: bytes) -> bool:
    """Whether lines that raise are among those that changed, or within two lines of them."""
    there = before.decode("utf-8", "replace").splitlines()
    near = {line + step for line in removed_lines(before, after) for step in (-2, -1, 0, 1, 2)}
    return any(_RAISES.search(text) for line, text in enumerate(there, start=1) if line in near)


def removed_values(path: str, before: bytes, after: bytes) -> str:
    """Return the constants and names of these lines, as source; empty where there are none."""
    lines = frozenset(removed_lines(before, after))
    if not path.endswith(".py"):
        there = before.decode("utf-8", "replace").splitlines()
        return "\n".join(there[line - 1] for line in sorted(lines))
    try:
        tree = syntax.parse(before)
    except (SyntaxError, ValueError, RecursionError):
        return ""
    found = [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant | ast.Name) and node.lineno in lines
    ]
    return f"({', '.join(dict.fromkeys(found))},)" if found else ""
