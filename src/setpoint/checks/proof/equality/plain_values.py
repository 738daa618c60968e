"""Judge whether tests pass where values are compared by what they are made of."""

from __future__ import annotations

import re

from setpoint.checks.proof.equality.compared_fields import compared_fields
from setpoint.checks.proof.equality.loose_tests import loose_tests
from setpoint.checks.proof.equality.not_a_number import not_a_number
from setpoint.checks.proof.equality.python_equality import python_equality
from setpoint.checks.proof.equality.python_operators import python_operators
from setpoint.checks.proof.equality.rust_equality import rust_equality
from setpoint.checks.proof.equality.script_conversions import script_conversions
from setpoint.checks.proof.instrument.own_command import commands_of, is_run_by
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction
from setpoint.checks.proof.sensitivity.sabotage import new_mark
from setpoint.checks.proof.sensitivity.sensitivity import by_exit_code, saboteur_of
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.checks.proof.witness import witness
from setpoint.checks.proof.witness.witness import Witness
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import runs
from setpoint.model.proof import Obligation, ObligationState, WorkKind
from setpoint.system.git.git import files_at

_NAME = "plain values"
_KINDS = (WorkKind.BEHAVIOUR, WorkKind.REPAIR, WorkKind.REFACTOR)
_EQUALITY = re.compile(
    r"\b(equal\w*|compar\w+|case[- ]insensitiv\w+|regardless|ignor\w+|identi\w+|same|hash\w*|toleran\w+"
    r"|approx\w*|order\w*|dedup\w*|duplicates?|uniqu\w+|match\w*|__eq__|PartialEq|Eq)\b|==",
    re.IGNORECASE,
)
"""Words of a request that ask for an equality of its own."""


_OPERATIONS = re.compile(
    r"\b(?:operators?|arithmetic|sort\w*|add(?:ition|ing)|subtract\w*|multipl\w+|divi\w+|orders?|ordering|compar\w+)\b",
    re.IGNORECASE,
)
"""Words of a request that ask for operators of its own."""
_NAN = re.compile(r"\bnan\b|not a number", re.IGNORECASE)
_NUMBERS = "let it return a number, or let the request say that it may be NaN"
_MOST_TESTS = 300


async def plain_values(subject: Subject, witnesses: tuple[Witness, ...]) -> tuple[Obligation, ...]:
    """Repeat the tests with the plain equality of new classes, and with strict assertions of Node.

    A value that says itself what it equals can pass every test and be another one.
    """
    if subject.work not in _KINDS:
        return ()
    if reason := await _no_numbers(subject, witnesses):
        return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)
    asked = [] if _EQUALITY.search(subject.task.story.wish) else _own_equalities(subject)
    asked += await _own_answers(subject)
    asked += [each for path in subject.of_tests if (each := _loose(subject, path))]
    if not asked:
        return ()
    saboteur = await saboteur_of(subject, tuple(asked), witnesses)
    wrong = [
        str(each)
        for each in asked
        for sabotage in each.sabotages.values()
        if await saboteur.notices(each, sabotage, new_mark(saboteur.there))
    ]
    names = tuple(map(str, asked))[:MOST_NAMED]
    if wrong:
        reason = (
            f"without {listed(wrong)} tests fail, as values are then compared by what they are made of: let "
            "the tests assert the plain content (text, attributes, strict equality), or give plain values"
        )
        return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)
    reason = f"tests pass without {listed(names)} too, comparing what values are made of"
    return (Obligation(name=_NAME, state=ObligationState.MET, reason=reason, evidence=names),)


async def _no_numbers(subject: Subject, witnesses: tuple[Witness, ...]) -> str:
    """Say what returns NaN where nothing but an exit code judges: a comparison with NaN is never true."""
    if not by_exit_code(subject) or _NAN.search(subject.task.story.wish):
        return ""
    code = [
        (path, text) for path, text in subject.after.items() if path not in subject.of_tests and runs(path)
    ]
    made = [not_a_number(path, subject.before.get(path), text) for path, text in code]
    asked = tuple(each for each in made if each is not None)
    saboteur = await saboteur_of(subject, asked, witnesses) if asked else None
    for each in asked if saboteur else ():
        (sabotage,) = each.sabotages.values()
        if saboteur and await saboteur.notices(each, sabotage, new_mark(saboteur.there)):
            return f"a changed function of {each.path} returns NaN, and tests pass: {_NUMBERS}"
    return ""


def _own_equalities(subject: Subject) -> list[ChangedFunction]:
    found: list[ChangedFunction] = []
    for path, text in subject.after.items():
        if path not in subject.of_tests and runs(path):
            read = {".py": python_equality, ".rs": rust_equality}.get(path[-3:])
            found += read(path, subject.before.get(path), text) if read else ()
            found += compared_fields(path, subject.before.get(path), text) if path.endswith(".py") else ()
    return found


async def _own_answers(subject: Subject) -> list[ChangedFunction]:
    """Return what new values answer those who ask for their difference, order, number or text."""
    wish = subject.task.story.wish
    if _OPERATIONS.search(wish):
        return []
    paths = await files_at(subject.place.copy.path, subject.place.commit)
    commands = [*commands_of(subject, witness.passed_in(subject.now.tests))]
    tests = [path for path in paths if is_test_path(path) or any(is_run_by(path, each) for each in commands)]
    found: list[ChangedFunction] = []
    for path, text in subject.after.items():
        if path not in subject.of_tests and runs(path):
            read = python_operators if path.endswith(".py") else script_conversions
            near = [each for each in tests if each.endswith(".py") is path.endswith(".py")][:_MOST_TESTS]
            found += read(path, subject.before.get(path), text, near, wish)
    return found


def _loose(subject: Subject, path: str) -> ChangedFunction | None:
    return loose_tests(path, subject.after[path]) if path in subject.after else None
