"""Requests of the maker: record them, show them to the reviewer, ask a person."""

from __future__ import annotations

from datetime import timedelta

from setpoint.inner.structured_answer import Question, ask_for, read_object
from setpoint.model.answers.change_request import ChangeRequest, Opinion
from setpoint.model.answers.role_answers import OpinionsShape
from setpoint.model.attempt import Attempt, Mode, Role
from setpoint.model.events.requests import ChangeRequested, ChangeReviewed, ChangeSettled
from setpoint.model.facts.spending import added
from setpoint.model.gate import Choice, Gate, GateKind, OnLimit, Option
from setpoint.model.ids import GateId
from setpoint.model.pipeline import Phase, PhaseKind
from setpoint.model.run import Round
from setpoint.model.wording import counted
from setpoint.people.questions import ask
from setpoint.phase.briefs import Situation, brief
from setpoint.phase.policy.change_requests import new_requests
from setpoint.runs.context import RunContext

ASKED = Phase(
    name="request", kind=PhaseKind.REVIEW, role=Role.REVIEWER, prompts={Mode.FRESH: "request.md.j2"}
)
"""Label of the question to a reviewer about requests."""
_OPTIONS = (
    Option(choice=Choice.APPROVE, text="the files are judged from now on as the maker leaves them"),
    Option(choice=Choice.REJECT, text="the files stay as they are at the base"),
)


async def settle_requests(run: RunContext, rounds: tuple[Round, ...], iteration: int) -> None:
    """Let the reviewer assess and a person decide all requests of the newest round at once."""
    wanted = new_requests(rounds)
    if not wanted:
        return
    key = f"request-{iteration}"
    run.journal.note(key, ChangeRequested(iteration=iteration, requests=wanted))
    diff = await run.ports.workspace.diff(run.copy, run.order.base, rounds[-1].snapshot.commit)
    reviewed = await _reviewed(run, key, iteration, wanted, diff)
    paths = tuple(each.path for each in wanted)
    if run.order.escalation.on_limit is not OnLimit.MANUAL:
        reason = f"asking a person is switched off: escalation.on_limit is {run.order.escalation.on_limit}"
        body = ChangeSettled(iteration=iteration, paths=paths, granted=False, by="setpoint", reason=reason)
    else:
        answer = await ask(run, _gate(run, key, iteration, wanted, reviewed))
        body = ChangeSettled(
            iteration=iteration,
            paths=paths,
            granted=answer.choice is Choice.APPROVE,
            by=answer.by,
            reason=answer.reason or answer.instruction,
        )
    run.journal.note(f"{key}:settled", body)


def _gate(
    run: RunContext, key: str, iteration: int, wanted: tuple[ChangeRequest, ...], reviewed: ChangeReviewed
) -> Gate:
    said = {each.path: each for each in reviewed.opinions}
    now, wait = run.ports.clock.now(), run.order.escalation.deadline_s
    return Gate(
        id=GateId(key),
        kind=GateKind.REQUEST,
        iteration=iteration,
        question=f"May the maker change {counted(len(wanted), 'protected file')}?",
        options=_OPTIONS,
        context=tuple(_line(each, said.get(each.path), reviewed.reviewer) for each in wanted),
        asked_at=now,
        deadline=None if wait is None else now + timedelta(seconds=wait),
        default=Choice.REJECT,
    )


def _line(request: ChangeRequest, opinion: Opinion | None, reviewer: str) -> str:
    text = f"{request.path}: {request.reason}"
    if opinion is None:
        return text
    word = {True: "for it", False: "against it", None: "undecided"}[opinion.grant]
    return f"{text} (the reviewer {reviewer} is {word}{f': {opinion.reason}' if opinion.reason else ''})"


async def _reviewed(
    run: RunContext, key: str, iteration: int, wanted: tuple[ChangeRequest, ...], diff: str
) -> ChangeReviewed:
    """Ask the reviewer; if it breaks or its answer is unreadable, a person decides without its opinion."""

    async def act() -> ChangeReviewed:
        agent = run.ports.agents[Role.REVIEWER]
        asked = brief(run, ASKED, Situation(iteration=iteration, requests=wanted, diff=diff))
        question = Question(
            phase=ASKED.name,
            iteration=iteration,
            label=key,
            brief=asked,
            read=lambda attempt: opinions_in(attempt, wanted),
        )
        came = await ask_for(run, agent, question)
        return ChangeReviewed(
            iteration=iteration,
            reviewer=agent.name,
            opinions=came.value or (),
            usage=added(list(came.usages)),
        )

    return await run.journal.step(f"{key}:review", act, ChangeReviewed)


def opinions_in(attempt: Attempt, wanted: tuple[ChangeRequest, ...]) -> tuple[Opinion, ...]:
    """Read a reviewer's opinions; raises `ValueError` if the answer does not fit `OpinionsShape`."""
    paths = {each.path for each in wanted}
    return tuple(
        Opinion(path=each.path, grant=each.grant, reason=each.reason[:600])
        for each in read_object(attempt.text, OpinionsShape).opinions
        if each.path in paths
    )
