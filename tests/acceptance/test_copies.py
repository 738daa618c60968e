"""Copies lie outside the repository: test runners do not list them, and runs outlast a move of either."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from acceptance.conftest import RIGHT, WISH, Repository, new_repository
from acceptance.test_languages import TOOLS, demanded

pytestmark = pytest.mark.timeout(300)
CASE = 'it("adds", () => { expect(add(1, 2)).toBe(3); });\n'
PROJECTS = {
    "jest": {
        "package.json": '{"scripts": {"test": "jest"}}',
        "calc.js": "exports.add = (a, b) => a - b;\n",
        "test/calc.test.js": f'const {{ add }} = require("../calc");\n{CASE}',
    },
    "vitest": {
        "package.json": '{"type": "module", "scripts": {"test": "vitest run"}}',
        "calc.js": "export const add = (a, b) => a - b;\n",
        "test/calc.test.js": 'import { expect, it } from "vitest";\nimport { add } from "../calc";\n' + CASE,
    },
}
TEST = "test/calc.test.js"
LISTED = {
    "jest": ("node_modules/jest/bin/jest.js", "--listTests"),
    "vitest": ("node_modules/vitest/vitest.mjs", "list", "--filesOnly"),
}


@pytest.mark.parametrize("runner", PROJECTS)
def test_a_test_runner_lists_only_the_users_tests_after_a_run(tmp_path, runner):
    demanded(TOOLS.is_dir() and shutil.which("node") is not None, "the tools for JavaScript")
    files = PROJECTS[runner]
    repository = of_files(tmp_path, files)
    (repository.root / "node_modules").symlink_to(TOOLS)
    found = "node -p \"require('path').dirname(require.resolve('jest/package.json'))\" > found.txt"
    repository.agent(
        [{"shell": found}, {"write": "calc.js", "text": files["calc.js"].replace("a - b", "a + b")}]
    )
    cache = tmp_path / "cache"

    code, outcome = repository.run("--agent", "actor", SETPOINT_CACHE_DIR=str(cache), timeout=280)

    assert (code, outcome["ending"]) == (0, "verified")
    assert [*cache.glob("*/trees")]
    assert [*cache.glob(f"*/trees/*/{outcome['trace_id']}*")] == [], "the repository holds the branch"
    listed = subprocess.run(
        ["node", *LISTED[runner]], cwd=repository.root, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert [Path(line.strip()).name for line in listed if line.strip()] == [Path(TEST).name]
    installed = repository.git("show", f"{outcome['branch']}:found.txt")
    assert installed == str((TOOLS / "jest").resolve()), "the agent finds the user's packages"
    assert [*(repository.root / ".setpoint").rglob("*.test.*")] == []


@pytest.mark.parametrize("lost", ["", "cache"])
def test_a_repository_that_was_moved_in_the_middle_of_a_run_goes_on(tmp_path, lost):
    repository = new_repository(tmp_path / "before")
    cache = tmp_path / "cache"
    interrupted(repository, cache)

    repository.root.rename(tmp_path / "after")
    moved = Repository(tmp_path / "after")
    if lost:
        shutil.rmtree(cache)
    done = moved.setpoint("resume", "--json", SETPOINT_CACHE_DIR=str(cache))

    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert (outcome["ending"], outcome["iterations"]) == ("verified", 2)
    assert moved.git("show", f"{outcome['branch']}:calc.py") == RIGHT.strip()
    assert len([*cache.glob("*/repository.json")]) == 1
    assert not (tmp_path / "before").exists()


def test_a_copied_repository_goes_on_by_itself(tmp_path):
    repository = new_repository(tmp_path / "first")
    cache = tmp_path / "cache"
    interrupted(repository, cache)

    shutil.copytree(repository.root, tmp_path / "second", symlinks=True)
    twin = Repository(tmp_path / "second")
    played = tmp_path / "played" / "count"
    count, ends = played.read_text(), []
    for each in (twin, repository):
        played.write_text(count)
        done = each.setpoint("resume", "--json", SETPOINT_CACHE_DIR=str(cache))
        assert done.returncode == 0, done.stderr
        ends.append(json.loads(done.stdout))

    assert [each["ending"] for each in ends] == ["verified", "verified"]
    for each, outcome in zip((twin, repository), ends, strict=True):
        assert each.git("show", f"{outcome['branch']}:calc.py") == RIGHT.strip()
    assert len([*cache.glob("*/trees")]) == 2


SEARCH = """for folder in .git/objects $(cat .git/objects/info/alternates); do
  for id in $(GIT_OBJECT_DIRECTORY=$folder git cat-file --batch-all-objects --batch-check | cut -d' ' -f1); do
    git cat-file -p $id | grep -q 'return a [+] b' && git cat-file blob $id > calc.py
  done
done
git log --all --format=%s -- calc.py > seen.txt
"""
"""Looks for the solution wherever git reads objects from, and takes it."""


def test_an_agent_that_searches_for_a_solution_delivered_before_finds_none(tmp_path):
    repository = new_repository(tmp_path / "project")
    repository.agent([{"write": "calc.py", "text": RIGHT}])
    cache = {"SETPOINT_CACHE_DIR": str(tmp_path / "cache")}
    code, first = repository.run("--agent", "actor", **cache)
    assert (code, first["ending"]) == (0, "verified")
    assert "return a + b" in repository.git("show", f"{first['branch']}:calc.py")
    repository.agent([{"shell": SEARCH}], name="searcher")

    cache["SETPOINT_LIMITS__MAX_ITERATIONS"] = "1"
    code, second = repository.run("--agent", "searcher", **cache)

    assert (code, second["ending"]) == (11, "stopped")
    work = tmp_path.glob(f"cache/*/trees/work/{second['trace_id']}/*/*")
    found = {path.name: path.read_text() for path in work if path.is_file()}
    assert "return a - b" in found["calc.py"]
    assert found["seen.txt"] == "a bug\n", "of all commits it saw those that the base holds"


def test_doctor_names_the_folder_and_its_size(tmp_path):
    repository = new_repository(tmp_path / "project")
    cache = tmp_path / "cache"
    said = repository.setpoint("doctor", SETPOINT_CACHE_DIR=str(cache), COLUMNS="300").stdout
    (row,) = [line for line in said.splitlines() if str(cache) in line]
    assert "copies" in row
    assert "0.0 MB" in row


def test_a_home_that_cannot_be_written_to_is_told_with_the_setting(tmp_path):
    repository = new_repository(tmp_path / "project")
    home = tmp_path / "home"
    home.write_text("no folder")
    environment = repository.environment(HOME=str(home))
    del environment["SETPOINT_CACHE_DIR"]
    argv = [sys.executable, "-m", "setpoint", "status"]
    done = subprocess.run(
        argv, cwd=repository.root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "SETPOINT_CACHE_DIR" in done.stderr


def of_files(folder, files):
    repository = Repository(folder / "project")
    repository.root.mkdir()
    repository.git("init", "-q", "-b", "main")
    for path, text in {".gitignore": "node_modules\n", **files}.items():
        repository.write(path, text)
    repository.commit("start")
    return repository


def interrupted(repository, cache):
    """Begin a run and kill it in the second attempt of the agent; the third one that is played is right."""
    second = repository.root.parent / "played" / "second"
    step = {"write": "calc.py", "text": "def add(a, b):\n    return a * b\n"}
    right = {"write": "calc.py", "text": RIGHT}
    repository.agent([step], [{"shell": f"touch '{second}'"}, {"sleep": 120}], [right], counter="count")
    run = subprocess.Popen(
        [sys.executable, "-m", "setpoint", "run", WISH, "--agent", "actor", "--json"],
        cwd=repository.root,
        env=repository.environment(SETPOINT_CACHE_DIR=str(cache)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        end = time.monotonic() + 90
        while not second.exists() and run.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        assert second.exists(), run.poll()
    finally:
        run.kill()
        run.communicate()


SLOW = """import pathlib, time
from calc import add


def test_slow():
    if add(1, 1) == 2:
        pathlib.Path("{here}").touch()
        time.sleep(1)
    assert pathlib.Path("calc.py").exists()
"""


@pytest.mark.parametrize("when", ["the agent works", pytest.param("checks run", marks=pytest.mark.slow)])
def test_a_run_goes_on_when_its_copies_are_deleted_while(tmp_path, when):
    repository = new_repository(tmp_path / "project")
    cache, here = tmp_path / "cache", tmp_path / "played" / "here"
    prompts = [[{"write": "calc.py", "text": RIGHT}]]
    if when == "checks run":
        here.parent.mkdir()
        repository.write("tests/test_slow.py", SLOW.format(here=here))
        repository.commit("a slow test")
    else:
        wrong = {"write": "calc.py", "text": "def add(a, b):\n    return 0\n"}
        prompts = [[wrong, {"shell": f"touch '{here}'"}, {"sleep": 2}], *prompts]
    repository.agent(*prompts, counter="count")
    opened = repository.environment(SETPOINT_CACHE_DIR=str(cache), SETPOINT_SANDBOX__CHECKS="none")
    run = subprocess.Popen(
        [sys.executable, "-m", "setpoint", "run", WISH, "--agent", "actor", "--json"],
        cwd=repository.root,
        env=opened,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 90
    while not here.exists() and run.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    shutil.rmtree(cache, ignore_errors=True)
    out, errors = run.communicate(timeout=200)
    assert out.startswith("{"), errors
    outcome = json.loads(out)
    assert (run.returncode, outcome["ending"], outcome["iterations"]) == (0, "verified", 1), errors
    assert repository.git("show", f"{outcome['branch']}:calc.py") == RIGHT.strip()
    assert repository.git("diff", "--name-only", "main", outcome["branch"]) == "calc.py"
    assert "was deleted" in errors
