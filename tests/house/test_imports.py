"""No import cycles, lazy ones included, and contracts that really break when a wall is climbed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from house.source import ROOT, SRC, imports, module_name, python_files

HEAVY = ("acp", "alembic", "dbos", "hypothesis", "psycopg", "pytest", "sqlalchemy")
"""What `setpoint --help` must not load."""

TRESPASSES = {
    "model/stories/story.py": "import setpoint.phase.policy",
    "phase/__init__.py": "import subprocess",
    "agents/__init__.py": "import setpoint.checks",
    "checks/__init__.py": "import sqlalchemy.orm",
    "cli/app.py": "import setpoint.database",
}
CONTRACTS = (
    "Imports point downwards, never sideways",
    "What decides names no technology",
    "Tables are seen by database, history and stores alone",
    "Faces reach the rest through app alone, but for the read side",
)


def test_no_module_imports_itself_through_others():
    files = python_files("src")
    known = frozenset(module_name(path) for path in files)
    graph = {module_name(path): _without_parents(module_name(path), imports(path, known)) for path in files}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def _without_parents(module: str, imported: frozenset[str]) -> frozenset[str]:
    """Leave out the own package: `from setpoint.a import b` in `setpoint.a.c` asks for `b`, not for `a`."""
    return frozenset(name for name in imported if not module.startswith(f"{name}."))


def _contracts(folder: Path) -> str:
    return subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--config", "pyproject.toml"],
        cwd=folder,
        env={"PYTHONPATH": str(folder / "src"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


def test_the_contracts_hold():
    told = _contracts(ROOT)
    assert [f"{name} KEPT" for name in CONTRACTS if f"{name} KEPT" not in told] == [], told


def test_each_contract_breaks_when_its_wall_is_climbed(tmp_path):
    shutil.copytree(SRC, tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "sample"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for place, trespass in TRESPASSES.items():
        path = tmp_path / "src" / "setpoint" / place
        path.write_text(f"{path.read_text('utf-8')}\n{trespass}\n", "utf-8")
    told = _contracts(tmp_path)
    assert [f"{name} BROKEN" for name in CONTRACTS if f"{name} BROKEN" not in told] == [], told
    assert [place for place in TRESPASSES if place.removesuffix(".py").split("/")[0] not in told] == []


def test_sources_are_parsed_by_one_thread_at_a_time():
    apart = ("setpoint/model/syntax.py", "setpoint_probe/", "setpoint_mechanic/engine/")
    bare = ("ast.parse(", "ast.literal_eval(text", "ast.literal_eval(value")
    files = {path.relative_to(SRC).as_posix(): path for path in python_files("src")}
    found = {name: word for name, path in files.items() for word in bare if word in path.read_text("utf-8")}
    assert {name: word for name, word in found.items() if not name.startswith(apart)} == {}


def test_help_loads_nothing_heavy():
    program = "import sys, setpoint.cli.app; setpoint.cli.app.commands(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(set(HEAVY) & set(done.stdout.split())) == []


@pytest.mark.parametrize("words", [["status"], ["story", "list"], ["show"]])
def test_a_verb_that_reads_loads_nothing_heavy(tmp_path, words):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    program = "import sys, setpoint.cli.app as verbs\ntry: verbs.main()\nfinally: print(*sys.modules)"
    argv = [sys.executable, "-c", program, *words]
    unset = {name: value for name, value in os.environ.items() if not name.startswith("SETPOINT_")}
    environment = {**unset, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    for _ in range(2):  # the first verb in a repository also makes its folders
        done = subprocess.run(
            argv, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
    loaded = set(done.stdout.split())
    heavy = {
        *HEAVY,
        "asyncio",
        "pydantic_settings",
        "rich",
        "setpoint.model.run",
        "setpoint.cli.project.check",
    }
    assert "setpoint.wiring.project" in loaded, done.stderr
    assert sorted(heavy & loaded) == []
    assert not (tmp_path / ".setpoint" / "app.db").exists()


def test_a_check_of_an_unchanged_tree_loads_nothing_that_measures():
    program = "import sys, setpoint.app.checks.measure; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    measuring = {*HEAVY, "setpoint.checks.measurement", "setpoint.checks.run", "setpoint.ports"}
    assert "setpoint.checks.tree_evaluator" in done.stdout.split(), done.stderr
    assert sorted(measuring & set(done.stdout.split())) == []
