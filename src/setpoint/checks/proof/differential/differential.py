"""What the changed functions answer at the base and on the result."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from setpoint.checks.discovery.interpreter import environment
from setpoint.checks.mutation.check import is_source
from setpoint.checks.proof.differential.beyond_tests import beyond_tests
from setpoint.checks.proof.differential.calls import Caller, EngineCaller, compared
from setpoint.checks.proof.differential.functions import comparable
from setpoint.checks.proof.differential.go.caller import GoCaller
from setpoint.checks.proof.differential.go.functions import comparable_go, is_go
from setpoint.checks.proof.differential.other_failures import other_failures
from setpoint.checks.proof.differential.same_answers import same_answers
from setpoint.checks.proof.differential.script_functions import comparable_scripts, is_script
from setpoint.checks.proof.differential.side_effects import side_effects
from setpoint.checks.proof.subject import Subject
from setpoint.checks.proof.witness import witness
from setpoint.checks.proof.witness.find_witnesses import weakest
from setpoint.checks.proof.witness.witness import Witness
from setpoint.checks.suites.package_suite import PackageSuite, owner
from setpoint.model.proof import Obligation, Trust, WorkKind
from setpoint_probe.wire.calls_order import calls_argv, script_calls_argv

_KINDS = (WorkKind.BEHAVIOUR, WorkKind.REPAIR, WorkKind.REFACTOR)
_RUNNERS = frozenset({"vitest", "jest", "node_test"})


async def answers(
    subject: Subject, witnesses: tuple[Witness, ...]
) -> tuple[tuple[Obligation, ...], Trust | None]:
    """Compare the answers of each language, as the kind of work asks for it.

    Return with it the least trusted test that an answer rests on; none where they rest on no test.
    """
    if subject.work not in _KINDS:
        return (), None
    found: list[Obligation] = []
    trusts: list[Trust] = []
    for more, caller in _callers(subject):
        came = await compared(subject, witnesses, caller)
        effects, shown = await side_effects(subject, came)
        if subject.work is WorkKind.REFACTOR:
            made: list[Obligation | None] = [same_answers(came), effects]
        else:
            failures, trust = other_failures(subject, witnesses, came)
            made = [beyond_tests(subject, came), failures, effects]
            trusts += [each for each in (trust, shown) if each]
        found += [each.model_copy(update={"name": f"{each.name}{more}"}) for each in made if each]
    return tuple(found), weakest(trusts)


def _callers(subject: Subject) -> Iterator[tuple[str, Caller]]:
    """Yield how each changed language is called, with what its obligation is called more."""
    project, tree = subject.task.project, Path(subject.place.copy.path)
    python = any(is_source(path) for path in subject.after)
    if python:
        argv = partial(calls_argv, project.interpreter.path)
        yield "", EngineCaller(functions=comparable(subject, tree), runners=frozenset({""}), argv=argv)
    programs = environment(project.interpreter, tree, ())["PATH"]
    if any(map(is_script, subject.after)) and (node := shutil.which("node", path=programs)):
        functions = comparable_scripts(subject)
        if functions.now:
            argv = partial(script_calls_argv, node)
            yield " of JavaScript" * python, EngineCaller(functions=functions, runners=_RUNNERS, argv=argv)
    if any(map(is_go, subject.after)) and (suite := _suite_of_go(subject)):
        functions = comparable_go(subject)
        if functions.now:
            more = " of Go" * (python or any(map(is_script, subject.after)))
            yield more, GoCaller(functions=functions, suite=suite)


def _suite_of_go(subject: Subject) -> PackageSuite | None:
    """Return what runs the tests of Go; none where no test of Go passes."""
    passed = witness.passed_in(subject.now.tests)
    tests = [test for test in passed if owner(test, subject.task.project.chosen) == "go_test"]
    checks = subject.plan.selection(subject.target, tuple(tests[:1]))
    return next((each for each in checks if isinstance(each, PackageSuite)), None)
