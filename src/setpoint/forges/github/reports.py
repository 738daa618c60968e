"""What Setpoint shows at a commit: check runs, commit statuses, findings for code scanning."""

from __future__ import annotations

import base64
import gzip
from http import HTTPStatus

from setpoint.forges.commit_status import COMMIT_STATUS, status_of
from setpoint.forges.github.answers import Written
from setpoint.forges.http import ForgeHttp, Json
from setpoint.forges.marks import fitted
from setpoint.model.forge import Annotation, CheckSummary
from setpoint.model.ids import Commit

MOST_ANNOTATIONS = 50
"""In one request."""
CHECK_RUN = "check run"
_LONGEST_TITLE = 255
_LONGEST_NOTE = 60_000


async def show(http: ForgeHttp, repo: str, commit: Commit, summary: CheckSummary) -> str:
    """Make a check run with all annotations; a commit status where only apps may make check runs."""
    notes = [_annotation(each) for each in summary.annotations]
    body = {
        "name": summary.name,
        "head_sha": commit,
        "status": "completed",
        "conclusion": str(summary.conclusion),
        "output": _output(summary, notes[:MOST_ANNOTATIONS]),
        **({"details_url": summary.url} if summary.url else {}),
    }
    refusals = (HTTPStatus.FORBIDDEN,)
    reply = await http.send("POST", f"{repo}/check-runs", body, also=refusals)
    if reply.status in refusals:
        await http.send("POST", f"{repo}/statuses/{commit}", status_of(summary), again=True)
        return COMMIT_STATUS
    made = reply.read(Written, "GitHub: a new check run")
    for first in range(MOST_ANNOTATIONS, len(notes), MOST_ANNOTATIONS):
        more = {"output": _output(summary, notes[first : first + MOST_ANNOTATIONS])}
        # GitHub adds annotations to those that it has, so a second try could double them.
        await http.send("PATCH", f"{repo}/check-runs/{made.id}", more, again=False)
    return CHECK_RUN


async def upload(http: ForgeHttp, repo: str, commit: Commit, ref: str, sarif: bytes) -> bool:
    """Hand over SARIF; false where code scanning is off or closed to the token."""
    packed = base64.b64encode(gzip.compress(sarif, mtime=0)).decode()
    body = {"commit_sha": commit, "ref": ref, "sarif": packed}
    refusals = (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)
    reply = await http.send("POST", f"{repo}/code-scanning/sarifs", body, also=refusals, again=True)
    return reply.status not in refusals


def _output(summary: CheckSummary, notes: list[Json]) -> Json:
    title = summary.title[:_LONGEST_TITLE]
    return {"title": title, "summary": fitted(summary.text), "annotations": notes}


def _annotation(note: Annotation) -> Json:
    return {
        "path": note.file,
        "start_line": note.line,
        "end_line": note.line,
        "annotation_level": str(note.level),
        "title": note.title[:_LONGEST_TITLE],
        "message": fitted(note.text, _LONGEST_NOTE) or note.title,
    }
