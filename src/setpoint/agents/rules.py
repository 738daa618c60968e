"""The built-in researcher, planner and reviewer by rule: no model, no key, no refusal."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import NamedTuple

from setpoint.model.attempt import RULES, Attempt, Brief, Role, Stop, Usage
from setpoint.model.changes.diff import CUT, Added, added_lines
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.cover_quality import SOURCE as COVER
from setpoint.model.finding import Category, Finding, Severity
from setpoint.ports import Observer

SECURITY = "security"
_UNJUDGED = ("spec", "product")
"""Kinds of review that ask for intent."""
LARGE_CHANGE = 400
"""Changed lines from which a change counts as large."""


class Rule(NamedTuple):
    """Something a reviewer looks for in added lines."""

    name: str
    pattern: re.Pattern[str]
    category: Category
    message: str


REVIEW_RULES = (
    Rule(
        "conflict-marker",
        re.compile(r"^(<{7} |>{7} |={7}$)"),
        Category.CORRECTNESS,
        "a merge conflict marker",
    ),
    Rule(
        "debugger",
        re.compile(r"\b(breakpoint\(\)|(i?pdb)\.set_trace\(|import i?pdb\b)"),
        Category.CORRECTNESS,
        "a debugger call was left in",
    ),
    Rule(
        "private-key",
        re.compile(r"-----BEGIN (RSA |EC |OPENSSH |)PRIVATE KEY-----"),
        Category.SECURITY,
        "a private key",
    ),
    Rule(
        "secret",
        re.compile(
            r"\b(AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,}|sk-[A-Za-z0-9_-]{32,}|xox[baprs]-[A-Za-z0-9-]{20,})"
        ),
        Category.SECURITY,
        "what looks like an access token",
    ),
    Rule(
        "swallowed",
        re.compile(r"^\s*except(\s+(Base)?Exception)?\s*:\s*(pass|\.\.\.)\s*$"),
        Category.CORRECTNESS,
        "an exception is swallowed",
    ),
    Rule(
        "unfinished",
        re.compile(r"\b(TODO|FIXME|XXX)\b|\braise NotImplementedError\b"),
        Category.CORRECTNESS,
        "unfinished work",
    ),
    Rule(
        "steers-review",
        re.compile(
            r"^\s*(?:#|//|/?\*|<!--|--|;).*\b(?:reviewers?|system|assistant|ai|llm)\s*:"
            r".*\b(?:approved?|do not|don.t|skip|ignore|excluded?|verdict)\b"
            r"|\bignore (?:all |any )?(?:the )?(?:previous|prior|above) instructions\b",
            re.IGNORECASE,
        ),
        Category.INTEGRITY,
        "a comment tells the reviewer what to decide",
    ),
)
"""All rules for added lines; each is listed in docs/reference/review-rules.md."""


_BESIDE_CODE = re.compile(r"[^:]+\.rs::|[^:]+\.py::[\w.]*\w\.\w+$")
"""Names of tests in files of code: unit tests of Rust, and examples in docstrings of Python."""


class RulesAgent:
    """Plays thinking and reviewing roles by rule; its answers say that it judges form, not intent."""

    name = RULES

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Answer for the role of the brief; it never changes a file and never breaks."""
        del observer
        started = datetime.now(UTC)
        reviewing = _on_requests if brief.requests else _reviewed
        plays = {Role.RESEARCHER: _researched, Role.PLANNER: _planned, Role.REVIEWER: reviewing}
        plays[Role.TEST_DESIGNER] = _planned
        text = plays.get(brief.role, _unplayed)(brief)
        return Attempt(
            agent=self.name,
            stop=Stop.END_TURN,
            text=text,
            usage=Usage(scope="none"),
            started_at=started,
            duration_s=(datetime.now(UTC) - started).total_seconds(),
        )

    async def close(self) -> None:
        """Keep nothing running."""


def _unplayed(brief: Brief) -> str:
    return f"The rules agent cannot play the role {brief.role}."


def _researched(brief: Brief) -> str:
    lines = ["By rule, from Setpoint's own measurement of the base commit:"]
    for failure in brief.failures:
        place = f" at `{failure.file}:{failure.line}`" if failure.file else ""
        lines.append(f"- `{failure.test}` fails{place}: {failure.message}")
    lines += [f"- {each.severity} `{each.file}:{each.line}` {each.message}" for each in brief.findings[:10]]
    if len(lines) == 1:
        lines.append("- no test fails; read the request against the project itself")
    return "\n".join(lines)


def _planned(brief: Brief) -> str:
    places: dict[str, list[str]] = {}
    for failure in brief.failures:
        place = "" if _holds_tests(failure.file, brief) else failure.file
        places.setdefault(place, []).append(failure.test)
    steps = [
        f"Fix {f'`{place}`' if place else 'the code that they test'}, so that {_some(tests)} pass."
        for place, tests in places.items()
    ]
    steps += [_mended(each) for each in brief.findings if each.blocking]
    if not steps:
        steps.append("Make the smallest change that reaches the goal, with tests that would fail without it.")
    steps.append("Leave everything else as it is.")
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))


def _holds_tests(file: str, brief: Brief) -> bool:
    """Whether a file is one of tests: by its name, or as the home of a failing test and of nothing else."""
    return is_test_path(file) or any(
        failure.test.startswith(f"{file}::") and not _BESIDE_CODE.match(failure.test)
        for failure in brief.failures
    )


def _mended(finding: Finding) -> str:
    if finding.source == COVER:
        return f"{finding.message[:1].upper()}{finding.message[1:]}."
    return f"Fix `{finding.file}:{finding.line}`: {finding.message}"


def _some(tests: list[str], most: int = 3) -> str:
    shown = ", ".join(f"`{test}`" for test in tests[:most])
    return f"{shown} and {len(tests) - most} more" if len(tests) > most else shown


def _reviewed(brief: Brief) -> str:
    """Report what is seen, and refuse nothing; a review of kind `security` reports security alone."""
    added = list(added_lines(brief.diff))
    findings = [*_by_line(added), *_by_shape(added, brief.diff)]
    if brief.review in _UNJUDGED:
        feedback = f"rules see form, not intent: they cannot judge as a {brief.review} reviewer would"
        return json.dumps({"decision": "approve", "findings": [], "feedback": feedback})
    if brief.review == SECURITY:
        findings = [each for each in findings if each["category"] in (Category.SECURITY, Category.INTEGRITY)]
    feedback = (
        f"{len(added)} added lines looked at with {len(REVIEW_RULES)} rules; rules see form, not intent"
    )
    if brief.notes:
        feedback += f"; notes for whoever reads the change: {_noted(brief)}"
    return json.dumps({"decision": "approve", "findings": findings, "feedback": feedback})


def _noted(brief: Brief) -> str:
    """Name the notes of the change by rule, with how many there are of each."""
    counts = Counter(each.rule for each in brief.notes)
    return ", ".join(f"{rule} ({count})" for rule, count in counts.items())


def _by_line(added: Iterable[Added]) -> Iterator[dict[str, object]]:
    for each in added:
        for rule in REVIEW_RULES:
            if rule.pattern.search(each.text):
                message = f"{rule.message}: {each.text.strip()[:80]}"
                yield _finding(rule.name, Severity.WARNING, rule.category, message, each)


def _by_shape(added: list[Added], diff: str) -> Iterator[dict[str, object]]:
    source = [each for each in added if each.file.endswith(".py") and not is_test_path(each.file)]
    if len(added) > LARGE_CHANGE:
        message = f"a large change: {len(added)} added lines; smaller ones are easier to trust"
        yield _finding("large", Severity.INFO, Category.SCOPE, message, added[0])
    new_names = [each for each in source if re.match(r"\s*(async )?def [a-z]", each.text)]
    if new_names and not any(is_test_path(each.file) for each in added):
        message = f"{len(new_names)} new functions and no test comes with them"
        yield _finding("untested", Severity.WARNING, Category.TESTS, message, new_names[0])
    if CUT in diff:
        message = "the change is too large to be shown whole, so it cannot be reviewed"
        yield _finding("cut", Severity.WARNING, Category.SCOPE, message, Added("", 0, ""))
    for name in re.findall(r"^Binary files .* and b/(\S+) differ$", diff, re.MULTILINE):
        message = f"a binary file: {PurePosixPath(name).name}"
        yield _finding("binary", Severity.WARNING, Category.SCOPE, message, Added(name, 0, ""))


def _on_requests(brief: Brief) -> str:
    """Have no opinion: whether a test is wrong is a question of intent."""
    reason = "rules see form, not intent"
    opinions = [{"path": each.path, "grant": None, "reason": reason} for each in brief.requests]
    return json.dumps({"opinions": opinions})


def _finding(
    rule: str, severity: Severity, category: Category, message: str, place: Added
) -> dict[str, object]:
    return {
        "rule": rule,
        "severity": severity,
        "category": category,
        "message": message,
        "file": place.file,
        "line": place.line,
        "confidence": 0.8,
        "reproducible": True,
    }
