"""Judge whether new code reads facts about its process that the request does not speak of."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from setpoint.checks.integrity.paths.protected_paths import matches
from setpoint.checks.proof.process.fact import Fact
from setpoint.checks.proof.process.facts import new_facts
from setpoint.checks.proof.process.replaced import replaced_by_tests
from setpoint.checks.proof.subject import Subject, listed
from setpoint.model.changes.work_kind import runs
from setpoint.model.proof import Obligation, ObligationState, WorkKind

_NAME = "same in every process"
_KINDS = (WorkKind.BEHAVIOUR, WorkKind.REPAIR, WorkKind.REFACTOR)
_MAIN = re.compile(
    r"(^|/)(bin|cmd|cli|scripts?|tools?|examples?|build)/|\.config\.\w+$"
    r"|(^|/)(_*main_*|cli|build|command|args?|argv|setup|manage)\.\w+$"
)
_SETTINGS = re.compile(r"(^|/)\w*(settings?|config\w*|env\w*|constants?)(\.\w+$|/)", re.IGNORECASE)
_FOR_TESTS = re.compile(r"test|spec|mock|fake|fixture|set-?up|stor(y|ies)|bench|support", re.IGNORECASE)
_GO_MAIN = re.compile(rb"^package\s+main\b", re.MULTILINE)
_PYTHON_MAIN = re.compile(
    rb"__name__\s*==|^\s*(import|from)\s+(argparse|click|typer|optparse|docopt|fire)\b", re.MULTILINE
)
_VARIABLE = re.compile(r"""['"`]([A-Za-z_]\w+)['"`]|\benv\??\.(\w+)""")
_OF_PROGRAMS = (Fact.PROGRAM, Fact.TERMINAL, Fact.ENVIRONMENT)


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
        if not _spoken()[fact].search(wish)
        and ((fact is Fact.TERMINAL and path in before) or not _in_its_place(fact, path, after[path]))
        and not (fact is Fact.ENVIRONMENT and _is_named(text, wish, subject))
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


@cache
def _spoken() -> dict[Fact, re.Pattern[str]]:
    """Return the words of a request that ask for such facts; an option is one of its program."""
    held = tomllib.loads((files(__package__) / "spoken.toml").read_text("utf-8"))
    words = {Fact[name.upper()]: each["words"].replace("\n", "") for name, each in held.items()}
    return {
        fact: re.compile(rf"\b({each})\b" + (r"|--\w" if fact in _OF_PROGRAMS else ""), re.IGNORECASE)
        for fact, each in words.items()
    }


def _in_its_place(fact: Fact, path: str, text: bytes) -> bool:
    """Whether a file is where such facts are read: a program begins there, or it is there for tests."""
    if fact is Fact.ENVIRONMENT and _SETTINGS.search(path):
        return True
    if fact in _OF_PROGRAMS:
        if path.endswith(".go"):
            return _GO_MAIN.search(text) is not None
        if path.endswith(".py") and _PYTHON_MAIN.search(text):
            return True
        return text.startswith(b"#!") or _MAIN.search(path) is not None
    return fact is Fact.RUNNER and _FOR_TESTS.search(path) is not None


def _is_named(text: str, wish: str, subject: Subject) -> bool:
    """Whether the request, or a test of the change, names a variable of the environment; tests set it."""
    names = ["".join(each) for each in _VARIABLE.findall(text)]
    told = [
        subject.after[path].decode("utf-8", "replace") for path in subject.of_tests if path in subject.after
    ]
    return any(re.search(rf"\b{name}\b", each) for name in names for each in (wish, *told))
