"""`setpoint lab mutate` in Rust and Go, with programs on PATH that write recorded output."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from checks.conftest import git, write
from checks.cover.test_compiled_mutants import GO, MADE, REPORT, RUST, outcomes
from checks.suites.conftest import absent, works
from setpoint.app.checks.mutants import measure_mutants
from setpoint.errors import UsageError, WorkspaceError
from setpoint.wiring.project import open_project

FILES = {
    ".gitignore": ".setpoint\n",
    "rust/Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2018"\n',
    "rust/src/lib.rs": RUST,
    "go/go.mod": "module example.com/calc\n\ngo 1.19\n",
    "go/calc.go": GO,
    "go/other.go": "package calc\n",
    "go/calc_test.go": "package calc\n",
}
PROGRAM = """#!{python}
import sys
from pathlib import Path

words = sys.argv[1:]
missing = [word for word in {demanded!r} if word not in words]
if missing or not Path({beside!r}).is_file():
    sys.exit("it was not called with " + " ".join(missing))
place = Path(words[words.index("--output") + 1])
for name, text in {written!r}.items():
    (place / name).parent.mkdir(parents=True, exist_ok=True)
    (place / name).write_text(text)
sys.exit({ending})
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    root = tmp_path / "project"
    write(root, FILES)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    monkeypatch.chdir(root)
    opened = open_project(root)
    yield opened
    opened.store.close()


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Put a program on PATH that writes what was recorded, if it is called as the tool has to be."""

    def put(name: str, demanded: list[str], beside: str, written: dict[str, str], ending: int = 0) -> None:
        place = tmp_path / "bin" / name
        place.parent.mkdir(exist_ok=True)
        told = {"demanded": demanded, "beside": beside, "written": written, "ending": ending}
        place.write_text(PROGRAM.format(python=sys.executable, **told))
        place.chmod(0o755)
        monkeypatch.setenv("PATH", f"{place.parent}:{os.environ['PATH']}")

    return put


@pytest.fixture
def cargo() -> None:
    if not works("cargo", "--version"):
        absent("cargo")


@pytest.fixture
def go() -> None:
    if not works("go", "version"):
        absent("go")


def test_cargo_mutants_judges_a_crate_with_its_exit_code_for_survivors(project, program, cargo) -> None:
    written = {"mutants.out/mutants.json": json.dumps(MADE), "mutants.out/outcomes.json": outcomes().decode()}
    demanded = ["mutants", "--file", "src/lib.rs", r"^src/lib\.rs:(?:\d+):", "--jobs", "3"]
    program("cargo-mutants", demanded, "Cargo.toml", written, ending=2)

    report = measure_mutants(project, ("rust",), jobs=3)

    assert {each.file for each in report.mutants} == {"rust/src/lib.rs"}
    assert report.score == 0.5
    assert [each.line for each in report.survivors] == [2, 3]
    assert git(project.root, "status", "--porcelain") == ""


def test_the_changed_lines_of_a_crate_are_judged_without_a_path(project, program, cargo) -> None:
    (project.root / "rust/src/lib.rs").write_text(RUST.replace("return -1", "return -3"))
    written = {"mutants.out/mutants.json": json.dumps(MADE), "mutants.out/outcomes.json": outcomes().decode()}
    program("cargo-mutants", [r"^src/lib\.rs:(?:3):"], "Cargo.toml", written, ending=2)

    assert [each.line for each in measure_mutants(project, ()).mutants] == [3]


def test_a_tool_without_figures_is_no_score(project, program, cargo) -> None:
    written = {"mutants.out/mutants.json": json.dumps(MADE)}
    written["mutants.out/outcomes.json"] = outcomes("Failure").decode()
    program("cargo-mutants", [], "Cargo.toml", written, ending=4)

    with pytest.raises(WorkspaceError, match="exit code 4: the tests do not pass on the original"):
        measure_mutants(project, ("rust",))


def test_gremlins_judges_the_named_file_of_a_module_alone(project, program, go) -> None:
    demanded = ["unleash", "--exclude-files", r"^other\.go$", "--workers", "2"]
    program("gremlins", demanded, "go.mod", {"": json.dumps(REPORT)})

    report = measure_mutants(project, ("go/calc.go",), "4", jobs=2)

    assert {(each.file, each.line) for each in report.mutants} == {("go/calc.go", 4)}
    assert report.counts["killed"] == report.counts["survived"] == report.counts["uncovered"] == 1


def test_gremlins_that_finds_no_mutant_writes_no_report(project, program, go) -> None:
    program("gremlins", [], "go.mod", {})

    assert measure_mutants(project, ("go/calc.go",)).score is None


def test_gremlins_that_breaks_is_told_with_its_last_words(project, program, go) -> None:
    program("gremlins", ["--never"], "go.mod", {})

    with pytest.raises(WorkspaceError, match=r"gremlins exit code 1: .*not called with --never"):
        measure_mutants(project, ("go/calc.go",))


def test_tests_of_go_are_no_sources(project, program, go) -> None:
    program("gremlins", [], "go.mod", {})

    with pytest.raises(UsageError, match="no source outside the tests lies there"):
        measure_mutants(project, ("go/calc_test.go",))
