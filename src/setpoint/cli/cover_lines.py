"""How a run that writes tests did: shown at its end, by whichever verb it came there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from setpoint import wiring
from setpoint.cli.screen import Screen

if TYPE_CHECKING:
    from setpoint.domain.run import RunOrder


def show_cover(project: wiring.Project, order: RunOrder, *, as_json: bool) -> None:
    """Write the report of what the tests reach, and show it, before and after; nothing for other runs."""
    told = wiring.write_cover_report(project, order) if wiring.writes_tests(order) else None
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
    console.print("These tests pin how the code behaves at present, be that right or wrong.", style="dim")
    console.print(f"tests:   {place}", markup=False)
