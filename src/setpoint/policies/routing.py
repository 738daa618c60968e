"""Which phase mends what was found."""

from __future__ import annotations

from collections import Counter

from setpoint.domain.finding import Category, Finding
from setpoint.domain.pipeline import Pipeline

RESEARCH = frozenset({Category.REQUIREMENTS, Category.MISSING_INFORMATION, Category.MISUNDERSTANDING})
"""Categories that go back to `research`."""
PLAN = frozenset({Category.ARCHITECTURE, Category.DESIGN, Category.APPROACH, Category.SCOPE})
"""Categories that go back to `plan`."""


def bounce_target(findings: tuple[Finding, ...], pipeline: Pipeline) -> str:
    """Name the phase that the work goes back to; a phase the pipeline lacks falls to the making phase.

    A blocking finding decides alone; of findings that do not block, two of the same design kind go to `plan`.
    """
    wanted = _wanted(findings)
    names = {phase.name for phase in pipeline.before_making()}
    return wanted if wanted in names else pipeline.making.name


def _wanted(findings: tuple[Finding, ...]) -> str:
    blocking = {finding.category for finding in findings if finding.blocking}
    if blocking & RESEARCH:
        return "research"
    design = Counter(finding.category for finding in findings if finding.category in PLAN)
    if blocking & PLAN or any(count >= 2 for count in design.values()):  # noqa: PLR2004 - two of one kind are a pattern
        return "plan"
    return ""
