from __future__ import annotations

from setpoint.domain.attempt import Role, Stop

CALC = """
    def double(x: int) -> int:
        return x * 2
"""
REFUSES = """
    from pathlib import Path

    import pytest

    def pytest_configure(config):
        pinned = Path(__file__).with_name("tests") / "test_calc_pinned.py"
        if pinned.exists() and not any("pinned" in word for word in config.args):
            raise pytest.UsageError("not with these")
"""


async def test_tests_are_written_and_told_as_calls(generator, tree, brief, watcher):
    root = tree(calc=CALC)
    attempt = await generator("calc.py").attempt(brief(root), watcher)

    assert attempt.stop is Stop.END_TURN
    assert "def test_double" in (root / "tests" / "test_calc_pinned.py").read_text()
    assert [call.name for call in watcher.calls] == ["measure_reach", "write_tests", "measure_reach"]
    assert attempt.tool_calls == len({call.id for call in watcher.calls}) == 3
    assert "pin how the code behaves at present" in attempt.text


async def test_where_the_new_tests_cannot_be_measured_together_it_says_so(generator, tree, brief, watcher):
    root = tree(calc=CALC, conftest=REFUSES)
    attempt = await generator("calc.py").attempt(brief(root), watcher)

    assert (root / "tests" / "test_calc_pinned.py").exists()
    assert "Whether all hold together could not be measured: pytest ended with exit code 4" in attempt.text


async def test_other_roles_write_nothing(generator, tree, brief, watcher):
    root = tree(calc=CALC)
    attempt = await generator("calc.py").attempt(brief(root, role=Role.PLANNER), watcher)

    assert attempt.tool_calls == 0
    assert not (root / "tests").exists()
