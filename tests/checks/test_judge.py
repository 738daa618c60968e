"""What counts against a change: new findings, failing tests, and tests of the base that do not run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from checks.conftest import git, write
from setpoint.checks.baseline import Measurements
from setpoint.checks.judge import Judge, Reference
from setpoint.model import evidence
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import Cause, CheckResult, CheckState, Evidence, Failure, Outcome
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import Commit, EvidenceId, StoryId, Tree
from setpoint.model.stories.story import KnownRed, Story
from setpoint.system.files.artifacts import Artifacts

A, B = "tests/test_a.py::test_one", "tests/test_b.py::test_two"
GREEN = {A: Outcome.PASSED, B: Outcome.PASSED}
RED = {A: Outcome.FAILED, B: Outcome.PASSED}


def report(outcomes: dict[str, Outcome], **more: object) -> evidence.TestReport:
    failures = tuple(
        Failure(test=test, cause=Cause.ASSERTION, message="assert")
        for test, each in outcomes.items()
        if each.red
    )
    return evidence.TestReport(outcomes=outcomes, failures=failures, **more)


def result(check: str, tests: evidence.TestReport | None = None, *findings: Finding) -> CheckResult:
    made = Evidence(
        id=EvidenceId(f"ev-{check}"),
        check=check,
        state=CheckState.FAIL if findings or (tests and tests.red) else CheckState.PASS,
        tree=Tree("t"),
        argv=(check,),
        started_at=datetime.now(UTC),
        duration_s=1,
    )
    return CheckResult(evidence=made, findings=findings, tests=tests)


@pytest.fixture
def judged(tmp_path: Path):
    """Judge a change of one file, given what was measured at the base and now."""

    async def judge(
        base: tuple[CheckResult, ...],
        now: tuple[CheckResult, ...],
        files: dict[str, str] | None = None,
        known: Reference | None = None,
        **story: object,
    ) -> Evaluation:
        root = tmp_path / "project"
        write(root, {"calc.py": "X = 1\n", "tests/test_a.py": "def test_one():\n    assert 1\n"})
        git(root, "init", "-q")
        commits = []
        for changed in ({}, files or {"calc.py": "X = 2\n"}):
            write(root, changed)
            git(root, "add", "-A")
            git(root, "commit", "-qm", "x")
            commits.append(Commit(git(root, "rev-parse", "HEAD")))
        at_base, after = (
            Measurements(stage=Stage.TEST, commit=commit, tree=Tree("t"), results=results)
            for commit, results in zip(commits, (base, now), strict=True)
        )
        judge = Judge(
            story=Story(id=StoryId("s"), title="Do it", **story),
            base=commits[0],
            root=root,
            artifacts=Artifacts(tmp_path / "artifacts"),
            weights={},
            coverage_goal=0.8,
        )
        return await judge.against(at_base, after, known or Reference())

    return judge


async def test_a_finding_of_the_base_does_not_count_and_a_new_one_does(judged) -> None:
    old, new = (
        Finding(source="ruff", rule=rule, severity=Severity.ERROR, category=Category.STYLE, message=rule)
        for rule in ("F401", "F821")
    )

    seen = await judged((result("ruff", None, old),), (result("ruff", None, old, new),))

    assert [each.rule for each in seen.findings] == ["F821"]
    assert seen.existing == 1


async def test_a_test_of_the_base_that_does_not_run_any_more_blocks(judged) -> None:
    seen = await judged((result("pytest", report(GREEN)),), (result("pytest", report({B: Outcome.PASSED})),))

    (finding,) = seen.blocking
    assert (finding.source, finding.rule, finding.file) == ("integrity", "vanished", "tests/test_a.py")
    assert finding.message == f"{A} passed at the base and does not run any more"
    assert seen.evidence_of("integrity").state is CheckState.FAIL
    assert seen.quality.integrity == 0


async def test_it_blocks_nothing_where_a_person_released_its_file(judged) -> None:
    gone = (result("pytest", report({B: Outcome.PASSED})),)

    seen = await judged((result("pytest", report(GREEN)),), gone, may_change=("tests/test_a.py",))

    assert not seen.findings
    assert seen.quality.integrity == 1


async def test_a_contradicted_test_is_named_and_blocks_nothing(judged) -> None:
    now = report({B: Outcome.PASSED}, contradicted=(A,))

    seen = await judged((result("pytest", report(GREEN, unstable=("x",))),), (result("pytest", now),))

    assert (seen.contradicted, seen.unstable) == ((A,), ("x",))
    assert not seen.findings


@pytest.mark.parametrize("now", [{A: Outcome.SKIPPED, B: Outcome.PASSED}, {B: Outcome.PASSED}, {}])
async def test_a_failing_test_that_was_to_be_fixed_has_to_run(judged, now) -> None:
    at_base = (result("pytest", report(RED)),)

    seen = await judged(at_base, (result("pytest", report(now)),), known_red=KnownRed.FIX)

    assert ("unfixed", "tests/test_a.py") in [(each.rule, each.file) for each in seen.blocking]


@pytest.mark.parametrize(
    ("known_red", "failing"), [(KnownRed.FIX, [A]), (KnownRed.TOLERATE, [])], ids=["fix", "tolerate"]
)
async def test_a_test_that_still_fails_counts_where_it_was_to_be_fixed(judged, known_red, failing) -> None:
    same = (result("pytest", report(RED)),)

    seen = await judged(same, same, known_red=known_red)

    assert [each.test for each in seen.failures] == failing
    assert not seen.findings


async def test_what_was_restored_is_told_and_blocks_nothing(judged) -> None:
    same = (result("pytest", report(GREEN)),)

    seen = await judged(same, same, known=Reference(restored=("tests/test_a.py",)))

    assert seen.restored == ("tests/test_a.py",)
    assert [each.message for each in seen.findings] == ["tests/test_a.py was restored to the base"]
    assert not seen.blocking
    assert seen.evidence_of("integrity").state is CheckState.PASS
    assert seen.quality.integrity == 1


async def test_a_lost_test_of_a_runner_that_is_only_read_is_a_note(judged) -> None:
    stood, now = (evidence.TestReport(outcomes=each) for each in ({A: Outcome.PASSED}, {}))

    seen = await judged((result("ours", stood),), (result("ours", now),))

    (note,) = seen.notes
    assert (note.rule, note.message.partition(": ")[0]) == ("lost-test", "ours")
    assert not seen.findings


async def test_notes_stand_beside_the_findings(judged) -> None:
    same = (result("pytest", report(GREEN)),)

    seen = await judged(same, same, {"calc.py": "import os  # noqa\n"})

    assert [(each.rule, each.place) for each in seen.notes] == [("suppression", "calc.py:1")]
    assert not seen.findings
    assert seen.quality.integrity == 1


async def test_a_test_to_be_mended_has_to_pass(bench) -> None:
    marked = "import pytest\nfrom calc import READY\n\n@pytest.mark.skipif(not READY, reason='')\n"
    text = marked + "def test_ready():\n    assert READY == 2\n"
    made = await bench({"calc.py": "READY = 1\n", "test_calc.py": text}, known_red=KnownRed.FIX)
    await made.measure(Stage.BASE)

    await made.change({"calc.py": "READY = 0\n"})
    skipped = await made.measure(Stage.TEST)
    await made.change({"calc.py": "READY = 2\n"})
    mended = await made.measure(Stage.TEST)

    assert [each.rule for each in skipped.blocking] == ["unfixed"]
    assert mended.blocking == ()


async def test_a_file_to_be_mended_may_not_skip_itself(bench) -> None:
    made = await bench(
        {"calc.py": "x = y\n", "test_calc.py": "import calc\n\ndef test_x():\n    assert calc.x\n"},
        known_red=KnownRed.FIX,
    )
    await made.measure(Stage.BASE)

    await made.change({"calc.py": "import pytest\npytest.skip('later', allow_module_level=True)\n"})
    skipped = await made.measure(Stage.TEST)
    await made.change({"calc.py": "x = 1\n"})
    mended = await made.measure(Stage.TEST)

    assert "unfixed" in {each.rule for each in skipped.blocking}
    assert mended.blocking == ()
