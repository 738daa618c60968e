"""The mutation score as a check: on changed lines, at the test stage, with a goal that blocks."""

from __future__ import annotations

import sys

import pytest

from plain_pytest import PLAIN
from setpoint.checks.mutation.check import MOST_FINDINGS, findings_of, is_source
from setpoint.checks.mutation.tree import Wanted, mutate
from setpoint.errors import UsageError
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.model.finding import Category, Severity
from setpoint.model.mutation import Fate, Mutant, MutationReport
from setpoint.model.stories.story import KnownRed
from setpoint.settings import ChecksSettings, Settings

BASE = {
    "fees.py": "def fee(total):\n    return 0\n\n\ndef other(a, b):\n    return a < b\n",
    "tests/test_fees.py": "from fees import fee\n\n\ndef test_small():\n    assert fee(5) == 1\n",
}
FEES = BASE["fees.py"].replace("return 0", "if total < 10:\n        return 1\n    return 2")


def settings(**more):
    plain = {"bandit": False, "coverage": False, "reruns": 0, "pytest_args": PLAIN, "mutation": True}
    return ChecksSettings(**{**plain, "mutation_budget_s": 60, **more})


def mutant(verdict, line=2, *, same_path=False, **more):
    values = {"file": "m.py", "operator": "comparison", "before": "if a <  b:", "after": "if a <=  b:"}
    return Mutant(**{**values, "line": line, "verdict": verdict, "same_path": same_path, "tests": 3, **more})


async def test_changed_lines_are_judged_with_the_full_suite_only(bench) -> None:
    made = await bench(BASE, settings=settings(mutation_goal=0.9), known_red=KnownRed.FIX)
    base = await made.measure(Stage.BASE)
    await made.change({"fees.py": FEES})
    quick = await made.measure(Stage.EVALUATE)
    full = await made.measure(Stage.TEST)

    assert (base.evidence_of("mutation"), quick.evidence_of("mutation")) == (None, None)
    evidence = full.evidence_of("mutation")
    assert evidence is not None
    assert (evidence.state, evidence.argv[2]) == (CheckState.FAIL, "score")
    assert evidence.counts["killed"] + evidence.counts["timeout"] >= 2
    assert full.quality.mutation is not None
    assert 0 < full.quality.mutation < 0.9
    missed, *others = full.findings
    assert (missed.rule, missed.severity, missed.category) == ("below-goal", Severity.ERROR, Category.TESTS)
    assert {each.file for each in others} == {"fees.py"}
    assert {each.line for each in others} <= {2, 3, 4}  # `other` was not touched
    assert {each.rule for each in others} >= {"uncovered"}
    assert full.blocking == (missed,)
    kept = MutationReport.model_validate_json(made.artifacts.read(evidence.output))
    assert kept.score == pytest.approx(full.quality.mutation)


async def test_red_tests_on_the_lines_and_no_lines_at_all_are_not_measured(bench) -> None:
    made = await bench(BASE, settings=settings(), known_red=KnownRed.FIX)
    await made.change({"fees.py": FEES.replace("return 1", "return 7")})
    red = (await made.measure(Stage.TEST)).evidence_of("mutation")
    assert red is not None
    assert (red.state, "red tests reach the lines" in red.reason) == (CheckState.NOT_MEASURED, True)
    await made.change({"fees.py": BASE["fees.py"], "README.md": "words\n"})
    none = (await made.measure(Stage.TEST)).evidence_of("mutation")
    assert none is not None
    assert (none.state, none.reason) == (CheckState.NOT_MEASURED, "no line of code was changed")


def test_findings_name_the_change_and_the_doubtful_ones_come_last() -> None:
    report = MutationReport(
        mutants=(
            mutant(Fate.SURVIVED, 1, same_path=True),
            mutant(Fate.SURVIVED, 9),
            mutant(Fate.UNCOVERED, 5),
            mutant(Fate.UNCOVERED, 4),
            mutant(Fate.UNTRIED, 3),
            mutant(Fate.KILLED, 3),
        ),
        tests=3,
        traced=3,
    )
    assert report.score == pytest.approx(1 / 5)
    found = findings_of(report, None)
    assert [(each.line, each.rule) for each in found] == [
        (9, "comparison"),
        (1, "comparison"),
        (4, "uncovered"),
    ]
    assert found[0].message == "no test fails when this line reads: if a <= b:"
    assert found[1].confidence < found[0].confidence
    assert {each.severity for each in found} == {Severity.WARNING}
    assert [each.rule for each in findings_of(report, 0.2)] == [each.rule for each in found]
    (missed, *_) = findings_of(report, 0.5)
    assert missed.message.startswith("the tests notice 1 of 5 small changes")
    assert [line[:7] for line in missed.detail.splitlines()[1:]] == ["- m.py:"] * 3
    assert "lines 4, 5" in missed.detail
    hurried = report.model_copy(update={"traced": 2})
    assert not any(each.blocking for each in findings_of(hurried, 0.5))
    many = MutationReport(mutants=(mutant(Fate.SURVIVED),) * (MOST_FINDINGS + 5))
    assert len(findings_of(many, None)) == MOST_FINDINGS
    assert MutationReport(mutants=(mutant(Fate.UNTRIED),)).score is None


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("src/a.py", True),
        ("tests/test_a.py", False),
        ("conftest.py", False),
        ("setup.py", False),
        ("README.md", False),
    ],
)
def test_only_sources_are_mutated(file, expected) -> None:
    assert is_source(file) is expected


async def test_the_tree_as_it_stands_is_judged_and_not_touched(bench, monkeypatch) -> None:
    made = await bench(BASE)
    monkeypatch.chdir(made.root)
    chosen = Settings(checks=settings(python=sys.executable))
    (made.root / "fees.py").write_text(FEES)

    async def judged(*paths, lines=None):
        wanted = Wanted(paths=paths, lines=lines, budget_s=60, jobs=1)
        return await mutate(made.folders, chosen, wanted)

    changed = await judged()
    assert {each.line for each in changed.mutants} == {2, 3, 4}
    named = await judged("fees.py", lines=range(8, 9))
    assert {(each.line, each.verdict) for each in named.mutants} == {(8, Fate.UNCOVERED)}
    for paths, lines, said in (
        (("tests",), None, "no source outside the tests"),
        (("/",), None, "lies outside"),
    ):
        with pytest.raises(UsageError, match=said):
            await judged(*paths, lines=lines)
    (made.root / "fees.py").write_text(BASE["fees.py"])
    with pytest.raises(UsageError, match="no line of code differs"):
        await judged()
    assert not [*(made.copies / "measured").glob("mutate-*")]
