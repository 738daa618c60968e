"""Where a test of another language failed, and why: read from its stack trace and message."""

from __future__ import annotations

import re
from itertools import islice

from setpoint.checks.formats.report import Sources
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import Cause

_FRAME = re.compile(
    r"(?:file://)?(?P<file>(?:\.{0,2}/)?[\w@+\-./\[\]]{1,400}?\.(?:[cm]?[jt]sx?|vue|svelte|go|rs)):(?P<line>\d{1,7})\b"
)
_JVM = re.compile(
    r"\bat (?:[\w.$@\-]+/)*(?P<method>[\w.$<>]+)"
    r"\((?P<file>[\w$\-]+\.(?:java|kt|scala|groovy)):(?P<line>\d{1,7})\)"
)
_MOST = 60
"""Frames that are looked at; deeper ones are the runner's."""
_FOREIGN = ("node_modules/", "vendor/", ".cargo/", "rustc/")
_CAUSES = (
    (Cause.SYNTAX, re.compile(r"SyntaxError|Transform failed|Unexpected token|ParseError|PARSE_ERROR")),
    (
        Cause.ENVIRONMENT,
        re.compile(
            r"spawn\w* \S+ ENOENT|TypeError: fetch failed"
            r"|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|connection refused|no such host"
            r"|Cannot find (?:module|package) '[^./'][^']*'|Failed to resolve import \"[^./\"][^\"]*\""
        ),
    ),
    (
        Cause.IMPORT,
        re.compile(
            r"Cannot find (?:module|package)|Failed to resolve import|ERR_MODULE_NOT_FOUND|does not provide"
        ),
    ),
    (
        Cause.TIMEOUT,
        re.compile(r"[Tt]est timed out|[Ee]xceeded timeout|testTimeoutFailure|panic: test timed out"),
    ),
    (
        Cause.ASSERTION,
        re.compile(
            r"Assertion(?:Failed)?Error|ComparisonFailure|ERR_ASSERTION"
            r"|expect\(|^expected |assertion .*failed|assert(?:ion)? failed"
        ),
    ),
    (
        Cause.RUNTIME,
        re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b|\bError: |panicked at|^panic: ", re.MULTILINE),
    ),
)


def place_in(text: str, sources: Sources) -> tuple[str, int]:
    """Return file and line of the innermost frame inside the tree, one outside the tests before all others.

    Traces of JavaScript, Go, Rust and Java begin with the innermost frame. Empty and 0 where none is there.
    """
    inside = places_in(text, sources)
    code = [place for place in inside if not is_test_path(place[0])]
    return next(iter(code or inside), ("", 0))


def places_in(text: str, sources: Sources) -> list[tuple[str, int]]:
    """Return file and line of the frames inside the tree, as the trace has them."""
    inside = [place for frame in islice(_JVM.finditer(text), _MOST) if (place := _of_jvm(frame, sources))[0]]
    for count, frame in enumerate(_FRAME.finditer(text)):
        if count == _MOST:
            break
        file = sources.relative(frame["file"].removeprefix("./"))
        if not any(part in file for part in _FOREIGN) and sources.holds(file):
            inside.append((file, int(frame["line"])))
    return inside


def _of_jvm(frame: re.Match[str], sources: Sources) -> tuple[str, int]:
    """Find the source of a frame, which names its package and its file, not the folder that holds both."""
    package = frame["method"].rsplit(".", 2)[0] if frame["method"].count(".") > 1 else ""
    file = sources.ending("/".join([*package.split("."), frame["file"]] if package else [frame["file"]]))
    return (file, int(frame["line"])) if file else ("", 0)


def cause_in(text: str) -> Cause | None:
    """Class a failure by what it says; none where it says nothing known."""
    return next((cause for cause, pattern in _CAUSES if pattern.search(text)), None)
