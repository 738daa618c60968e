"""Which state of the record a page shows, in one word: pages carry it, and streams say which one there is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from setpoint.app.people.gates import OpenQuestions, open_questions
from setpoint.app.people.learnings import memory_mark
from setpoint.app.runs.launcher import FailedCommand
from setpoint.app.runs.overlaps import cards_with_overlaps
from setpoint.app.views.home import Inbox, inbox, inbox_mark
from setpoint.app.views.production import production_mark
from setpoint.app.views.run_page import run_mark
from setpoint.history.queries import counts
from setpoint.model.stories.board import Card
from setpoint.web.request_context import RequestContext


def failed_with(desk: RequestContext, run: str) -> list[FailedCommand]:
    """Return what was begun for a run here and failed, newest first."""
    return [each for each in desk.launcher.failed if each.trace_id == run]


def mark_of_runs(desk: RequestContext, found: Inbox) -> str:
    """Name what the first page shows, however its list of runs is restricted."""
    over = (f"{name} {count}" for name, count in counts(desk.project.store).items())
    failed = (str(each.at) for each in desk.launcher.failed)
    return _word(*inbox_mark(desk.project, found), *over, *failed)


def mark_of_gates(asked: OpenQuestions) -> str:
    """Name what a page of questions shows."""
    return _word(*(each.model_dump_json() for each in asked.opened), *asked.unread)


def mark_of_board(cards: Iterable[Card]) -> str:
    """Name what the board shows."""
    return _word(*(each.model_dump_json() for each in cards))


def mark_of(desk: RequestContext, what: str) -> str:
    """Name the state of `runs`, `gates`, `board`, `learnings`, `production`, or of a run by its full name.

    The last three are marks of records that only grow. A page takes such a one before it reads what it shows,
    so that it may be older than the page, and never newer.
    """
    match what:
        case "runs":
            return mark_of_runs(desk, inbox(desk.project, desk.signals))
        case "gates":
            return mark_of_gates(open_questions(desk.project))
        case "board":
            return mark_of_board(cards_with_overlaps(desk.project))
        case "learnings":
            return _word(memory_mark(desk.project))
        case "production":
            return _word(production_mark(desk.signals))
        case _:
            busy = desk.launcher.busy_with(what)
            return _word(f"{run_mark(desk.project, what)} {busy} {failed_with(desk, what)}")


def _word(*told: str) -> str:
    return hashlib.sha256("\x1f".join(told).encode()).hexdigest()[:16]
