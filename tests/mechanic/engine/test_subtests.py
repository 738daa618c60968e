"""Subtests that are skipped, where an order of tests is judged and where a bug is mended."""

from __future__ import annotations

import pytest

from probe.test_subtests import CLASS, FAILING_PART, PARTS, root
from setpoint_mechanic.engine.generate.replay import Replay, shuffled
from setpoint_probe.process.children import Limits

__all__ = ["root"]


def test_in_another_order_a_test_with_a_skipped_part_is_green(root, tmp_path):
    how = Replay(str(root), ("test_signs.py",), str(tmp_path), Limits(4 << 30, 20.0), alone=1, shuffled=1)
    run = shuffled(how, 1, (PARTS, FAILING_PART), 20.0)
    assert PARTS not in run.failed
    assert FAILING_PART in run.failed


@pytest.mark.parametrize("asked", [FAILING_PART, CLASS])
def test_a_bug_is_mended_in_a_suite_whose_tests_skip_parts(root, repair, asked):
    result = repair(root, asked)
    assert result.status == "repaired", result.reason
    assert result.failing == [FAILING_PART]
    assert result.patches[0].confirmed
    scope: dict[str, object] = {}
    exec(result.patches[0].text, scope)
    assert [scope["sign"](x) for x in (3, -3, 0)] == [1, -1, 0]
