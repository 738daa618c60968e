"""Which small changes of the code call for a new test, where tests are there already."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from setpoint_mechanic.engine.generate.mutant_kills import is_open
from setpoint_mechanic.engine.generate.present_tests import key_of_mutant
from setpoint_mechanic.engine.generate.search import Ground
from setpoint_mechanic.engine.wire.cover import CoverRequest
from setpoint_probe.mutants.operators import make
from setpoint_probe.process.children import Limits
from setpoint_probe.reach.anatomy import dissect
from setpoint_probe.source.source import Source

SIZES = """
    def large(size):
        return size > 10


    def small(size):
        return (
            size
            < 3
        )
"""
LARGE, SMALL = 3, 7
"""Lines on which the two statements begin."""
WEAK = """
    from sizes import large, small


    def test_sizes():
        assert large(20)
        assert not small(20)
"""


@pytest.fixture
def mutants(project):
    """Give the mutants of the file, by the line on which their statement begins."""
    path = str(project(sizes=SIZES) / "sizes.py")
    return {mutant.lines[0]: mutant for mutant in make({path: Source.read(path)}, {}, 0).mutants}


def ground(mutant, let_pass):
    """Give what the search knows where tests reach all but the second function."""
    path, root = mutant.source.path, mutant.source.path.removesuffix("/sizes.py")
    request = CoverRequest(
        tree=root, file="sizes.py", module="sizes", target="t.py", missed_lines=(SMALL,), missed_branches=()
    )
    text = dedent(SIZES)
    return Ground(
        request=request,
        path=path,
        alias="sizes",
        tree=ast.parse(text),
        anatomy=dissect(text, path),
        lines=frozenset(request.missed_lines),
        branches=frozenset(),
        limits=Limits(1 << 30, 8.0),
        let_pass=let_pass,
    )


def test_what_was_not_tried_calls_for_a_test_only_where_no_test_reaches_it(mutants):
    large, small = mutants[LARGE], mutants[SMALL]

    assert not is_open(ground(large, frozenset()), large)
    assert is_open(ground(small, frozenset()), small)


def test_what_was_tried_and_not_noticed_calls_for_a_test(mutants):
    large = mutants[LARGE]
    tree = large.source.path.removesuffix("/sizes.py")

    assert is_open(ground(large, frozenset([key_of_mutant(tree, large)])), large)


def test_where_there_are_no_tests_every_change_calls_for_one(mutants):
    assert all(is_open(ground(each, None), each) for each in mutants.values())


def test_tests_are_written_for_what_weak_ones_let_pass(project, cover):
    root = project(sizes=SIZES, tests__test_sizes=WEAK)

    result = cover(root, "sizes.py", "sizes", wall_s=12.0, tests=("tests/test_sizes.py",))

    assert result.status == "written", result.reason
    assert {each.target for each in result.tests} == {"large", "small"}
    assert not any(each.lines or each.branches for each in result.tests)
    assert all(each.kills for each in result.tests)
