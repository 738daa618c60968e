"""The first tier stays quick, and of the second tier each commit runs a part that fits."""

from __future__ import annotations

import pytest

import second_tier
import tiers

KNOWN = {
    "tests/a/test_one.py": {"test_x": 8.0, "test_y[1]": 13.0},
    "tests/b/test_two.py": {"test_x": 30.0},
    "tests/b/test_three.py": {"test_x": 7.0},
}
NODES = tuple(f"{file}::{test}" for file, known in KNOWN.items() for test in known)
SEEDS = tuple(f"commit {number}" for number in range(40))


def test_no_test_of_the_first_tier_is_recorded_above_its_limit(request: pytest.FixtureRequest) -> None:
    items = request.session.items
    first = [each.nodeid for each in items if not any(each.iter_markers("slow"))]
    assert tiers.too_slow(first, tiers.recorded()) == {}, "mark them `slow`, or make them quicker"


def test_what_is_recorded_above_the_limit_is_found() -> None:
    assert tiers.too_slow(NODES, KNOWN).keys() == {
        node for node in NODES if tiers.seconds_of(node, KNOWN) > tiers.LIMIT_S
    }
    assert tiers.too_slow(["tests/a/test_one.py::test_new"], KNOWN) == {}


@pytest.mark.parametrize("seed", SEEDS[:5])
@pytest.mark.parametrize("budget_s", [0.0, 7.5, 21.0, 57.0, 1000.0])
def test_a_share_fits_its_budget_and_nothing_is_forgotten(budget_s: float, seed: str) -> None:
    choice = second_tier.choose(NODES, frozenset(), budget_s, seed, KNOWN)
    chosen = (*choice.touched, *choice.rotating)
    assert sum(tiers.seconds_of(node, KNOWN) or 0 for node in chosen) <= budget_s
    assert sorted((*chosen, *choice.left)) == sorted(NODES)


def test_touched_files_go_first_and_the_rest_rotates() -> None:
    touched = frozenset({"tests/a/test_one.py"})
    shares = [second_tier.choose(NODES, touched, 30.0, seed, KNOWN) for seed in SEEDS]
    assert {share.touched for share in shares} == {NODES[:2]}
    alone = [second_tier.choose(NODES, frozenset(), 30.0, seed, KNOWN) for seed in SEEDS]
    assert {node for share in alone for node in share.rotating} == set(NODES)


def test_a_file_above_the_budget_is_run_in_part() -> None:
    choice = second_tier.choose(NODES[:2], frozenset(), 14.0, "c", KNOWN)
    assert len(choice.rotating) == len(choice.left) == 1


def test_tests_are_touched_by_the_folder_that_theirs_mirrors() -> None:
    files = ("tests/cli/test_show.py", "tests/agents/acp/test_limits.py", "tests/store/test_locks.py")
    changed = (
        "src/setpoint/cli/sample/calc.py",
        "src/setpoint/agents/acp/agent.py",
        "tests/store/test_locks.py",
    )
    assert second_tier.touched_files(files, changed) == set(files)
    assert second_tier.touched_files(files, ("README.md", "src/setpoint/errors.py")) == set()
