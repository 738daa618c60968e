"""Judge whether new code reads facts about its process that the request does not speak of."""

from __future__ import annotations

import re

from setpoint.checks.integrity.paths.protected_paths import matches
from setpoint.checks.proof.process.facts import Fact, new_facts
from setpoint.checks.proof.process.replaced import replaced_by_tests
from setpoint.checks.proof.subject import Subject, listed
from setpoint.model.changes.work_kind import runs
from setpoint.model.proof import Obligation, ObligationState, WorkKind

_NAME = "same in every process"
_KINDS = (WorkKind.BEHAVIOUR, WorkKind.REPAIR, WorkKind.REFACTOR)
_SPOKEN = {
    Fact.PROGRAM: re.compile(
        r"\b(arguments?|args?|argv|command|cli|flags?|options?|usage|program|executable|subprocess\w*|daemon\w*"
        r"|workers?|restart\w*|version|build info)\b|--\w",
        re.IGNORECASE,
    ),
    Fact.STACK: re.compile(
        r"\b(stack\w*|trac(e|es|ing|eback)|back ?trace\w*|call(er|ers| site)|threads?|threaded|debug\w*"
        r"|log(s|ger|ging|ged)?|panic\w*|recover\w*|crash\w*|diagnos\w+|profil\w+|source line)\b",
        re.IGNORECASE,
    ),
    Fact.RUNNER: re.compile(
        r"\b(test (mode|runner|framework|double|kit|utilit(y|ies))s?|testing|fixtures?|mock\w*|fakes?"
        r"|assert\w*|vitest|jest|mocha|nextest|node:test)\b",
        re.IGNORECASE,
    ),
}
"""Words of a request that ask for such facts."""
_MAIN = re.compile(
    r"(^|/)(bin|cmd|cli|scripts?|tools?|examples?|build)/|(^|/)(main|cli|build|command|args?|argv)\.\w+$"
    r"|\.config\.\w+$"
)
_FOR_TESTS = re.compile(r"test|spec|mock|fake|fixture|set-?up|stor(y|ies)|bench|support", re.IGNORECASE)
_GO_MAIN = re.compile(rb"^package\s+main\b", re.MULTILINE)


def same_in_every_process(subject: Subject) -> tuple[Obligation, ...]:
    """Object to code that can tell its process, and to tests that replace the code they are of."""
    if subject.work not in _KINDS:
        return ()
    wish = subject.task.story.wish
    before, after = (
        {path: text for path, text in each.items() if path not in subject.of_tests and runs(path)}
        for each in (subject.before, subject.after)
    )
    found = [
        f"{path} reads {fact} (`{text[:60]}`)"
        for path, fact, text in new_facts(before, after)
        if not _SPOKEN[fact].search(wish)
        and not _in_its_place(fact, path, after[path])
        and not matches(path, subject.task.story.may_change)
    ]
    said = []
    if found:
        said.append(
            f"{listed(found)}, of which the request does not speak, so no test tells what it does elsewhere: "
            "do without it; if the request needs it, write a line `REQUEST <path>: <why>`"
        )
    if replaced := replaced_by_tests(subject.before, subject.after, subject.of_tests):
        said.append(
            f"{listed(replaced)} before any test runs, so no test runs what is delivered: "
            "let the tests run the code as it is"
        )
    if not said:
        return ()
    return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason="; ".join(said)),)


def _in_its_place(fact: Fact, path: str, text: bytes) -> bool:
    """Whether a file is where such facts are read: a program begins there, or it is there for tests."""
    if fact is Fact.PROGRAM:
        if path.endswith(".go"):
            return _GO_MAIN.search(text) is not None
        return text.startswith(b"#!") or _MAIN.search(path) is not None
    return fact is Fact.RUNNER and _FOR_TESTS.search(path) is not None
