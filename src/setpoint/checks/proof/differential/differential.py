"""What the changed functions answer at the base and on the result."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from setpoint.checks.discovery.interpreter import environment
from setpoint.checks.mutation.check import is_source
from setpoint.checks.proof.differential.beyond_tests import beyond_tests
from setpoint.checks.proof.differential.calls import Caller, compared
from setpoint.checks.proof.differential.functions import comparable
from setpoint.checks.proof.differential.same_answers import same_answers
from setpoint.checks.proof.differential.script_functions import comparable_scripts, is_script
from setpoint.checks.proof.subject import Subject
from setpoint.checks.proof.witness.witness import Witness
from setpoint.model.proof import Obligation, WorkKind
from setpoint_probe.wire.calls_order import calls_argv, script_calls_argv

_KINDS = (WorkKind.BEHAVIOUR, WorkKind.REPAIR, WorkKind.REFACTOR)
_RUNNERS = frozenset({"vitest", "jest", "node_test"})


async def answers(subject: Subject, witnesses: tuple[Witness, ...]) -> tuple[Obligation, ...]:
    """Compare the answers of each language, as the kind of work asks for it."""
    if subject.work not in _KINDS:
        return ()
    found: list[Obligation] = []
    for more, caller in _callers(subject):
        came = await compared(subject, witnesses, caller)
        refactors = subject.work is WorkKind.REFACTOR
        made = same_answers(came) if refactors else beyond_tests(subject, came)
        found.append(made.model_copy(update={"name": f"{made.name}{more}"}))
    return tuple(found)


def _callers(subject: Subject) -> Iterator[tuple[str, Caller]]:
    """Yield how each changed language is called, with what its obligation is called more."""
    project, tree = subject.task.project, Path(subject.place.copy.path)
    python = any(is_source(path) for path in subject.after)
    if python:
        argv = partial(calls_argv, project.interpreter.path)
        yield "", Caller(functions=comparable(subject, tree), runners=frozenset({""}), argv=argv)
    programs = environment(project.interpreter, tree, ())["PATH"]
    if any(map(is_script, subject.after)) and (node := shutil.which("node", path=programs)):
        functions = comparable_scripts(subject)
        if functions.now:
            argv = partial(script_calls_argv, node)
            yield " of JavaScript" * python, Caller(functions=functions, runners=_RUNNERS, argv=argv)
