"""How the code came to be, asked of real repositories."""

from datetime import UTC, datetime, timedelta

import pytest

from checks.conftest import git, write
from setpoint.model.ids import Commit, TraceId
from setpoint.model.production import Frame
from setpoint.workspace.lineage import GitLineage, in_repository

CART = (
    "def total(prices):\n    return sum(prices)\n\n\n\n\n\ndef mean(prices):\n    return total(prices) / 2\n"
)


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    commits = {}

    def commit(name, files, message=None):
        write(tmp_path, files)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", message or name)
        commits[name] = Commit(git(tmp_path, "rev-parse", "HEAD"))

    commit("begin", {"shop/cart.py": CART, "a b.txt": "x"})
    commit("bad", {"shop/cart.py": CART.replace("/ 2", "/ 0")})
    commit("hello", {"a b.txt": "y", "ümlaut.txt": "z"}, "Say \x1ehello\n\nmore")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "empty")
    commits["empty"] = Commit(git(tmp_path, "rev-parse", "HEAD"))
    return tmp_path, commits


async def test_commits_between_two_deployments_newest_first(repository):
    root, commits = repository
    made = await GitLineage(root).brought(commits["begin"], commits["empty"])
    assert [each.commit for each in made] == [commits["empty"], commits["hello"], commits["bad"]]
    assert [each.files for each in made] == [(), ("a b.txt", "ümlaut.txt"), ("shop/cart.py",)]
    assert [each.title for each in made] == ["empty", "Say \x1ehello", "bad"]
    assert all(each.at.tzinfo is not None for each in made)
    assert await GitLineage(root).brought(commits["hello"], commits["begin"]) == ()
    assert await GitLineage(root).brought(Commit("0" * 40), commits["begin"]) == ()


async def test_a_merge_brings_what_its_branch_held(repository):
    root, commits = repository
    git(root, "checkout", "-qb", "side", commits["begin"])
    write(root, {"side.py": "x = 1\n"})
    git(root, "add", "-A")
    git(root, "commit", "-qm", "side")
    git(root, "checkout", "-q", "main")
    git(root, "merge", "-q", "--no-ff", "-m", "merge", "side")
    made = await GitLineage(root).brought(commits["empty"], Commit(git(root, "rev-parse", "HEAD")))
    assert {each.title: each.files for each in made} == {"merge": ("side.py",), "side": ("side.py",)}


async def test_lines_are_blamed_with_those_near_them(repository):
    root, commits = repository
    lineage = GitLineage(root)
    (inner, near, outer) = await lineage.blamed(
        commits["hello"],
        [
            Frame(file="/srv/app/shop/cart.py", line=9),
            Frame(file="/usr/lib/python3.11/json/decoder.py", line=2),
            Frame(file="shop/cart.py", line=2),
        ],
    )
    assert (inner.place, inner.path, inner.commit, inner.distance) == (0, "shop/cart.py", commits["bad"], 0)
    assert (near.place, near.commit, near.distance) == (0, commits["begin"], 1)
    assert (outer.place, outer.commit) == (2, commits["begin"])


async def test_what_is_not_there_has_no_blame(repository):
    root, commits = repository
    lineage = GitLineage(root)
    assert await lineage.blamed(Commit("0" * 40), [Frame(file="shop/cart.py", line=1)]) == ()
    assert await lineage.blamed(commits["begin"], [Frame(file="shop/cart.py", line=4000)]) == ()
    assert await lineage.blamed(commits["begin"], [Frame(file="shop/cart.py")]) == ()


async def test_commits_are_described_by_name(repository):
    root, commits = repository
    made = await GitLineage(root).told({commits["begin"], Commit("0" * 40)})
    assert [(each.title, each.files) for each in made] == [("begin", ("a b.txt", "shop/cart.py"))]


@pytest.mark.parametrize(
    ("file", "found"),
    [
        ("shop/cart.py", "shop/cart.py"),
        ("./shop/cart.py", "shop/cart.py"),
        ("/srv/app/shop/cart.py", "shop/cart.py"),
        ("C:\\app\\shop\\cart.py", "shop/cart.py"),
        ("/app/setup.py", "setup.py"),
        ("/build/src/web/views.py", "src/web/views.py"),
        ("web/views.py", "src/web/views.py"),
        ("/elsewhere/web/models.py", None),
        ("unique.py", "src/web/unique.py"),
        ("/elsewhere/unique.py", None),
        ("views.py", None),
        ("/venv/lib/python3.11/site-packages/shop/cart.py", None),
        ("", None),
    ],
)
def test_a_file_is_found_under_another_path_or_not_at_all(file, found):
    files = (
        "shop/cart.py",
        "setup.py",
        "src/web/views.py",
        "other/views.py",
        "src/web/unique.py",
        "a/web/models.py",
        "b/web/models.py",
    )
    assert in_repository(file, files) == found


async def test_what_a_run_delivered_is_found_by_its_name_however_it_was_merged(repository):
    root, commits = repository
    before = datetime.now(UTC) - timedelta(hours=1)
    git(root, "commit", "-q", "--allow-empty", "-m", "Squashed (#7)\n\n* Mend it\n\n  Setpoint-Run: run-0abc")
    head, lineage = Commit(git(root, "rev-parse", "HEAD")), GitLineage(root)
    assert await lineage.holds(head, TraceId("run-0abc"), before)
    assert not await lineage.holds(head, TraceId("run-0other"), before)
    assert not await lineage.holds(commits["hello"], TraceId("run-0abc"), before)
    assert not await lineage.holds(head, TraceId("run-0abc"), datetime.now(UTC) + timedelta(hours=1))
    assert not await lineage.holds(Commit("0" * 40), TraceId("run-0abc"), before)
