"""The verdict of `setpoint check` as lines of text; hooks give the same lines to an agent."""

from __future__ import annotations

from collections.abc import Iterator

from setpoint.cli.render.problem_lines import every_line, problem_lines, suspect_lines
from setpoint.model.evaluation import Evaluation
from setpoint.model.wording import counted

_STYLES = {"pass": "green", "fail": "red", "error": "bold red", "flaky": "yellow"}


def styled_lines(
    evaluation: Evaluation, *, fast: bool, everything: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield each line with its style; the style of plain text is empty."""
    for each in evaluation.evidence:
        counts = " ".join(f"{name}={count}" for name, count in each.counts.items())
        line = f"{each.check:12} {each.state:12} {counts} {each.reason}".rstrip()
        yield line, _STYLES.get(each.state, "dim")
    show_all = "setpoint check --fast --all" if fast else "setpoint check --all"
    listed = (
        every_line(evaluation.failures, evaluation.findings)
        if everything
        else problem_lines(evaluation.failures, evaluation.findings, show_all)
    )
    for line in listed:
        yield line, ""
    for line in suspect_lines(evaluation.suspects, evaluation.localised):
        yield line, ""
    yield from ((f"not counted: {each}", "yellow") for each in evaluation.ours)
    if evaluation.carried:
        yield f"the checks get {evaluation.carried} beside what git holds", ""
    if evaluation.lacking:
        yield f"failing tests need {evaluation.lacking}", "yellow"
    if evaluation.untested:
        yield f"nothing was measured that can prove what the code does: {evaluation.untested}", "yellow"
    measured = evaluation.quality.measured
    yield " ".join(f"{name}={value:.4g}" for name, value in measured.items()), ""
    if evaluation.held_by.startswith("not held"):
        held = "checks were not held: tests could write wherever you can; hint: `setpoint doctor` says why"
        yield held, "yellow"
    score = evaluation.quality_shown() or "no score: a test fails, or the full suite was not measured"
    same = "; unchanged since an earlier check" if all(each.cached for each in evaluation.evidence) else ""
    yield f"quality {score}; tree {evaluation.tree[:10]}{same}", ""
    if evaluation.compared:
        known = counted(evaluation.existing, "finding")
        hint = "; hint: `setpoint check --whole` counts them, too" if evaluation.existing else ""
        yield f"compared with {evaluation.compared}: {known} known there{hint}", ""
    if fast:
        hint = "fast: only the tests that the changes can affect; hint: `setpoint check` gives a verdict"
        yield hint, "yellow"


def check_text(evaluation: Evaluation, *, fast: bool) -> str:
    """Return the verdict as plain text."""
    return "\n".join(line for line, _ in styled_lines(evaluation, fast=fast))
