"""Judge whether tests notice when the changed code does something else."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import NamedTuple

from setpoint.checks.proof.sensitivity.changed_code import ChangedCode, changed_code, language_of
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction
from setpoint.checks.proof.sensitivity.mutants import Noticed, noticed_mutants
from setpoint.checks.proof.sensitivity.sabotage import Sabotaged, Saboteur, pinning
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.checks.proof.witness import witness
from setpoint.checks.proof.witness.find_witnesses import strongest
from setpoint.checks.proof.witness.witness import Witness
from setpoint.checks.suites.package_suite import owner
from setpoint.model.evidence import OWN_TESTS
from setpoint.model.mutation import MutantShare
from setpoint.model.proof import Obligation, ObligationState, Trust, WorkKind

_NAME = "sensitivity"
_OTHERS = "sensitivity of other languages"
_MOST_VALUES = 10
"""Most declarations outside functions that are sabotaged, in languages but Python."""
_WITHOUT_CODE = (WorkKind.TESTS, WorkKind.DOCS, WorkKind.CHORE)


class Sensitivity(NamedTuple):
    """What the tests notice of a change."""

    obligations: tuple[Obligation, ...]
    mutants: MutantShare | None = None
    """None where mutants were not tried."""


async def sensitivity(subject: Subject, witnesses: tuple[Witness, ...]) -> Sensitivity:
    """Sabotage each changed function, try mutants of the rest, and see whether the tests notice."""
    if subject.work in _WITHOUT_CODE:
        reason = "no code is changed"
        return Sensitivity((Obligation(name=_NAME, state=ObligationState.NOT_APPLICABLE, reason=reason),))
    code = changed_code(subject)
    until = time.monotonic() + subject.terms.seconds
    made = await _sabotaged(subject, (*code.functions, *code.values), witnesses, until)
    mutants = Noticed(None, "")
    if code.functions or code.statements:
        mutants = await noticed_mutants(subject, code.statements, until - time.monotonic())
    told = any(each.proved for each in made) or any(mutants.of(each) is not None for each in code.statements)
    tried = told or any(not each.void for each in made)
    trusted = strongest(witnesses) not in (None, Trust.ANY)
    judged = _judged(subject, code, made, mutants)
    others = _of_others(subject, code, made, judged=tried or trusted)
    return Sensitivity((judged, *others), mutants.counted)


async def _sabotaged(
    subject: Subject,
    functions: tuple[ChangedFunction, ...],
    witnesses: tuple[Witness, ...],
    until: float,
) -> list[Sabotaged]:
    """Sabotage functions while there is time; a refactoring's also with tests that pin what the base did."""
    made: list[Sabotaged] = []
    if not functions:
        return made
    saboteur = await saboteur_of(subject, functions, witnesses)
    values = 0
    for function in functions:
        values += function.is_value
        if made and (time.monotonic() > until or values > _MOST_VALUES):
            break
        made.append(await saboteur.sabotage(function))
    open_ones = [each for each in made if not each.proved]
    refactors = subject.work is WorkKind.REFACTOR
    if not refactors or not open_ones or not (pins := await pinning(subject)):
        return made
    saboteur = Saboteur(subject=subject, there=await subject.checked_out(), asked=(pins,))
    for each in open_ones:
        again = await saboteur.sabotage(each.function)
        if again.proved or not each.reached:
            made[made.index(each)] = again
    return made


async def saboteur_of(
    subject: Subject, functions: tuple[ChangedFunction, ...], witnesses: tuple[Witness, ...]
) -> Saboteur:
    """Make the saboteur of some functions: it asks the witnesses, then all tests that read no source."""
    passed = _asked_of(subject)
    names = frozenset(each.name for each in witnesses)
    refactors = subject.work is WorkKind.REFACTOR
    commands = tuple(each for each in subject.plan.acceptance() if refactors or each.command in names)
    there = await subject.checked_out()
    saboteur = Saboteur(subject=subject, there=there, asked=(names & passed, passed), commands=commands)
    own = frozenset(test for test in passed if test.partition("::")[0] in subject.of_tests)
    if readers := await saboteur.readers(functions, own | (names & passed)):
        passed -= readers
        saboteur = Saboteur(subject=subject, there=there, asked=(names & passed, passed), commands=commands)
    return saboteur


def _asked_of(subject: Subject) -> frozenset[str]:
    """Return the tests that have to notice: for a refactoring those of the base, or that notice as much."""
    passed = witness.passed_in(subject.now.tests)
    if subject.work is not WorkKind.REFACTOR:
        return passed
    rewritten = {test for test in passed if test.partition("::")[0] in subject.task.judges}
    return passed & (witness.passed_in(subject.base.tests) | rewritten)


def _judged(subject: Subject, code: ChangedCode, made: list[Sabotaged], mutants: Noticed) -> Obligation:
    names = tuple(str(each.function) for each in made if each.proved)[:MOST_NAMED]
    pins = ", one that passes on the base too," if subject.work is WorkKind.REFACTOR else ""
    unseen = [*_survived(made, pins), *_copied(made), *_unentered(made, pins, all_of=by_exit_code(subject))]
    if missing := [*unseen, *_unnoticed(code, made, mutants)]:
        reason = "; ".join(missing)
        return Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason, evidence=names)
    proved = sum(each.proved and not each.function.is_value for each in made)
    notes = [f"tests notice when {proved} of {len(code.functions)} changed functions are sabotaged"]
    notes = notes if code.functions else []
    outside = sum(each.proved and each.function.is_value for each in made)
    if code.values:
        notes.append(f"tests notice when {outside} of {len(code.values)} changed values outside are others")
    seen = [each for each in code.statements if mutants.of(each)]
    notes += [f"tests notice mutants of {listed(list(map(str, seen)))}"] if seen else []
    notes += list(_left_out(code, made, mutants))
    if names or seen:
        return Obligation(name=_NAME, state=ObligationState.MET, reason="; ".join(notes), evidence=names)
    reason = "; ".join(notes) or "no function of a language that Setpoint can sabotage is changed"
    return Obligation(name=_NAME, state=ObligationState.NOT_APPLICABLE, reason=reason)


def _survived(made: Iterable[Sabotaged], pins: str) -> list[str]:
    found = list(dict.fromkeys(f"{each.function} {each.survived}" for each in made if each.survived))
    if not found:
        return []
    return [f"no test notices when {listed(found)}: write a test{pins} that asserts what it does"]


def _copied(made: list[Sabotaged]) -> Iterable[str]:
    """Say which functions are tested in a copy: of the same name, in another file of the same name."""
    entered = {_name(each.function): str(each.function) for each in made if each.reached}
    for each in made:
        copy = entered.get(_name(each.function))
        if copy and not each.reached:
            yield f"tests enter {copy} in place of {each.function}: let them import what is delivered"


def _name(function: ChangedFunction) -> tuple[str, str]:
    return function.path.rpartition("/")[2], function.name


def by_exit_code(subject: Subject) -> bool:
    """Whether nothing but exit codes of the project's own commands says that tests pass."""
    chosen = subject.task.project.chosen
    passed = witness.passed_in(subject.now.tests)
    return bool(passed) and all(owner(test, chosen) == OWN_TESTS for test in passed)


def _unentered(made: Iterable[Sabotaged], pins: str, *, all_of: bool) -> list[str]:
    """Say which functions no test enters, for each language in which they hold most of the changed lines.

    With `all_of` one is enough: a command that ends well says nothing about code whose failure it overlooks.
    """
    found: list[str] = []
    groups: dict[str, list[Sabotaged]] = {}
    for each in made:
        groups.setdefault(language_of(each.function.path), []).append(each)
    for group in groups.values():
        tried = [each for each in group if not each.void]
        missed = [each.function for each in tried if not each.reached]
        entered = {each.function.path.rpartition("/")[2] for each in tried if each.reached}
        silent = [
            each for each in missed if each.path.rpartition("/")[2] not in entered or _here(each, tried)
        ]
        lines = sum(each.weight for each in missed)
        every = sum(each.function.weight for each in tried)
        if 2 * lines > every or (all_of and silent):
            found.append(
                f"no test enters {listed(list(map(str, missed)))}, with {lines} of {every} changed lines"
                f": write a test{pins} that enters it, and asserts what comes out"
            )
    return found


def _here(function: ChangedFunction, tried: Iterable[Sabotaged]) -> bool:
    """Whether tests enter others of its file, and not a build of it in another folder."""
    return any(each.reached and each.function.path == function.path for each in tried)


def _unnoticed(code: ChangedCode, made: Iterable[Sabotaged], mutants: Noticed) -> list[str]:
    """Say which values outside functions no test notices: changed ones, or new ones that are all there is."""
    blind = [each for each in code.statements if mutants.of(each) is False]
    proved = any(each.proved for each in made) or any(mutants.of(each) for each in code.statements)
    wrong = [str(each) for each in blind if each.stood or not proved]
    wrong += [
        str(each.function) for each in made if each.function.stood and not each.reached and not each.void
    ]
    if not wrong:
        return []
    return [
        f"no test notices another value at {listed(wrong)}: write a test that asserts it, or what it does"
    ]


def _left_out(code: ChangedCode, made: list[Sabotaged], mutants: Noticed) -> Iterable[str]:
    """Say what was not asked, and why."""
    if unreached := [str(each.function) for each in made if not each.reached and not each.void]:
        yield f"no test enters {listed(list(dict.fromkeys(unreached)))}"
    if left := [str(each) for each in (*code.functions, *code.values)[len(made) :]]:
        yield f"no time was left for {listed(left)}"
    if untried := [f"{each.function} ({each.untried})" for each in made if each.untried]:
        yield f"not tried in full: {listed(untried)}"
    blind = [str(each) for each in code.statements if mutants.of(each) is False]
    if blind:
        yield f"new, and no test notices another value: {listed(blind)}"
    if untried := [str(each) for each in code.statements if mutants.of(each) is None]:
        why = f" ({mutants.why})" if mutants.why else ", as they have no mutants"
        yield f"changed outside functions and not tried: {listed(untried)}{why}"
    if code.notes:
        yield f"changed, but not sabotaged: {listed(code.notes)}"
    if mutants.share:
        yield mutants.share


def _of_others(
    subject: Subject, code: ChangedCode, made: Iterable[Sabotaged], *, judged: bool
) -> tuple[Obligation, ...]:
    """Name code that cannot be sabotaged; where it is all that is changed, a maker's test is not enough."""
    void = [f"{each.function} ({each.untried})" for each in made if each.void]
    left = [*code.unsabotaged, *code.rest, *void]
    if not left:
        return ()
    reason = f"not sabotaged: {listed(left)}"
    unlike = subject.work is WorkKind.REFACTOR and bool(code.unsabotaged)
    if not subject.task.story.acceptance and (unlike or not judged):
        why = "nothing shows that it does what it did" if unlike else "nothing else that runs is changed"
        reason += f": {why}; give an acceptance command (--accept)"
        return (Obligation(name=_OTHERS, state=ObligationState.NOT_MET, reason=reason),)
    return (Obligation(name=_OTHERS, state=ObligationState.NOT_APPLICABLE, reason=reason),)
