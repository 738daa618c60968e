"""Make the calls of tests again outside of any test: the code must answer there as it does in a test.

A change is refused only where both outside answers agree, differ from the recorded one, and a bare test
gives what was recorded: then the code answers because it is tested. For a refactoring, base and result are
compared.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from setpoint.checks.languages.calls import recorders_for
from setpoint.checks.verdict.calls_again import CallsAgain, Made
from setpoint.checks.verdict.not_measured import not_applicable, or_not_measured
from setpoint.checks.verdict.subject import MOST_NAMED, Subject
from setpoint.checks.verdict.witness import Witness
from setpoint.model.changes.work_kind import runs
from setpoint.model.proof import SAME_CALLS, Obligation, ObligationState, WorkKind
from setpoint_probe.wire.calls import ANSWERED, Answer, Call

_KINDS = (WorkKind.BEHAVIOUR, WorkKind.REPAIR, WorkKind.REFACTOR)
_OTHERWISE = "differ by chance or state"
_NOT_MADE = "cannot be made outside"


@dataclass(kw_only=True)
class Told:
    """What came of all calls that were made again."""

    counts: Counter[str] = field(default_factory=Counter)
    """Calls by what came of them, in words."""
    functions: set[str] = field(default_factory=set)
    same: dict[str, None] = field(default_factory=dict)
    """Functions with a call that was answered as recorded."""
    wrong: list[str] = field(default_factory=list)
    """Calls for which the change is refused, in words."""
    notes: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)

    def takes(self, call: Call, became: str) -> None:
        """Count a call."""
        self.functions.add(call.name)
        self.counts[became] += 1
        if became == "as recorded":
            self.same[call.name] = None


async def same_calls(subject: Subject, witnesses: tuple[Witness, ...], until: float) -> Obligation:
    """Record the calls that tests make of changed functions, make them again, and compare."""
    return await or_not_measured(SAME_CALLS, _same_calls(subject, witnesses, until))


async def _same_calls(subject: Subject, witnesses: tuple[Witness, ...], until: float) -> Obligation:
    if subject.work not in _KINDS:
        return not_applicable(SAME_CALLS, "no code is changed")
    refactors = subject.work is WorkKind.REFACTOR
    changed = subject.before if refactors else subject.after
    paths = [path for path in changed if runs(path) and path not in subject.of_tests]
    recorders = recorders_for(paths)
    if not recorders:
        return not_applicable(SAME_CALLS, "calls of no changed function can be recorded")
    told = Told()
    for recorder in recorders:
        again = CallsAgain(subject=subject, witnesses=witnesses, recorder=recorder, until=until)
        if time.monotonic() >= until:
            told.cut.append("no time to make calls again")
        elif refactors:
            _compare(told, await again.on_both())
        else:
            _judge(told, await again.outside())
    return _judged(told, refactors=refactors)


def _judge(told: Told, made: Made) -> None:
    """Hold what came outside against what was recorded, and against a bare test."""
    told.notes += made.notes
    told.cut += made.cut
    for call in made.calls:
        first, second = made.first.get(call.number), made.second.get(call.number)
        steady = _steady(first, second)
        if steady is None:
            told.takes(call, _OTHERWISE if _answered(first) and _answered(second) else _NOT_MADE)
        elif _as_recorded(call, steady):
            told.takes(call, "as recorded")
        elif (bare := made.control.get(call.number)) and _as_recorded(call, bare):
            told.takes(call, "answered otherwise outside of a test")
            told.wrong.append(f"{call.call} gives {call.shown} in a test, and {steady.shown} outside of any")
        else:
            told.takes(call, _OTHERWISE)


def _compare(told: Told, made: Made) -> None:
    """Compare the steady answers of base and result; what the base itself does not repeat says nothing."""
    told.notes += made.notes
    told.cut += made.cut
    for call in made.calls:
        before = _steady(made.first.get(call.number), made.second.get(call.number))
        now = _steady(made.now.get(call.number), made.now_again.get(call.number))
        if before is None or not _as_recorded(call, before):
            told.takes(call, _OTHERWISE if before else _NOT_MADE)
        elif now is None or set(before.classes.values()) != set(now.classes.values()):
            told.takes(call, "cannot be compared with the base")
        elif _as_recorded(call, now):
            told.takes(call, "as recorded")
        else:
            told.takes(call, "answered otherwise than at the base")
            told.wrong.append(f"{call.call} gives {before.shown} at the base, and {now.shown} now")


def _answered(answer: Answer | None) -> bool:
    return answer is not None and answer.kind in ANSWERED


def _steady(first: Answer | None, second: Answer | None) -> Answer | None:
    """Return an answer that was given twice; none where one is missing, or both differ."""
    if first is None or second is None or not _answered(first):
        return None
    return first if (first.kind, first.told) == (second.kind, second.told) else None


def _as_recorded(call: Call, answer: Answer) -> bool:
    return (call.kind, call.told) == (answer.kind, answer.told)


def _judged(told: Told, *, refactors: bool) -> Obligation:
    evidence, count = tuple(told.same)[:MOST_NAMED], sum(told.counts.values())
    cut = "; ".join(told.cut)
    if told.wrong:
        shortest = min(told.wrong, key=len)
        what = (
            "a refactoring keeps what the code answers"
            if refactors
            else "let the code do the same whether it is tested or not"
        )
        reason = f"{shortest}{_more(told.wrong)}: {what}"
        return Obligation(
            name=SAME_CALLS,
            state=ObligationState.NOT_MET,
            reason=reason,
            evidence=tuple(sorted(told.wrong, key=len)[:MOST_NAMED]),
            count=count,
            cut=cut,
        )
    said = [f"{number} {became}" for became, number in told.counts.most_common()]
    reason = (
        f"{count} calls of {len(told.functions)} functions made again: {', '.join(said)}" if count else ""
    )
    reason = "; ".join(filter(None, (reason, *told.notes))) or "the tests make no call that can be recorded"
    state = ObligationState.MET if evidence else ObligationState.NOT_APPLICABLE
    return Obligation(name=SAME_CALLS, state=state, reason=reason, evidence=evidence, count=count, cut=cut)


def _more(wrong: Iterable[str]) -> str:
    others = len(list(wrong)) - 1
    return f" (and {others} more calls)" if others else ""
