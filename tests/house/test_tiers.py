"""The first tier stays quick, and of the second tier each commit runs a part that fits."""

from __future__ import annotations

from collections import defaultdict

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


def test_no_file_of_the_first_tier_is_recorded_above_its_limit(request: pytest.FixtureRequest) -> None:
    files: defaultdict[str, list[float]] = defaultdict(list)
    for item in request.session.items:
        if item.get_closest_marker("slow") is None:
            seconds = tiers.seconds_of(item.nodeid, tiers.recorded()) or 0.0
            files[item.nodeid.partition("::")[0]].append(seconds)
    above = {
        file: taken for file, taken in files.items() if min(taken) < sum(taken) and sum(taken) > tiers.FILE_S
    }
    assert above == {}


def test_a_file_keeps_its_quickest_tests() -> None:
    assert tiers.too_slow(NODES, KNOWN) == {"tests/a/test_one.py::test_y[1]"}
    assert tiers.too_slow(["tests/a/test_one.py::test_new"], KNOWN) == frozenset()
    many = {"tests/c/test_many.py": {f"test_{number}": 1.0 + number for number in range(6)}}
    nodes = [f"tests/c/test_many.py::{test}" for test in many["tests/c/test_many.py"]]
    assert tiers.too_slow(nodes, many) == {nodes[4], nodes[5]}


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
