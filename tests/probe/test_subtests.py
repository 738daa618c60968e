"""Subtests that are skipped: their test ran, and what it came to counts. A skipped test does not fail."""

from __future__ import annotations

import pytest

from probe.conftest import answered
from setpoint_probe.process.children import Limits
from setpoint_probe.session.fresh import Fresh
from setpoint_probe.session.session import FAILED, PASSED, SKIPPED
from setpoint_probe.wire.order import read_reach
from setpoint_probe.wire.reach import ReachRequest

SIGNS = "def sign(x):\n    return 1 if x >= 0 else -1\n"
TEST_SIGNS = """\
    import unittest
    from signs import sign


    class SignTest(unittest.TestCase):
        def test_parts(self):
            for x, expected in ((None, None), (3, 1), (-3, -1)):
                with self.subTest(x=x):
                    if x is None:
                        self.skipTest("not yet")
                    self.assertEqual(sign(x), expected)

        def test_failing_part(self):
            for x, expected in ((None, None), (0, 0)):
                with self.subTest(x=x):
                    if x is None:
                        self.skipTest("not yet")
                    self.assertEqual(sign(x), expected)

        def test_whole(self):
            self.skipTest("not yet")
"""
CLASS = "test_signs.py::SignTest"
PARTS, FAILING_PART, WHOLE = (f"{CLASS}::test_{name}" for name in ("parts", "failing_part", "whole"))


@pytest.fixture
def root(project):
    return project(signs=SIGNS, test_signs=TEST_SIGNS)


def test_in_a_fresh_process_a_skipped_part_does_not_skip_its_test(root, tmp_path):
    request = ReachRequest(tree=str(root), files=(), scratch=str(tmp_path))
    fresh = Fresh(request, Limits(4 << 30, 20.0), 20.0)
    outcomes = fresh.outcomes(str(root / "signs.py"), SIGNS, ["test_signs.py"])
    assert outcomes == {PARTS: PASSED, FAILING_PART: FAILED, WHOLE: SKIPPED}


def test_in_what_is_reached_a_skipped_part_does_not_skip_its_test(root, tmp_path):
    request = ReachRequest(tree=str(root), files=("signs.py",), scratch=str(tmp_path / "reach"))
    found = answered(request, read_reach)
    assert found.outcomes == {PARTS: "passed", FAILING_PART: "failed", WHOLE: "skipped"}
