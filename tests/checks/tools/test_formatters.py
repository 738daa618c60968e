"""Formatters of Go and Rust, as a run starts them: what they would change is found and never blocks."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.model.evidence import CheckState
from setpoint.model.finding import Severity
from setpoint.settings import ChecksSettings

GO = {"go.mod": "module x\n\ngo 1.18\n", "a.go": "package x\n\nfunc  A() {}\n", "b.go": "package x\n"}
RUST = {"Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\n', "src/lib.rs": "fn  a() {}\n"}
CLEAN = {"gofmt": "package x\n\nfunc A() {}\n", "rustfmt": "fn a() {}\n"}
QUIET = {"go_test": False, "go_vet": False, "cargo_test": False, "clippy": False}
CASES = [
    ("gofmt", {**GO, "Makefile": "lint:\n\tgofmt -l .\n"}, "a.go"),
    ("rustfmt", {**RUST, "rustfmt.toml": ""}, "src/lib.rs"),
]


def starts(name: str) -> bool:
    """Whether a formatter starts: that of rustup does not where no toolchain is chosen."""
    if shutil.which(name) is None:
        return False
    return subprocess.run([name], input=b"", capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(("name", "files", "file"), CASES, ids=[case[0] for case in CASES])
async def test_what_a_formatter_would_change_is_found(bench, name: str, files: dict, file: str) -> None:
    if not starts(name):
        pytest.skip(f"{name} does not start")
    made = await bench(files, settings=ChecksSettings(coverage=False, bandit=False, **QUIET))

    seen = await TreeEvaluator(made.settings, made.artifacts, made.folders).measure(made.root)

    assert seen.evidence_of(name).state is CheckState.FAIL
    (finding,) = [each for each in seen.findings if each.source == name]
    assert (finding.file, finding.severity) == (file, Severity.INFO)
    assert seen.blocking == ()
    (made.root / file).write_text(CLEAN[name])
    again = await TreeEvaluator(made.settings, made.artifacts, made.folders).measure(made.root)
    assert again.evidence_of(name).state is CheckState.PASS


async def test_a_formatter_that_the_project_does_not_use_is_left_out(bench) -> None:
    made = await bench(GO)

    assert "gofmt" not in (await made.survey()).checks
