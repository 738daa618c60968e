"""Short texts about what happened, and making them harmless where they are shown.

Titles, messages and tool output come from outside, so they are cut, put on one line and escaped.
"""

from __future__ import annotations

import re

from setpoint.model.evidence import Evidence, Failure
from setpoint.model.finding import Finding
from setpoint.model.gate import Choice, Gate
from setpoint.model.run import Snapshot
from setpoint.model.unjudged import UnjudgedEdits

MOST_FILES = 5
"""Files named in one line."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_MARKUP = re.compile(r"([\\`*\[\]|#~!])")
_MENTION = re.compile(r"@(?=\w)")
_FENCES = re.compile(r"`+")


def one_line(text: str, most: int = 300) -> str:
    """Put a text on one line without control characters, cut after `most` characters."""
    line = " ".join(_CONTROL.sub("", text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def lines(text: str) -> str:
    """Remove control characters and colours from a text of many lines."""
    return _CONTROL.sub("", _COLOUR.sub("", text))


def fenced(text: str, language: str = "", most: int = 400) -> str:
    """Put lines into a code block of Markdown that they cannot leave, cut after `most` lines."""
    shown = lines(text).splitlines()
    if len(shown) > most:
        shown = [*shown[:most], f"... {len(shown) - most} more lines"]
    fence = "`" * max(3, *(len(run) + 1 for run in _FENCES.findall(text)), 3)
    return "\n".join((f"{fence}{language}", *shown, fence))


def prose(text: str, most: int = 300) -> str:
    """Escape a text for a line or table cell of Markdown, so that it can neither format, link nor mention."""
    line = _MARKUP.sub(r"\\\1", one_line(text, most)).replace("&", "&amp;").replace("<", "&lt;")
    return _MENTION.sub("@\N{WORD JOINER}", line)


def code(text: str, most: int = 300) -> str:
    """Put a text into a code span of Markdown that it cannot leave."""
    line = one_line(text, most).replace("|", "\\|")
    if not line:
        return ""
    longest = max((len(run) for run in _FENCES.findall(line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def place(file: str, line: int) -> str:
    """Name a place in a file; empty where there is none."""
    return f"{file}:{line}" if line else file


def finding_line(finding: Finding) -> str:
    """Say what is wrong and where, in one line."""
    where = place(finding.file, finding.line)
    rule = f" [{finding.source}{f' {finding.rule}' if finding.rule else ''}]"
    held = f" ({finding.suppressed})" if finding.suppressed else ""
    return one_line(f"{f'{where} - ' if where else ''}{finding.message}{rule}{held}")


def failure_line(failure: Failure) -> str:
    """Say which test fails, why and where, in one line."""
    where = place(failure.file, failure.line)
    return one_line(f"{failure.test} - {failure.message}{f' ({where})' if where else ''}")


def gate_command(trace_id: str, gate: Gate, choice: Choice) -> str:
    """Return the command that answers a gate so, in whatever terminal of the repository."""
    more = {Choice.CONTINUE: f" {gate.offer.iterations}", Choice.PROVE: " 'COMMAND'"}.get(choice, "")
    why = " --because 'WHY'" if choice is Choice.DISMISS else ""
    return f"setpoint answer {choice}{more} {trace_id}{why}"


def look_command(repository: str, base: str, edits: UnjudgedEdits) -> str:
    """Return the command that shows edits which were not judged; `repository` holds their commit."""
    return f"git --git-dir {repository} diff {base[:10]} {edits.commit[:10]}"


def keep_command(repository: str, trace_id: str, edits: UnjudgedEdits) -> str:
    """Return the command that makes edits which were not judged a branch of the repository."""
    return f"git fetch {repository} refs/setpoint/{edits.label}:refs/heads/unjudged-{trace_id}/{edits.label}"


def change_line(snapshot: Snapshot | None) -> str:
    """Say what an attempt changed, as Setpoint saw it."""
    if snapshot is None:
        return "in progress"
    if snapshot.empty:
        return "nothing changed"
    named = ", ".join(snapshot.files[:MOST_FILES])
    more = f" and {len(snapshot.files) - MOST_FILES} more" if len(snapshot.files) > MOST_FILES else ""
    return one_line(f"changed {named}{more} (+{snapshot.insertions} \N{MINUS SIGN}{snapshot.deletions})")


def argv_line(evidence: Evidence) -> str:
    """Return the command of an evidence as one text."""
    return one_line(" ".join(evidence.argv), 400)


def duration(seconds: float) -> str:
    """Say a duration: 0.42 s, 12 s, 3 min 05 s, 2 h 10 min."""
    if seconds < 10:  # noqa: PLR2004 - below ten seconds fractions tell something
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def figure(value: float | str | None) -> str:
    """Say a figure: at most four digits behind the point, `not measured` for none."""
    if value is None:
        return "not measured"
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
