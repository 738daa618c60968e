"""The JSON that the web API of SonarQube gives for `api/issues/search`, one page or several in a list."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, TypeAdapter

from setpoint.checks.formats.parsing import Part, bad, from_json
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Finding, Severity

_SEVERITIES = {
    "BLOCKER": Severity.CRITICAL,
    "CRITICAL": Severity.ERROR,
    "HIGH": Severity.ERROR,
    "MAJOR": Severity.WARNING,
    "MEDIUM": Severity.WARNING,
    "MINOR": Severity.INFO,
    "LOW": Severity.INFO,
    "INFO": Severity.INFO,
}
_QUALITIES = {
    "SECURITY": Category.SECURITY,
    "RELIABILITY": Category.CORRECTNESS,
    "MAINTAINABILITY": Category.STYLE,
}
_TYPES = {
    "VULNERABILITY": Category.SECURITY,
    "SECURITY_HOTSPOT": Category.SECURITY,
    "BUG": Category.CORRECTNESS,
    "CODE_SMELL": Category.STYLE,
}
_OPEN = ("OPEN", "CONFIRMED", "REOPENED")

_Level = Literal["BLOCKER", "CRITICAL", "HIGH", "MAJOR", "MEDIUM", "MINOR", "LOW", "INFO"]


class _Impact(Part):
    quality: Literal["SECURITY", "RELIABILITY", "MAINTAINABILITY"] = Field(alias="softwareQuality")
    severity: _Level


class _Range(Part):
    line: int = Field(alias="startLine")


class _Issue(Part):
    key: str
    rule: str
    component: str
    message: str
    severity: _Level | None = None
    type: Literal["VULNERABILITY", "SECURITY_HOTSPOT", "BUG", "CODE_SMELL"] | None = None
    impacts: tuple[_Impact, ...] = ()
    line: int | None = None
    range: _Range | None = Field(default=None, alias="textRange")
    status: str = "OPEN"


class _Component(Part):
    key: str
    path: str = ""


class Paging(Part):
    """How much of the whole a page holds."""

    total: int
    page: int = Field(default=1, alias="pageIndex")
    size: int = Field(default=100, alias="pageSize")


class Page(Part):
    """One answer of the server."""

    paging: Paging
    issues: tuple[_Issue, ...]
    components: tuple[_Component, ...] = ()


_PAGES = TypeAdapter(tuple[Page, ...])
_PAGE = TypeAdapter(Page)


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read all pages; where issues are missing, the report is not believed."""
    whole = text.lstrip(b"\xef\xbb\xbf \t\r\n")
    pages = from_json(_PAGES, text, sources) if whole.startswith(b"[") else (page(text, sources),)
    if not pages:
        raise bad(sources, "it holds no page")
    issues = {issue.key: issue for each in pages for issue in each.issues}
    if len(issues) != pages[-1].paging.total:
        raise bad(
            sources, f"it counts {pages[-1].paging.total} issues and holds {len(issues)}", "at 'paging'"
        )
    paths = {part.key: part.path for each in pages for part in each.components}
    counting = [issue for issue in issues.values() if issue.status in _OPEN]
    return ToolReport(
        findings=tuple(_finding(issue, paths, sources) for issue in counting),
        left_out=len(issues) - len(counting),
    )


def page(text: bytes, sources: Sources) -> Page:
    """Read one page."""
    return from_json(_PAGE, text, sources)


def _finding(issue: _Issue, paths: dict[str, str], sources: Sources) -> Finding:
    file = paths.get(issue.component) or issue.component.partition(":")[2]
    line = max(0, issue.line or (issue.range.line if issue.range else 0))
    return Finding(
        source="sonarqube",
        rule=issue.rule,
        severity=_severity(issue),
        category=_category(issue),
        message=issue.message,
        file=file,
        line=line,
        text=sources.line(file, line),
    )


def _severity(issue: _Issue) -> Severity:
    """Return the worst that either of the server's two scales says."""
    said = [each.severity for each in issue.impacts] or ([issue.severity] if issue.severity else [])
    known = [_SEVERITIES[each] for each in said]
    return max(known, key=lambda each: each.rank) if known else Severity.WARNING


def _category(issue: _Issue) -> Category:
    if issue.type is not None:
        return _TYPES[issue.type]
    worst = max(issue.impacts, key=lambda each: _SEVERITIES[each.severity].rank, default=None)
    return _QUALITIES[worst.quality] if worst else Category.STYLE
