"""The substance of a question: who asks, about what, what is missing, and what each answer costs."""

from __future__ import annotations

import re

from setpoint.history.replay import History
from setpoint.model.events.run import ReviewAnswered
from setpoint.model.facts.rounds import blocking, unproven
from setpoint.model.facts.spending import in_time
from setpoint.model.finding import Finding, worst_first
from setpoint.model.gate import Choice, Gate, GateKind
from setpoint.model.proof import REVIEW
from setpoint.model.run import Round
from setpoint.model.value import Text, Value
from setpoint.model.verdict import Judgement
from setpoint.model.wording import counted

_TRIED = re.compile(r"iteration \d+: ")
_NOT_REACHED = "not reached"
_OWED = ("not proved: ", "short of the goal ")
_COSTS = {
    Choice.APPROVE: "nothing by itself; the run continues within its limits",
    Choice.REJECT: "nothing by itself; the run continues within its limits",
    Choice.PROVE: "no agent; Setpoint runs the command and the checks again",
    Choice.DISMISS: "no agent; Setpoint judges the change again",
    Choice.ACCEPT: "nothing more",
    Choice.CANCEL: "nothing more",
}


class Substance(Value):
    """What a person needs to know of a question beside its sentence."""

    asker: str = ""
    """Who asks: a reviewer, the maker, a limit or Setpoint."""
    words: tuple[Text, ...] = ()
    """What the asker says itself."""
    findings: tuple[Finding, ...] = ()
    """The findings in question, worst first."""
    missing: tuple[Text, ...] = ()
    """What is not proved."""
    tried: tuple[Text, ...] = ()
    """One line for each iteration: what was tried, and whether Setpoint restored files."""
    facts: tuple[Text, ...] = ()
    """The rest of what was recorded with the question."""
    costs: dict[Choice, str] = {}
    """What each answer costs, by choice."""


def substance(told: History, gate: Gate) -> Substance:
    """Return what a question is about, as the record of its run tells it."""
    past = next((each for each in told.rounds if each.number == gate.iteration), None)
    asking = _asking(told, gate, past)
    request = gate.kind is GateKind.REQUEST
    owed = tuple(line for line in gate.context if line.startswith(_OWED))
    if not owed and past:
        owed = tuple(each.message for each in unproven(past))
    tried = tuple(line for line in gate.context if _TRIED.match(line))
    words = gate.context if request else tuple(each.verdict.feedback for each in asking)
    aside = {*tried, *words, *owed}
    return Substance(
        asker=told.figures.asker,
        words=tuple(each for each in words if each),
        findings=() if request else _findings(gate, asking, past),
        missing=tuple(each.removeprefix(_OWED[0]) for each in owed) or _failed_gates(past),
        tried=tried,
        facts=tuple(line for line in gate.context if line not in aside),
        costs={each.choice: _cost(told, gate, each.choice) for each in gate.options},
    )


def _asking(told: History, gate: Gate, past: Round | None) -> tuple[ReviewAnswered, ...]:
    """Return the newest answer of each reviewer that leaves the decision to a person."""
    if gate.guard or past is None or past.verdict is None or not past.verdict.for_a_person:
        return ()
    newest = {each.review: each for each in told.answers if each.iteration == gate.iteration}
    return tuple(
        each
        for each in newest.values()
        if each.verdict.judgement is Judgement.REQUIRE_HUMAN
        or any(finding.fingerprint in gate.objections for finding in each.verdict.findings)
    )


def _findings(gate: Gate, asking: tuple[ReviewAnswered, ...], past: Round | None) -> tuple[Finding, ...]:
    every = tuple(finding for each in asking for finding in each.verdict.findings)
    named = tuple(each for each in every if each.fingerprint in gate.objections)
    blocks = tuple(each for each in blocking(past) if each.source != "proof") if past else ()
    found = named or tuple(each for each in every if each.blocking) or every or blocks
    return worst_first(tuple({each.fingerprint: each for each in found}.values()))


def _failed_gates(past: Round | None) -> tuple[str, ...]:
    """Name the gates that did not pass, and in one line those that were not reached."""
    failed = [each for each in past.gates if not each.passed] if past else []
    reached = [f"{each.name}: {each.reason}" for each in failed if not each.reason.startswith(_NOT_REACHED)]
    rest = [each.name for each in failed if each.reason.startswith(_NOT_REACHED)]
    return (*reached, *([f"{_NOT_REACHED}: {', '.join(rest)}"] if rest else ()))


def _cost(told: History, gate: Gate, choice: Choice) -> str:
    if not choice.continues:
        return _COSTS[choice]
    rounds, used = told.rounds, told.account
    if rounds and {each.rule for each in unproven(rounds[-1])} == {REVIEW}:
        return "one more review; the maker is not asked"
    count = gate.offer.iterations
    if not count:
        return "the agents' work, within the limits of the run"
    text = f"up to {counted(count, 'iteration')}"
    if not rounds:
        return text
    share = count / len(rounds)
    money = f"about ${float(used.cost_usd) * share:.2f} and " if used.cost_usd else ""
    lost = "" if used.known else "; not every agent tells its cost"
    return f"{text}, {money}about {in_time(told.active_s * share)} of work{lost}"
