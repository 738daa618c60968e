"""Repositories of three packages: `b` depends on `a`, and `c` on nothing."""

# ruff: noqa: E501 - sources of other languages in one line each

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

_PYTHON = {
    "a": ("a/sums.py", "def add(x, y):\n    return x - y\n", "a.sums", "add(1, 2) == 3", "add"),
    "b": ("b/twice.py", "from a.sums import add\n\n\ndef twice(x):\n    return add(x, x)\n", "b.twice", "twice(4) == 8", "twice"),
    "c": ("c/one.py", "def one():\n    return 1\n", "c.one", "one() == 1", "one"),
}  # fmt: skip


def python() -> dict[str, str]:
    """Give a uv workspace of which each package runs pytest on files of the same name."""
    files = {
        "pyproject.toml": '[project]\nname = "root"\nversion = "0"\n\n[tool.uv.workspace]\nmembers = ["packages/*"]\n'
    }
    for name, (source, text, module, asserted, called) in _PYTHON.items():
        needs = 'dependencies = ["a"]\n\n[tool.uv.sources]\na = { workspace = true }\n' if name == "b" else ""
        path = '["src", "../a/src"]' if name == "b" else '["src"]'
        files |= {
            f"packages/{name}/pyproject.toml": f'[project]\nname = "{name}"\nversion = "0"\n{needs}\n'
            f'[tool.pytest.ini_options]\npythonpath = {path}\ntestpaths = ["tests"]\n',
            f"packages/{name}/src/{name}/__init__.py": "",
            f"packages/{name}/src/{source}": text,
            f"packages/{name}/tests/__init__.py": "",
            f"packages/{name}/tests/test_it.py": f"from {module} import {called}\n\n\n"
            f"def test_{called}():\n    assert {asserted}\n",
        }
    return files


def javascript() -> dict[str, str]:
    """Give npm workspaces of which each calls Node's own runner."""
    head = 'import { it } from "node:test";\nimport assert from "node:assert";\n'
    sources = {
        "a": ("export const add = (x, y) => x - y;\n", "add(1, 2), 3", "add"),
        "b": (
            'import { add } from "@x/a";\nexport const twice = (x) => add(x, x);\n',
            "twice(4), 8",
            "twice",
        ),
        "c": ("export const one = () => 1;\n", "one(), 1", "one"),
    }
    files = {"package.json": json.dumps({"private": True, "workspaces": ["packages/*"]})}
    for name, (text, asserted, called) in sources.items():
        manifest = {
            "name": f"@x/{name}",
            "type": "module",
            "main": "index.js",
            "scripts": {"test": "node --test"},
        }
        manifest |= {"dependencies": {"@x/a": "*"}} if name == "b" else {}
        files |= {
            f"packages/{name}/package.json": json.dumps(manifest),
            f"packages/{name}/index.js": text,
            f"packages/{name}/test/it.test.js": f'{head}import {{ {called} }} from "../index.js";\n'
            f'it("{called}", () => {{ assert.strictEqual({asserted}); }});\n',
        }
    return files


def go() -> dict[str, str]:
    """Give three modules in a `go.work`."""
    sources = {
        "a": ("func Add(x, y int) int {\n\treturn x - y\n}\n", "Add(1, 2) != 3", "Add"),
        "b": (
            'import "example.com/a"\n\nfunc Twice(x int) int {\n\treturn a.Add(x, x)\n}\n',
            "Twice(4) != 8",
            "Twice",
        ),
        "c": ("func One() int {\n\treturn 1\n}\n", "One() != 1", "One"),
    }
    files = {"go.work": "go 1.19\n\nuse (\n\t./a\n\t./b\n\t./c\n)\n"}
    for name, (text, asserted, called) in sources.items():
        needs = "\nrequire example.com/a v0.0.0\n\nreplace example.com/a => ../a\n" if name == "b" else ""
        files |= {
            f"{name}/go.mod": f"module example.com/{name}\n\ngo 1.19\n{needs}",
            f"{name}/it.go": f"package {name}\n\n{text}",
            f"{name}/it_test.go": f'package {name}\n\nimport "testing"\n\nfunc Test{called}(t *testing.T) {{\n'
            f'\tif {asserted} {{\n\t\tt.Fatal("wrong")\n\t}}\n}}\n',
        }
    return files


def rust() -> dict[str, str]:
    """Give a Cargo workspace of three crates."""
    sources = {
        "a": ("pub fn add(x: i64, y: i64) -> i64 {\n    x - y\n}\n", "add(1, 2), 3", "add"),
        "b": ("pub fn twice(x: i64) -> i64 {\n    a::add(x, x)\n}\n", "twice(4), 8", "twice"),
        "c": ("pub fn one() -> i64 {\n    1\n}\n", "one(), 1", "one"),
    }
    files = {
        "Cargo.toml": '[workspace]\nresolver = "2"\nmembers = ["crates/*"]\n',
        ".gitignore": "target\n.setpoint\n",
    }
    for name, (text, asserted, called) in sources.items():
        needs = '\n[dependencies]\na = { path = "../a" }\n' if name == "b" else ""
        files |= {
            f"crates/{name}/Cargo.toml": f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n{needs}',
            f"crates/{name}/src/lib.rs": text,
            f"crates/{name}/tests/it.rs": f"#[test]\nfn {called}() {{\n"
            f"    assert_eq!({name}::{asserted.replace(',', ',', 1)});\n}}\n",
        }
    files["Cargo.lock"] = (
        "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n"
        '[[package]]\nname = "a"\nversion = "0.1.0"\n\n'
        '[[package]]\nname = "b"\nversion = "0.1.0"\ndependencies = [\n "a",\n]\n\n'
        '[[package]]\nname = "c"\nversion = "0.1.0"\n'
    )
    return files


REPOSITORIES: Mapping[str, dict[str, str]] = {
    "python": python(), "javascript": javascript(), "go": go(), "rust": rust()
}  # fmt: skip
SOURCES = {
    "python": "packages/a/src/a/sums.py", "javascript": "packages/a/index.js", "go": "a/it.go",
    "rust": "crates/a/src/lib.rs",
}  # fmt: skip


def with_code(language: str, code: str) -> str:
    """Return the source of `a` with another sum."""
    return REPOSITORIES[language][SOURCES[language]].replace("x - y", code)


def link_workspaces(root: Path) -> None:
    """Do what `npm install` does for the workspaces of a tree."""
    place = root / "node_modules" / "@x"
    place.mkdir(parents=True)
    for name in "abc":
        (place / name).symlink_to(f"../../packages/{name}")
