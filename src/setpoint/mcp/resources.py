"""Resources: reports and progress of runs, and stories."""

from __future__ import annotations

import re
from pathlib import Path

from mcp import types

from setpoint.app.runs.board import find_card, list_cards
from setpoint.app.views.export import progress_text, report_text
from setpoint.errors import UsageError
from setpoint.mcp.material import MOST_RESOURCE, Reply, clean, written
from setpoint.mcp.session import Session
from setpoint.wiring.project import find_run, run_list

MOST_LISTED = 20
"""Runs, and as many stories, that are listed; others can be read by name."""
_TEMPLATES = {
    "setpoint://runs/{run}/report": "The report of a run: goal, evidence, findings, cost.",
    "setpoint://runs/{run}/progress": "The state of a run as JSON, iteration by iteration.",
    "setpoint://stories/{id}": "A story as its file states it.",
}
_RUN = re.compile(r"setpoint://runs/([\w-]{1,200})/(report|progress)")
_STORY = re.compile(r"setpoint://stories/([\w.-]{1,200})")
_PLAIN = "text/plain"


def templates() -> list[types.ResourceTemplate]:
    """Return the kinds of resources."""
    return [
        types.ResourceTemplate(uri_template=uri, name=uri, description=text, mime_type=_PLAIN)
        for uri, text in _TEMPLATES.items()
    ]


def listed(session: Session) -> list[types.Resource]:
    """Return the reports of the newest runs and the most urgent stories."""
    with session.project() as project:
        runs = run_list(project, MOST_LISTED)
        cards = [card for card in list_cards(project) if not card.fault][:MOST_LISTED]
    found = [(f"setpoint://runs/{run.trace_id}/report", str(run.trace_id), run.title) for run in runs]
    found += [(f"setpoint://stories/{card.id}", str(card.id), card.title) for card in cards]
    return [
        types.Resource(uri=uri, name=name, title=clean(title)[:200], mime_type=_PLAIN)
        for uri, name, title in found
    ]


def read(session: Session, uri: str) -> str:
    """Return a resource as text, marked as material; `UsageError` where there is none."""
    run, story = _RUN.fullmatch(uri), _STORY.fullmatch(uri)
    with session.project() as project:
        if run is not None:
            trace_id = find_run(project, run[1]).trace_id
            text = (report_text if run[2] == "report" else progress_text)(project, trace_id)
            return written(Reply(f"{run[2]} of {trace_id}", text), MOST_RESOURCE)
        if story is not None:
            card = find_card(project, story[1])
            text = Path(card.path).read_text("utf-8", "replace")
            return written(Reply(f"story {card.id}", text), MOST_RESOURCE)
    raise UsageError(f"there is no resource '{uri[:300]}'", hint=f"there are {', '.join(_TEMPLATES)}")
