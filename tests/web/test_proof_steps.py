"""While a proof is measured, the page shows its steps with their counts, and what may follow."""

from history.report_runs import made, measured, order
from setpoint.model.evaluation import Stage
from setpoint.model.events.live import ProofStep
from setpoint.model.events.run import ProofMeasured, RunStarted
from setpoint.model.ids import TraceId
from setpoint.model.proof import Obligation, ObligationState, Proof, WorkKind
from setpoint.system.files.locks import RunLocks
from setpoint.testing.evaluator import Scene

TRACE = TraceId("run-7proves")
LOST = Obligation(name="nothing lost", state=ObligationState.MET, count=22)


def test_steps_are_shown_until_the_proof_is_whole(project, browser):
    started = order(project.root).model_copy(update={"trace_id": TRACE})
    begun = [RunStarted(order=started, workdir=str(project.root)), made(1), measured(1, Stage.TEST, Scene())]
    project.log.append(TRACE, "begun", begun)
    with RunLocks(project.state).held(TRACE):
        assert 'class="steps"' not in browser.get(f"/runs/{TRACE}").text
        project.log.append(TRACE, "step", [ProofStep(obligation=LOST)])
        page = browser.get(f"/runs/{TRACE}").text
        steps = page.partition('class="steps"')[2].partition("</p>")[0]
        assert "✓&nbsp;nothing lost (22)" in steps
        assert "○&nbsp;sabotage" in steps
        proof = Proof(work=WorkKind.REPAIR, why="it says so", obligations=(LOST,))
        project.log.append(TRACE, "whole", [ProofMeasured(iteration=1, proof=proof)])
        assert 'class="steps"' not in browser.get(f"/runs/{TRACE}").text
