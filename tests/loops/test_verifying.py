"""Evidence is measured again and compared."""

from domain.examples import ORDER
from setpoint.domain.evaluation import Stage as Measuring
from setpoint.domain.evidence import CheckState
from setpoint.domain.ids import Tree
from setpoint.loops.verifying import branch_compared, verify
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
