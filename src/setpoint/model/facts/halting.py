"""The turns of a run as halting policies see them, whatever they were recorded for."""

from __future__ import annotations

from collections.abc import Sequence

from setpoint.model.facts.rounds import RunFacts, blocking, open_count, problems, review_findings
from setpoint.model.finding import Category
from setpoint.model.halting import TurnState
from setpoint.model.halting_values import OneMore
from setpoint.model.run import Action, Decision, Round

UNKNOWN_AGENT = "unknown"
"""Names the agent of a run without a recorded attempt."""


def turn_states(past: RunFacts) -> tuple[TurnState, ...]:
    """Return every round of a run as a turn, oldest first.

    A round that did not reach the full suite has a share of tests of its own, which is left out.
    """
    states = []
    before: Round | None = None
    for place, each in enumerate(past.rounds):
        quality = each.latest.quality
        states.append(
            TurnState(
                number=place + 1,
                chain=each.chain,
                quality=each.latest.score,
                gates=each.verified,
                failing=open_count(each),
                tests_share=quality.tests if each.tests is not None else None,
                security=sum(finding.category is Category.SECURITY for finding in blocking(each)),
                review=len(review_findings(each)),
                repeated=before is not None and bool(problems(each)) and problems(each) == problems(before),
                cost_usd=max(0.0, float(past.shares[place].cost_usd)) if place < len(past.shares) else 0.0,
            )
        )
        before = each
    return tuple(states)


def agent_of(rounds: Sequence[Round]) -> str:
    """Name the agent with its version and model; all of them where they changed during the run."""
    attempts = [each.snapshot.attempt for each in rounds if each.snapshot.attempt is not None]
    names = (" ".join(filter(None, (each.agent, each.version, each.usage.model))) for each in attempts)
    return " then ".join(dict.fromkeys(names)) or UNKNOWN_AGENT


_NEXT = {
    Action.HALT: "stop",
    Action.CONFIRM: "measure it once more",
    Action.CONTINUE: "go on",
    Action.RESTART: "start again",
    Action.ESCALATE: "stop and ask",
}
WORTH = "worth, as estimated: 1.00 for a verified change, 0.00 for none"
"""What the figures of `decision_line` mean."""


def decision_line(decision: Decision) -> str:
    """Say in one line what going on and stopping are worth, what comes next, and why."""
    then, values = f"→ {_NEXT[decision.action]}: {decision.reason}", decision.values
    if values is None:
        return then
    # Where a gate fails, nothing is delivered: the run stops with a question.
    stopping = values.escalate if values.halt is None else values.halt
    on, off = (value / (values.worth_usd or 1.0) + 0.0 for value in (values.continue_, stopping))
    return f"going on is worth {on:.2f}, stopping {off:.2f} {then}"


def shadow_line(decision: Decision) -> str:
    """Say in one line what the policy that watches would have done, and why; empty where none watched."""
    values, shadow = decision.values, decision.shadow
    if values is None or shadow is None:
        return ""
    worth = {
        "halt": values.halt,
        "continue": values.continue_,
        "restart": values.restart,
        "escalate": values.escalate,
    }
    amounts = ", ".join(f"{name} {_usd(amount)}" for name, amount in worth.items() if amount is not None)
    fitted = f" with weights {shadow.weights}" if shadow.weights else ""
    role = "in the shadow" if decision.policy != shadow.policy else "which decides"
    because = f"; {'; '.join(values.reasons)}" if values.reasons else ""
    more = f"; {one_more_line(values.one_more)}" if values.one_more else ""
    return (
        f"{shadow.policy}{fitted} ({role}) would {shadow.action.upper()}: worth {amounts}; "
        f"P(verified) {values.p_verified:.2f}{because}{more}"
    )


def one_more_line(more: OneMore) -> str:
    """Say in one line whether one more iteration is worth its cost, and how sure that is."""
    cost = _usd(more.cost_usd)
    if not more.cost_measured:
        cost += " (assumed)"
    elif _usd(more.cost_low_usd) != _usd(more.cost_high_usd):
        cost += f" ({_usd(more.cost_low_usd)} to {_usd(more.cost_high_usd)} so far)"
    basis = f"fitted to {more.runs} runs" if more.runs else "by assumptions, with no run of this agent fitted"
    return (
        f"one more iteration: {more.chance:.0%} to pass every gate ({more.chance_low:.0%} to "
        f"{more.chance_high:.0%}), costs about {cost}, expected gain {_usd(more.worth_usd)} "
        f"({_usd(more.low_usd)} to {_usd(more.high_usd)}): {_advice(more)}; {basis}"
    )


def _advice(more: OneMore) -> str:
    if more.low_usd > 0:
        return "worth trying"
    if more.high_usd < 0:
        return "not worth trying"
    return "probably worth trying" if more.worth_usd > 0 else "probably not worth trying"


def _usd(amount: float) -> str:
    return f"{'-' if amount < 0 else ''}${abs(amount):.2f}"
