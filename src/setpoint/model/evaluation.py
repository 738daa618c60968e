"""All that Setpoint measured of one tree, as a difference from the base."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from setpoint.model.config.sandbox import Means
from setpoint.model.evidence import (
    FORMATTERS,
    NO_SUITE,
    SUITES,
    CheckState,
    Coverage,
    Evidence,
    Failure,
    Suspect,
)
from setpoint.model.finding import Finding, Note
from setpoint.model.goals import GoalResult
from setpoint.model.ids import Artifact, Commit, Tree
from setpoint.model.quality import Metric, QualityVector
from setpoint.model.value import Text, Value

_NONE = str(Means.NONE)

_OF_FILES = frozenset({"parse", "integrity"})
"""Checks that say nothing about what code does."""
_OF_CODE = frozenset({Metric.CODE_QUALITY, Metric.TYPES})
"""Metrics of tools that find errors in code."""


class Stage(StrEnum):
    """How much is measured; by cost, cheapest first."""

    BASE = "base"
    """Everything, on the base commit, once."""
    EVALUATE = "evaluate"
    """Parse, integrity, lint, types, security, and the tests that failed last time."""
    TEST = "test"
    """The full suite with coverage, and the story's acceptance commands."""
    CONFIRM = "confirm"
    """The full suite once more, nothing taken from a cache."""


class Evaluation(Value):
    """What was measured of one tree; findings and failures are those that count against the work."""

    stage: Stage
    commit: Commit
    tree: Tree
    evidence: tuple[Evidence, ...]
    findings: tuple[Finding, ...] = ()
    """New against the base, worst first, at most 200; the rest is in `report`."""
    failures: tuple[Failure, ...] = ()
    """Red tests that count, worst first: not flaky, not in quarantine, not known-red where tolerated."""
    suspects: tuple[Suspect, ...] = ()
    """Lines that failing tests run and passing ones do less, at most 10; those of the change come first."""
    localised: Text = ""
    """What `suspects` rests on, or why there are none though tests failed."""
    known_red: tuple[Text, ...] = ()
    """Tests that fail and failed at the base too, tolerated."""
    ours: tuple[Text, ...] = ()
    """Tests that fail only where they are measured, each with where or how it passes; they do not count."""
    carried: Text = ""
    """The ignored files and variables that the checks get beside what git holds, in words."""
    lacking: Text = ""
    """Of the base: what tests need that the checks do not get, and how they would; empty for nothing."""
    flaky: tuple[Text, ...] = ()
    """Tests that failed and then passed alone on the same tree."""
    quarantined: tuple[Text, ...] = ()
    """Red tests that do not count because they stand in quarantine, each with the day on which that ends."""
    test_counts: dict[str, int] = {}
    """Number of tests by outcome; empty where no test ran."""
    coverage: Coverage | None = None
    quality: QualityVector = QualityVector()
    goals: tuple[GoalResult, ...] = ()
    """How the tree is judged by the goals of the run, where the full suite was reached."""
    score: float | None = None
    """Weighted mean of the quality vector, 0 to 1."""
    agent_wrote_tests: bool = False
    """The work adds or changes test files, so its own tests are a weaker proof."""
    restored: tuple[Text, ...] = ()
    """Files that were restored to the base because the work had changed them."""
    contradicted: tuple[Text, ...] = ()
    """Tests of the base that fail as they were there, and pass or are gone as the work leaves them."""
    unstable: tuple[Text, ...] = ()
    """Tests that differ, in name or outcome, between two runs of the base; they decide nothing."""
    notes: tuple[Note, ...] = ()
    """What the change shows to a reviewer and a person; it decides nothing."""
    existing: int = 0
    """Findings that stood at the base already: counted, not blamed."""
    compared: Text = ""
    """What findings were compared with outside of a run; empty: with nothing, or within a run."""
    untested: Text = ""
    """Outside of a run: why no test showed what the code does, with a hint; empty where one did."""
    report: Artifact | None = None
    """Every check result in full, as JSON."""

    @property
    def score_shown(self) -> float | None:
        """The score; none where a test fails, or the full suite was not measured."""
        partly = self.stage is Stage.EVALUATE or self.quality.tests is None or self.untested
        broken = any(each.state is CheckState.ERROR for each in self.suites)
        return None if partly or broken or self.failures else self.score

    def quality_shown(self, weights: Mapping[str, float] | None = None) -> str:
        """Return the score with the metrics it is of, `0.93 (tests, coverage)`; empty where none is shown."""
        names = self.quality.weighed(weights)
        return "" if self.score_shown is None else f"{self.score_shown:.2f} ({', '.join(names)})"

    def evidence_of(self, check: str) -> Evidence | None:
        """Return the evidence of the named check, if it was made."""
        return next((evidence for evidence in self.evidence if evidence.check == check), None)

    @property
    def tests_kept(self) -> bool:
        """Whether what its suites gave was taken from an earlier measurement of the same tree."""
        suites = [evidence.cached for evidence in self.evidence if evidence.check in SUITES]
        return bool(suites) and all(suites)

    @property
    def held_by(self) -> str:
        """Say what held the commands of the checks; empty where that was not recorded."""
        means = {evidence.held for evidence in self.evidence if evidence.held}
        if not means:
            return ""
        if _NONE in means:
            return "not held" if means == {_NONE} else "held in part"
        return f"held by {' and '.join(sorted(means))}"

    @property
    def suites(self) -> tuple[Evidence, ...]:
        """Evidence of every runner of the project's own tests, the worst first."""
        order = (
            CheckState.ERROR,
            CheckState.FAIL,
            CheckState.FLAKY,
            CheckState.PASS,
            CheckState.NOT_MEASURED,
        )
        ran = [evidence for evidence in self.evidence if evidence.check in SUITES]
        return tuple(sorted(ran, key=lambda evidence: order.index(evidence.state)))

    @property
    def without_tests(self) -> str:
        """Say why no test ran though there is code; empty where one ran, broke or was not asked for."""
        lack = self.evidence_of(NO_SUITE)
        if lack is not None:
            return lack.reason
        idle = all(each.state is CheckState.NOT_MEASURED for each in self.suites)
        return "; ".join(f"{each.check}: {each.reason}" for each in self.suites) if idle else ""

    @property
    def beside_code(self) -> tuple[str, ...]:
        """Name the checks that ran and say nothing about what code does: of secrets, layout, docstrings."""
        ran = (each for each in self._made if each.check not in _OF_FILES)
        return tuple(each.check for each in ran if not _of_code(each))

    @property
    def proves_nothing(self) -> bool:
        """Whether neither a test, a type checker nor a linter measured a tree that holds code."""
        return bool(self.untested) and not any(map(_of_code, self._made))

    @property
    def _made(self) -> tuple[Evidence, ...]:
        return tuple(each for each in self.evidence if each.state is not CheckState.NOT_MEASURED)

    @property
    def cannot_build(self) -> str:
        """Say what does not compile, with the compiler's first message; empty where all is built."""
        unbuilt = [each for each in self.failures if each.unbuilt]
        if not unbuilt:
            return ""
        more = f" (and {len(unbuilt) - 1} more)" if len(unbuilt) > 1 else ""
        return f"cannot build {unbuilt[0].test}{more}: {unbuilt[0].message}"

    @property
    def blocking(self) -> tuple[Finding, ...]:
        """Findings that block."""
        return tuple(finding for finding in self.findings if finding.blocking)

    @property
    def broken(self) -> tuple[Evidence, ...]:
        """Checks whose tool broke."""
        return tuple(evidence for evidence in self.evidence if evidence.state is CheckState.ERROR)


def _of_code(evidence: Evidence) -> bool:
    """Whether a check says something about what code does; one of your own does, unless it names a metric."""
    if evidence.check in _OF_FILES | FORMATTERS or evidence.check.startswith("coverage"):
        return False
    return not evidence.feeds or not _OF_CODE.isdisjoint(evidence.feeds)
