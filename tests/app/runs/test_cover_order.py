"""The order of a run that writes tests: its branch can be made, and its goals can be measured."""

import sys

import pytest

from checks.conftest import git, write
from setpoint.app.cover.order import cover_order
from setpoint.errors import UsageError

SETTINGS = f'[checks]\npython = "{sys.executable}"\n'


@pytest.fixture
def ordered(tmp_path):
    root = tmp_path / "project"
    write(root, {"my shop/a~b[1].py": "x = 1\n", "setpoint.toml": SETTINGS})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    opened = []

    def order(*paths, **cover):
        project, made = cover_order(root, paths, {"cover": cover})
        opened.append(project)
        return made

    yield order
    for project in opened:
        project.store.close()


def test_a_path_that_no_branch_can_be_named_by_gives_a_branch_all_the_same(ordered):
    assert ordered("my shop/a~b[1].py").branch == "setpoint/cover-my-shop-a-b-1"
    assert ordered("my shop").branch == "setpoint/cover-my-shop"
    assert ordered(".").branch == "setpoint/cover-all"


def test_a_mutation_goal_that_no_time_is_given_for_is_refused(ordered):
    with pytest.raises(UsageError, match=r"a mutation score of 50% is asked, and cover.mutation_s is 0"):
        ordered("my shop", mutation=0.5, mutation_s=0)
    assert ordered("my shop", mutation_s=0).story.id == "cover-my-shop"


def test_a_prefix_that_no_branch_can_begin_with_is_refused_before_anything_is_begun(ordered, monkeypatch):
    monkeypatch.setenv("SETPOINT_BRANCH_PREFIX", "bad name/")
    with pytest.raises(UsageError, match="no branch can be called 'bad name/story'"):
        ordered("my shop")


@pytest.fixture
def scripts(tmp_path):
    root = tmp_path / "scripts"
    write(root, {"src/shop.ts": "export const a = 1;\n", "package.json": "{}", "setpoint.toml": SETTINGS})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    return root


def test_scripts_are_refused_at_once_without_an_agent_that_knows_them(scripts):
    for maker in ("generator", "mechanic"):
        with pytest.raises(UsageError, match=f"src/shop.ts: '{maker}' writes tests for Python alone"):
            cover_order(scripts, ("src",), {"agents": {"maker": maker}})
    with pytest.raises(UsageError, match="pynguin cannot write beside it"):
        cover_order(scripts, ("src",), {"agents": {"maker": "x"}, "cover": {"strategies": ["pynguin"]}})


def test_scripts_whose_tests_nothing_runs_are_refused(scripts):
    with pytest.raises(UsageError, match=r"no script of package\.json runs vitest, jest or node --test"):
        cover_order(scripts, ("src/shop.ts",), {"agents": {"maker": "x"}})
