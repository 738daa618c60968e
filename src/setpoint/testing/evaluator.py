"""An evaluator that measures nothing but plays a script, so that a few lines describe a whole course.

```python
evaluator = ScriptedEvaluator(
    Scene(score=0.65, failing=("t::a", "t::b")),   # first iteration
    Scene(score=0.88),                             # second one, and all after it
    base=Scene(failing=("t::a",)),
)
```
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import Cause, CheckState, Coverage, Evidence, Failure, Fault
from setpoint.model.exam import Exam, Examiner
from setpoint.model.finding import Category, Finding, Note, worst_first
from setpoint.model.goals import GoalResult
from setpoint.model.ids import Commit, EvidenceId, Tree
from setpoint.model.proof import (
    HIDDEN,
    NOBODY,
    SABOTAGE,
    WITNESS,
    HiddenTests,
    HiddenTrial,
    Obligation,
    ObligationState,
    Proof,
    Reproduced,
    Vouched,
    WorkKind,
)
from setpoint.model.quality import WEIGHTS, Metric, QualityVector
from setpoint.model.run import RunOrder
from setpoint.ports import Measured, Toolbox, WorkCopy

_AT = datetime(2026, 1, 1, tzinfo=UTC)
_STATIC = ("parse", "integrity", "ruff", "mypy", "bandit")
_CATEGORY_OF = {
    "parse": Category.CORRECTNESS,
    "integrity": Category.INTEGRITY,
    "mypy": Category.TYPES,
    "bandit": Category.SECURITY,
}
_FEEDS = {"ruff": (Metric.CODE_QUALITY,), "mypy": (Metric.TYPES,), "bandit": (Metric.SECURITY,)}


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What a tree is to look like when it is measured."""

    failing: tuple[str | Failure, ...] = ()
    """Failing tests that count; a plain name becomes an assertion failure."""
    findings: tuple[Finding, ...] = ()
    """New findings; each makes the check named as its source fail."""
    passed: int = 10
    """Number of green tests."""
    score: float | None = None
    """The quality score; none means the score of the quality vector that follows from the rest."""
    flaky: tuple[str, ...] = ()
    known_red: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    """Protected files that `protect` reports as restored in this iteration."""
    contradicted: tuple[str, ...] = ()
    """Tests of the base that the change contradicts."""
    notes: tuple[Note, ...] = ()
    """What the change shows to a reader."""
    coverage: float | None = None
    """Share of lines covered; none means not measured."""
    broken: tuple[str, ...] = ()
    """Checks whose tool broke."""
    faults: Mapping[str, Fault] = field(default_factory=dict)
    """Checks that could not answer, with the reason."""
    agent_wrote_tests: bool = False
    exams: tuple[Exam, ...] = (Exam(examiner=Examiner.FAILING_TESTS),)
    """Who set the exams that it passes."""
    unproven: tuple[str, ...] = ()
    """Obligations that are not met, for example `witness`."""
    red_hidden: tuple[str, ...] = ()
    """Files of hidden tests that fail, where they are among those that count."""
    goals: tuple[GoalResult, ...] = ()
    """How the tree is judged by the goals of the run, where the full suite is reached."""
    acceptance: tuple[bool, ...] = ()
    """Whether each acceptance command exits with 0."""


def evaluation(
    stage: Stage, commit: str, tree: str, scene: Scene | None = None, weights: Mapping[str, float] = WEIGHTS
) -> Evaluation:
    """Build what an evaluator would say of a tree that looks like the scene.

    Tests are part of it at every stage but `evaluate`, where they are only if the scene has failing ones.
    """
    scene = scene or Scene()
    failures = tuple(test if isinstance(test, Failure) else failure(test) for test in scene.failing)
    quality = _quality(scene, failures, with_tests=stage is not Stage.EVALUATE or bool(failures))
    counts = {"passed": scene.passed, "failed": len(failures), "flaky": len(scene.flaky)}
    return Evaluation(
        stage=stage,
        commit=Commit(commit),
        tree=Tree(tree),
        evidence=_evidence(stage, Tree(tree), scene, failures),
        findings=worst_first(scene.findings),
        failures=failures,
        known_red=scene.known_red,
        flaky=scene.flaky,
        test_counts={name: count for name, count in counts.items() if count}
        if quality.test_count is not None
        else {},
        coverage=None if scene.coverage is None else Coverage(lines=scene.coverage),
        quality=quality,
        goals=scene.goals if stage in (Stage.TEST, Stage.CONFIRM) else (),
        score=quality.score(dict(weights)) if scene.score is None else scene.score,
        agent_wrote_tests=scene.agent_wrote_tests,
        restored=scene.restored,
        contradicted=scene.contradicted,
        notes=scene.notes,
    )


def failure(test: str, message: str = "assert 1 == 2", *, cause: Cause = Cause.ASSERTION) -> Failure:
    """Build a failing test whose cause lies in `src/work.py`."""
    return Failure(
        test=test, cause=cause, message=message, file="src/work.py", line=1, detail=f"E   {message}"
    )


@dataclass
class ScriptedEvaluator:
    """Plays one scene per iteration, the last one again and again when the script is at its end.

    A new commit at the evaluate stage begins the next iteration; a step that is repeated after a crash does
    not. A scene may be given for each stage apart, as a mapping; a stage that is missing there takes the
    scene of `test`. At the evaluate stage only those failing tests are seen that the loop asks for as
    suspects, as with the real evaluator. `calls` holds every question asked, for assertions.
    """

    scenes: tuple[Scene | Mapping[Stage, Scene], ...]
    base: Scene
    checks: dict[str, str]
    python: str
    calls: list[Measured] = field(default_factory=list)
    orders: list[RunOrder] = field(default_factory=list)
    """By which orders it was asked to judge, for assertions."""
    reproductions: dict[str, tuple[Reproduced, ...]] = field(default_factory=dict)
    """What comes of the reproductions of objections in each iteration, by path; others pass."""
    vouched: list[Vouched] = field(default_factory=list)
    """What others contributed to each proof that was asked for, for assertions."""
    _commits: list[Commit] = field(default_factory=list)

    def __init__(
        self,
        *scenes: Scene | Mapping[Stage, Scene],
        base: Scene | None = None,
        checks: Mapping[str, str] | None = None,
        python: str = "",
    ) -> None:
        """Take the scenes in the order of the iterations."""
        self.scenes = scenes or (Scene(),)
        self.base = base or Scene()
        self.checks = dict(checks or {"pytest": "scripted"})
        self.python = python
        self.calls = []
        self.orders = []
        self.reproductions = {}
        self.vouched = []
        self._commits = []

    async def prepare(self, order: RunOrder, copy: WorkCopy) -> Toolbox:
        """Return the scripted checks."""
        del order, copy
        return Toolbox(checks=dict(self.checks), python=self.python)

    async def protect(self, order: RunOrder, copy: WorkCopy) -> tuple[str, ...]:
        """Return the files that the scene of the coming iteration restores."""
        del order, copy
        return self._scene(len(self._commits), Stage.EVALUATE).restored

    async def evaluate(self, order: RunOrder, measured: Measured) -> Evaluation:
        """Return the scene of the iteration that the commit belongs to."""
        self.calls.append(measured)
        self.orders.append(order)
        if measured.stage is Stage.BASE:
            return evaluation(measured.stage, measured.commit, measured.tree, self.base, order.weights)
        if measured.stage is Stage.EVALUATE and measured.commit not in self._commits:
            self._commits.append(measured.commit)
        place = (
            self._commits.index(measured.commit)
            if measured.commit in self._commits
            else max(0, len(self._commits) - 1)
        )
        scene = self._scene(place, measured.stage)
        if measured.stage is Stage.EVALUATE:
            scene = _suspected(scene, measured.suspects)
        return evaluation(measured.stage, measured.commit, measured.tree, scene, order.weights)

    async def prove(self, order: RunOrder, measured: Measured, vouched: Vouched = NOBODY) -> Proof:
        """Return the proof that the scene of the commit describes."""
        del order
        place = self._commits.index(measured.commit) if measured.commit in self._commits else 0
        self.vouched.append(vouched)
        return proof(self._scene(place, Stage.TEST), vouched)

    async def try_hidden(self, order: RunOrder, copy: WorkCopy | Measured, tests: HiddenTests) -> HiddenTrial:
        """Keep every test; what shows objections plays `reproductions`."""
        del order
        if not isinstance(copy, Measured):
            return HiddenTrial(kept=tests)
        place = self._commits.index(copy.commit)
        played = [self.reproductions.get(test.path, (Reproduced(test=test, passes=True),)) for test in tests]
        came = zip(tests, (each[min(place, len(each) - 1)] for each in played), strict=True)
        return HiddenTrial(reproduced=tuple(each.model_copy(update={"test": test}) for test, each in came))

    def _scene(self, place: int, stage: Stage) -> Scene:
        scene = self.scenes[min(place, len(self.scenes) - 1)]
        if isinstance(scene, Scene):
            return scene
        return scene.get(stage) or scene.get(Stage.TEST) or Scene()


def proof(scene: Scene, vouched: Vouched = NOBODY) -> Proof:
    """Build the proof of a tree that looks like the scene."""
    states = dict.fromkeys((WITNESS, SABOTAGE), ObligationState.MET)
    states |= dict.fromkeys(scene.unproven, ObligationState.NOT_MET)
    return Proof(
        work=WorkKind.REPAIR,
        why="scripted",
        exams=scene.exams,
        obligations=(
            *_of_hidden(scene, vouched),
            *(
                Obligation(name=name, state=state, reason=f"scripted to be {state}")
                for name, state in states.items()
            ),
        ),
        vouched=vouched,
    )


def _of_hidden(scene: Scene, vouched: Vouched) -> tuple[Obligation, ...]:
    red = tuple(test.path for test in vouched.hidden if test.path in scene.red_hidden)
    if not vouched.hidden:
        return ()
    state = ObligationState.NOT_MET if red else ObligationState.MET
    return (Obligation(name=HIDDEN, state=state, reason=f"expected: {', '.join(red)}", evidence=red),)


def _suspected(scene: Scene, suspects: tuple[str, ...]) -> Scene:
    seen = tuple(
        test for test in scene.failing if (test.test if isinstance(test, Failure) else test) in suspects
    )
    return Scene(**{**vars(scene), "failing": seen, "flaky": (), "coverage": None})


def _quality(scene: Scene, failures: tuple[Failure, ...], *, with_tests: bool) -> QualityVector:
    ran = scene.passed + len(failures)
    blocking = {finding.category for finding in scene.findings if finding.blocking}
    types = sum(finding.category is Category.TYPES for finding in scene.findings)
    return QualityVector(
        tests=scene.passed / ran if with_tests and ran else None,
        coverage=scene.coverage,
        security=0.3 if Category.SECURITY in blocking else 1.0,
        code_quality=0.3 if Category.STYLE in blocking else 1.0,
        types=0.5**types,
        integrity=0.0 if Category.INTEGRITY in blocking else 1.0,
        test_count=ran if with_tests and ran else None,
        vulnerabilities=sum(
            finding.category is Category.SECURITY and finding.blocking for finding in scene.findings
        ),
        type_errors=types,
    )


def _evidence(stage: Stage, tree: Tree, scene: Scene, failures: tuple[Failure, ...]) -> tuple[Evidence, ...]:
    states: dict[str, CheckState] = {}
    for check in _STATIC:
        own = [
            finding
            for finding in scene.findings
            if finding.source == check or finding.category is _CATEGORY_OF.get(check)
        ]
        states[check] = CheckState.FAIL if own else CheckState.PASS
    if stage is not Stage.EVALUATE or failures:
        states["pytest"] = (
            CheckState.FAIL if failures else CheckState.FLAKY if scene.flaky else CheckState.PASS
        )
    if stage is not Stage.EVALUATE:
        states["coverage"] = CheckState.NOT_MEASURED if scene.coverage is None else CheckState.PASS
        for number, good in enumerate(scene.acceptance, start=1):
            states[f"acceptance:{number}"] = CheckState.PASS if good else CheckState.FAIL
    states.update(dict.fromkeys((*scene.broken, *scene.faults), CheckState.ERROR))
    return tuple(
        Evidence(
            id=EvidenceId("ev-" + hashlib.sha256(f"{stage}{tree}{check}".encode()).hexdigest()[:14]),
            check=check,
            state=state,
            tree=tree,
            argv=("scripted", check),
            tool="scripted 1",
            started_at=_AT,
            duration_s=0.0,
            exit_code=None
            if state in (CheckState.ERROR, CheckState.NOT_MEASURED)
            else int(state is CheckState.FAIL),
            reason="scripted to break" if state is CheckState.ERROR else "",
            fault=scene.faults.get(check),
            feeds=_FEEDS.get(check, ()),
        )
        for check, state in states.items()
    )
