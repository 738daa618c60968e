"""Keeping the content of carried files and variables out of what is recorded: their names take its place."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.model.config.local_needs import Needs
from setpoint.model.evidence import CheckResult
from setpoint.settings import inherited
from setpoint.system.files.artifacts import Artifacts

_LEAST = 8
"""Fewest characters of a value that is kept out: shorter ones are words of every text."""
_MOST_BYTES = 64_000
_SET = re.compile(
    r"""^\s*(?:export\s+)?["']?([A-Za-z_][\w.-]*)["']?\s*[=:]\s*["']?(.+?)["']?,?\s*$""", re.MULTILINE
)
"""A line that gives a name a value, as in `.env`, TOML, YAML and JSON."""


@dataclass(frozen=True)
class Veil:
    """Puts names in the place of values."""

    names: dict[str, str] = field(default_factory=dict)
    """By value; the longest first."""

    def text(self, text: str) -> str:
        """Return a text without the values."""
        for value, name in self.names.items():
            text = text.replace(value, f"[{name}]")
        return text

    def result(self, result: CheckResult) -> CheckResult:
        """Return a result without the values; names of tests stay as they are."""
        if not self.names:
            return result
        evidence = result.evidence.model_copy(update={"reason": self.text(result.evidence.reason)})
        findings = tuple(
            each.model_copy(update={"message": self.text(each.message)}) for each in result.findings
        )
        report = result.tests
        if report is not None:
            failures = tuple(
                each.model_copy(update={"message": self.text(each.message), "detail": self.text(each.detail)})
                for each in report.failures
            )
            report = report.changed(failures=failures)
        return result.model_copy(update={"evidence": evidence, "findings": findings, "tests": report})

    def artifacts(self, kept: Artifacts) -> Artifacts:
        """Return the same store, which keeps texts without the values."""
        return kept.with_texts(self.text) if self.names else kept


def veil_of(root: Path, needs: Needs) -> Veil:
    """Return what keeps the content of some files and variables out of what is recorded."""
    found: dict[str, str] = {value: name for name, value in inherited(needs.variables).items()}
    for path in needs.files:
        with contextlib.suppress(OSError, UnicodeDecodeError):
            file = root / path
            if file.is_file() and file.stat().st_size <= _MOST_BYTES:
                found |= {value: name for name, value in _SET.findall(file.read_text("utf-8"))}
    longest = sorted((value for value in found if len(value) >= _LEAST), key=len, reverse=True)
    return Veil({value: found[value] for value in longest})
