"""Break each changed function, one at a time: a test that passes on the result must notice."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from setpoint.checks.languages.all import language_of
from setpoint.checks.languages.changed_function import NOTHING, OTHER, RAISES, ChangedFunction
from setpoint.checks.languages.language import Statement
from setpoint.checks.suites.package_suite import owner
from setpoint.checks.tools.acceptance import Acceptance
from setpoint.checks.verdict.broken_code import BrokenCode, Fate, by_file, function_of, new_mark
from setpoint.checks.verdict.mutants import Noticed, noticed_mutants
from setpoint.checks.verdict.not_measured import not_applicable, or_not_measured
from setpoint.checks.verdict.subject import MOST_NAMED, Subject, listed
from setpoint.checks.verdict.witness import Witness, passed_in
from setpoint.model.changes.work_kind import runs
from setpoint.model.evidence import OWN_TESTS
from setpoint.model.mutation import MutantShare
from setpoint.model.proof import SABOTAGE, Obligation, ObligationState, WorkKind
from setpoint.ports import Measured

_WITHOUT_CODE = (WorkKind.TESTS, WorkKind.DOCS, WorkKind.CHORE)


class Changed(NamedTuple):
    """The changed code of a result, outside its tests."""

    functions: tuple[ChangedFunction, ...]
    """The heaviest first."""
    statements: tuple[Statement, ...]
    """Outside functions."""
    unread: tuple[str, ...]
    """What cannot be broken here, in words."""


class Sabotaged(NamedTuple):
    """What tests made of one function, broken in each way that can be written."""

    function: ChangedFunction
    entered: bool
    """Whether any test enters it."""
    survived: str = ""
    """What it did when no test noticed; empty where each sabotage was noticed."""
    cut: bool = False
    """Whether there was no time for all ways."""
    void: bool = False
    """Whether no way compiles."""

    @property
    def noticed(self) -> bool:
        """Whether a test enters it, and each sabotage was noticed."""
        return self.entered and not (self.survived or self.cut or self.void)


@dataclass(frozen=True, kw_only=True)
class Saboteur:
    """Breaks functions, and asks the witnesses first, then all tests, then commands."""

    place: BrokenCode
    witnesses: frozenset[str]
    """Tests that are witnesses."""
    tests: frozenset[str]
    """All tests that have to notice."""
    commands: tuple[Acceptance, ...] = ()

    async def sabotage(self, function: ChangedFunction) -> Sabotaged:
        """Let a function do nothing, then return something else; raise where that tells if it is entered."""
        ways = [does for does in (NOTHING, OTHER) if does in function.sabotages] or [RAISES]
        entered, tried = False, 0
        for does in ways:
            fate, here = await self._fate(function, does)
            entered = entered or here
            if fate is Fate.CUT:
                return Sabotaged(function, entered, cut=True)
            tried += fate is not Fate.VOID
            if fate is not Fate.SURVIVED:
                continue
            if not entered:
                entered = not function.marks and does != RAISES and await self._raising_is_noticed(function)
                if not entered:
                    return Sabotaged(function, entered=False)
            if here or await self._does_another_thing(function, does):
                return Sabotaged(function, entered, survived=does)
        return Sabotaged(function, entered, void=not tried)

    async def _raising_is_noticed(self, function: ChangedFunction) -> bool:
        return (await self._fate(function, RAISES))[0] is Fate.NOTICED

    async def _does_another_thing(self, function: ChangedFunction, does: str) -> bool:
        """Whether a sabotage that no test notices did anything, where it leaves no mark."""
        if function.marks:
            return False
        if does != OTHER or not function.probe:
            return True
        return (await self._fate(function, OTHER, probe=True))[0] is Fate.NOTICED

    async def _fate(self, function: ChangedFunction, does: str, *, probe: bool = False) -> tuple[Fate, bool]:
        """Say what became of one sabotage, and whether the function was entered."""
        way = function.probe if probe else function.sabotages.get(does, ())
        if not way:
            return Fate.VOID, False
        mark, void = new_mark(self.place.there), False
        for tests in (self.witnesses, speaking(self.place.subject, function, self.tests - self.witnesses)):
            if not tests:
                continue
            came = await self.place.noticing(function, way, mark, tests)
            if came.red or came.cut:
                return (Fate.NOTICED if came.red else Fate.CUT), bool(came.red) or mark.exists()
            void = void or came.void
        if void:
            return Fate.VOID, False
        for command in self.commands:
            if self.place.left_s <= 0:
                return Fate.CUT, mark.exists()
            if await self.place.fails(command, function, way, mark):
                return Fate.NOTICED, True
        return Fate.SURVIVED, mark.exists()


async def sabotage(
    subject: Subject, witnesses: tuple[Witness, ...], until: float, noticed: Collection[str] = ()
) -> tuple[Obligation, MutantShare | None]:
    """Break the changed functions and try mutants, and see whether the tests notice.

    Functions that hidden tests notice, `noticed`, need no other test.
    """
    found = await or_not_measured(SABOTAGE, _sabotage(subject, witnesses, until, noticed))
    return (found, None) if isinstance(found, Obligation) else found


async def _sabotage(
    subject: Subject, witnesses: tuple[Witness, ...], until: float, noticed: Collection[str]
) -> tuple[Obligation, MutantShare | None]:
    code = changed_code(subject)
    if subject.work in _WITHOUT_CODE or not (code.functions or code.statements):
        why = "no code is changed" if subject.work in _WITHOUT_CODE else "no function is changed"
        why += f"; not read: {listed(code.unread)}" if code.unread else ""
        return not_applicable(SABOTAGE, why), None
    made, left = await _broken(subject, witnesses, code, until)
    made = [
        each._replace(entered=True, survived="") if str(each.function) in noticed else each for each in made
    ]
    mutants = Noticed(None, "no time was left for mutants")
    if not left and not _missing(code, made, None):
        alone = () if code.functions else code.statements
        mutants = await noticed_mutants(subject, alone, until - time.monotonic())
    return _judged(code, made, left, mutants), mutants.counted


def changed_code(subject: Subject) -> Changed:
    """Return the changed code of a result outside its tests."""
    functions: list[ChangedFunction] = []
    statements: list[Statement] = []
    unread: list[str] = []
    for path, text in subject.after.items():
        language = language_of(path)
        if path in subject.of_tests or not runs(path):
            continue
        if language is None:
            unread.append(path)
            continue
        found = language.changed(path, subject.before.get(path), text)
        functions += found.functions
        statements += found.statements
        unread += found.unread
    heaviest = sorted(functions, key=lambda each: -each.weight)
    return Changed(tuple(heaviest), tuple(statements), tuple(unread))


async def _broken(
    subject: Subject, witnesses: tuple[Witness, ...], code: Changed, until: float
) -> tuple[list[Sabotaged], list[ChangedFunction]]:
    """Break functions while there is time; return those that were left as well."""
    if not code.functions:
        return [], []
    saboteur = await saboteur_of(subject, code.functions, witnesses, until)
    made: list[Sabotaged] = []
    for function in code.functions:
        if until <= time.monotonic():
            break
        made.append(await saboteur.sabotage(function))
    return made, [*(each.function for each in made if each.cut), *code.functions[len(made) :]]


async def saboteur_of(
    subject: Subject, functions: Iterable[ChangedFunction], witnesses: tuple[Witness, ...], until: float
) -> Saboteur:
    """Make the saboteur of some functions; tests that fail when these are only rewritten say nothing."""
    tests = await asked_of(subject)
    named = frozenset(each.name for each in witnesses)
    refactors = subject.work is WorkKind.REFACTOR
    commands = tuple(each for each in subject.plan.acceptance() if refactors or each.command in named)
    there = await subject.checked_out()
    place = BrokenCode(
        subject=subject, there=there, until=until, harmless=_rewritten(subject, functions, there)
    )
    own = frozenset(test for test in tests if test in named or test.partition("::")[0] in subject.of_tests)
    if own:
        await place.looked_at(sorted(own))
    return Saboteur(place=place, witnesses=own, tests=tests, commands=commands)


def _rewritten(subject: Subject, functions: Iterable[ChangedFunction], there: Measured) -> dict[str, bytes]:
    """Return sources whose changed functions are written otherwise and do the same."""
    written = by_file(each for each in functions if each.harmless)
    return {
        path: own[0].sabotaged(
            subject.after[path], tuple(one for each in own for one in each.harmless), new_mark(there)
        )
        for path, own in written.items()
    }


async def asked_of(subject: Subject) -> frozenset[str]:
    """Return the tests that have to notice: for a refactoring those that pass with the base's code too."""
    base = subject.base.tests
    passed = passed_in(subject.now.tests) - frozenset(base.unstable if base else ())
    if subject.work is not WorkKind.REFACTOR:
        return passed
    stood = {function_of(test) for test in passed_in(base)}
    kept = frozenset(test for test in passed if function_of(test) in stood)
    if not (new := sorted(passed - kept)):
        return kept
    return kept | (passed_in(await subject.run_tests(new, await subject.without_its_code())) & set(new))


def speaking(subject: Subject, function: ChangedFunction, tests: Collection[str]) -> frozenset[str]:
    """Return the tests of runners that run the language of a function; all where it has none of its own."""
    language, chosen = language_of(function.path), subject.task.project.chosen
    if language is None or not language.runners:
        return frozenset(tests)
    return frozenset(test for test in tests if owner(test, chosen) in {*language.runners, OWN_TESTS})


def _missing(code: Changed, made: Sequence[Sabotaged], mutants: Noticed | None) -> list[str]:
    """Say what no test notices, and what to do; for a refactoring such a test passes on the base too."""
    found = [
        f"no test notices when {each.function} {each.survived}: write a test that asserts what it does"
        for each in made
        if each.survived
    ]
    unentered = [each.function for each in made if not (each.entered or each.cut or each.void)]
    lines, every = (sum(each.weight for each in some) for some in (unentered, code.functions))
    if 2 * lines > every:
        found.append(
            f"no test enters {listed(list(map(str, unentered)))}, with {lines} of the {every} changed lines "
            "of functions: write a test that asserts what it does"
        )
    if mutants is not None and not code.functions and mutants.none_of(code.statements):
        found.append(
            f"no test notices another value at {listed(list(map(str, code.statements)))}: write a test that "
            "asserts it, or what it does"
        )
    return found


def _judged(
    code: Changed, made: list[Sabotaged], left: list[ChangedFunction], mutants: Noticed
) -> Obligation:
    noticed = [str(each.function) for each in made if each.noticed]
    cut = f"no time to break {listed(list(map(str, left)))}" if left else ""
    missing, notes = _missing(code, made, mutants), list(_notes(code, made, mutants))
    state = ObligationState.NOT_APPLICABLE
    if missing:
        state = ObligationState.NOT_MET
    elif noticed or any(mutants.of(each) for each in code.statements):
        state = ObligationState.MET
    return Obligation(
        name=SABOTAGE,
        state=state,
        reason="; ".join(missing or notes) or "nothing could be broken",
        evidence=tuple(noticed[:MOST_NAMED]),
        count=len(made),
        cut=cut,
    )


def _notes(code: Changed, made: list[Sabotaged], mutants: Noticed) -> Iterable[str]:
    """Say what was noticed, and what was not asked."""
    if code.functions:
        noticed = sum(each.noticed for each in made)
        yield f"tests notice when {noticed} of {len(code.functions)} changed functions are broken"
    if unentered := [str(each.function) for each in made if not (each.entered or each.cut or each.void)]:
        yield f"no test enters {listed(unentered)}"
    if void := [str(each.function) for each in made if each.void]:
        yield f"no way to break {listed(void)} compiles"
    if seen := [str(each) for each in code.statements if mutants.of(each)]:
        yield f"tests notice mutants of {listed(seen)}"
    if code.unread:
        yield f"changed, but not broken: {listed(code.unread)}"
    if mutants.share:
        yield mutants.share
