"""Prove that tests of the base pass because of the code, and not of what they compare with.

Expected output, and code that says what differs, may lie apart from the tests without anything that says so.
So where files change that tests alone seem to use, the tests run with these files as they were at the base.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from setpoint.checks.discovery.own_commands.command import test_commands
from setpoint.checks.integrity.paths.only_by_tests import only_by_tests
from setpoint.checks.integrity.paths.protected_paths import matches
from setpoint.checks.proof.expected.asked import asks_to_repair, speaks_of
from setpoint.checks.proof.expected.quiet import changed_functions, quiet_one
from setpoint.checks.proof.impacted import impacted
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction
from setpoint.checks.proof.sensitivity.sabotage import Saboteur
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.checks.proof.witness import witness
from setpoint.checks.proof.witness.witness import Witness
from setpoint.checks.trees.checkout import repository_of
from setpoint.model.changes.work_kind import is_program
from setpoint.model.evidence import SUITES
from setpoint.model.proof import Obligation, ObligationState, WorkKind
from setpoint.system.git.git import files_at

_NAME = "expected"
_HINT = (
    "hint: change the code alone; if what the tests expect is to change, let the request say so, or give the "
    "file with --may-change"
)


@dataclass(frozen=True, kw_only=True)
class Doubtful:
    """Changed files of the base that tests alone use, and of which the request does not speak."""

    data: tuple[str, ...]
    unsure: tuple[str, ...]
    """Data of which a document speaks, and code whose functions are as they were."""
    code: dict[str, tuple[ChangedFunction, ...]]
    """The changed functions of code, by path."""


async def expected(subject: Subject, witnesses: tuple[Witness, ...]) -> tuple[Obligation, ...]:
    """Run tests of the base with the old version of changed files that they alone use, if there are any."""
    files = frozenset(await files_at(repository_of(subject.place.copy), subject.base.commit))
    doubtful = await _doubtful(subject, files)
    held = (*doubtful.data, *doubtful.unsure)
    if not (held or doubtful.code):
        return ()
    asked = await _asked(subject, witnesses, files)
    if not asked:
        return ()
    if held and (failed := await _judged_by(subject, doubtful, asked)):
        reason = (
            f"{listed(sorted(failed))} passes only with the changed {listed(held)}, which tests read and no "
            f"code of the base does: what it compares with was changed, which proves nothing; {_HINT}"
        )
        return (_obligation(reason, failed, met=False),)
    return (await _by_functions(subject, doubtful, asked),)


async def _judged_by(subject: Subject, doubtful: Doubtful, asked: tuple[str, ...]) -> frozenset[str]:
    """Return tests that pass by changed data; by what is unsure only those that failed at the base."""
    failed = await _fail_with_old(subject, (*doubtful.data, *doubtful.unsure), asked)
    red = failed - witness.passed_in(subject.base.tests)
    if red or not (failed and doubtful.data and doubtful.unsure):
        return red or (failed if doubtful.data and not doubtful.unsure else frozenset())
    return await _fail_with_old(subject, doubtful.data, tuple(sorted(failed)))


async def _by_functions(subject: Subject, doubtful: Doubtful, asked: tuple[str, ...]) -> Obligation:
    """Judge code that tests alone load: they do not test what may find nothing wrong each time."""
    code = tuple(doubtful.code)
    failed = await _fail_with_old(subject, code, asked) if code else frozenset[str]()
    if not failed:
        same = listed((*doubtful.data, *doubtful.unsure, *code))
        return _obligation(f"{len(asked)} tests of the base do not rest on the changed {same}", (), met=True)
    functions = tuple(each for own in doubtful.code.values() for each in own)
    saboteur = Saboteur(subject=subject, there=await subject.checked_out(), asked=(failed,))
    said = await quiet_one(saboteur, functions)
    if not said:
        reason = f"{listed(code)}, which tests alone load, is tested by what it returns"
        return _obligation(reason, failed, met=True)
    reason = (
        f"{listed(sorted(failed))} passes only with the changed {listed(code)}, which tests alone load, and "
        f"{said}: the tests compare with it and do not test it, so it proves nothing; {_HINT}"
    )
    return _obligation(reason, failed, met=False)


def _obligation(reason: str, tests: Collection[str], *, met: bool) -> Obligation:
    state = ObligationState.MET if met else ObligationState.NOT_MET
    return Obligation(name=_NAME, state=state, reason=reason, evidence=tuple(sorted(tests))[:MOST_NAMED])


async def _doubtful(subject: Subject, files: frozenset[str]) -> Doubtful:
    """Return what is doubtful of a change; nothing where only documents change."""
    data, unsure, code = list[str](), list[str](), dict[str, tuple[ChangedFunction, ...]]()
    story = subject.task.story
    changed = [
        path
        for path in subject.before
        if path not in subject.of_tests
        and not matches(path, story.may_change)
        and not asks_to_repair(story.wish, path)
    ]
    if subject.work is WorkKind.DOCS or not changed:
        return Doubtful(data=(), unsure=(), code={})
    root, commands = repository_of(subject.place.copy), test_commands(subject.task.project.layout.own)
    found = await only_by_tests(root, subject.base.commit, changed, files, commands)
    for path in sorted(found):
        new = subject.after.get(path)
        if not is_program(path):
            (unsure if found[path] else data).append(path)
        elif speaks_of(story.wish, (path.rpartition("/")[2].partition(".")[0],)):
            continue
        elif functions := changed_functions(path, subject.before[path], new or b""):
            if not speaks_of(story.wish, (each.name.rpartition(".")[2] for each in functions)):
                code[path] = functions
        elif functions is not None:
            unsure.append(path)
    return Doubtful(data=tuple(data), unsure=tuple(unsure), code=code)


async def _asked(subject: Subject, witnesses: tuple[Witness, ...], files: frozenset[str]) -> tuple[str, ...]:
    """Return tests of the base that pass on the result; of a long suite those that the change can reach."""
    known = subject.base.tests.outcomes if subject.base.tests else {}
    stood = files - {*subject.of_tests}
    passed = frozenset(
        test
        for test in witness.passed_in(subject.now.tests)
        if test in known or test.partition("::")[0] in stood
    )
    took_s = sum(each.evidence.duration_s for each in subject.now.results if each.evidence.check in SUITES)
    if passed and took_s > subject.terms.arrangement_seconds:
        passed = await impacted(subject, witnesses, passed)
    return tuple(sorted(passed))


async def _fail_with_old(subject: Subject, paths: tuple[str, ...], asked: tuple[str, ...]) -> frozenset[str]:
    """Return tests that fail with some files as at the base, and pass in this place without that."""
    there = await subject.with_those_of_base(paths)
    failed = sorted({*asked} - witness.passed_in(await subject.run_tests(asked, there)))
    if not failed:
        return frozenset()
    return witness.passed_in(await subject.run_tests(failed, await subject.checked_out())) & {*failed}
