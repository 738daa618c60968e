"""Describe in one line each what an agent does: its calls, what it spends, how it breaks and recovers."""

from __future__ import annotations

from typing import assert_never

from setpoint.cli.render.line import Line
from setpoint.model import events as e
from setpoint.model.attempt import Attempt, ModelCall, Recovery
from setpoint.model.events.live import (
    AgentInterrupted,
    CopyRemade,
    EditsChosen,
    HintGiven,
    HintTaken,
    PauseEnded,
    PauseRequested,
    ProjectTextShown,
    ProofStep,
    QuestionAnswered,
    RunHeld,
    SessionOpened,
    Steering,
)
from setpoint.model.facts.spending import NOT_TOLD, origin, used
from setpoint.model.wording import counted


def of_agent(
    body: e.AgentStarted | e.ToolExecuted | e.ModelCalled | e.AgentSpent | e.AgentBroke | e.AgentFinished,
) -> Line:
    """Describe what an agent does and what becomes of it."""
    match body:
        case e.AgentStarted():
            again = f", try {body.attempt}" if body.attempt > 1 else ""
            return Line(f"{body.agent} works on {body.label} ({body.mode}{again})")
        case e.ToolExecuted():
            mark = {True: "ok", False: "failed", None: "?"}[body.call.ok]
            took = "" if body.call.duration_s is None else f" {body.call.duration_s:.1f} s"
            ended = f"refused: {body.call.refused}" if body.call.refused else f"{mark}{took}"
            return Line(f"  {body.call.name}: {body.call.title} [{ended}]", "dim")
        case e.ModelCalled():
            return Line(f"  {_model_call(body.call)}", "dim", detail=True)
        case e.AgentSpent():
            usage = body.usage
            cost = "of unknown cost" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
            return Line(f"  spent {cost}, {used(usage)} tokens ({origin(usage)})", "dim", detail=True)
        case e.AgentBroke():
            return _broke(body)
        case e.AgentFinished():
            snapshot = body.snapshot
            restored = f"; restored {', '.join(snapshot.restored)}" if snapshot.restored else ""
            if snapshot.unhidden:
                restored += f"; kept although ignore rules hide them: {', '.join(snapshot.unhidden)}"
            broke = broken(snapshot.attempt)
            change = f"{counted(len(snapshot.files), 'file')}, +{snapshot.insertions} -{snapshot.deletions}"
            return Line(f"change {snapshot.commit[:10]}: {change}{restored}{broke}", "red" if broke else "")
        case _:
            assert_never(body)


def of_live(body: e.AboutLive) -> Line:
    """Describe what an agent begins and what it writes."""
    match body:
        case e.ToolStarted():
            return Line(f"  {body.call.name}: {body.call.title} ...", "dim", detail=True)
        case e.AgentSaid():
            text = "\n".join(f"  | {row}" for row in body.text.splitlines())
            return Line(text, "italic", detail=True)
        case ProofStep():
            step = body.obligation
            told = f"  {step.name} {step.state.replace('_', ' ')}: {step.told}"
            shown = Line(told, "dim", detail=True)
        case ProjectTextShown():
            shown = Line(f"  {_project_text(body)}", "dim", detail=True)
        case QuestionAnswered():
            rule = "answered by rule: what fits the request best"
            who = "answered by the hint" if body.by == "person" else rule
            return Line(f"  {body.label} asks: {body.question} ({who})", "magenta")
        case SessionOpened() | EditsChosen():
            return _of_try(body)
        case CopyRemade():
            shown = Line(_copy_remade(body), "yellow")
        case _:
            shown = _of_steering(body)
    return shown


def _copy_remade(body: CopyRemade) -> str:
    """Say where a work copy was, from what it was made again, and what became of its edits."""
    made = f"the work copy is not at {body.path} any more" if body.path == body.former else ""
    made = made or f"the work copy was at {body.former}; it is at {body.path} now"
    if body.kept:
        edits = "; uncommitted edits were brought along"
    else:
        edits = f"; uncommitted edits of {body.label} are gone" if body.label else ""
    return f"{made}, made again from {body.commit[:10]}{edits}"


def _project_text(body: ProjectTextShown) -> str:
    """Say which instructions of the project an agent has, and how it comes to them."""
    count = len(body.skills)
    given = [*body.files, counted(count, "skill")] if count else list(body.files)
    told = [f"is given {', '.join(given)}"] if given else []
    told += [f"reads {', '.join(body.read)}"] if body.read else []
    told += [f"has the tools of {', '.join(body.servers)}"] if body.servers else []
    told += [f"without {each}" for each in body.left_out]
    return f"{body.agent} {'; '.join(told)} ({body.label}, as at the base)"


def _of_try(body: SessionOpened | EditsChosen) -> Line:
    """Say in which session a try works, or what of the edits of several tries counts."""
    if isinstance(body, SessionOpened):
        how = "begins a new session; its prompt shows the edits that are in the work copy"
        return Line(f"  {body.label} {'continues in the same session' if body.continued else how}", "dim")
    counts = (f"{each.of} {each.failing} failing, {each.blocking} blocking" for each in body.measured)
    told = [f"measured: {', '.join(counts)}"] if body.measured else []
    told += [f"not measured: {', '.join(body.unmeasured)}"] if body.unmeasured else []
    why = f" ({'; '.join(told)})" if told else ""
    if body.earlier:
        return Line(f"  what {body.chosen} edited counts, not what the last try left{why}", "magenta")
    return Line(f"  what the last try left counts{why}", "dim", detail=True)


def _of_steering(body: Steering) -> Line:
    match body:
        case HintGiven():
            return Line(f"hint by {body.by}: {body.text}", "magenta")
        case HintTaken():
            return Line(f"the hint reaches {body.label}", "magenta")
        case AgentInterrupted():
            return Line(f"  the turn of {body.label} ends for it; the edits are kept", "magenta", detail=True)
        case PauseRequested():
            return _paused(body)
        case RunHeld():
            return Line("the run holds; this time does not count", "yellow")
        case PauseEnded():
            return Line(f"{body.by} lets the run continue", "yellow")
        case _:
            assert_never(body)


def _paused(body: PauseRequested) -> Line:
    if not body.needs:
        return Line(f"paused by {body.by}: the run holds before its next step", "yellow")
    keys = "h types a hint, p lets the run continue (setpoint hint, setpoint pause --end)"
    return Line(f"{body.by} needs you: {body.needs}; hint: {keys}", "bold yellow")


def _broke(body: e.AgentBroke) -> Line:
    """Say how an agent broke, how long Setpoint waits, and how the attempt continues."""
    wait = f" waiting {body.wait_s:.0f} s, then" if body.wait_s else ""
    then = {
        Recovery.SAME_SESSION: "trying again in its session, if that can be continued; its edits are kept",
        Recovery.NEW_SESSION: "starting a new session; the edits of this one are undone and shown to it",
        Recovery.NEXT_AGENT: f"{body.next_agent} takes over; the edits are kept",
        Recovery.END: "not tried again; what it left is judged",
    }[body.then]
    if body.then is Recovery.END and body.phase == "hidden-tests":
        then = "the run continues without hidden tests"
    first = body.breakage.message.splitlines()[0]
    said = body.breakage.said
    more = f"\n      {said}" if said not in first else ""
    return Line(f"  {body.breakage.kind}: {first};{wait} {then}", "yellow", more=more)


def _model_call(call: ModelCall) -> str:
    tokens = "tokens unknown"
    if call.input_tokens is not None:
        tokens = f"{call.input_tokens} in, {call.output_tokens or 0} out, {call.cached_tokens or 0} cached"
    cost = NOT_TOLD if call.cost_usd is None else f"${call.cost_usd:.4f} ({call.priced_by})"
    fault = f"; {call.fault}" if call.fault else ""
    return f"model {call.model or call.path} [{call.status} {call.duration_s:.1f} s]: {tokens}, {cost}{fault}"


def broken(attempt: Attempt | None) -> str:
    """Say how the agent of an attempt broke; empty where it did not."""
    if attempt is None or attempt.breakage is None:
        return ""
    return f"; {attempt.agent} broke: {attempt.breakage.kind}: {attempt.breakage.message.splitlines()[0]}"
