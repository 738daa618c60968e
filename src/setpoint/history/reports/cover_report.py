"""The report of a run that writes tests: what they reach, iteration by iteration, and the trend over runs."""

from __future__ import annotations

from setpoint.history.reports.templates import templates
from setpoint.model.cover import CoverReport
from setpoint.model.cover_quality import instructions, missed, quality
from setpoint.model.ids import TraceId
from setpoint.model.value import Instant, Text, Value


class Step(Value):
    """What was measured of the files once."""

    iteration: int
    """0 for the base."""
    report: CoverReport

    @property
    def quality(self) -> float | None:
        """R1's quality."""
        return quality(self.report)

    @property
    def missed(self) -> tuple[str, ...]:
        """Goals that are missed, in words."""
        return missed(self.report)


class CoverCourse(Value):
    """A run from the base to its last iteration."""

    trace_id: TraceId
    steps: tuple[Step, ...]
    delivered: int = 0
    """The iteration whose tests were delivered; 0 where none were."""

    @property
    def gain(self) -> str:
        """What the delivered tests gain, and which goals are left, in words; empty where there are none."""
        before, best = self._step(0), self._step(self.delivered)
        if before is None or best is None or not self.delivered:
            return ""
        left = f"; left: {'; '.join(best.missed)}" if best.missed else ""
        return f"coverage {_share(before.report.coverage)} -> {_share(best.report.coverage)}{left}"

    def _step(self, iteration: int) -> Step | None:
        return next((step for step in self.steps if step.iteration == iteration), None)

    @property
    def last(self) -> Step | None:
        """The newest measurement."""
        return self.steps[-1] if self.steps else None


class CoverTrend(Value):
    """How one run left the files that it wrote tests for."""

    run: TraceId
    at: Instant
    files: tuple[Text, ...]
    before: float | None = None
    """Coverage at the base."""
    coverage: float | None = None
    quality: float | None = None
    mutation: float | None = None
    iterations: int = 0


def markdown(course: CoverCourse, trend: tuple[CoverTrend, ...]) -> str:
    """Return the report as Markdown."""
    return _rendered("cover.md.j2", course, trend)


def html(course: CoverCourse, trend: tuple[CoverTrend, ...]) -> str:
    """Return the report as one HTML page that needs nothing else."""
    return _rendered("cover.html.j2", course, trend)


def _rendered(template: str, course: CoverCourse, trend: tuple[CoverTrend, ...]) -> str:
    left = instructions(course.last.report) if course.last else ()
    return (
        templates()
        .get_template(template)
        .render(course=course, last=course.last, left=left, trend=trend, share=_share)
        .strip()
        + "\n"
    )


def _share(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.1%}"
