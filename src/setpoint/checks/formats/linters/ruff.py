"""The JSON report of `ruff check`, with its fixes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Edit, Finding, Fix, Severity

_CATEGORIES = (
    ("ANN", Category.TYPES),
    ("PERF", Category.PERFORMANCE),
    ("PLE", Category.CORRECTNESS),
    ("DOC", Category.DOCUMENTATION),
    ("PT", Category.TESTS),
    ("D", Category.DOCUMENTATION),
    ("B", Category.CORRECTNESS),
    ("F", Category.CORRECTNESS),
    ("S", Category.SECURITY),
)
"""Category by the beginning of the rule's code; the part after it must be digits. Anything else is style."""
_CERTAIN = ("E9", "F63", "F7", "F82", "PLE")
"""Rules whose findings fail when the line is run; they block."""
_UNREADABLE = "E902"
_UNFORMATTED = "unformatted"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Place(_Part):
    row: int
    column: int


class _Edit(_Part):
    content: str
    location: _Place
    end_location: _Place


class _Fix(_Part):
    applicability: str
    message: str | None = None
    edits: tuple[_Edit, ...]


class _Item(_Part):
    code: str | None
    """None in older versions where the file does not parse."""
    message: str
    filename: str
    location: _Place
    fix: _Fix | None = None
    url: str | None = None


_ITEMS = TypeAdapter(tuple[_Item, ...])


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a report."""
    try:
        items = _ITEMS.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadReport(f"ruff's report is not readable at {first['loc']}: {first['msg']}") from None
    unreadable = tuple(f"{sources.relative(i.filename)}: {i.message}" for i in items if i.code == _UNREADABLE)
    return ToolReport(findings=tuple(_finding(item, sources) for item in items), errors=unreadable)


def _finding(item: _Item, sources: Sources) -> Finding:
    code = item.code or "invalid-syntax"
    broken = code == "invalid-syntax"
    file = sources.relative(item.filename)
    return Finding(
        source="ruff",
        rule=code,
        severity=Severity.ERROR if broken or code.startswith(_CERTAIN) else Severity.WARNING,
        category=Category.CORRECTNESS if broken else _category(code),
        message=item.message,
        file=file,
        line=item.location.row,
        # A file that is not formatted is one finding, wherever its first difference moves to.
        text="" if code == _UNFORMATTED else sources.line(file, item.location.row),
        fix=_fix(item),
        detail=item.url or "",
    )


def _fix(item: _Item) -> Fix | None:
    if item.fix is None:
        return None
    edits = tuple(
        Edit(
            start_line=edit.location.row,
            start_column=edit.location.column,
            end_line=edit.end_location.row,
            end_column=edit.end_location.column,
            text=edit.content,
        )
        for edit in item.fix.edits
    )
    return Fix(
        description=item.fix.message or item.message, edits=edits, safe=item.fix.applicability == "safe"
    )


def _category(code: str) -> Category:
    for prefix, category in _CATEGORIES:
        if code.startswith(prefix) and code[len(prefix) :].isdigit():
            return category
    return Category.STYLE
