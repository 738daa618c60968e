"""What a person does about a finding: dismiss it, take its fix, or write another."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from pydantic import Field

from setpoint.app.people.feedback import Terms, dismiss_finding, lift_finding
from setpoint.app.people.findings import fix_of, passage_of, patch_of_lines
from setpoint.app.people.fixes import finding_with_fix
from setpoint.app.views.run_page import decisions_of
from setpoint.errors import SetpointError, UsageError
from setpoint.model.events.people import FixApplied
from setpoint.model.ids import TraceId
from setpoint.web.api_feedback import Dismissal, KnownFinding
from setpoint.web.diffs import files_of
from setpoint.web.pages import page, said
from setpoint.web.request_context import Admin, Answerer, KnownRun, Sent, TheDesk

router = APIRouter(include_in_schema=False)
_TRIED = "it is being tried out: applied, measured, and delivered only if nothing got worse"


class OwnVersion(Sent):
    """How a person writes the lines around a finding."""

    start: int = Field(ge=1)
    """The first line that it replaces."""
    end: int = Field(ge=1)
    """The last line that it replaces."""
    text: str = Field(default="", max_length=60_000)


@router.get("/runs/{which}/findings/{finding}/fix")
def fix(which: KnownRun, seen: KnownFinding, request: Request, desk: TheDesk, _visitor: Admin) -> Response:
    """Show the suggested fix, and the lines around the finding for editing."""
    patch, why_not, passage = "", "", None
    found = seen.finding
    try:
        passage = passage_of(desk.project, TraceId(which), seen)
        if found.fix and found.fix.edits:
            patch = fix_of(desk.project, TraceId(which), seen)
    except UsageError as error:
        why_not = error.message
    decided = decisions_of(desk.project, TraceId(which)).get(found.fingerprint, ())
    # A patch of edits has no line that names both files, as git's own would.
    files, _ = files_of(f"diff --git a/{found.file} b/{found.file}\n{patch}") if patch else ([], 0)
    return page(
        request,
        "fix.html.j2",
        run=which,
        finding=found.fingerprint,
        described=found.fix.description if found.fix else "",
        files=files,
        passage=passage,
        why_not=why_not,
        taken=any(isinstance(each.body, FixApplied) and each.body.kept for each in decided),
    )


@router.post("/runs/{which}/findings/{finding}/dismiss")
async def dismiss(
    which: KnownRun,
    seen: KnownFinding,
    request: Request,
    desk: TheDesk,
    _visitor: Answerer,
    form: Annotated[Dismissal, Form()],
) -> Response:
    """Say that a finding is none."""
    name = seen.finding.fingerprint
    await asyncio.to_thread(
        dismiss_finding,
        desk.project,
        TraceId(which),
        name,
        form.reason.strip(),
        Terms(days=form.days, place=form.place.strip(), considered_s=form.considered_s),
    )
    return said(request, f"dismissed for {form.days} days, in later runs too")


@router.post("/suppressions/{finding}/lift")
async def lift(finding: str, request: Request, desk: TheDesk, _visitor: Answerer) -> Response:
    """Take a dismissal back."""
    try:
        await asyncio.to_thread(lift_finding, desk.project, finding)
    except UsageError as error:
        return said(request, error.message, bad=True)
    return said(request, "it counts again")


@router.post("/runs/{which}/findings/{finding}/apply")
async def apply(
    which: KnownRun, seen: KnownFinding, request: Request, desk: TheDesk, _visitor: Admin
) -> Response:
    """Take a suggested fix."""
    name = seen.finding.fingerprint
    try:
        await asyncio.to_thread(finding_with_fix, desk.project, TraceId(which), name, suggested=True)
        desk.launcher.take(TraceId(which), name)
    except SetpointError as error:
        return said(request, error.message, bad=True)
    return said(request, _TRIED)


@router.post("/runs/{which}/findings/{finding}/rewrite")
async def rewrite(
    which: KnownRun,
    seen: KnownFinding,
    request: Request,
    desk: TheDesk,
    _visitor: Admin,
    form: Annotated[OwnVersion, Form()],
) -> Response:
    """Take a person's own version of the lines around a finding."""
    name, trace_id = seen.finding.fingerprint, TraceId(which)
    try:
        await asyncio.to_thread(finding_with_fix, desk.project, trace_id, name, suggested=False)
        lines = (form.start, form.end)
        patch = await asyncio.to_thread(patch_of_lines, desk.project, trace_id, seen, lines, form.text)
        desk.launcher.rewrite(trace_id, name, patch)
    except SetpointError as error:
        return said(request, error.message, bad=True)
    return said(request, _TRIED)
