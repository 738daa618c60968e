"""Say what new tests of Python try: the functions for which a request asks tests, and other calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping

from setpoint.checks.mutation.check import is_source
from setpoint.checks.proof.named.request_names import requested
from setpoint.checks.proof.sensitivity.python_functions import functions_in
from setpoint.checks.proof.subject import Subject
from setpoint.model import syntax
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.mutation import MutationReport
from setpoint.system.git.git import contents

_TESTED = re.compile(
    r"\b(?:tests?|coverage|cover)\b(?: (?:for|of|to|covering))?(?: the)?(?: functions?| methods?)?"
    r" `?([A-Za-z_]\w*)\b"
)
_MOST_FILES = 400


async def unnoticed_functions(subject: Subject, report: MutationReport, new: Collection[str]) -> list[str]:
    """Return functions of Python that the request names, and of which no new test notices a mutant."""
    wish = subject.task.story.wish
    asked = {*_TESTED.findall(wish), *requested(wish).names}
    paths = [path for path in sorted(subject.target.files) if is_source(path)][:_MOST_FILES]
    sources = await contents(subject.place.copy.path, subject.place.commit, paths)
    spans = {path: _spans(text, asked) for path, text in sources.items()}
    seen = _noticed(spans, report, new)
    found = {name for each in spans.values() for name in each}
    return sorted(found - seen)


def _spans(source: bytes, names: Collection[str]) -> dict[str, list[range]]:
    try:
        tree = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[str, list[range]] = {}
    for name, node in functions_in(tree):
        last = name.rpartition(".")[2]
        if last in names and not _is_empty(node.body):
            found.setdefault(last, []).append(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def _is_empty(body: Collection[ast.stmt]) -> bool:
    return all(isinstance(each, ast.Pass | ast.Raise | ast.Expr) for each in body)


def _noticed(
    spans: Mapping[str, Mapping[str, list[range]]], report: MutationReport, new: Collection[str]
) -> set[str]:
    known = frozenset(new)
    return {
        name
        for mutant in report.mutants
        if not known.isdisjoint(mutant.noticed)
        for name, lines in spans.get(mutant.file, {}).items()
        if any(mutant.line in each for each in lines)
    }


async def with_other_calls(subject: Subject, new: Collection[str]) -> frozenset[str]:
    """Return the functions of new tests that hold a call which no test of the base holds."""
    files = [path for path in sorted(subject.target.files) if path.endswith(".py") and is_test_path(path)]
    base = await contents(subject.place.copy.path, subject.base.commit, files[:_MOST_FILES])
    known = {call for text in base.values() for calls in _calls(text).values() for call in calls}
    found: set[str] = set()
    for path in {test.partition("::")[0] for test in new}:
        calls = _calls(subject.after.get(path, b""))
        found |= {f"{path}::{name.replace('.', '::')}" for name, own in calls.items() if own - known}
    return frozenset(found)


def _calls(source: bytes) -> dict[str, set[str]]:
    try:
        tree = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    return {
        name: {ast.dump(each) for part in node.body for each in ast.walk(part) if isinstance(each, ast.Call)}
        for name, node in functions_in(tree)
    }
