"""Sort the code of a change: functions to sabotage, statements outside functions, and what is neither."""

from __future__ import annotations

from dataclasses import dataclass

from setpoint.checks.mutation.check import is_source
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction
from setpoint.checks.proof.sensitivity.other_functions import (
    changed_elsewhere,
    changed_outside_elsewhere,
    suffix_of,
)
from setpoint.checks.proof.sensitivity.outside_functions import Statement, changed_outside
from setpoint.checks.proof.sensitivity.python_functions import changed_python
from setpoint.checks.proof.sensitivity.shell_functions import ENDINGS, changed_in_shell
from setpoint.checks.proof.subject import Subject
from setpoint.model.changes.work_kind import is_program, runs

_LANGUAGES = {".py": "Python", ".go": "Go", ".rs": "Rust", ".sh": "shell", ".bash": "shell"}


@dataclass(frozen=True, kw_only=True)
class ChangedCode:
    """The changed code outside the tests."""

    functions: tuple[ChangedFunction, ...] = ()
    """The heaviest first."""
    values: tuple[ChangedFunction, ...] = ()
    """Declarations and statements outside functions in other languages, the heaviest first."""
    statements: tuple[Statement, ...] = ()
    """Outside functions, in Python."""
    notes: tuple[str, ...] = ()
    """What is neither and no program either, in words."""
    unsabotaged: tuple[str, ...] = ()
    """Programs in a language whose functions Setpoint cannot sabotage here, in words."""
    rest: tuple[str, ...] = ()
    """Code outside functions in other languages that cannot be sabotaged, in words."""


def changed_code(subject: Subject) -> ChangedCode:
    """Return the changed code of a result."""
    functions: list[ChangedFunction] = []
    values: list[ChangedFunction] = []
    statements: list[Statement] = []
    notes: list[str] = []
    rest: list[str] = []
    unsabotaged: list[str] = []
    for path, new in subject.after.items():
        if path in subject.of_tests or not runs(path):
            continue
        old = subject.before.get(path)
        if path.endswith(".py"):
            found, why = changed_python(path, old, new)
            functions += found
            notes += why
            statements += changed_outside(path, old, new) if is_source(path) else ()
        elif suffix_of(path) and (here := changed_elsewhere(path, old, new)) is not None:
            outside = changed_outside_elsewhere(path, old, new)
            functions += here
            values += outside.declared
            rest += outside.rest
        elif path.endswith(ENDINGS):
            in_shell, differs = changed_in_shell(path, old, new)
            functions += in_shell
            unsabotaged += [path] if differs or not in_shell else []
        elif suffix_of(path):
            unsabotaged.append(f"{path}, for which the extra `setpoint[languages]` is not installed")
        elif is_program(path) and not path.endswith(".pyi"):
            unsabotaged.append(path)
        else:
            notes.append(path)
    return ChangedCode(
        functions=tuple(sorted(functions, key=lambda each: -each.weight)),
        values=tuple(sorted(values, key=lambda each: -each.weight)),
        statements=tuple(statements),
        notes=tuple(notes),
        rest=tuple(rest),
        unsabotaged=tuple(unsabotaged),
    )


def language_of(path: str) -> str:
    """Name the language of a file whose functions can be sabotaged."""
    return _LANGUAGES.get(f".{path.rpartition('.')[2]}", "JavaScript and TypeScript")
