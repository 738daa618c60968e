"""The report of a change as Markdown; every text of the change is inert in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from setpoint.model.ci_report import CiReport, CiState, MetricRow, NoteRow, Problem
from setpoint.model.wording import counted

MOST_SHOWN = 30
MOST_CELL = 300
MOST_CHARACTERS = 60_000
"""GitHub takes comments of 65,536 characters."""
_HEADLINES = {
    CiState.PASSED: "nothing new is wrong",
    CiState.FAILED: "not yet",
    CiState.NOT_MEASURED: "not measured",
    CiState.SKIPPED: "nothing to check",
}
_TICKS = re.compile(r"`+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def markdown(report: CiReport) -> str:
    """Write the report as Markdown, at most `MOST_CHARACTERS` long."""
    text = "\n".join(_lines(report)) + "\n"
    if len(text) <= MOST_CHARACTERS:
        return text
    return text[:MOST_CHARACTERS].rpartition("\n")[0] + "\n\nThe rest is left out.\n"


def code(text: str) -> str:
    """Write a text as a span of code in one line: neither links, mentions nor HTML act in it.

    A bar is escaped, so that it ends no cell of a table.
    """
    # A bar after a backslash would end the cell, whatever is written before it.
    shown = _CONTROL.sub(" ", text).strip().replace("\\|", "\\ |")
    if len(shown) > MOST_CELL:
        shown = f"{shown[: MOST_CELL - 2]} …"
    if not shown:
        return ""
    longest = max((len(run) for run in _TICKS.findall(shown)), default=0)
    fence = "`" * (longest + 1)
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{space}{shown}{space}{fence}".replace("|", "\\|")


def _lines(report: CiReport) -> Iterator[str]:
    yield f"### Setpoint: {_HEADLINES[report.state]}"
    yield ""
    if report.reason:
        yield f"{code(report.reason)}"
        yield ""
    if report.state is CiState.SKIPPED:
        return
    merged = f" (measured as {code(report.measured[:12])})" if report.measured != report.head else ""
    yield f"Commit {code(report.head[:12])}{merged} against its base {code(report.base[:12])}."
    yield ""
    yield from _problems(report)
    yield from _notes(report)
    yield from _table("Metrics", ("metric", "base", "change"), [_metric(each) for each in report.metrics])
    yield from _table(
        "Checks",
        ("check", "state", "reason"),
        [(code(each.name), code(each.state), code(each.reason)) for each in report.checks],
    )
    yield from _proof(report)
    yield from _table(
        "Notes for the reader: they decide nothing",
        ("where", "what", "message"),
        [(code(_place(each)), code(each.rule), code(each.message)) for each in report.notes[:MOST_SHOWN]],
    )
    yield f"Setpoint {code(report.setpoint)}, {code(report.event)}."


def _problems(report: CiReport) -> Iterator[str]:
    shown = report.problems[:MOST_SHOWN]
    rows = [(_blocks(each), code(_place(each)), code(each.title), code(each.message)) for each in shown]
    yield from _table("New in this change", ("", "where", "what", "message"), rows)
    more = len(report.problems) - len(shown) + report.left_out
    if more:
        yield f"{counted(more, 'more problem')} not shown."
        yield ""


def _notes(report: CiReport) -> Iterator[str]:
    if report.contradicted:
        yield f"The change contradicts tests of the base: {_listed(report.contradicted)}."
        yield ""
    if report.restored:
        yield f"Restored to the base before the tests ran: {_listed(report.restored)}."
        yield ""
    if report.settings_changed:
        yield f"Settings changed, those of the base were used: {_listed(report.settings_changed)}."
        yield ""
    if report.released:
        yield "A label allows this change to contradict tests of the base."
        yield ""
    if report.known_red:
        yield f"Failed at the base already, and not blamed on the change: {_listed(report.known_red)}."
        yield ""


def _proof(report: CiReport) -> Iterator[str]:
    if not report.obligations:
        return
    missing = report.unproven
    state = f"unproven: {', '.join(code(each.name) for each in missing)}" if missing else "proved"
    rows = [(code(each.name), code(each.state), code(each.reason)) for each in report.obligations]
    yield from _table(f"Proof ({code(report.kind)}): {state}", ("obligation", "state", "reason"), rows)


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    yield f"**{title}**"
    yield ""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def _metric(each: MetricRow) -> tuple[str, str, str]:
    return code(each.name), _figure(each.before), _figure(each.after)


def _figure(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.4g}"


def _blocks(each: Problem) -> str:
    return "blocks" if each.blocking else str(each.level)


def _place(each: Problem | NoteRow) -> str:
    return f"{each.file}:{each.line}" if each.file and each.line else each.file


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(code(name) for name in names[:MOST_SHOWN])
    more = len(names) - MOST_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
