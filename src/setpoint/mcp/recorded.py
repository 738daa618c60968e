"""Tools about runs, stories and feedback."""

from __future__ import annotations

from setpoint.app.people.gates import open_questions as every_question
from setpoint.app.people.suggestions import suggest_comment, suggest_dismissal
from setpoint.app.runs.board import find_card, list_cards
from setpoint.app.runs.requested_runs import request_run
from setpoint.app.views.live.moment import Moment
from setpoint.app.views.run_page import run_story
from setpoint.errors import UsageError
from setpoint.mcp.arguments import (
    FeedbackArguments,
    NoArguments,
    RunArguments,
    StartArguments,
    StoryArguments,
)
from setpoint.mcp.material import Reply
from setpoint.mcp.session import Call
from setpoint.model.stories.board import Card
from setpoint.model.stories.story import Status
from setpoint.model.wording import counted, lasted
from setpoint.wiring.project import find_run

LAST_LINES = 15
"""Events of a run that `run_status` shows."""
MOST_STORIES = 50


def record_feedback(call: Call, wanted: FeedbackArguments) -> Reply:
    """Suggest to the person that a finding of a run is wrong, or comment on a line of its change.

    It is recorded as yours. No learning changes and nothing is dismissed unless the person confirms it.
    """
    with call.session.project() as project:
        trace_id = find_run(project, wanted.run).trace_id
        if wanted.action == "dismiss":
            if wanted.place or not wanted.finding:
                raise UsageError(
                    "`dismiss` takes a `finding` and no `place`", hint="`findings` lists the ids"
                )
            body = suggest_dismissal(project, trace_id, wanted.finding, wanted.text, call.client)
        else:
            if wanted.finding or not wanted.place:
                raise UsageError("`comment` takes a `place` and no `finding`", hint="as in src/a.py:12")
            body = suggest_comment(project, trace_id, wanted.place, wanted.text, call.client)
    return Reply(
        f"Recorded as {body.suggestion} about {trace_id}. Nothing follows from it until the person "
        f"confirms it: `setpoint finding confirm {body.suggestion}`"
    )


def story_status(call: Call, wanted: StoryArguments) -> Reply:
    """Show the board of stories, or one story: status, run, branch and what is to be done next."""
    with call.session.project() as project:
        cards = [find_card(project, wanted.story)] if wanted.story else list(list_cards(project))
    cards = [each for each in cards if wanted.story or each.status is not Status.DONE]
    shown = cards[:MOST_STORIES]
    left = f"; {len(cards) - len(shown)} are not shown" if len(cards) > len(shown) else ""
    return Reply(f"{counted(len(cards), 'story')}, most urgent first{left}", "\n\n".join(map(_card, shown)))


def start_run(call: Call, wanted: StartArguments) -> Reply:
    """Start a run of Setpoint in the background, where the person's settings allow that to agents.

    The run continues when your session ends. Follow it with `run_status`.
    """
    with call.session.project() as project:
        told = request_run(
            project, call.session.terms, wanted.request, call.client, lambda: call.told("starting the run")
        )
    name = told.trace_id or f"process {told.process}, whose run is not recorded yet"
    return Reply(
        f"Started {name}; it may cost ${told.max_cost_usd:.2f}. {told.left_today} more may be started "
        "within 24 hours. `run_status` follows it; the person ends it with `setpoint stop`."
    )


def run_status(call: Call, wanted: RunArguments) -> Reply:
    """Show what a run is doing: state, phase, iteration, cost, and its last lines."""
    with call.session.project() as project:
        story = run_story(project, wanted.run)
    summary = story.summary
    state = f"{summary.ending}" if summary.ending else f"{summary.state}"
    own = [f"{summary.trace_id}: {state}; iteration {summary.iteration}", _doing(story.moment)]
    if summary.ending and summary.branch:
        own.append(f"branch {summary.branch}")
    last = [call.session.wording.line(event.body) for event in story.events[-LAST_LINES:]]
    told = [f"request: {summary.title}"]
    told += [f"verdict: {summary.verdict}"] if summary.verdict else []
    told += [f"waiting: {summary.asker} asks: {summary.asks}"] if summary.asks else []
    return Reply("\n".join(filter(None, own)), "\n".join([*told, "last lines:", *last]))


def open_questions(call: Call, _wanted: NoArguments) -> Reply:
    """List the questions that runs ask the person. You cannot answer them: show them to the person."""
    with call.session.project() as project:
        opened, unread = every_question(project)
    lines = [
        "\n".join([f"{each.trace_id} ({each.title}): {each.gate.question}", *each.gate.context])
        for each in opened
    ]
    own = [f"{counted(len(opened), 'open question')}; the person answers them: `setpoint answer show RUN`"]
    own += [f"{trace_id} waits at a question that cannot be read" for trace_id in unread]
    return Reply("\n".join(own), "\n\n".join(lines))


def _doing(moment: Moment) -> str:
    where = [f"phase {moment.phase}", f"iteration {moment.iteration} of {moment.most_iterations}"]
    parts = [*([] if moment.over else where), f"{lasted(moment.elapsed_s)} of work", moment.cost]
    parts += [moment.tests, moment.change, f"quality {moment.score}" if moment.score else "", moment.open]
    return "; ".join(filter(None, parts))


def _card(card: Card) -> str:
    parts = [f"{card.id} ({card.status}, priority {card.priority}): {card.title}"]
    parts += [f"run {card.run}"] if card.run else []
    parts += [f"branch {card.branch}"] if card.branch else []
    parts += [f"error: {text}" for text in (card.fault or card.last_error,) if text]
    return "\n".join([*parts, f"next: {card.action.shown}: {card.action.reason}"])
