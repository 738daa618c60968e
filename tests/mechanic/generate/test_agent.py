from __future__ import annotations

from setpoint.model.attempt import Role, Stop
from setpoint_mechanic.engine.wire.cover import CoverResult
from setpoint_mechanic.generate.engine import Engine

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


async def test_a_pin_of_an_earlier_run_that_fails_is_told_and_left(generator, tree, brief, watcher):
    pinned = """
        # Written by `setpoint cover`
        import calc

        def test_double():
            assert calc.double(2) == 5
    """
    root = tree(calc=CALC, tests__test_calc_pinned=pinned)
    before = (root / "tests" / "test_calc_pinned.py").read_bytes()
    attempt = await generator("calc.py").attempt(brief(root), watcher)

    assert (root / "tests" / "test_calc_pinned.py").read_bytes() == before
    assert "tests/test_calc_pinned.py::test_double fails, and is left as it is" in attempt.text


async def test_files_that_there_is_no_time_for_are_named(generator, tree, brief, watcher):
    more = "\n\ndef triple(x: int) -> int:\n    return x * 3\n"
    root = tree(calc=CALC, more=more, third=more)
    attempt = await generator("calc.py", "more.py", "third.py", budget_s=1.0).attempt(brief(root), watcher)

    assert [call.name for call in watcher.calls].count("write_tests") == 1
    assert "2 files not looked at, time is up: " in attempt.text


async def test_what_an_engine_that_was_ended_leaves_is_taken_away(
    generator, tree, brief, watcher, monkeypatch
):
    async def ended(self, order, wall_s):
        request = order(self.tree)
        path = self.tree / request.target
        path.parent.mkdir(parents=True)
        path.write_text("def test_unjudged(): pass")
        return CoverResult(reason="killed")

    monkeypatch.setattr(Engine, "cover", ended)
    root = tree(calc=CALC)
    attempt = await generator("calc.py").attempt(brief(root), watcher)

    assert "no test was written: killed" in attempt.text
    assert not (root / "tests").exists()
