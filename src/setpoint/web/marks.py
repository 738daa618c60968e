"""Which state of the record a page shows, in one word: pages carry it, and streams say which one there is."""

from __future__ import annotations

import hashlib

from setpoint import wiring
from setpoint.web.context import Desk

LISTED = 100
"""Runs on a page of the list."""


def failed_with(desk: Desk, run: str) -> list[wiring.Failed]:
    """Give what was begun for a run here and failed, newest first."""
    return [each for each in desk.launcher.failed if each.trace_id == run]


def mark_of(desk: Desk, what: str) -> str:
    """Name the state of `runs`, `gates`, `board`, `learnings`, `production` or a run, by its full name.

    A page takes it before it reads what it shows: so it may be older than the page, and never newer.
    """
    return hashlib.sha256(_state(desk, what).encode()).hexdigest()[:16]


def _state(desk: Desk, what: str) -> str:
    match what:
        case "runs":
            listed = [each.model_dump_json() for each in wiring.run_list(desk.project, LISTED)]
            return "".join((*listed, *(str(each.at) for each in desk.launcher.failed)))
        case "gates":
            asked = wiring.questions(desk.project)
            return "".join((*(each.model_dump_json() for each in asked.opened), *asked.unread))
        case "board":
            return "".join(each.model_dump_json() for each in wiring.cards(desk.project))
        case "learnings":
            return wiring.memory_mark(desk.project)
        case "production":
            return wiring.production_mark(desk.signals)
        case _:
            busy = desk.launcher.busy_with(what)
            return f"{wiring.run_mark(desk.project, what)} {busy} {failed_with(desk, what)}"
