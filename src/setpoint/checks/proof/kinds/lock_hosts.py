"""Judge whether a lock file takes packages from a host that it did not name before."""

from __future__ import annotations

import re

from setpoint.checks.discovery.generated_files import LOCK_FILES
from setpoint.checks.proof.subject import Subject, listed
from setpoint.model.proof import Obligation, ObligationState

_NAME = "lock hosts"
_HOST = re.compile(rb"\b(?:https?|git|ssh)(?:\+\w+)?://(?:[^/\s@\"']+@)?([\w.-]+)", re.IGNORECASE)


def lock_hosts(subject: Subject) -> tuple[Obligation, ...]:
    """Compare the hosts in each changed lock file with those at the base; without any there it is left."""
    wrong = []
    for path, after in subject.after.items():
        known = _hosts(subject.before.get(path, b""))
        if path.rpartition("/")[2] in LOCK_FILES and known and (new := _hosts(after) - known):
            wrong.append(f"{path} takes packages from {listed(tuple(sorted(new)))}, which it did not before")
    if not wrong:
        return ()
    reason = f"{'; '.join(wrong)}: lock them from the same place as before"
    return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)


def _hosts(text: bytes) -> set[str]:
    return {found.decode("ascii", "replace").lower() for found in _HOST.findall(text)}
