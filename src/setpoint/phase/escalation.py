"""Escalate a run that a guard stops or that needs a person: end it, or ask a person whether it continues."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from setpoint.inner.unjudged_edits import unjudged_edits
from setpoint.model.ending import EXAMINED, Ending
from setpoint.model.facts import spending
from setpoint.model.facts.gains import in_words
from setpoint.model.facts.halting import one_more_line
from setpoint.model.facts.rounds import RunFacts, failures, open_count, unproven
from setpoint.model.facts.spending import in_time
from setpoint.model.gate import Answer, Choice, Gate, GateKind, Grant, OnLimit, Option
from setpoint.model.ids import GateId
from setpoint.model.proof import REVIEW
from setpoint.model.run import Round, verdict_words
from setpoint.model.wording import counted
from setpoint.people.questions import ask
from setpoint.phase.candidates import place_of
from setpoint.phase.finish_run import Close
from setpoint.phase.hidden_tests import hidden_tests
from setpoint.phase.policy.best_state import best_first
from setpoint.phase.policy.bouncing import outcome_line
from setpoint.phase.policy.halting_shadow import worth_of_one_more
from setpoint.phase.policy.restored_files import restored_in_all
from setpoint.runs.context import RunContext

_PROVABLE = (*EXAMINED, Ending.UNPROVEN, Ending.UNPROVABLE)
"""Endings of work that another exam could help; examined work is asked about where it is not enough."""
ASKED = frozenset({*_PROVABLE, Ending.STOPPED, Ending.ESCALATED, Ending.BROKEN_AGENT})
"""Endings that Setpoint asks a person about."""
_BEGIN = "begin without a proof: agents are paid, and the work ends as unproven at best"
_PROVE = (
    "name a command that fails without the change and passes with it; Setpoint runs it at the base and on "
    "the result, without an agent"
)
_DISMISS = "this objection is wrong, because ...; the change is judged again without it, and without an agent"
MOST_TOLD = 5
"""Iterations that a question lists, the newest."""
MOST_FILES = 3
_GRANTED = frozenset({"max_iterations", "max_cost_usd", "max_wall_s", "max_tokens", "enough_left"})
"""Limits that the answer `continue` raises, so that nothing has to be set for it."""
UNASKED = frozenset({"deadline_s"})
"""Guards that no answer can lift."""


async def settled(
    run: RunContext, past: RunFacts, close: Close, iteration: int, again: int = 0
) -> Answer | Close:
    """Return the answer that lets a run continue, or how it ends; asks a person if the settings say so.

    `again` counts the answers about this iteration that had it judged again.
    """
    guard = close.halt.guard if close.halt else ""
    if not close.asked or close.ending not in ASKED or guard in UNASKED:
        return close
    if run.order.escalation.on_limit is OnLimit.ERROR:
        return close
    if close.ending is Ending.BROKEN_AGENT and run.order.escalation.on_limit is not OnLimit.MANUAL:
        return close  # the exit status names the agent, which no limit of the run stopped
    if run.order.escalation.on_limit is OnLimit.SKIP:
        return close._replace(ending=Ending.SKIPPED)
    name = f"escalation-{iteration}{f'-{again + 1}' if again else ''}"
    gate = _gate(run, past, close, GateId(name), iteration)
    left = await unjudged_edits(run, place_of)
    return _settled(close, await ask(run, gate.model_copy(update={"unjudged": left})))


def _settled(close: Close, answer: Answer) -> Answer | Close:
    if answer.choice.continues or answer.choice.judges_again:
        return answer
    who = f"{answer.by} ({answer.reason})" if answer.reason else answer.by
    if answer.choice is Choice.ACCEPT:
        reason = f"accepted as it is by {who}; before that: {close.reason}"
        return close._replace(ending=Ending.ACCEPTED, reason=reason, answer=answer)
    reason = f"cancelled by {who}; before that: {close.reason}"
    return close._replace(ending=Ending.CANCELLED, reason=reason, answer=answer)


def _gate(run: RunContext, past: RunFacts, close: Close, name: GateId, iteration: int) -> Gate:
    """Build the question: what stopped the run, its state, and the possible answers."""
    settings, now = run.order.escalation, run.ports.clock.now()
    offer = _offer(run, close)
    begins = close.ending is Ending.UNPROVABLE
    options: list[Option] = []
    if close.repair:
        text = f"the environment is repaired: {close.repair} tries again"
        options.append(Option(choice=Choice.RETRY, text=text))
    if not (close.repair and close.repair_only):
        text = _BEGIN if begins else _continue_text(run, past, offer)
        options.append(Option(choice=Choice.CONTINUE, text=text))
    verdict = past.last.verdict if past.rounds else None
    if objections := verdict.for_a_person if verdict else ():
        options.append(Option(choice=Choice.DISMISS, text=_DISMISS))
    if close.ending in _PROVABLE:
        options.append(Option(choice=Choice.PROVE, text=_PROVE))
    if best_first(past):
        where = f"{settings.debt_file} and the commit"
        text = f"take the best state, at no further cost; its known issues go to {where}"
        options.append(Option(choice=Choice.ACCEPT, text=text))
    text = "end the run, at no further cost; the best state is kept if harmless"
    options.append(Option(choice=Choice.CANCEL, text=text))
    allowed = {option.choice for option in options}
    return Gate(
        id=name,
        kind=GateKind.ESCALATION,
        iteration=iteration,
        question=_question(past, close),
        options=tuple(options),
        context=(*_context(run, past), *_worth(past, close)),
        guard=close.halt.guard if close.halt else "",
        go_on=close.halt.go_on if close.halt and close.halt.guard not in _GRANTED else "",
        offer=offer,
        asked_at=now,
        deadline=None if settings.deadline_s is None else now + timedelta(seconds=settings.deadline_s),
        objections=objections,
        default=settings.at_deadline if settings.at_deadline in allowed else Choice.CANCEL,
    )


def _question(past: RunFacts, close: Close) -> str:
    """Say why a person is asked: what is wrong, or of examined work who vouches for it and what it lacks."""
    proof = past.rounds[-1].proof if past.rounds and close.ending in EXAMINED else None
    if proof:
        return f"{verdict_words(close.ending, proof.by)}; {close.reason}"
    red = failures(past.rounds[-1]) if past.rounds else ()
    if not red or red[0].test in close.reason:
        return close.reason
    more = f" and {len(red) - 1} more" if len(red) > 1 else ""
    return f"{counted(len(red), 'test')} fail{'s' * (len(red) == 1)}: {red[0].test}{more}; {close.reason}"


def _offer(run: RunContext, close: Close) -> Grant:
    """Offer what the run needs to continue: always iterations, plus the budget that is used up."""
    order = run.order
    guard = close.halt.guard if close.halt else ""
    figures = close.halt.figures if close.halt else {}
    money = guard == "max_cost_usd" or "left_usd" in figures
    time = guard == "max_wall_s" or "left_s" in figures
    return Grant(
        iterations=0 if close.ending is Ending.UNPROVABLE else order.escalation.more_iterations,
        cost_usd=order.limits.max_cost_usd if money else Decimal(0),
        wall_s=order.limits.max_wall_s if time else 0.0,
        tokens=order.limits.max_tokens or 0 if guard == "max_tokens" else 0,
    )


def _continue_text(run: RunContext, past: RunFacts, offer: Grant) -> str:
    left = run.limits.max_iterations + offer.iterations - len(past.rounds)
    if past.rounds and {each.rule for each in unproven(past.rounds[-1])} == {REVIEW}:
        return "ask the reviewers again; no agent changes anything"
    more = [f"{offer.iterations} more iterations ({left} are left then)"]
    if offer.cost_usd:
        more.append(f"${offer.cost_usd:.2f} more")
    if offer.wall_s:
        more.append(f"{in_time(offer.wall_s)} more")
    if offer.tokens:
        more.append(f"{offer.tokens} more tokens")
    return f"continue with {' and '.join(more)}{_usual(past)}"


def _usual(past: RunFacts) -> str:
    """Say what an iteration has cost so far."""
    if not past.shares:
        return ""
    money = sum((each.cost_usd for each in past.shares), Decimal(0)) / len(past.shares)
    seconds = sum(each.seconds for each in past.shares) / len(past.shares)
    figures = [f"${money:.2f}"] if money else [] if past.cost_known else ["an unknown cost"]
    figures += [f"{in_time(seconds)} of work"] if seconds >= 1 else []
    return f"; so far an iteration took {' and '.join(figures)}" if figures else ""


def _context(run: RunContext, past: RunFacts) -> tuple[str, ...]:
    lines = [f"iteration {each.number}: {_tried(each)}" for each in past.rounds[-MOST_TOLD:]]
    if back := restored_in_all(past.rounds):
        lines.append(f"restored in all: {back}")
    lines += [each.message for each in unproven(past.rounds[-1])] if past.rounds else []
    red = past.rounds[-1].proof.red_hidden if past.rounds and past.rounds[-1].proof else ()
    tests = [each for each in hidden_tests(run).tests if each.path in red]
    lines += [f"the hidden test {each.path}: {run.ports.kept_at(each.source)}" for each in tests]
    ranked = best_first(past)
    if ranked:
        best = ranked[0]
        reached = "measured in full" if best.tests else "the run did not reach the full suite"
        problems = counted(open_count(best), "open problem")
        lines.append(f"best so far: iteration {best.number}, {problems}, {reached}{_size(run, best)}")
        lines.append(f"gained by it: {in_words(past.base, best)}")
    else:
        lines.append("no judged state differs from the base so far")
    return (*lines, f"spent so far: {_cost(run)}, {in_time(past.active_s)} of work")


def _worth(past: RunFacts, close: Close) -> tuple[str, ...]:
    """Say at a limit whether one more iteration is worth its cost; nothing where no worth is stated."""
    more = worth_of_one_more(past) if close.halt else None
    return (one_more_line(more),) if more else ()


def _size(run: RunContext, best: Round) -> str:
    """Say how large the best state is, and name its commits."""
    lines = "" if best.lines is None else f", {best.lines} changed lines"
    return f"{lines} ({run.order.base[:10]}..{best.snapshot.commit[:10]})"


def _cost(run: RunContext) -> str:
    return spending.in_words(run.journal.account.used)


def _tried(judged: Round) -> str:
    """Say what an iteration changed, and what came of it."""
    made = judged.snapshot
    if made.empty:
        return outcome_line(judged)
    more = len(made.files) - MOST_FILES
    named = ", ".join(made.files[:MOST_FILES]) + (f" and {more} more" if more > 0 else "")
    return f"changed {named} (+{made.insertions} \N{MINUS SIGN}{made.deletions}); {outcome_line(judged)}"
