"""Requests and reasons of the maker, and paths that people released, read from answers and events."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from setpoint.model.answers.change_request import ChangeRequest, GivenReason
from setpoint.model.events import Event
from setpoint.model.events.requests import ReasonsGiven
from setpoint.model.finding import Category, Finding
from setpoint.model.run import Round

MOST_REQUESTS = 10
"""Most requests that are read from one answer."""
MOST_REASON = 600
_REQUEST = re.compile(r"^[ \t>*-]*REQUEST[ \t]+`?([^`:\n]+?)`?[ \t]*:[ \t]*(\S.*)$", re.MULTILINE)
_REASON = re.compile(r"^[ \t>*-]*REASON[ \t]+`?([0-9a-f]{16})`?[ \t]*:[ \t]*(\S.*)$", re.MULTILINE)
_WITHOUT_SUFFIX = frozenset({"Makefile", "makefile", "GNUmakefile", "justfile", "Jenkinsfile", "pylintrc"})


def requests_in(text: str) -> tuple[ChangeRequest, ...]:
    """Read the lines `REQUEST <path>: <reason>`; skip folders and paths outside the project."""
    found = {
        path: ChangeRequest(path=path, reason=_plain(match[2])[:MOST_REASON])
        for match in _REQUEST.finditer(text)
        if _names_file(path := match[1].strip().removeprefix("./"))
    }
    return tuple(found.values())[:MOST_REQUESTS]


def reasons_in(text: str) -> tuple[GivenReason, ...]:
    """Read the lines `REASON <id of a signal>: <reason>`."""
    found = {match[1]: _plain(match[2])[:MOST_REASON] for match in _REASON.finditer(text)}
    return tuple(GivenReason(signal=signal, reason=reason) for signal, reason in found.items())


def new_requests(rounds: Sequence[Round]) -> tuple[ChangeRequest, ...]:
    """Return the requests of the newest round; each path is requested once in a run."""
    *earlier, last = [_of_round(each) for each in rounds]
    known = {request.path for requests in earlier for request in requests}
    return tuple(request for request in last if request.path not in known)


def _of_round(past: Round) -> tuple[ChangeRequest, ...]:
    attempt = past.snapshot.attempt
    return requests_in(attempt.text) if attempt is not None else ()


def given_reasons(events: Sequence[Event]) -> dict[str, str]:
    """Return the maker's reasons by the fingerprint of the finding that they explain."""
    given = [event.body for event in events if isinstance(event.body, ReasonsGiven)]
    return {each.signal: each.reason for body in given for each in body.reasons}


def unexplained(findings: Sequence[Finding], events: Sequence[Event]) -> tuple[Finding, ...]:
    """Return the signals of test integrity that the maker has not explained."""
    known = given_reasons(events)
    return tuple(
        finding
        for finding in findings
        if finding.category is Category.INTEGRITY
        and finding.source == "integrity"
        and not finding.blocking
        and finding.fingerprint not in known
    )


def _plain(text: str) -> str:
    """Return the text without control characters and direction marks: a person decides by it."""
    return "".join(each if each.isprintable() else " " for each in text).strip()


def _names_file(path: str) -> bool:
    if not path.isprintable():
        return False  # a person cannot decide on a name that cannot be shown
    place = PurePosixPath(path)
    inside = not place.is_absolute() and ".." not in place.parts and ".git" not in place.parts
    return bool(place.name) and inside and ("." in place.name or place.name in _WITHOUT_SUFFIX)
