"""A tool that broke at the base: what stood there is not laid at the work's door."""

from __future__ import annotations

from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.settings import ChecksSettings

CHECKS = ChecksSettings(bandit=True, pytest=False, coverage=False, reruns=0)
CALL = "subprocess.call(input(), shell=True)\n"
STOOD = f"import subprocess\n{CALL}"


async def test_only_changed_lines_count_where_a_tool_broke_at_the_base(bench) -> None:
    made = await bench({"runs.py": STOOD, "broken.py": "def f(:\n"}, settings=CHECKS)
    base = await made.measure(Stage.BASE)
    await made.change({"runs.py": f"{STOOD}{CALL}", "broken.py": "def f():\n    pass\n", "more.py": STOOD})

    tested = await made.measure(Stage.TEST)

    assert base.evidence_of("bandit").state is CheckState.ERROR
    found = {(each.file, each.line) for each in tested.findings if each.rule == "B602"}
    assert found == {("runs.py", 3), ("more.py", 2)}
    evidence = tested.evidence_of("bandit")
    assert evidence.state is CheckState.FAIL
    assert "broke at the base" in evidence.reason
    assert "only changed lines are compared" in evidence.reason
