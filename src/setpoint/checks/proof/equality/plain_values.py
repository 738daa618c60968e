"""Judge whether tests pass where values are compared by what they are made of."""

from __future__ import annotations

import re

from setpoint.checks.proof.equality.loose_tests import loose_tests
from setpoint.checks.proof.equality.python_equality import python_equality
from setpoint.checks.proof.equality.rust_equality import rust_equality
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction
from setpoint.checks.proof.sensitivity.sabotage import new_mark
from setpoint.checks.proof.sensitivity.sensitivity import saboteur_of
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.checks.proof.witness.witness import Witness
from setpoint.model.changes.work_kind import runs
from setpoint.model.proof import Obligation, ObligationState, WorkKind

_NAME = "plain values"
_KINDS = (WorkKind.BEHAVIOUR, WorkKind.REPAIR, WorkKind.REFACTOR)
_EQUALITY = re.compile(
    r"\b(equal\w*|compar\w+|case[- ]insensitiv\w+|regardless|ignor\w+|identi\w+|same|hash\w*|toleran\w+"
    r"|approx\w*|order\w*|dedup\w*|duplicates?|uniqu\w+|match\w*|__eq__|PartialEq|Eq)\b|==",
    re.IGNORECASE,
)
"""Words of a request that ask for an equality of its own."""


async def plain_values(subject: Subject, witnesses: tuple[Witness, ...]) -> tuple[Obligation, ...]:
    """Repeat the tests with the plain equality of new classes, and with strict assertions of Node.

    A value that says itself what it equals can pass every test and be another one.
    """
    if subject.work not in _KINDS:
        return ()
    asked = [] if _EQUALITY.search(subject.task.story.wish) else _own_equalities(subject)
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


def _own_equalities(subject: Subject) -> list[ChangedFunction]:
    found: list[ChangedFunction] = []
    for path, text in subject.after.items():
        if path not in subject.of_tests and runs(path):
            read = {".py": python_equality, ".rs": rust_equality}.get(path[-3:])
            found += read(path, subject.before.get(path), text) if read else ()
    return found


def _loose(subject: Subject, path: str) -> ChangedFunction | None:
    return loose_tests(path, subject.after[path]) if path in subject.after else None
