"""Judge whether what the request names is in the change, and whether tests notice it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.checks.proof.named.aliases import aliases, rust_aliases
from setpoint.checks.proof.named.answers import Answers
from setpoint.checks.proof.named.bound import CALLABLE, bound_names
from setpoint.checks.proof.named.examples import examples, missing_in
from setpoint.checks.proof.named.files import files_with
from setpoint.checks.proof.named.flags import added_flags, unnoticed_flag
from setpoint.checks.proof.named.needless import excused, has_one_answer
from setpoint.checks.proof.named.other_answers import other_answers
from setpoint.checks.proof.named.python_answers import python_answers
from setpoint.checks.proof.named.request_names import Requested, requested
from setpoint.checks.proof.named.untouched import untouched
from setpoint.checks.proof.sensitivity.changed_code import changed_code
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction
from setpoint.checks.proof.sensitivity.other_functions import suffix_of
from setpoint.checks.proof.sensitivity.sabotage import RAISES, Saboteur, new_mark
from setpoint.checks.proof.sensitivity.sensitivity import saboteur_of
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.checks.proof.witness.witness import Witness
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import is_program, runs
from setpoint.model.proof import Obligation, ObligationState, WorkKind
from setpoint.system.git.git import contents

_NAME = "named"
_KINDS = (WorkKind.BEHAVIOUR, WorkKind.REPAIR)
_MOST_FILES = 200


@dataclass(frozen=True, kw_only=True)
class Named:
    """What the request names and the change adds or changes."""

    functions: tuple[ChangedFunction, ...] = ()
    bound: tuple[ChangedFunction, ...] = ()
    """Names that are bound outside functions, such as aliases."""
    answers: dict[str, Answers] = field(default_factory=dict)
    """How the functions answer, by path and name."""
    new: frozenset[str] = frozenset()
    """Those of them that the base does not have."""
    flags: tuple[str, ...] = ()


async def named(
    subject: Subject, witnesses: tuple[Witness, ...], noticed: Collection[str]
) -> tuple[Obligation, ...]:
    """Judge what the request names; `noticed` are functions whose sabotage the tests notice."""
    if subject.work not in _KINDS:
        return ()
    asked = requested(subject.task.story.wish)
    there = _named(subject, asked)
    missing = await _absent(subject, asked)
    missing += [said] if (said := await untouched(subject)) else []
    missing += await _unheld_examples(subject, there)
    missing += await _untested_aliases(subject, asked)
    if there.functions or there.bound or there.flags or there.answers:
        sabotaged = (*there.functions, *there.bound)
        saboteur = await saboteur_of(subject, sabotaged, witnesses)
        missing += await _unnoticed(subject, saboteur, there, noticed)
        missing += [said for flag in there.flags if (said := await unnoticed_flag(subject, saboteur, flag))]
    names = tuple(dict.fromkeys((*map(str, (*there.functions, *there.bound)), *there.flags)))
    if missing:
        reason = "; ".join(dict.fromkeys(missing))
        return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)
    if not names:
        return ()
    reason = f"tests notice what the request names: {listed(names)}"
    return (Obligation(name=_NAME, state=ObligationState.MET, reason=reason, evidence=names[:MOST_NAMED]),)


def _named(subject: Subject, asked: Requested) -> Named:
    """Collect what the request names of the changed code."""
    functions = [each for each in changed_code(subject).functions if _last(each.name) in asked.names]
    known = {str(each) for each in functions}
    bound: list[ChangedFunction] = []
    answers: dict[str, Answers] = {}
    new: set[str] = set()
    for path, text in subject.after.items():
        if path in subject.of_tests or not runs(path):
            continue
        old = subject.before.get(path)
        if path.endswith(".py"):
            bound += [each for each in bound_names(path, old, text, asked.names) if str(each) not in known]
        bound += aliases(path, old, text, asked.names)
        was, now = _answers(path, old or b""), _answers(path, text)
        for name, each in now.items():
            if _last(name) in asked.names and (name not in was or was[name].text != each.text):
                answers[f"{path}::{name}"] = each
                new |= {f"{path}::{name}"} - {f"{path}::{each}" for each in was}
    return Named(
        functions=tuple(functions),
        bound=tuple(bound),
        answers=answers,
        new=frozenset(new),
        flags=tuple(added_flags(subject, asked.flags)),
    )


def _answers(path: str, text: bytes) -> dict[str, Answers]:
    if path.endswith(".py"):
        return python_answers(text)
    return other_answers(path, text) if suffix_of(path) else {}


async def _absent(subject: Subject, asked: Requested) -> list[str]:
    """Say which functions that the request asks to be added no code of the result has."""
    absent: list[str] = []
    for name in asked.wanted:
        files = [path for path in await files_with(subject, name) if _is_source(subject, path)]
        texts = await contents(subject.place.copy.path, subject.place.commit, files[:_MOST_FILES])
        whole = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])".encode())
        if not any(whole.search(text) for text in texts.values()):
            absent.append(name)
    if not absent:
        return []
    return [f"the request asks for {listed(absent)}, and no code has such a name: add it, and test it"]


async def _untested_aliases(subject: Subject, asked: Requested) -> list[str]:
    """Say which names that Rust gives by `pub use … as` no test has."""
    silent: list[str] = []
    for path, text in subject.after.items():
        for name in rust_aliases(subject.before.get(path), text, asked.names) if path.endswith(".rs") else ():
            files = [each for each in await files_with(subject, name) if each.endswith(".rs")]
            texts = await contents(subject.place.copy.path, subject.place.commit, files[:_MOST_FILES])
            plain = (each.decode("utf-8", "replace") for each in texts.values())
            called = re.compile(rf"(?<!as )\b{re.escape(name)}\b(?=[^;]*[(!.{{:;])")
            if not any(called.search(each) and "#[test]" in each for each in plain):
                silent.append(f"{path}::{name}")
    if not silent:
        return []
    return [f"the request names {listed(silent)}, and no test has it: write a test that uses this name"]


def _is_source(subject: Subject, path: str) -> bool:
    return is_program(path) and not path.endswith(".pyi") and path not in subject.of_tests


async def _unheld_examples(subject: Subject, there: Named) -> list[str]:
    """Say which examples of the request no test holds, of what the change adds or changes."""
    changed = {_last(name) for name in there.answers} | {each.name for each in there.bound}
    wish = subject.task.story.wish
    found = examples(wish, repairs=subject.work is WorkKind.REPAIR)
    found = tuple(each for each in found if each.name in changed)
    if not found or any(each.name in command for each in found for command in subject.task.story.acceptance):
        return []
    ran = {test.partition("::")[0] for test in (subject.now.tests.outcomes if subject.now.tests else {})}
    files = [
        path
        for path in dict.fromkeys([path for each in found for path in await files_with(subject, each.name)])
        if is_test_path(path) or path in ran or path in subject.of_tests or path.endswith(".rs")
    ]
    texts = await contents(subject.place.copy.path, subject.place.commit, files[:_MOST_FILES])
    tests = [(path, text.decode("utf-8", "replace")) for path, text in texts.items()]
    missing = [each.text for each in missing_in(found, tests)]
    return [f"no test has the values of the example {listed(missing)}: write one for it"] if missing else []


async def _unnoticed(
    subject: Subject, saboteur: Saboteur, there: Named, noticed: Collection[str]
) -> list[str]:
    """Say what is missing of functions and names that the request names."""
    missing: list[str] = []
    silent = [str(each) for each in there.functions if str(each) not in noticed]
    silent = [
        str(each)
        for each in there.functions
        if str(each) in silent and not (await saboteur.sabotage(each)).reached
    ]
    silent += [str(each) for each in there.bound if await _survives(saboteur, each)]
    if silent:
        missing.append(
            f"the request names {listed(silent)}, and no test fails when it is broken: write a test that "
            "calls it by its name, and asserts what it returns"
        )
    for name, each in there.answers.items():
        if name not in silent and (said := await _no_answer(subject, saboteur, there, name, each)):
            missing.append(said)
    return missing


async def _survives(saboteur: Saboteur, bound: ChangedFunction) -> bool:
    """Whether no test notices some sabotage of a name; what is not callable cannot be sabotaged so."""
    for does, sabotage in bound.sabotages.items():
        mark = new_mark(saboteur.there)
        if await saboteur.notices(bound, sabotage, mark):
            continue
        if mark.exists():
            return True
        if not bound.path.endswith(".py"):
            return await saboteur.overlooks(bound, sabotage, mark)
        return does == RAISES and Path(f"{mark}{CALLABLE}").exists()
    return False


async def _no_answer(subject: Subject, saboteur: Saboteur, there: Named, name: str, answers: Answers) -> str:
    """Say why a function that tests call does not answer; empty where it does."""
    request = subject.task.story.wish
    if answers.only_raises and not excused(request, new=name in there.new):
        return (
            f"{name} does nothing but raise, and the request does not ask for that: implement it, and assert "
            "what it returns"
        )
    if answers.blind and not has_one_answer(request, answers.text):
        return (
            f"{name} uses none of its parameters, so it answers the same for each input: implement it, and "
            "assert two different answers"
        )
    if not (answers.guarded and answers.places):
        return ""
    path = name.partition("::")[0]
    function = ChangedFunction(
        path=path, name=answers.name, sabotages={"raises at its answers": answers.places}
    )
    if not await saboteur.overlooks(function, answers.places, new_mark(saboteur.there)):
        return ""
    return f"tests of {name} end in its errors alone: write a test that asserts what it returns"


def _last(name: str) -> str:
    """Return the last part of a qualified name."""
    return next(reversed(re.findall(r"[\w$]+", name)), name)
