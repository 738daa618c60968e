"""What is at hand at a step, and how near the place of a learning is to it."""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from setpoint.learning.policy.tokenizer import terms
from setpoint.model.evidence import Failure
from setpoint.model.finding import Finding
from setpoint.model.learning import Hint, Proposal

FITS = 2.0
"""Points from which a place is the one at hand."""
MOST_ASKED = 10
"""Failures and findings that a question to memory names."""
MOST_QUESTION = 4000
SAME, CALLED, NEAR, ALIKE = 4.0, 3.0, 2.0, 1.0
"""Points for the same rule, test or file; for a symbol; for an area; for what may be chance."""
_ANYWHERE = frozenset(
    terms("src lib app main index init py utils util common core base package mod module tests")
)
"""Names that say nothing of a place."""
_PATH = re.compile(r"[\w.@-]*[\w@-](?:/[\w.@-]+)+|\b[\w-]+\.[a-z]{1,4}\b")
_COINED = re.compile(r"\b(?:[A-Za-z]\w*_\w+|[a-z]\w*[A-Z]\w*|[A-Z][a-z]\w*[A-Z]\w*)\b")
_RULE = re.compile(r"\b[A-Z]{1,6}\d{2,5}\b|[\w./-]+::\w+")
_FOLDER = re.compile(r"(?<![\w/.])((?:[\w.@-]+/)+)(?![\w/.])")
_ERRORS = ("Error", "Exception", "Warning")


class AtHand(NamedTuple):
    """What is known of a step when memory is asked."""

    request: str
    """In a person's words."""
    text: str
    """All of it, for a search by words."""
    files: frozenset[str]
    planned: frozenset[str]
    """Files that are to be changed, or are changed already."""
    symbols: frozenset[tuple[str, str]]
    """File, empty where it is not known, and name."""
    rules: frozenset[str]
    """Rules of checks and failing tests."""
    errors: frozenset[str]


def at_hand(
    request: str, red: Iterable[Failure] = (), findings: Iterable[Finding] = (), planned: Iterable[str] = ()
) -> AtHand:
    """Collect what a step is about: by name from what was measured, and what the request names literally."""
    red, findings = tuple(red)[:MOST_ASKED], tuple(findings)[:MOST_ASKED]
    chosen = frozenset({*planned, *_PATH.findall(request)})
    symbols = {("", name) for name in _COINED.findall(request)}
    symbols |= {(at.file, at.function) for each in red for at in each.frames}
    symbols |= {(each.file, each.symbol) for each in findings}
    tests = [
        f"{each.test} {each.error} {each.message} {each.file} {' '.join(at.function for at in each.frames)}"
        for each in red
    ]
    found = [f"{each.category} {each.rule} {each.message} {each.file} {each.symbol}" for each in findings]
    places = {each.file for each in red} | {each.file for each in findings}
    places |= {at.file for each in red for at in each.frames}
    return AtHand(
        request=request,
        text="\n".join([request, *tests, *found, " ".join(sorted(chosen))])[:MOST_QUESTION],
        files=frozenset(filter(None, {*chosen, *places})),
        planned=chosen,
        symbols=frozenset((file, name) for file, name in symbols if name),
        rules=frozenset(
            filter(
                None,
                {*(each.test for each in red), *(each.rule for each in findings), *_RULE.findall(request)},
            )
        ),
        errors=frozenset(_short(each.error) for each in red if each.error),
    )


def of_place(learning: Proposal, at: AtHand, often: Collection[str], *, worded: bool) -> float:
    """Count what a learning and a step share: a rule, a test, a file or a symbol by name counts most.

    A rule that a learning ties to folders counts inside them. `often` are errors that say nothing, as several
    learnings are about them; `worded` tells that the request shares other words with the learning, too.
    """
    hint, areas = learning.hint, _areas(learning)
    points = sum(_of_rule(rule, at, often, areas) for rule in hint.rules)
    if not _linted(hint) and any(path.startswith(area) for area in areas for path in at.planned):
        points += NEAR
    asked = set(terms(at.request))
    for path in hint.files:
        own = set(terms(path.rpartition("/")[2].partition(".")[0])) - _ANYWHERE
        if path in at.files:
            points += SAME
        elif worded and not at.files and own and own <= asked:
            points += NEAR
    for name in hint.symbols:
        where = [file for file, symbol in at.symbols if name in (symbol, _short(symbol))]
        if where:
            known = not hint.files or any(not file or file in hint.files for file in where)
            points += CALLED if known else ALIKE
    return points


def _areas(learning: Proposal) -> frozenset[str]:
    """Return the folders that a learning holds in: those its words name; of a convention, its file's."""
    named = frozenset(_FOLDER.findall(f"{learning.title} {learning.context}"))
    if named or "convention" not in learning.tags:
        return named
    folders = (path.rpartition("/")[0] for path in learning.hint.files)
    return frozenset(f"{each}/" for each in folders if set(terms(each.rpartition("/")[2])) - _ANYWHERE)


def _of_rule(rule: str, at: AtHand, often: Collection[str], areas: Collection[str]) -> float:
    if _is_error(rule):
        name = _short(rule)
        common = hasattr(builtins, name) or rule in often
        return 0.0 if name not in at.errors or name == "AssertionError" else ALIKE if common else NEAR
    if rule not in at.rules:
        return 0.0
    inside = not areas or any(path.startswith(area) for area in areas for path in at.files)
    return SAME if inside else ALIKE


def _linted(hint: Hint) -> set[str]:
    """Return the rules of checks that a learning is about, without tests and errors."""
    return {rule for rule in hint.rules if not _is_error(rule) and not re.search(r"::| > |/test", rule)}


def _is_error(rule: str) -> bool:
    return _short(rule).endswith(_ERRORS) and "::" not in rule


def _short(name: str) -> str:
    return name.rpartition(".")[2]
