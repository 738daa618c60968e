"""Judge whether failures vanish beside the one that the tests show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from setpoint.checks.proof.differential.comparison import Compared, judged
from setpoint.checks.proof.differential.removed_guards import replaced_places
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.checks.proof.witness.right_cause import places_of
from setpoint.checks.proof.witness.witness import Witness
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import Failure
from setpoint.model.proof import Obligation, ObligationState, Trust
from setpoint_probe.wire.calls import RAISES, Answer, Call

_NAME = "other failures"
_LEAST_WORDS = 12
"""Characters that a message needs at least before a request can be said to quote it."""
_ORDER = tuple(Trust)
_ANY_FAILURE = re.compile(
    r"\bnever\s+(?:\w+\s+)?(?:rais|throw|fail|crash|panic)\w*|\b(?:any|all|every|whatever|no)\s+(?:\w+\s+)?"
    r"(?:errors?|exceptions?|failures?)\b",
    re.IGNORECASE,
)
_OTHERS_STAY = re.compile(
    r"\b(?:others?|else|rest)\b[^.;]{0,80}\b(?:as before|as now|still|unchanged|stays?|remains?|keeps?)\b",
    re.IGNORECASE,
)
"""How a request says that the rest stays as it is."""
_MANY = 10
"""Calls with one failure after which some have to fail still, if the rest stays."""
_Failure = tuple[str, str]
"""The type of an exception, and the place that raises it."""


@dataclass
class Shown:
    """The failures of the base that tests show, each with the most trusted of these tests."""

    trust: dict[_Failure, Trust] = field(default_factory=dict)

    def add(self, failure: _Failure, trust: Trust) -> None:
        """Note that a test shows a failure."""
        known = self.trust.get(failure, trust)
        self.trust[failure] = min(known, trust, key=_ORDER.index)

    def of(self, answer: Answer) -> Trust | None:
        """Return who shows what the base raised: the same, or an operation that fails in the same way."""
        same = [
            trust
            for (kind, place), trust in self.trust.items()
            if kind == answer.told and (place == answer.place or not answer.deliberate)
        ]
        return min(same, key=_ORDER.index, default=None)


def other_failures(
    subject: Subject, witnesses: tuple[Witness, ...], found: Compared
) -> tuple[Obligation | None, Trust | None]:
    """Look at calls that raise at the base and give a value on the result.

    A repair removes the failure that its tests show: the same type, raised at the same place. Others stay,
    unless the request names them or their operation is gone. Return with it the least trusted test that it
    rests on.
    """
    replaced = replaced_places(subject)
    gone = [each for each in judged(found) if found.silenced(each.number) and not _is_odd(found, each)]
    if not gone:
        return None, None
    shown = _shown(subject, witnesses, found)
    lost = _lost(found, gone) if _OTHERS_STAY.search(subject.task.story.wish) else frozenset()
    least = _ORDER.index(subject.terms.witness)
    others: list[Call] = []
    rests: list[Trust] = []
    for call in gone:
        then = found.before[call.number]
        trust = shown.of(then)
        if trust is not None and _ORDER.index(trust) <= least and (then.told, then.place) not in lost:
            rests.append(trust)
        elif (then.told, then.place) in lost or not (
            _is_replaced(then, replaced) or _is_asked_for(subject.task.story.wish, call, then)
        ):
            others.append(call)
    if others:
        named = {(found.before[each.number].told, each.name): each for each in _longest_first(others)}
        calls = [_told(found, each) for each in reversed(named.values())]
        reason = (
            f"errors vanish that no test shows: {listed(calls)}: let these calls fail as before, and remove "
            "only the failure that the request is about; if they must not fail either, write a test that "
            "asserts what they give"
        )
        return Obligation(
            name=_NAME, state=ObligationState.NOT_MET, reason=reason, evidence=tuple(calls[:MOST_NAMED])
        ), None
    trust = max(rests, key=_ORDER.index, default=None)
    reason = f"{len(gone)} calls raise at the base and answer now, as tests, request or repaired lines say"
    return Obligation(name=_NAME, state=ObligationState.MET, reason=reason), trust


def _lost(found: Compared, gone: Iterable[Call]) -> frozenset[_Failure]:
    """Return failures that many calls have at the base, and none on the result."""
    counts = Counter((found.before[each.number].told, found.before[each.number].place) for each in gone)
    left = {
        (then.told, then.place)
        for number, then in found.before.items()
        if then.kind == RAISES and number in found.now and found.now[number].kind == RAISES
    }
    return frozenset(each for each, count in counts.items() if count >= _MANY and each not in left)


def _is_odd(found: Compared, call: Call) -> bool:
    """Whether a call passes nothing where the base only failed in an operation."""
    return call.odd and not found.before[call.number].deliberate


def _is_replaced(then: Answer, replaced: frozenset[str]) -> bool:
    """Whether an operation failed that the change takes from the code: `a / b`, where `a * b` is right."""
    return not then.deliberate and then.place in replaced


def _longest_first(calls: Iterable[Call]) -> list[Call]:
    return sorted(calls, key=lambda each: len(each.shown), reverse=True)


def _told(found: Compared, call: Call) -> str:
    then, now = found.before[call.number], found.now[call.number]
    said = f" ({then.said})" if then.said else ""
    return f"{call.shown} {then.shown}{said} at the base, and gives {now.shown} now"


def _shown(subject: Subject, witnesses: tuple[Witness, ...], found: Compared) -> Shown:
    """Return what the tests show: how they fail at the base, and which of their calls raise there."""
    shown = Shown()
    trusts = {each.name: each.trust for each in witnesses}
    before = subject.base.tests.outcomes if subject.base.tests else {}
    for failure in subject.base.tests.failures if subject.base.tests else ():
        trust = trusts.get(failure.test)
        if trust is not None and (place := _place(failure)):
            shown.add((_kind(failure), place), trust)
    old = not any(path in subject.after for path in subject.of_tests)
    for call in found.calls.values():
        then, now = found.before.get(call.number), found.now.get(call.number)
        if call.of >= 0 or then is None or then.kind != RAISES or (now is not None and now.kind == RAISES):
            continue
        if call.test in before and call.test not in trusts:
            continue  # it passed at the base, so that it expects no answer
        file = call.test.partition("::")[0]
        own = Trust.PERSON if not call.test and old else Trust.ANY
        of_file = own if file in subject.after else trusts.get(file, own)
        shown.add((then.told, then.place), trusts.get(call.test, of_file))
    return shown


def _kind(failure: Failure) -> str:
    """Return the type of an exception as the code names it."""
    kind = failure.error or failure.message.partition(":")[0]
    return re.sub(r"\W*\[.*?\]", "", kind).rpartition(".")[2].strip()


def _place(failure: Failure) -> str:
    """Return the deepest place of a failure outside of tests."""
    found = [f"{path}:{line}" for path, line in places_of(failure) if not is_test_path(path)]
    return found[-1] if found else ""


def _is_asked_for(wish: str, call: Call, then: Answer) -> bool:
    """Whether a request names a failure: its type, what it says, the call, or whatever fails."""
    said = then.said.casefold()
    return (
        re.search(rf"\b{re.escape(then.told.rpartition('.')[2])}\b", wish) is not None
        or (len(said) >= _LEAST_WORDS and said in wish.casefold())
        or call.shown.replace('"', "'") in wish.replace('"', "'")
        or _ANY_FAILURE.search(wish) is not None
    )
