"""What `go vet -json` prints: for each package a line with its name, then a JSON object."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import TypeAdapter

from setpoint.checks.formats.parsing import Part, bad, from_json, lines_of
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_PLACE = re.compile(r"(?P<file>.+?\.(?:go|s|c|h)):(?P<line>\d{1,9})(?::\d{1,9})?")
_COMPILER = re.compile(r"(?:vet: )?(?P<posn>\S.*?\.(?:go|s|c|h):\d{1,9}(?::\d{1,9})?): (?P<message>.*)")


class _Diagnostic(Part):
    posn: str
    message: str


class _Fault(Part):
    error: str


_PACKAGES = TypeAdapter(dict[str, dict[str, tuple[_Diagnostic, ...] | _Fault]])


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read what was printed; what the compiler says of a package is a finding, as it does not compile."""
    findings: list[Finding] = []
    errors: list[str] = []
    if not text:
        return ToolReport()
    for number, part in _parts(lines_of(text, sources)):
        if part.startswith("{"):
            packages = from_json(_PACKAGES, part.encode(), sources, f"in the object of line {number}")
            for found, told in _judged(packages, sources):
                findings += found
                errors += told
        elif compiler := _COMPILER.fullmatch(part):
            findings.append(_finding("compile", compiler["posn"], compiler["message"], sources))
        elif not part.startswith(("# ", "\t")):
            raise bad(sources, f"it is not a line of go vet: {part[:200]!r}", f"in line {number}")
    return ToolReport(findings=tuple(findings), errors=tuple(errors))


def _parts(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield each line of its own, and each object as one part, with the number of its first line."""
    held: list[str] = []
    first = 0
    for number, line in enumerate(lines, start=1):
        if held or line.startswith("{"):
            first = first if held else number
            held.append(line)
            if line.startswith("}") or line == "{}":
                yield first, "\n".join(held)
                held = []
        elif line.strip():
            yield number, line
    if held:
        yield first, "\n".join(held)


def _judged(
    packages: dict[str, dict[str, tuple[_Diagnostic, ...] | _Fault]], sources: Sources
) -> Iterator[tuple[list[Finding], list[str]]]:
    for package, analyses in packages.items():
        for rule, told in analyses.items():
            if isinstance(told, _Fault):
                yield [], [f"{package}: {rule}: {told.error}"]
            else:
                yield [_finding(rule, each.posn, each.message, sources) for each in told], []


def _finding(rule: str, posn: str, message: str, sources: Sources) -> Finding:
    place = _PLACE.fullmatch(posn)
    file, line = (sources.relative(place["file"]), int(place["line"])) if place else ("", 0)
    return Finding(
        source="go vet",
        rule=rule,
        severity=Severity.ERROR,
        category=Category.CORRECTNESS,
        message=message,
        file=file,
        line=line,
        text=sources.line(file, line),
    )
