"""Judge a measured tree by the goals of its run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from setpoint.checks.baseline import Measurements
from setpoint.checks.goals.missing import Missing
from setpoint.checks.goals.performance import timed
from setpoint.checks.tools.definitions import shape
from setpoint.checks.tree_diff import Work, code_of
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import COVERAGE_OF, CheckState, Coverage
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.goals import (
    BASE,
    MEASURES,
    PERFORMANCE,
    GoalMode,
    GoalResult,
    Goals,
    GoalState,
    Measure,
    MetricGoal,
)
from setpoint.model.quality import WEIGHTS

SOURCE = "goals"
FEWEST_LINES = 5
"""With fewer changed executable lines the share that tests reach says nothing."""
USUAL_WAYS = 5.0
"""Ways through a function of usual difficulty: adaptive goals ask of it what the setting says."""
MOST_LOW = 3
"""Metrics that a missed score names."""
PER_WAY, MOST_SHIFT = 0.02, 0.10
_NONE_LEFT = 1e-9
PYTHON_ALONE = ("complexity", "documentation", "types")
"""Metrics that Setpoint reads from the syntax of Python."""
_CATEGORIES = {
    "security": Category.SECURITY,
    "types": Category.TYPES,
    "documentation": Category.STYLE,
    "complexity": Category.STYLE,
    "duplication": Category.STYLE,
}


@dataclass(frozen=True, kw_only=True)
class Tree:
    """What is known of a measured tree, and of the base that it is compared with."""

    raw: Measurements
    evaluation: Evaluation
    work: Work
    base: Measurements | None = None
    """None where the tree is judged by itself: all of it counts as changed."""
    files: Collection[str] = ()
    """Paths of the base; known where the base itself is judged."""


def with_goals(goals: Goals, tree: Tree) -> Evaluation:
    """Return the evaluation of a tree with its goals; a missed one that is advice is a finding, too.

    Goals are judged where the full suite was reached. Of the base only gates are named that no check of the
    project can measure, so that a run can say so before an agent is paid.
    """
    judged: tuple[GoalResult, ...] = ()
    if tree.raw.stage in (Stage.TEST, Stage.CONFIRM):
        judged = judge_goals(goals, tree)
    elif tree.raw.stage is Stage.BASE:
        judged = tuple(_unmeasurable(judge_goals(goals, tree), tree))
    advice = findings_of(judged) if tree.base is not None else ()
    findings = (*tree.evaluation.findings, *advice)
    return tree.evaluation.model_copy(update={"goals": judged, "findings": findings})


def _unmeasurable(judged: tuple[GoalResult, ...], base: Tree) -> Iterator[GoalResult]:
    """Yield gates that lack a check, and not only a change or tests that they could be measured on."""
    python = bool(code_of(dict.fromkeys(base.files, "")))
    for each in judged:
        if each.mode is not GoalMode.GATE:
            continue
        if each.name in PYTHON_ALONE and not python:
            reason = f"{MEASURES[each.name].words}: measured in Python alone, and no code here is Python"
            yield each.model_copy(update={"state": GoalState.NOT_MEASURED, "reason": reason})
        elif each.name in ("coverage", "diff_coverage"):
            if each.gated and base.raw.tests and base.raw.tests.outcomes:
                yield each
        elif each.name == "mutation":
            if each.gated and base.raw.result("mutation"):
                yield each
        elif each.gated and each.name not in ("tests", "score"):
            yield each


def judge_goals(goals: Goals, tree: Tree) -> tuple[GoalResult, ...]:
    """Return how the tree is judged by every goal that is not off."""
    judge = _Judge(goals, tree)
    return tuple(
        judge.result(name, goal) for name, goal in goals.by_name.items() if goal.mode is not GoalMode.OFF
    )


def findings_of(results: tuple[GoalResult, ...]) -> tuple[Finding, ...]:
    """Make a finding of each missed goal that is advice; a gate goes back to the maker by itself.

    Of mutants the check that tries them has made findings already.
    """
    return tuple(
        Finding(
            source=SOURCE,
            rule=each.name,
            severity=Severity.INFO,
            category=_CATEGORIES.get(each.name, Category.TESTS),
            message=f"goal (advice): {each.reason}",
            detail="\n".join(each.missing),
        )
        for each in results
        if each.mode is GoalMode.ADVICE and each.state is GoalState.MISSED and each.name != "mutation"
    )


class _Judge:
    """Judges one tree."""

    def __init__(self, goals: Goals, tree: Tree) -> None:
        self._goals, self._tree = goals, tree
        self._quality = tree.evaluation.quality
        self._missing = Missing(tree.work, tree.raw.coverage, tree.evaluation.findings)

    def result(self, name: str, goal: MetricGoal) -> GoalResult:
        if name.startswith(PERFORMANCE):
            compared = self._tree.base is not None
            missing = tuple(self._missing.of(PERFORMANCE))
            return timed(name, goal, self._tree.raw.result(name), compared=compared, missing=missing)
        measure = MEASURES.get(name) or _of_check(name, goal)
        given = GoalResult(name=name, mode=goal.mode, state=GoalState.NOT_MEASURED, high=measure.high)
        value = self._value(name)
        if isinstance(value, str):
            state = GoalState.NOT_MEASURED if value.startswith(_UNMEASURED) else GoalState.NOT_APPLICABLE
            update = {"state": state, "reason": f"{measure.words}: {value}"}
            return given.model_copy(update={**update, "target": self._target(name, goal, measure)})
        target = self._target(name, goal, measure)
        if target is None:
            reason = f"{measure.words}: {_shown(value, measure)}; the base has no such value"
            return given.model_copy(
                update={"state": GoalState.NOT_APPLICABLE, "value": value, "reason": reason}
            )
        met = value >= target - _NONE_LEFT if measure.high else value <= target + _NONE_LEFT
        asked = f"{'at least' if measure.high else 'at most'} {_shown(target, measure)}"
        of_base = ", as at the base" if goal.target == BASE or self._by_base(name, goal, target) else ""
        return given.model_copy(
            update={
                "state": GoalState.MET if met else GoalState.MISSED,
                "value": value,
                "target": target,
                "reason": f"{measure.words}: {_shown(value, measure)}, wanted {asked}{of_base}",
                "missing": ()
                if met
                else (*self._missing.of(name, target), *self._lacking(name, target - value)),
            }
        )

    def _lacking(self, name: str, distance: float) -> Iterator[str]:
        """Say what is missing where no place in the code can be named."""
        if name == "tests":
            yield f"add {distance:g} more test{'s' if distance > 1 else ''}"
        if name == "score":
            marks = {each: getattr(self._quality, each) for each in WEIGHTS}
            low = sorted((mark, each) for each, mark in marks.items() if mark is not None and mark < 1)
            told = ", ".join(f"{each} {mark:.2f}" for mark, each in low[:MOST_LOW])
            yield f"raise the lowest of its metrics: {told}"

    def _value(self, name: str) -> float | str:
        """Return the value of a metric, or why it has none: measured nowhere, or nothing to measure."""
        found: dict[str, Callable[[], float | str]] = {
            "diff_coverage": self._diff_coverage,
            "coverage": lambda: self._reached("lines"),
            "mutation": self._mutation,
            "complexity": lambda: _or(self._quality.worst_complexity, "no function is changed"),
            "duplication": self._duplication,
            "documentation": lambda: _or(
                self._tree.work.shape.documented, "no public definition of Python is changed"
            ),
            "types": lambda: _or(self._quality.type_coverage, "no function of Python is changed"),
            "security": self._security,
            "tests": lambda: _or(self._quality.test_count, f"{_UNMEASURED}: the whole suite did not run"),
            "score": lambda: _or(
                self._tree.evaluation.score, f"{_UNMEASURED}: nothing that it is made of was"
            ),
        }
        return found[name]() if name in found else self._count(self._tree.raw, name)

    def _diff_coverage(self) -> float | str:
        seen = self._tree.raw.coverage
        if seen is None:
            return f"{_UNMEASURED}: {self._no_coverage()}"
        missed = sum(len(lines) for lines in seen.uncovered_changed.values())
        every = seen.changed_executable
        if every < FEWEST_LINES:
            return f"fewer than {FEWEST_LINES} executable lines are changed"
        return (every - missed) / every

    def _reached(self, field: str) -> float | str:
        seen = self._tree.raw.coverage
        return f"{_UNMEASURED}: {self._no_coverage()}" if seen is None else float(getattr(seen, field))

    def _no_coverage(self) -> str:
        for made in self._tree.raw.results:
            of_tests = made.evidence.check == "coverage" or made.evidence.check.startswith(COVERAGE_OF)
            if of_tests and made.evidence.reason:
                return made.evidence.reason
        return "no coverage tool is installed beside the tests, or the full suite was not reached"

    def _mutation(self) -> float | str:
        if self._quality.mutation is not None:
            return self._quality.mutation
        made = self._tree.raw.result("mutation")
        if made is None:
            return f"{_UNMEASURED}: checks.mutation is off"
        at_base = self._tree.base or self._tree.raw
        nothing = made.evidence.state is CheckState.NOT_MEASURED and at_base.result("mutation") is None
        if nothing and not made.evidence.counts.get("untried"):
            return made.evidence.reason
        return f"{_UNMEASURED}: {made.evidence.reason}"

    def _duplication(self) -> float | str:
        repeated, changed = self._quality.duplicated_lines, self._tree.work.line_count
        if repeated is None:
            return f"{_UNMEASURED}: no check looks for duplicated lines"
        return repeated / changed if changed else "no line of code is changed"

    def _security(self) -> float | str:
        if self._quality.security is None:
            return f"{_UNMEASURED}: no check looks for flaws in security"
        found = self._tree.evaluation.findings
        return float(sum(each.category is Category.SECURITY for each in found))

    def _count(self, raw: Measurements, name: str) -> float | str:
        check, _, count = name.partition(".")
        made = raw.result(check)
        if made is None:
            return f"{_UNMEASURED}: no check called {check} was made"
        figures: Mapping[str, float] = {**made.evidence.counts, **made.metrics}
        if count not in figures:
            known = ", ".join(figures) or "none"
            return f"{_UNMEASURED}: {check} counts no '{count}' (its counts: {known})"
        return float(figures[count])

    def _target(self, name: str, goal: MetricGoal, measure: Measure) -> float | None:
        wanted = measure.target if goal.target is None else goal.target
        at_base = self._at_base(name) if measure.of_base else None
        if wanted == BASE:
            return at_base
        target = float(wanted)
        if name == "diff_coverage" and goal.target is None and at_base is not None:
            target = min(target, at_base)
        if name in ("diff_coverage", "coverage") and self._goals.adaptive:
            ways = self._quality.worst_complexity or USUAL_WAYS
            target += max(-MOST_SHIFT, min(MOST_SHIFT, (USUAL_WAYS - ways) * PER_WAY))
        return min(1.0, max(0.0, target)) if measure.share else target

    def _by_base(self, name: str, goal: MetricGoal, target: float) -> bool:
        """Whether the metric's own target was lowered to what the base had."""
        own = MEASURES[name].target if name in MEASURES else BASE
        return goal.target is None and (own == BASE or (name == "diff_coverage" and target < float(own)))

    def _at_base(self, name: str) -> float | None:
        base = self._tree.base
        if base is None:
            return None
        seen = base.coverage
        if name == "diff_coverage":
            return _of_touched(seen, self._tree.work) if seen else None
        if name == "coverage":
            return seen.lines if seen else None
        if name == "complexity":
            ways = shape({}, _same_names(self._tree.work)).worst
            return None if ways is None else float(ways)
        if name == "tests":
            return float(len(base.tests.outcomes)) if base.tests else None
        found = self._count(base, name)
        return found if isinstance(found, float) else None


_UNMEASURED = "not measured"


def _of_check(name: str, goal: MetricGoal) -> Measure:
    """Describe a count of a check, which the person who set the goal knows."""
    return Measure(name, BASE, high=goal.better == "high", share=False, of_base=True)


def _or(value: float | None, why: str) -> float | str:
    return why if value is None else float(value)


def _of_touched(seen: Coverage, work: Work) -> float | None:
    """Return what the tests reached at the base of the files that the work changes."""
    touched = [seen.files[path] for path in work.before if path in seen.files and not work.is_test(path)]
    every = sum(executable for _, executable in touched)
    return sum(hit for hit, _ in touched) / every if every else None


def _same_names(work: Work) -> dict[str, str]:
    return work.code({path: text for path, text in work.before.items() if path in work.after})


def _shown(value: float, measure: Measure) -> str:
    return f"{value:.1%}".replace(".0%", "%") if measure.share else f"{value:g}"
