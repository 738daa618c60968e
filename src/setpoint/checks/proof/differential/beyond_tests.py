"""Judge whether changed functions answer otherwise for more than what tests pass to them."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable

from setpoint.checks.proof.differential.comparison import Compared
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.model import syntax
from setpoint.model.changes.work_kind import is_code
from setpoint.model.proof import Obligation, ObligationState
from setpoint_probe.wire.calls import Call

_NAME = "beyond the tests"
_LITERAL = re.compile(r"""-?\d+(?:\.\d+)?|"[^"\n]*"|'[^'\n]*'|`[^`\n]*`""")
_FEWEST = 10
"""Calls near to those of the tests; fewer say nothing."""
_SHARE = 0.05
"""Of the near calls that have to be answered otherwise; less than this is chance, as in a sum of letters."""


def beyond_tests(subject: Subject, found: Compared) -> Obligation:
    """Look at calls of tests that are answered otherwise than at the base: some near to them must be, too.

    Where none is, the change knows the tests' own values. Values of their own kind (nothing, zero, an empty
    list), those that the request names, and constants that the code of the base names are left out.
    """
    if equal := found.equal_to_all:
        reason = (
            f"what {listed(equal)} gives says that it equals values that differ: return a plain value, or "
            "compare what it is made of"
        )
        return Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason)
    groups: dict[str, list[Call]] = defaultdict(list)
    for call in found.calls.values():
        if call.of < 0 and call.outer and found.differs(call.number):
            groups[call.name].append(call)
    narrow: list[str] = []
    wide: dict[str, str] = {}
    for name, calls in groups.items():
        near = [each for call in calls for each in found.near(call.number) if found.answered(each)]
        others = sum(map(found.differs, near))
        if others and others >= _SHARE * len(near):
            wide[name] = f"{others} of {len(near)} calls of {name}"
        elif len(near) >= _FEWEST and not _is_special(subject, calls):
            shown = min((found.shown(call.number) for call in calls), key=len)
            narrow.append(f"{shown}, and {len(near) - others} calls near to it are answered as before")
    if narrow:
        reason = (
            f"the change answers only for values of the tests: {listed(narrow)}: let it do what is asked for "
            "other values too"
        )
        return Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason, evidence=tuple(groups))
    if wide:
        reason = f"answered otherwise than at the base, beside what tests pass: {listed(list(wide.values()))}"
        return Obligation(
            name=_NAME, state=ObligationState.MET, reason=reason, evidence=tuple(wide)[:MOST_NAMED]
        )
    reason = found.why or "no call that tests make of a function of the base could be compared and varied"
    return Obligation(name=_NAME, state=ObligationState.NOT_APPLICABLE, reason=reason)


def _is_special(subject: Subject, calls: Iterable[Call]) -> bool:
    """Whether the calls are special by themselves, so that nothing near to them has to change."""
    named = _constants(subject)
    return any(each.boundary for each in calls) or all(
        any(leaf in named or _is_named(leaf, subject.task.story.wish) for leaf in each.leaves)
        for each in calls
    )


def _is_named(leaf: str, wish: str) -> bool:
    """Whether a request names a value; single letters and digits are named everywhere."""
    return len(leaf) > 1 and re.search(rf"(?<!\w){re.escape(leaf)}(?!\w)", wish) is not None


def _constants(subject: Subject) -> frozenset[str]:
    """Return the numbers and texts that the changed code had at the base."""
    found: set[str] = set()
    for path, text in subject.before.items():
        if path in subject.of_tests or not is_code(path):
            continue
        if not path.endswith(".py"):
            found.update(each.strip("\"'`") for each in _LITERAL.findall(text.decode("utf-8", "replace")))
            continue
        try:
            tree = syntax.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        values = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
        found.update(str(value) for value in values if isinstance(value, int | float | str))
    return frozenset(found)
