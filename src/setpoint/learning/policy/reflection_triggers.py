"""When a run is reflected on while it runs, and what it is then told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from setpoint.learning.policy.lessons import shape
from setpoint.model.attempt import ToolCall
from setpoint.model.config.limits import Limits
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.events import Event
from setpoint.model.events.learning import ReflectionCompleted, Trigger
from setpoint.model.events.run import PhaseBounce
from setpoint.model.facts.budget_account import account_of
from setpoint.model.facts.rounds import blocking, failures
from setpoint.model.facts.sound_calls import sound_calls
from setpoint.model.run import Round

LEAST_CALLS = 10
"""Tool calls below which a rate of errors says nothing."""
_NAMED = 3


def due(events: Sequence[Event], limits: Limits, wanted: MemoryTerms) -> tuple[Trigger, ...]:
    """Name what asks for a reflection now; each asks once in a run."""
    done = {event.body.trigger for event in events if isinstance(event.body, ReflectionCompleted)}
    holds = {
        Trigger.BOUNCED: max(_sent_back(events).values(), default=0) >= wanted.min_bounces,
        Trigger.COST: limits.max_cost_usd > 0
        and float(account_of(events).used.cost_usd) > wanted.budget_share * float(limits.max_cost_usd),
        Trigger.ERRORS: _error_rate(_calls(events)) > wanted.error_rate,
    }
    return tuple(trigger for trigger, asks in holds.items() if asks and trigger not in done)


def advice(trigger: Trigger, events: Sequence[Event], rounds: Sequence[Round]) -> str:
    """Say what the run should know of itself, from what was measured in it so far."""
    if trigger is Trigger.ERRORS:
        return _about_errors(_calls(events))
    if trigger is Trigger.COST:
        return _about_cost(rounds)
    return _about_rework(_sent_back(events), rounds)


def _sent_back(events: Sequence[Event]) -> Counter[str]:
    return Counter(event.body.source for event in events if isinstance(event.body, PhaseBounce))


def _calls(events: Sequence[Event]) -> list[ToolCall]:
    return [body.call for body in sound_calls(events)]


def _error_rate(calls: Sequence[ToolCall]) -> float:
    told = [call for call in calls if call.ok is not None]
    return sum(call.ok is False for call in told) / len(told) if len(told) >= LEAST_CALLS else 0.0


def _about_errors(calls: Sequence[ToolCall]) -> str:
    wrong = [call for call in calls if call.ok is False]
    names = Counter((call.title or call.name)[:100] for call in wrong).most_common(_NAMED)
    listed = "; ".join(f"{name} ({count}x)" for name, count in names)
    return (
        f"{len(wrong)} of {len(calls)} tool calls failed, most often: {listed}. "
        "Find out first how these are done in this project, then continue."
    )


def _about_cost(rounds: Sequence[Round]) -> str:
    red = failures(rounds[-1]) if rounds else ()
    first = f" Begin with {red[0].test}: {shape(red[0].message)}." if red else ""
    used = f"More than half of the money is used after {len(rounds)} rounds."
    return f"{used}{first} Make the smallest change that does it."


def _about_rework(sources: Counter[str], rounds: Sequence[Round]) -> str:
    (source, times), *_ = sources.most_common(1)
    parts = [f"'{source}' has sent the work back {times} times."]
    if len(rounds) > 1:
        before, last = rounds[-2], rounds[-1]
        same = [each for each in failures(last) if each.test in {was.test for was in failures(before)}]
        if same:
            parts.append(f"Still red as before: {', '.join(each.test for each in same[:_NAMED])}.")
        known = {finding.fingerprint for finding in blocking(before)}
        if stays := [each for each in blocking(last) if each.fingerprint in known]:
            parts.append(f"Objected to again: {'; '.join(each.message for each in stays[:_NAMED])}.")
    parts.append(_places(rounds))
    return " ".join(part for part in parts if part)


def _places(rounds: Sequence[Round]) -> str:
    """Set the places that were changed against those that the measurements suspect."""
    if not rounds:
        return ""
    changed = sorted({path for each in rounds for path in each.snapshot.files})
    suspects = dict.fromkeys(each.file for each in rounds[-1].latest.suspects)
    missed = [path for path in suspects if path not in changed][:_NAMED]
    told = f"The rounds changed {', '.join(changed[:5])}." if changed else "No round changed anything."
    if missed:
        told += f" The failing tests point to {', '.join(missed)}, which no round touched."
    return told
