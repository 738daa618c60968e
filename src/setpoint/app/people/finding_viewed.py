"""When a person looked at a finding last, so that the time they thought about it can be weighed."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from setpoint.model.ids import TraceId
from setpoint.system.files.atomic import write_atomic
from setpoint.wiring.project import Project

MOST_S = 1800.0
"""Seconds after which nobody can say that it was thought about all the time."""
_MOST = 200


def record_view(project: Project, trace_id: TraceId, fingerprint: str) -> None:
    """Remember that a finding was shown now; only the newest are kept, and nothing rests on it."""
    known = _known(project)
    known.pop(f"{trace_id}/{fingerprint}", None)
    known[f"{trace_id}/{fingerprint}"] = datetime.now(UTC).isoformat()
    newest = dict(list(known.items())[-_MOST:])
    write_atomic(project.state / "seen.json", json.dumps(newest, indent=1), flush=False)


def viewed_for_s(project: Project, trace_id: TraceId, fingerprint: str) -> float | None:
    """Return the seconds since a finding was shown; none where it was not, or too long ago."""
    at = _known(project).get(f"{trace_id}/{fingerprint}")
    if at is None:
        return None
    passed = (datetime.now(UTC) - datetime.fromisoformat(at)).total_seconds()
    return round(passed, 3) if 0.0 <= passed <= MOST_S else None


def _known(project: Project) -> dict[str, str]:
    try:
        found = json.loads((project.state / "seen.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}  # never shown, or not readable: then nobody can tell
    return {str(key): str(at) for key, at in found.items()} if isinstance(found, dict) else {}
