"""Print the coverage results of a run that writes tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from setpoint.app.cover.order import write_cover_report, writes_tests
from setpoint.cli.render.console import Screen
from setpoint.wiring.project import Project

if TYPE_CHECKING:
    from setpoint.model.run import RunOrder


def show_cover(project: Project, order: RunOrder, *, as_json: bool) -> None:
    """Write the coverage report and print it, before and after; do nothing for other runs."""
    told = write_cover_report(project, order) if writes_tests(order) else None
    if told is None:
        return
    course, place = told
    console = Screen(stderr=as_json, highlight=False, soft_wrap=True)
    for step in course.steps:
        name = "before" if step.iteration == 0 else f"iteration {step.iteration}"
        shares = [
            ("coverage", step.report.coverage),
            ("tests pass", step.report.success),
            ("quality", step.quality),
            ("mutation score", step.report.mutation),
        ]
        figures = ", ".join(f"{what} {share:.1%}" for what, share in shares if share is not None)
        console.print(f"{name + ':':<14}{figures or 'not measured'}", markup=False)
    if course.gain:
        console.print(f"gained:  {course.gain}", markup=False)
    console.print("These tests record the current behaviour of the code, correct or not.", style="dim")
    console.print(f"tests:   {place}", markup=False)
