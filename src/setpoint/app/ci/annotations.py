"""Workflow commands of GitHub: each annotates a line of the change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from setpoint.model.ci_report import CiReport, Level, Problem

MOST_OF_A_LEVEL = 10
"""GitHub shows so many annotations of each level of a step, and drops the others without a word."""


def commands(report: CiReport) -> Iterator[str]:
    """Yield one command for each problem, the blocking ones first, as far as GitHub shows them."""
    seen: Counter[Level] = Counter()
    for each in report.problems:
        if seen[each.level] < MOST_OF_A_LEVEL:
            seen[each.level] += 1
            yield annotation(each)


def annotation(each: Problem) -> str:
    """Write one workflow command, with all characters escaped that would end it."""
    places = {"file": each.file, "line": str(each.line) if each.file and each.line else ""}
    properties = {**places, "title": f"Setpoint: {each.title}"}
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    return f"::{each.level} {told}::{_data(each.message)}"


def error_command(message: str) -> str:
    """Write the command for a job that could not check anything."""
    return f"::error title=Setpoint::{_data(message)}"


def plain_line(text: str) -> str:
    """Write a text as one line of a log that GitHub takes for no command."""
    shown = " ".join(text.split()).replace("##[", "# #[")
    return f"setpoint: {shown}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
