"""A copy is like the user's tree: submodules and files of git LFS, name, branch and remotes."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from checks.conftest import git, write
from setpoint.model.evaluation import Stage
from setpoint.settings import ChecksSettings

QUICK = ChecksSettings(bandit=False, coverage=False, reruns=0)
LOCAL = ("-c", "protocol.file.allow=always")
SUBMODULE = (
    "from pathlib import Path\ndef test_it(): assert (Path(__file__).parents[1] / '{}').read_text() == '{}'\n"
)


def repository(place: Path, files: dict[str, str]) -> Path:
    write(place, files)
    git(place, "init", "-q")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "first")
    return place


@pytest.fixture
async def with_submodule(bench, tmp_path: Path):
    inner = repository(tmp_path / "inner", {"deep.txt": "deep"})
    vendor = repository(tmp_path / "vendor", {"rates.txt": "two", ".gitignore": "made.txt\n"})
    git(vendor, *LOCAL, "submodule", "add", "-q", str(inner), "inner")
    git(vendor, "commit", "-qm", "with another inside")
    made = await bench({"tests/test_a.py": SUBMODULE.format("vendor/rates.txt", "two")}, settings=QUICK)
    git(made.root, *LOCAL, "submodule", "add", "-q", str(vendor), "vendor")
    git(made.root, *LOCAL, "submodule", "update", "-q", "--init", "--recursive")
    write(made.root, {"tests/test_b.py": SUBMODULE.format("vendor/inner/deep.txt", "deep")})
    git(made.root, "add", "-A")
    git(made.root, "commit", "-qm", "with a submodule")
    return made


async def test_submodules_are_filled_from_what_the_user_has(with_submodule):
    seen = await with_submodule.standing()

    assert seen.test_counts == {"passed": 2}
    assert seen.evidence_of("submodules") is None
    assert git(with_submodule.root, "status", "--porcelain") == ""


async def test_a_submodule_that_was_never_fetched_is_named(with_submodule):
    git(with_submodule.root, "submodule", "deinit", "-q", "--all", "--force")
    shutil.rmtree(with_submodule.root / ".git" / "modules")
    seen = await with_submodule.standing()

    assert "vendor" in seen.evidence_of("submodules").reason
    missing = (await with_submodule.survey()).missing["submodules"]
    assert "git submodule update --init" in missing


async def test_a_file_of_git_lfs_has_its_content(bench):
    content = b"large"
    name = hashlib.sha256(content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{name}\nsize {len(content)}\n"
    test = SUBMODULE.format("data.bin", "large")
    made = await bench(
        {".gitattributes": "*.bin filter=lfs -text\n", "data.bin": pointer, "tests/test_a.py": test},
        settings=QUICK,
    )
    store = made.root / ".git" / "lfs" / "objects" / name[:2] / name[2:4] / name
    store.parent.mkdir(parents=True)
    store.write_bytes(content)

    base = await made.measure(Stage.BASE)

    assert base.test_counts == {"passed": 1}
    assert base.evidence_of("git-lfs") is None


NAMES = """import subprocess
from pathlib import Path

def git(*words): return subprocess.run(["git", *words], capture_output=True, text=True).stdout.strip()
def test_root(): assert Path(__file__).parents[1].name == "project"
def test_branch(): assert git("rev-parse", "--abbrev-ref", "HEAD") == "topic/one"
def test_clean(): assert git("status", "--porcelain") == ""
def test_remote(): assert git("remote", "get-url", "origin") == "https://example.org/x.git"
def test_user(): assert git("config", "user.email") == "ada@example.org"
def test_no_push(): assert git("remote", "get-url", "--push", "origin") == "/dev/null"
"""


async def test_name_branch_and_remotes_are_the_users_and_nothing_can_be_pushed(bench):
    made = await bench({"tests/test_names.py": NAMES}, settings=QUICK)
    git(made.root, "switch", "-qc", "topic/one")
    git(made.root, "config", "user.name", "Ada")
    git(made.root, "config", "user.email", "ada@example.org")
    git(made.root, "remote", "add", "origin", "https://me:secret@example.org/x.git")

    base = await made.measure(Stage.BASE)
    await made.evaluator.equip(made.order, made.copy)
    assert (base.test_counts, base.ours) == ({"passed": 6}, ())
    assert made.tree.name == "project"
    assert git(made.tree, "rev-parse", "--abbrev-ref", "HEAD") == "topic/one"
    told = git(made.tree, "remote", "-v")
    assert "secret" not in told
    assert "/dev/null (push)" in told
    with pytest.raises(subprocess.CalledProcessError):
        git(made.tree, "push", "origin", "HEAD")


async def test_another_worktree_in_the_tree_is_no_submodule(bench):
    made = await bench({"tests/test_a.py": "def test_it(): pass\n"}, settings=QUICK)
    git(made.root, "worktree", "add", "-q", "others/one")
    write(made.root, {"others/one/tests/test_b.py": "def test_it(): assert 0\n"})
    git(made.root / "others" / "one", "add", "-A")
    git(made.root / "others" / "one", "commit", "-qm", "under way")

    seen = await made.standing()

    assert seen.test_counts == {"passed": 1}
    assert seen.evidence_of("submodules") is None


async def test_a_clean_tree_is_measured_at_its_own_commit(bench):
    test = NAMES.partition("def test_root")[0] + "def test_it(): assert git('describe', '--tags') == 'v1.0'\n"
    made = await bench({"tests/test_names.py": test}, settings=QUICK)
    git(made.root, "tag", "v1.0")

    assert (await made.standing()).test_counts == {"passed": 1}
