"""Which phase mends what was found."""

from __future__ import annotations

from setpoint.domain.finding import Category, Finding
from setpoint.domain.pipeline import Pipeline

RESEARCH = frozenset({Category.REQUIREMENTS, Category.MISSING_INFORMATION, Category.MISUNDERSTANDING})
"""Categories that go back to `research`."""
PLAN = frozenset({Category.ARCHITECTURE, Category.DESIGN, Category.APPROACH, Category.SCOPE})
"""Categories that go back to `plan`."""


_ALSO = {"research": "analyse", "plan": "design"}
"""What these phases are called where tests are what is made."""


def bounce_target(findings: tuple[Finding, ...], pipeline: Pipeline) -> str:
    """Name the phase that the work goes back to; a phase the pipeline lacks falls to the making phase.

    Only blocking findings decide: one about what is wanted goes to `research`, else one about the design to
    `plan`, so two blockers of a design kind do all the more.
    """
    wanted = _wanted(findings)
    names = {phase.name for phase in pipeline.before_making()}
    return next((each for each in (wanted, _ALSO.get(wanted, "")) if each in names), pipeline.making.name)


def _wanted(findings: tuple[Finding, ...]) -> str:
    blocking = {finding.category for finding in findings if finding.blocking}
    if blocking & RESEARCH:
        return "research"
    return "plan" if blocking & PLAN else ""
