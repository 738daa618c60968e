"""Evidence is measured again and compared."""

from model.examples import BLOCKER, ORDER
from setpoint.model.evaluation import Stage as Measuring
from setpoint.model.evidence import CheckState
from setpoint.model.ids import Tree
from setpoint.model.proof import Obligation, ObligationState, Proof, WorkKind
from setpoint.phase.evidence_rerun import branch_compared, compare, compare_proofs, verify
from setpoint.testing import FolderWorkspace, Scene, ScriptedEvaluator, evaluation


async def again(tmp_path, recorded, now):
    workspace = FolderWorkspace(tmp_path, {"src/work.py": "value = 1\n"})
    order = ORDER.model_copy(update={"base": workspace.base})
    evaluator = ScriptedEvaluator(now)
    measured = evaluation(Measuring.TEST, workspace.base, "tree", recorded)
    return await verify(order, measured, workspace, evaluator), evaluator


async def test_the_same_tree_gives_the_same_evidence(tmp_path):
    compared, evaluator = await again(tmp_path, Scene(), Scene())
    assert compared
    assert all(each.agrees for each in compared)
    assert [each.stage for each in evaluator.calls] == [Measuring.CONFIRM]


async def test_a_check_that_comes_out_otherwise_is_told(tmp_path):
    compared, _ = await again(tmp_path, Scene(), Scene(failing=("t::a",)))
    differing = [(each.check, each.recorded, each.now) for each in compared if not each.agrees]
    assert differing == [("pytest", CheckState.PASS, CheckState.FAIL)]


async def test_counts_are_compared_too(tmp_path):
    (first, *_), _ = await again(tmp_path, Scene(), Scene())
    assert first.agrees
    assert not first.model_copy(update={"now_counts": {"findings": 1}}).agrees
    assert first.model_copy(update={"now_counts": {"seconds": 1}}).agrees


def test_a_branch_that_moved_on_is_told():
    assert branch_compared(Tree("a"), Tree("a")).agrees
    assert not branch_compared(Tree("a"), Tree("b")).agrees
    assert not branch_compared(Tree("a"), None).agrees


def measured(scene, **more):
    return evaluation(Measuring.TEST, "c" * 40, "t" * 40, scene).model_copy(update=more)


def notes(recorded, now):
    return {each.check: each.notes for each in compare(recorded, now) if each.notes}


def test_a_difference_names_the_tests_and_findings():
    found = BLOCKER.model_copy(update={"source": "ruff"})
    said = notes(
        measured(Scene(failing=("t::old",))), measured(Scene(failing=("t::new",), findings=(found,)))
    )
    assert said["pytest"] == (
        "fails now only: t::new (assert 1 == 2)",
        "failed in the recorded run only: t::old",
    )
    assert said["ruff"] == ("found now only: the total is rounded twice (src/cart.py:12)",)


def test_another_tool_command_or_tree_is_told_even_where_the_result_is_the_same():
    recorded = measured(Scene())
    first = recorded.evidence[0].model_copy(
        update={"tool": "scripted 2", "argv": ("scripted", "-x"), "tree": Tree("u" * 40)}
    )
    now = recorded.model_copy(update={"evidence": (first, *recorded.evidence[1:])})
    (compared, *rest) = compare(recorded, now)
    assert compared.agrees
    assert [note.partition(":")[0] for note in compared.notes] == [
        "another tree was measured",
        "another tool",
        "another command",
    ]
    assert (compared.recorded_tool, compared.now_tool) == ("scripted 1", "scripted 2")
    assert all(each.notes == () for each in rest)


def test_the_place_of_a_program_is_no_difference():
    here, there = (
        measured(Scene()).model_copy(
            update={
                "evidence": (
                    measured(Scene())
                    .evidence[0]
                    .model_copy(update={"argv": (f"{place}/python", f"--at={place}/x")}),
                )
            }
        )
        for place in ("/home/a/.venv/bin", "/home/b/venv/bin")
    )
    assert notes(here, there) == {}


def test_a_check_made_on_one_side_only_differs():
    recorded = measured(Scene())
    fewer = recorded.model_copy(update={"evidence": recorded.evidence[1:]})
    gone, extra = compare(recorded, fewer)[0], compare(fewer, recorded)[-1]
    assert (gone.agrees, extra.agrees) == (False, False)
    assert "not run now" in gone.notes[0]
    assert "run now only" in extra.notes[0]


def test_a_flaky_test_that_passes_now_is_no_contradiction():
    counts = {"passed": 9, "flaky": 1}
    recorded = measured(Scene(flaky=("t::shaky",)))
    (tests,) = [each for each in compare(recorded, measured(Scene())) if each.check == "pytest"]
    assert tests.model_copy(update={"recorded_counts": counts, "now_counts": {"passed": 10}}).agrees
    assert not tests.model_copy(update={"recorded_counts": counts, "now_counts": {"passed": 9}}).agrees


def test_a_check_broken_now_says_why():
    (broken,) = [
        each
        for each in compare(measured(Scene()), measured(Scene(broken=("bandit",))))
        if each.check == "bandit"
    ]
    assert (broken.agrees, broken.notes) == (False, ("scripted to break",))


def test_many_differences_are_shortened():
    failing = tuple(f"t::a{number}" for number in range(9))
    (note,) = notes(measured(Scene()), measured(Scene(failing=failing)))["pytest"]
    assert note.endswith(" and 4 more")


def test_a_proof_is_compared_obligation_by_obligation():
    def proof(state):
        met = Obligation(name="witness", state=ObligationState.MET, reason="1 test")
        other = Obligation(name="sensitivity", state=state, reason=f"now {state}")
        return Proof(work=WorkKind.REPAIR, why="w", obligations=(met, other))

    same, other = compare_proofs(proof(ObligationState.MET), proof(ObligationState.NOT_MET))

    assert (same.check, same.agrees, same.notes) == ("witness", True, ())
    assert (other.check, other.agrees, other.notes) == ("sensitivity", False, ("now not_met",))


def test_what_was_not_measured_and_holds_now_is_no_contradiction():
    def proof(state):
        one = Obligation(name="elsewhere", state=state, reason="no time")
        return Proof(work=WorkKind.REPAIR, why="w", obligations=(one,))

    left_out, met = proof(ObligationState.NOT_APPLICABLE), proof(ObligationState.MET)

    assert [each.agrees for each in compare_proofs(left_out, met)] == [True]
    assert [each.agrees for each in compare_proofs(left_out, proof(ObligationState.NOT_MET))] == [False]
    assert [each.agrees for each in compare_proofs(met, left_out)] == [False]


def test_an_obligation_of_one_proof_alone_is_shown():
    def proof(*names):
        met = [Obligation(name=each, state=ObligationState.MET, reason=f"{each} held") for each in names]
        return Proof(work=WorkKind.REPAIR, why="w", obligations=tuple(met))

    old, both, new = compare_proofs(proof("look", "witness"), proof("witness", "own gate"))

    assert (both.check, both.agrees, both.notes) == ("witness", True, ())
    assert (old.check, old.agrees, old.notes) == ("look", False, ("in the recorded proof only",))
    assert (new.check, new.agrees) == ("own gate", False)
    assert new.notes == ("in the new proof only: own gate held",)
