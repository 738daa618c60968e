"""The part of a story's body that Setpoint writes: research, plan and bounces, below the request."""

from __future__ import annotations

import re

from setpoint.model.stories.board import PhaseProgress

OPENING = "<!-- setpoint: written from the record of the newest run; your own words go above this line -->"
CLOSING = "<!-- setpoint: end -->"
MOST_TEXT = 20_000
"""Characters of one phase's text."""
_NOTES = re.compile(
    rf"(?:\r\n|\n)?^<!-- setpoint: written[^\r\n]*-->[ \t]*\r?$.*?^{re.escape(CLOSING)}[ \t]*(?:\r\n|\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_HEADING = re.compile(r"^(#{1,4}) ", re.MULTILINE)


def without_notes(body: str) -> str:
    """Return what people wrote: the body without Setpoint's part."""
    return _NOTES.sub("", body, count=1)


def with_notes(body: str, notes: str, newline: str) -> str:
    """Put notes in the place of the earlier ones, or at the end; empty notes take the part out again."""
    part = f"\n{OPENING}\n\n{notes}\n\n{CLOSING}\n".replace("\n", newline) if notes else ""
    if _NOTES.search(body):
        return _NOTES.sub(lambda _: part, body, count=1)
    gap = newline if part and body and not body.endswith(("\n", "\r")) else ""
    return body + gap + part


def notes_of(standing: PhaseProgress) -> str:
    """Return in Markdown a run's research, its plan and each bounce."""
    parts = [
        f"## {phase.capitalize()}\n\n{_harmless(text)}"
        for phase in standing.phases
        if (text := standing.texts.get(phase, "").strip())
    ]
    parts += [
        f"## Refinement {entry.iteration}\n\n{_harmless(entry.review_feedback)}. "
        f"Sent back to {entry.agent_type}; result: {entry.result}.\n\n> {_harmless(reason)}"
        for entry, reason in zip(standing.refinements, standing.reasons, strict=True)
    ]
    return "\n\n".join(parts)


def _harmless(text: str) -> str:
    """Keep an agent's text inside its part, and its headings below ours."""
    cut = " ".join(text.split()) if "\n" not in text.strip() else text.strip()[:MOST_TEXT]
    return _HEADING.sub(r"##\1 ", cut.replace("<!--", "&lt;!--"))
