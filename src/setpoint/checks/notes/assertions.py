"""Notes on assertions: files of tests that hold fewer, and code that holds the values they compare with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from setpoint.checks.notes.change import Change
from setpoint.model.finding import Note

_ASSERTION = re.compile(
    r"^\s*assert\b|\bself\.assert\w+\(|\bpytest\.raises\(|\bexpect\(|\bassert(?:\.\w+|_\w+|\w*!)?\s*\(|\bt\.(?:Error|Fatal)f?\("
    r"|\brequire\.\w+\(|\bassert[A-Z]\w*\("
)
_COMMENT = re.compile(r"^\s*(?:#|//|/?\*)")
_LITERAL = re.compile(
    r"\"(?:[^\"\\]|\\.){4,}\"|'(?:[^'\\]|\\.){4,}'|(?<![\w.])\d{3,}(?:\.\d+)?(?![\w.])|(?<![\w.])\d+\.\d{2,}"
)
_COMPARED = re.compile(r"===?|\bcase\b|\bmatch\b|\bin\s*[(\[{]|=>")
_CODE = (".py", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".go", ".rs", ".java", ".kt")


def of_assertions(change: Change) -> Iterator[Note]:
    """Yield a note for each file of tests of the base that holds fewer assertions."""
    for path, text in change.after.items():
        if path in change.before and change.is_test(path) and path.endswith(_CODE):
            stood, now = _count(change.before[path]), _count(text)
            if now < stood:
                message = f"fewer assertions: {stood} before, {now} now"
                yield Note(rule="fewer-assertions", message=message, file=path)


def of_test_values(change: Change) -> Iterator[Note]:
    """Yield a note for each added line of code that compares with a value of a new assertion."""
    asserted = {
        value
        for path in change.after
        if change.is_test(path) and path.endswith(_CODE)
        for _, line in change.added_lines(path)
        if _ASSERTION.search(line)
        for value in _values(line)
    }
    for path in change.after if asserted else ():
        if change.is_test(path) or not path.endswith(_CODE):
            continue
        stood = set(_values(change.before.get(path, "")))
        for number, line in change.added_lines(path):
            new = [value for value in _values(line) if value in asserted and value not in stood]
            if new and _COMPARED.search(line) and not _COMMENT.match(line):
                message = f"the code compares with a value of the change's tests: {new[0][:80]}"
                yield Note(rule="test-value", message=message, file=path, line=number)


def _count(text: str) -> int:
    return sum(bool(_ASSERTION.search(line)) and not _COMMENT.match(line) for line in text.splitlines())


def _values(text: str) -> list[str]:
    """Return the particular literals of a text, without their quotes."""
    return [each.strip("\"'") for each in _LITERAL.findall(text)]
