from __future__ import annotations

import json
from pathlib import Path

from setpoint.history.reviewer_records import reviewer_records
from setpoint.model.config.limits import Limits
from setpoint.model.ids import TraceId
from setpoint.testing import Act, RunHarness, Scene, ScriptedAgent, ScriptedEvaluator

WRONG = {
    "severity": "error",
    "category": "correctness",
    "message": "the name is wrong",
    "file": "src/work.py",
}
OTHER = {**WRONG, "message": "no bound"}


def _says(decision: str, *findings: object, settled: object = ()) -> Act:
    return Act(text=json.dumps({"decision": decision, "findings": findings, "settled": settled}))


async def test_findings_that_the_work_followed_count_for_a_reviewer(tmp_path: Path) -> None:
    def seen(*acts: Act, rounds: int) -> RunHarness:
        edits = [Act(edits={"src/work.py": f"value = {each}\n"}) for each in range(1, rounds + 1)]
        return RunHarness(
            agent=ScriptedAgent(*edits),
            evaluator=ScriptedEvaluator(Scene(), base=Scene(failing=("t::a",))),
            reviewer=ScriptedAgent(*acts, name="critic"),
            folder=tmp_path / str(rounds),
            limits=Limits(max_iterations=5),
        )

    followed = seen(_says("request_changes", WRONG, OTHER), _says("approve"), rounds=2)
    await followed.drive()
    (record,) = reviewer_records([followed.log.replay(TraceId("run-1"))])
    assert (record.reviewer, record.reviews, record.acted_on, record.share) == ("code:critic", 2, 2, 1.0)

    silent = seen(Act(text="?"), Act(text="?"), rounds=3)
    await silent.drive()
    counted = reviewer_records([followed.log.replay(TraceId("run-1")), silent.log.replay(TraceId("run-1"))])
    assert {each.reviewer: each.missing for each in counted} == {"code:critic": 0, "code:nobody": 1}
