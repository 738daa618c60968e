"""What `gremlins unleash --output` writes of the mutants of Go."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from pydantic import BaseModel, ConfigDict, ValidationError

from setpoint.checks.formats.bad_report import BadReport
from setpoint.model.mutation import Fate, Mutant, MutationReport

_FATES = {
    "KILLED": Fate.KILLED,
    "LIVED": Fate.SURVIVED,
    "NOT COVERED": Fate.UNCOVERED,
    "TIMED OUT": Fate.TIMEOUT,
    "RUNNABLE": Fate.UNTRIED,
}
"""What became of mutants; others (`NOT VIABLE`: it does not build) count neither way and are left out."""
_ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"}
_BITS = {"&^": "&", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "&"}
_SWAPS: Mapping[str, Mapping[str, str]] = {
    "ARITHMETIC_BASE": _ARITHMETIC,
    "CONDITIONALS_BOUNDARY": {">=": ">", "<=": "<", ">": ">=", "<": "<="},
    "CONDITIONALS_NEGATION": {"==": "!=", "!=": "==", ">=": "<", "<=": ">", ">": "<=", "<": ">="},
    "INCREMENT_DECREMENT": {"++": "--", "--": "++"},
    "INVERT_ASSIGNMENTS": {f"{old}=": f"{new}=" for old, new in _ARITHMETIC.items() if old != "%"},
    "INVERT_BITWISE": _BITS,
    "INVERT_BWASSIGN": {f"{old}=": f"{new}=" for old, new in _BITS.items()},
    "INVERT_LOGICAL": {"&&": "||", "||": "&&"},
    "INVERT_LOOPCTRL": {"break": "continue", "continue": "break"},
    "INVERT_NEGATIVES": {"-": "+"},
    "REMOVE_SELF_ASSIGNMENTS": {f"{old}=": "=" for old in (*_ARITHMETIC, *_BITS)},
}
"""What each kind of mutant writes for which token, the longest first; the report names the kind alone."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Mutation(_Part):
    line: int
    column: int
    type: str
    status: str


class _File(_Part):
    file_name: str
    mutations: tuple[_Mutation, ...]


class _Report(_Part):
    files: tuple[_File, ...]


def words_of(others: Iterable[str]) -> Iterator[str]:
    """Return the words that make `gremlins unleash` leave out other files."""
    for file in sorted(others):
        yield from ("--exclude-files", f"^{re.escape(file)}$")


def read_mutations(
    text: bytes, lines: Mapping[str, Collection[int]], source: Callable[[str], str]
) -> MutationReport:
    """Read a report, of the lines alone that are wanted; raises `BadReport` where it is none."""
    try:
        known = _Report.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise BadReport(f"the report of gremlins is not readable at '{place}': {first['msg']}") from None
    mutants, every = [], 0
    for held in sorted(known.files, key=lambda file: file.file_name):
        if held.file_name not in lines:
            continue
        text_lines, only = source(held.file_name).split("\n"), lines[held.file_name]
        wanted = [each for each in held.mutations if not only or each.line in only]
        every += len(wanted)
        told = sorted((each for each in wanted if each.status in _FATES), key=lambda it: (it.line, it.column))
        mutants += [_mutant(held.file_name, text_lines, each) for each in told]
    return MutationReport(mutants=tuple(mutants), made=len(mutants), same=every - len(mutants))


def _mutant(file: str, lines: list[str], each: _Mutation) -> Mutant:
    before = lines[each.line - 1] if each.line <= len(lines) else ""
    return Mutant(
        file=file,
        line=each.line,
        operator=each.type.lower(),
        before=before,
        after=_swapped(before, each),
        verdict=_FATES[each.status],
    )


def _swapped(line: str, each: _Mutation) -> str:
    """Return the line as it reads in the mutant; columns of Go count bytes."""
    raw = line.encode("utf-8", "surrogateescape")
    head = raw[: each.column - 1].decode("utf-8", "surrogateescape")
    tail = raw[each.column - 1 :].decode("utf-8", "surrogateescape")
    for old, new in sorted(_SWAPS.get(each.type, {}).items(), key=lambda swap: -len(swap[0])):
        if tail.startswith(old):
            return f"{head}{new}{tail.removeprefix(old)}"
    return f"{line}  // {each.type.lower().replace('_', ' ')} at column {each.column}"
