"""Tests that differ in values only, as rows of one parametrised test."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from .cases import Case, Cast, Target
from .oracle import filled
from .trial import Outcome

_TAKEN = frozenset(("expected", "request", "self", "cls", "tmp_path", "monkeypatch", "capsys", "pytest"))
Columns = tuple[tuple[str, bool], ...]
"""Parameters, and whether each is given by name."""


class Row(NamedTuple):
    """A test as a row of values."""

    columns: Columns
    values: tuple[str, ...]
    expected: str


def row_of(case: Case, outcome: Outcome, cast: Cast) -> Row | None:
    """Return a test as a row, where it is one plain call with plain values and one plain answer."""
    target = cast.targets.get(case.target)
    if target is None or not _plain(case, outcome, target):
        return None
    check = re.fullmatch(r"\{\} (?:==|is) (.*)", outcome.checks[0], re.DOTALL)
    names = [name or param.name for (name, _), param in zip(case.args, target.params)]
    if check is None or not names or len(set(names)) < len(case.args):
        return None
    values = tuple(text for _, text in case.args)
    expected = filled(check[1], "")
    if not all(map(_literal, (*values, expected))):
        return None
    return Row(tuple((name, bool(word)) for name, (word, _) in zip(names, case.args)), values, expected)


def _plain(case: Case, outcome: Outcome, target: Target) -> bool:
    answers = outcome.kind == "value" and outcome.wrap == "{}" and len(outcome.checks) == 1
    unusual = outcome.after or case.expression or case.doubles or case.take or case.then is not None
    varied = target.waits or any(param.star for param in target.params)
    return answers and target.form == "function" and not unusual and not varied


def _literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def written(name: str, target: Target, rows: Sequence[tuple[Row, str]]) -> str:
    """Write rows, each with the words that say what comes of it, as one test."""
    columns = [
        (f"{word}_value" if word in _TAKEN else word, f"{word}=" if by_name else "")
        for word, by_name in rows[0][0].columns
    ]
    names = [*(word for word, _ in columns), "expected"]
    told = [
        f"        pytest.param({', '.join((*row.values, row.expected))}, id={words!r}),"
        for row, words in rows
    ]
    call = f"{target.path}({', '.join(f'{given}{word}' for word, given in columns)})"
    head = [
        "@pytest.mark.parametrize(",
        f"    ({', '.join(map(repr, names))}),",
        *("    [", *told, "    ],", ")"),
        f"def {name}({', '.join(names)}):",
        f'    """Pins what `{target.name}` gives for some values."""',
        f"    result = {call}",
        "    assert result == expected",
        "    assert type(result) is type(expected)",
    ]
    return "\n".join(head)


def name_of_row(name: str) -> str:
    """Return the name of a draft by that of a test or of one of its rows."""
    stem, row, words = name.partition("[")
    return f"{stem}_{words.rstrip(']')}" if row else name
