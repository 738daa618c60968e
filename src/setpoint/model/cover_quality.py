"""Whether tests reach enough, and what the next ones should be about (R1's quality loop)."""

from __future__ import annotations

from collections.abc import Iterator

from setpoint.model.cover import CoveredFile, CoveredFunction, CoverGoals, CoverReport, CoverWeights
from setpoint.model.finding import Category, Finding, Severity

SOURCE = "cover"
MET = "goals_met"
"""A count of the evidence: 1 where every goal of a run that writes tests is met."""
MOST_NAMED = 12
"""Functions, branches or tests that one instruction names."""
_MOST_SHIFT = 0.10
_USUAL_COMPLEXITY = 4.0
_PER_WAY = 0.02
_MUTATION = "mutation score"


def quality(report: CoverReport) -> float | None:
    """Give R1's quality, 0 to 1: 0.5 coverage + 0.3 success + 0.2 mean of function and method coverage.

    The weights are a setting. Without a test nothing succeeds; where there are only functions or methods,
    those alone count; mutants count once they are measured.
    """
    if report.coverage is None:
        return None
    kinds = [share for share in (report.functions, report.methods) if share is not None]
    complete = sum(kinds) / len(kinds) if kinds else report.coverage
    weights = report.asked.weights
    parts = [
        (weights.coverage, report.coverage),
        (weights.success, report.success or 0.0),
        (weights.complete, complete),
        *([] if report.mutation is None else [(weights.mutation, report.mutation)]),
    ]
    whole = sum(weight for weight, _ in parts)
    return sum(weight * share for weight, share in parts) / whole if whole else None


def weights_told(weights: CoverWeights) -> str:
    """Say in words what the quality is made of."""
    parts = [
        (weights.coverage, "lines and branches reached"),
        (weights.success, "tests that pass"),
        (weights.complete, "functions and methods called"),
        (weights.mutation, "mutants noticed"),
    ]
    whole = sum(weight for weight, _ in parts)
    return ", ".join(f"{weight / whole:.0%} {what}" for weight, what in parts if weight)


def adapted(goals: CoverGoals, complexity: float) -> CoverGoals:
    """Ask more coverage of simple code, and less of complicated code: two points for each way through it."""
    if not goals.adaptive:
        return goals
    shift = max(-_MOST_SHIFT, min(_MOST_SHIFT, (_USUAL_COMPLEXITY - complexity) * _PER_WAY))
    return goals.model_copy(update={"coverage": round(max(0.0, min(1.0, goals.coverage + shift)), 3)})


def missed(report: CoverReport) -> tuple[str, ...]:
    """Say which goals are missed, in words with figures; empty where all are met."""
    asked = report.asked
    pairs = [
        ("coverage", report.coverage, asked.coverage),
        ("success", report.success, asked.success),
        ("quality", quality(report), asked.quality),
    ]
    if asked.mutation is not None:
        pairs.append((_MUTATION, report.mutation, asked.mutation))
    return tuple(
        f"{name} {_told(name, share, report)}, asked {goal:.0%}"
        for name, share, goal in pairs
        if (share is None and name != "success") or (share or 0.0) < goal
    )


def _told(name: str, share: float | None, report: CoverReport) -> str:
    if share is not None:
        return f"{share:.1%}"
    return f"not measured: {report.unscored}" if name == _MUTATION and report.unscored else "not measured"


def instructions(report: CoverReport) -> tuple[Finding, ...]:
    """Say what to test next, most important first; they block where a goal is missed."""
    short = missed(report)
    severity = Severity.ERROR if short else Severity.INFO
    found: list[Finding] = []
    if short:
        found.append(_finding("goals", Severity.ERROR, f"the tests do not reach enough: {'; '.join(short)}"))
    found += _failing(report, severity)
    found += (_finding("skipped", Severity.WARNING, f"not measured: {why}") for why in report.skipped)
    for number, (rule, what, every) in enumerate(_gaps(report), start=1):
        if every:
            named = ", ".join(name for _, name in every[:MOST_NAMED])
            more = f" and {len(every) - MOST_NAMED} more" if len(every) > MOST_NAMED else ""
            message = f"priority {number}: add tests for {what}: {named}{more}"
            found.append(_finding(rule, severity, message, every[0][0]))
    return tuple(found)


def _gaps(report: CoverReport) -> Iterator[tuple[str, str, list[tuple[tuple[str, int], str]]]]:
    """Yield what no test reaches: functions, then methods, then branches, then lines."""
    every = [(file, each) for file in report.files for each in file.functions]
    unreached = [(file, each) for file, each in every if not each.reached]
    yield "functions", "functions that no test calls", _named(unreached, method=False)
    yield "methods", "methods that no test calls", _named(unreached, method=True)
    branches = [
        ((file.file, line), f"{each.name} at line {line} ({_way(taken=taken)})")
        for file, each in every
        if each.reached
        for line, taken in each.missed_branches
    ]
    yield "branches", "branches that no test takes", branches
    lines = [
        ((file.file, each.missed_lines[0]), f"{each.name} (lines {spans_told(each.missed_lines)})")
        for file, each in every
        if each.reached and each.missed_lines
    ]
    yield "lines", "lines that no test reaches", lines


def _named(
    every: list[tuple[CoveredFile, CoveredFunction]], *, method: bool
) -> list[tuple[tuple[str, int], str]]:
    return [((file.file, each.first), each.name) for file, each in every if bool(each.owner) is method]


def _way(*, taken: bool) -> str:
    return "never entered" if taken else "never passed by"


def spans_told(lines: tuple[int, ...]) -> str:
    """Write line numbers as spans, as in `3-5, 9`."""
    spans: list[list[int]] = []
    for line in lines:
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans[:6])


def _failing(report: CoverReport, severity: Severity) -> Iterator[Finding]:
    if report.failing:
        named = ", ".join(report.failing[:MOST_NAMED])
        yield _finding("failing", severity, f"mend or drop tests that do not pass: {named}")


def _finding(rule: str, severity: Severity, message: str, place: tuple[str, int] = ("", 0)) -> Finding:
    return Finding(
        source=SOURCE,
        rule=rule,
        severity=severity,
        # Of the design: the work goes back to where it is thought about which tests there are to be.
        category=Category.DESIGN,
        message=message,
        file=place[0],
        line=place[1],
    )
