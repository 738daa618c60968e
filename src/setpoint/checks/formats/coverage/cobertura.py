"""The XML of Cobertura, which coverage tools of most languages can write."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from setpoint.checks.formats.coverage.covered_lines import Reached, counted
from setpoint.checks.formats.parsing import bad, from_xml, number
from setpoint.checks.formats.report import Sources

_CONDITIONS = re.compile(r"\((\d{1,9})/(\d{1,9})\)")


def read(text: bytes, sources: Sources) -> Reached:
    """Read a report; a line that several classes of a file share counts once."""
    root = from_xml(text, sources, ("coverage",))
    roots = [each.text.strip() for each in root.iterfind("sources/source") if each.text and each.text.strip()]
    hits: dict[str, dict[int, int]] = defaultdict(dict)
    branches: dict[tuple[str, int], tuple[int, int]] = {}
    for index, each in enumerate(root.iter("class"), start=1):
        if not (name := each.get("filename")):
            raise bad(sources, "it has no filename", f"at class {index}")
        file = _file(name, roots, sources)
        for line in each.iterfind("lines/line"):
            where = f"at a line of {file}"
            at, times = _line(line, sources, where)
            hits[file][at] = max(hits[file].get(at, 0), times)
            if line.get("branch", "").lower() == "true":
                branches[file, at] = max(branches.get((file, at), (0, 0)), _conditions(line, sources, where))
    taken, every = (sum(each[place] for each in branches.values()) for place in (0, 1))
    reached = counted(hits, (taken, every))
    if not reached.statements:
        raise bad(sources, "it names no line that could be run")
    return reached


def _line(line: Element, sources: Sources, where: str) -> tuple[int, int]:
    if "number" not in line.attrib or "hits" not in line.attrib:
        raise bad(sources, "it has no number or no hits", where)
    return number(line.attrib, "number", sources, where), number(line.attrib, "hits", sources, where)


def _conditions(line: Element, sources: Sources, where: str) -> tuple[int, int]:
    """Read `50% (1/2)`."""
    text = line.get("condition-coverage", "")
    found = _CONDITIONS.search(text)
    if found is None:
        raise bad(sources, f"condition-coverage is {text[:60]!r}", where)
    return int(found[1]), int(found[2])


def _file(name: str, roots: Sequence[str], sources: Sources) -> str:
    """Return the path from the root of the tree; names are relative to one of the listed folders."""
    for root in roots:
        path = sources.relative(f"{root.rstrip('/')}/{name}")
        if sources.holds(path):
            return path
    return sources.relative(name)
