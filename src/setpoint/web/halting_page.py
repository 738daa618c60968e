"""How halting policies compare on the project's own runs."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from setpoint.app.views.halting import halting_status, own_runs, replay_tables
from setpoint.model.halting import Economics
from setpoint.web.pages import page
from setpoint.web.request_context import Reader, TheDesk

router = APIRouter(include_in_schema=False)


@router.get("/metrics/halting")
def halting(request: Request, desk: TheDesk, _visitor: Reader) -> Response:
    """Show what each halting policy would have reached in the runs of the project."""
    root = desk.project.root
    tables = replay_tables(own_runs(desk.project), (), Economics.of(desk.project.settings.halting))
    return page(request, "halting.html.j2", found=halting_status(root), tables=tables)
