"""Edits that mended the same failure before: tried first, wherever their lines stand again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from setpoint_probe.source.source import Source, Splice

from .candidates import Candidate

_FIRST = 10.0
Change = tuple[Sequence[str], Sequence[str]]
"""Lines that were taken out, lines that were put in."""


def known(sources: Mapping[str, Source], changes: Sequence[Change]) -> Iterator[Candidate]:
    """Yield each change for each place that has the lines it removes, whatever their indentation."""
    for rank, (out, put) in enumerate(changes):
        for source in sources.values():
            for first in _places(source, out):
                candidate = _made(source, first, out, put)
                if candidate is not None:
                    yield candidate._replace(score=_FIRST - 0.01 * rank)


def _places(source: Source, out: Sequence[str]) -> list[int]:
    """Return the lines, 1-based, where these lines begin to stand one after the other."""
    wanted = [line.strip() for line in out]
    if not any(wanted):
        return []
    lines = [line.strip() for line in source.text.split("\n")]
    return [at + 1 for at in range(len(lines) - len(wanted) + 1) if lines[at : at + len(wanted)] == wanted]


def _made(source: Source, first: int, out: Sequence[str], put: Sequence[str]) -> Candidate | None:
    last = first + len(out) - 1
    unit = next((each for each in source.units if each.first_line <= first and last <= each.last_line), None)
    if unit is None:
        return None
    here, there = _indent(source.text.split("\n")[first - 1]), _indent(out[0])
    shift = len(here) - len(there)
    lines = [_shifted(line.rstrip("\r\n"), shift, here[:1] or " ") for line in put]
    text = "".join(f"{line}{source.newline}" for line in lines)
    edits = (Splice(*source.lines_span(first, last), text),)
    return Candidate(source, unit, edits, "known", 1, first, _FIRST)


def _shifted(line: str, shift: int, blank: str) -> str:
    if not line.strip():
        return ""
    return blank * shift + line if shift >= 0 else line[min(-shift, len(_indent(line))) :]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
