"""Requests of the maker, read from its answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from setpoint.model.answers.change_request import ChangeRequest
from setpoint.model.run import Round

MOST_REQUESTS = 10
"""Most requests that are read from one answer."""
MOST_REASON = 600
_REQUEST = re.compile(r"^[ \t>*-]*REQUEST[ \t]+`?([^`:\n]+?)`?[ \t]*:[ \t]*(\S.*)$", re.MULTILINE)
_WITHOUT_SUFFIX = frozenset({"Makefile", "makefile", "GNUmakefile", "justfile", "Jenkinsfile", "pylintrc"})


def requests_in(text: str) -> tuple[ChangeRequest, ...]:
    """Read the lines `REQUEST <path>: <reason>`; skip folders and paths outside the project."""
    found = {
        path: ChangeRequest(path=path, reason=_plain(match[2])[:MOST_REASON])
        for match in _REQUEST.finditer(text)
        if _names_file(path := match[1].strip().removeprefix("./"))
    }
    return tuple(found.values())[:MOST_REQUESTS]


def new_requests(rounds: Sequence[Round]) -> tuple[ChangeRequest, ...]:
    """Return the requests of the newest round; each path is requested once in a run."""
    *earlier, last = [_of_round(each) for each in rounds]
    known = {request.path for requests in earlier for request in requests}
    return tuple(request for request in last if request.path not in known)


def _of_round(past: Round) -> tuple[ChangeRequest, ...]:
    attempt = past.snapshot.attempt
    return requests_in(attempt.text) if attempt is not None else ()


def _plain(text: str) -> str:
    """Return the text without control characters and direction marks: a person decides by it."""
    return "".join(each if each.isprintable() else " " for each in text).strip()


def _names_file(path: str) -> bool:
    if not path.isprintable():
        return False  # a person cannot decide on a name that cannot be shown
    place = PurePosixPath(path)
    inside = not place.is_absolute() and ".." not in place.parts and ".git" not in place.parts
    return bool(place.name) and inside and ("." in place.name or place.name in _WITHOUT_SUFFIX)
