"""The runs of a verdict as steps: their order, budget, record and switches."""

import shutil

import pytest

from checks.verdict.conftest import PRICE, QUICK, SHOP
from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.checks.trees.checkout import kept_of
from setpoint.model.evaluation import Stage
from setpoint.model.exam import Examiner
from setpoint.model.proof import RUNS, ObligationState, ProofTerms, WorkKind
from setpoint.ports import Measured
from setpoint.system.files.artifacts import Artifacts

MET, NOT_MET, NONE = ObligationState.MET, ObligationState.NOT_MET, ObligationState.NOT_APPLICABLE
FEATURE = {
    "shop.py": PRICE + "\n\ndef discount(n):\n    return n // 2\n",
    "tests/test_discount.py": "import shop\n\n\ndef test_discount():\n    assert shop.discount(4) == 2\n",
}


async def test_a_feature_takes_all_seven_runs(proof):
    made = await proof(FEATURE)
    said = {each.name: each for each in made.obligations}

    assert set(said) == set(RUNS)
    assert not made.missing
    assert all(said[name].state is MET for name in RUNS[:6])
    assert said["witness"].seconds > 0
    assert said["sabotage"].estimate_s is not None


async def test_the_first_failure_ends_the_rest(proof):
    blind = {**FEATURE, "tests/test_discount.py": "import shop\n\n\ndef test_it():\n    shop.discount(4)\n"}
    made = await proof(blind)
    left = [each for each in made.obligations if "failed first" in each.reason]

    assert [each.name for each in made.missing] == ["sabotage"]
    assert all(each.state is NONE for each in left)


async def test_a_run_can_be_switched_off_and_says_so(proof):
    made = await proof(FEATURE, terms=ProofTerms(without=("same_calls", "elsewhere")))
    said = {each.name: each for each in made.obligations}

    assert "switched off" in said["same calls"].reason
    assert "switched off" in said["elsewhere"].reason
    assert not made.missing


def test_an_unknown_run_cannot_be_switched_off():
    with pytest.raises(ValueError, match="no run is called sealing"):
        ProofTerms(without=("sealing",))


def test_terms_of_earlier_versions_are_read():
    assert ProofTerms.model_validate({"arrangement": "full", "arrangement_seconds": 600.0}) == ProofTerms()


@pytest.mark.parametrize(
    ("change", "title", "work", "names"),
    [
        ({"README.md": "# Shop\n"}, "improve the docs", WorkKind.DOCS, {"files"}),
        ({"shop.py": "# Cents.\n" + PRICE}, "price in cents", WorkKind.BEHAVIOUR, set()),
        ({"pyproject.toml": "[tool.ruff]\n"}, "chore: add settings", WorkKind.CHORE, {"files", "elsewhere"}),
        (
            {"shop.py": PRICE.replace("n * 100", "100 * n")},
            "simplify price",
            WorkKind.REFACTOR,
            {"public names", "sabotage", "elsewhere"},
        ),
    ],
    ids=["docs", "comments", "chore", "refactor"],
)
async def test_each_kind_of_work_takes_its_own_runs(proof, change, title, work, names):
    made = await proof(change, title)
    met = {each.name for each in made.obligations if each.state is MET}

    assert made.work is work
    assert names <= met
    assert ("witness" in {each.name for each in made.missing}) is (work is WorkKind.BEHAVIOUR)


@pytest.mark.parametrize(
    ("change", "work"),
    [
        ({"shop.py": PRICE.replace("(n)", "(n: int) -> int")}, WorkKind.REFACTOR),
        (FEATURE, WorkKind.BEHAVIOUR),
    ],
    ids=["types", "a witness"],
)
async def test_code_that_promises_nothing_is_a_refactoring_unless_something_changes(proof, change, work):
    made = await proof(change, "improve the docs")

    assert (made.work, made.missing) == (work, ())


async def test_another_machine_proves_what_was_measured_here(bench, tmp_path):
    command = "grep -q discount shop.py"
    there = await bench(dict(SHOP), settings=QUICK, acceptance=(command,))
    await there.measure(Stage.BASE)
    made = await there.change(dict(FEATURE))
    measured = Measured(copy=there.copy, commit=made.commit, tree=made.tree, stage=Stage.TEST)
    kept_of(there.folders.state, there.order.trace_id, "base").unlink()
    shutil.rmtree(there.folders.state / "cache")
    elsewhere = ProjectEvaluator(there.settings, Artifacts(tmp_path / "elsewhere"), there.folders)
    proof = await elsewhere.prove(there.order, measured)

    assert not proof.missing
    assert Examiner.COMMAND in {each.examiner for each in proof.exams}


async def test_what_was_found_of_a_tree_is_not_measured_twice(bench):
    there = await bench(dict(SHOP), settings=QUICK)
    there.order = there.order.model_copy(update={"proof": ProofTerms(without=("same calls",))})
    await there.measure(Stage.BASE)
    made = await there.change(FEATURE)
    tree = Measured(copy=there.copy, commit=made.commit, tree=made.tree, stage=Stage.TEST)
    first = await there.evaluator.prove(there.order, tree)
    second = await there.evaluator.prove(there.order, tree)
    fresh = await there.evaluator.prove(there.order, tree._replace(stage=Stage.CONFIRM))

    assert sum(each.seconds for each in second.obligations if each.name != "same calls") == 0.0
    assert sum(each.seconds for each in fresh.obligations) > 0.0
    assert [each.state for each in first.obligations] == [each.state for each in second.obligations]
