"""The JSON report of eslint, with its fixes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, TypeAdapter

from setpoint.checks.formats import fixes
from setpoint.checks.formats.parsing import Part, from_json
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.finding import Category, Edit, Finding, Fix, Severity

_SEVERITIES = {2: Severity.ERROR, 1: Severity.WARNING, 0: Severity.INFO}
_PLUGINS = {
    "security": Category.SECURITY,
    "no-unsanitized": Category.SECURITY,
    "no-secrets": Category.SECURITY,
    "jsdoc": Category.DOCUMENTATION,
    "tsdoc": Category.DOCUMENTATION,
    "vitest": Category.TESTS,
    "jest": Category.TESTS,
    "testing-library": Category.TESTS,
}
"""Category by the plug-in that a rule belongs to."""
_SECURITY = frozenset({"no-eval", "no-implied-eval", "no-new-func", "no-script-url"})
_CORRECTNESS = frozenset(
    {
        "array-callback-return", "constructor-super", "for-direction", "getter-return", "no-class-assign",
        "no-compare-neg-zero", "no-cond-assign", "no-const-assign", "no-constant-binary-expression",
        "no-constant-condition", "no-dupe-args", "no-dupe-class-members", "no-dupe-else-if", "no-dupe-keys",
        "no-duplicate-case", "no-fallthrough", "no-func-assign", "no-import-assign", "no-invalid-regexp",
        "no-loss-of-precision", "no-obj-calls", "no-self-assign", "no-self-compare", "no-setter-return",
        "no-this-before-super", "no-undef", "no-unreachable", "no-unsafe-finally", "no-unsafe-negation",
        "no-unsafe-optional-chaining", "no-unused-vars", "no-use-before-define", "require-atomic-updates",
        "use-isnan", "valid-typeof",
    }
)  # fmt: skip
"""Rules on code that is likely to do something else than meant, also where a plug-in brings its own form."""


class _Change(Part):
    range: tuple[int, int]
    text: str


class _Message(Part):
    rule: str | None = Field(alias="ruleId")
    severity: Literal[0, 1, 2]
    message: str
    fatal: bool = False
    line: int | None = None
    fix: _Change | None = None


class _File(Part):
    path: str = Field(alias="filePath")
    messages: tuple[_Message, ...]
    suppressed: tuple[Part, ...] = Field(default=(), alias="suppressedMessages")


_FILES = TypeAdapter(tuple[_File, ...])


def read(text: bytes, sources: Sources) -> ToolReport:
    """Read a report; one of no file is an error, as eslint then had nothing to look at."""
    files = from_json(_FILES, text, sources)
    if not files:
        return ToolReport(errors=("eslint looked at no file",))
    found: list[Finding] = []
    for each in files:
        file = sources.relative(each.path)
        wanted = any(message.fix for message in each.messages)
        offsets = fixes.Offsets.of(file, sources) if wanted else None
        found += [_finding(message, file, offsets, sources) for message in each.messages]
    return ToolReport(findings=tuple(found), left_out=sum(len(each.suppressed) for each in files))


def _finding(message: _Message, file: str, offsets: fixes.Offsets | None, sources: Sources) -> Finding:
    line = max(0, message.line or 0)
    return Finding(
        source="eslint",
        rule=message.rule or ("syntax" if message.fatal else ""),
        severity=Severity.ERROR if message.fatal else _SEVERITIES[message.severity],
        category=Category.CORRECTNESS if message.fatal else _category(message.rule or ""),
        message=message.message,
        file=file,
        line=line,
        text=sources.line(file, line),
        fix=_fix(message, file, offsets, sources),
    )


def _fix(message: _Message, file: str, offsets: fixes.Offsets | None, sources: Sources) -> Fix | None:
    """Return the fix; eslint's own rule for one is that it keeps the behaviour (else it is a suggestion)."""
    if message.fix is None or offsets is None:
        return None
    start, end = (offsets.place(offset) for offset in message.fix.range)
    if start is None or end is None:
        return None
    edit = Edit(
        start_line=start[0],
        start_column=start[1],
        end_line=end[0],
        end_column=end[1],
        text=message.fix.text,
    )
    return fixes.fix_of(f"eslint: {message.rule}", [edit], file, sources, fixes.PLANE_0, safe=True)


def _category(rule: str) -> Category:
    plugin, _, name = rule.rpartition("/")
    if name in _SECURITY:
        return Category.SECURITY
    if name in _CORRECTNESS:
        return Category.CORRECTNESS
    return _PLUGINS.get(plugin.removeprefix("@"), Category.STYLE)
