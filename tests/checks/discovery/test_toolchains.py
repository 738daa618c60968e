"""What `setpoint doctor` says of go, node and cargo, by small scripts that answer as they do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

GO_TESTS = {"go.mod": "module x\n\ngo 1.21.0\n", "a_test.go": "package x\n"}
VITEST = '{"scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "1"}}'
CRATE = {"Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\n', "src/lib.rs": ""}


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Put a shell script on PATH, before all others."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def make(name: str, script: str) -> None:
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    return make


async def test_go_that_rejects_go_mod_names_both_versions(bench, program) -> None:
    error = "go: errors parsing go.mod:\\ngo.mod:3: invalid go version"
    program(
        "go",
        f'[ "$1" = version ] && echo "go version go1.19.8 linux/amd64" || {{ echo "{error}" >&2; exit 1; }}',
    )

    (go,) = (await (await bench(GO_TESTS)).survey()).toolchains

    assert (go.name, go.version, go.needed) == ("go", "1.19.8", True)
    assert go.problem.startswith("cannot build: go.mod wants Go 1.21.0, you have 1.19.8")


async def test_modules_that_are_not_here_are_named_with_the_command_that_brings_them(bench, program) -> None:
    off = "a.go:3:8: module lookup disabled by GOPROXY=off"
    program(
        "go",
        'case "$*" in version) echo "go version go1.22.1 x";; "list -m") echo x;; '
        f'*) echo "{off}" >&2; exit 1;; esac',
    )

    (go,) = (await (await bench(GO_TESTS)).survey()).toolchains

    assert go.problem == "modules are missing: go mod download"


async def test_packages_that_are_not_installed_are_named_by_the_lock_file(bench, program) -> None:
    program("node", "echo v20.1.0")
    made = await bench({"package.json": VITEST, "pnpm-lock.yaml": "", "a.test.js": ""})

    (node,) = (await made.survey()).toolchains
    (made.root / "node_modules").mkdir()
    (after,) = (await made.survey()).toolchains

    assert (node.version, node.needed) == ("20.1.0", True)
    assert node.problem == "node_modules is missing: pnpm install --frozen-lockfile"
    assert after.problem == ""


async def test_packages_of_a_corner_of_a_python_project_do_not_keep_it_from_running(bench, program) -> None:
    program("node", "echo v20.1.0")
    made = await bench({"a.py": "", "docs/package.json": '{"dependencies": {"x": "1"}}'})

    found = await made.survey()

    assert found.for_python
    assert [each.problem for each in found.toolchains] == [
        "node_modules is missing in docs: (cd docs && npm install)"
    ]
    assert not found.toolchains[0].needed


async def test_crates_that_are_missing_and_a_manifest_that_cargo_rejects_differ(bench, program) -> None:
    said = "error: no matching package named `serde` found"
    program(
        "cargo", f'case "$1" in metadata) echo "{said}" >&2; exit 101;; *) echo "cargo 1.70.0 (x)";; esac'
    )
    made = await bench(CRATE)
    (missing,) = (await made.survey()).toolchains
    said = "error: failed to parse manifest\\n\\nCaused by:\\n  feature edition2024 is required"
    program(
        "cargo", f'case "$1" in metadata) printf "{said}" >&2; exit 101;; *) echo "cargo 1.70.0 (x)";; esac'
    )
    found = await made.survey()
    (rejected,) = found.toolchains

    assert (missing.version, missing.problem) == ("1.70.0", "crates are missing: cargo fetch")
    assert rejected.problem == "cannot build: feature edition2024 is required"
    assert not found.for_python


async def test_a_toolchain_that_does_not_start_says_so(bench, program) -> None:
    program("go", 'echo "go: error: cannot find GOROOT" >&2; exit 2')

    (go,) = (await (await bench(GO_TESTS)).survey()).toolchains

    assert (go.version, go.needed) == ("", True)
    assert go.problem == "`go version` fails: exit code 2: go: error: cannot find GOROOT"
