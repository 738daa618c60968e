"""How a project is laid out: its packages, its tests and its configuration, read from the base commit."""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from setpoint.evaluators.failures import is_test_path

CONFIGURATION = (
    "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml",
    ".coveragerc", "ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini", ".bandit",
)  # fmt: skip
"""Files at the root that configure the tools Setpoint runs."""
_NOT_PACKAGES = frozenset({"docs", "doc", "examples", "example", "scripts", "benchmarks", "tools", "bench"})


@dataclass(frozen=True, kw_only=True)
class Layout:
    """What the base commit says about the project."""

    files: tuple[str, ...]
    """Every file of the base commit."""
    packages: tuple[str, ...]
    """Top-level packages and modules outside the tests, as paths."""
    imports: tuple[str, ...]
    """Folders of the tree from which the project's code is imported, nearest first."""
    tests: tuple[str, ...]
    """Python files that hold tests."""
    configured: Mapping[str, str]
    """The file that configures a tool, by tool: pytest, coverage, ruff, mypy, bandit."""
    mypy_names_files: bool = False
    """mypy's settings say what it looks at."""

    @property
    def pytest_config(self) -> bool:
        """Whether the project configures pytest at its root."""
        return "pytest" in self.configured

    def owns(self, module: str) -> bool:
        """Whether a top-level module is the project's own."""
        names = {package.rpartition("/")[2].removesuffix(".py") for package in self.packages}
        tests = {part.removesuffix(".py") for file in self.tests for part in file.split("/")}
        return module in names | tests


def read_layout(files: tuple[str, ...], texts: Mapping[str, str]) -> Layout:
    """Read the layout from the list of files and the text of those in `CONFIGURATION`."""
    python = [file for file in files if file.endswith(".py")]
    packages = _packages(python)
    from_src = any(package.startswith("src/") for package in packages) and "src/__init__.py" not in files
    return Layout(
        files=files,
        packages=packages,
        imports=("src", "") if from_src else ("",),
        tests=tuple(file for file in python if is_test_path(file) and not file.endswith("conftest.py")),
        configured=_configured(texts),
        mypy_names_files=_mypy_names_files(texts),
    )


def _packages(python: list[str]) -> tuple[str, ...]:
    folders = {file.rpartition("/")[0] for file in python if file.endswith("/__init__.py")}
    top = {folder for folder in folders if folder.rpartition("/")[0] not in folders}
    modules = {file for file in python if file.rpartition("/")[0] in ("", "src") and not _script(file)}
    found = {package for package in top | modules if not _aside(package)}
    return tuple(sorted(found))


def _script(file: str) -> bool:
    return file.rpartition("/")[2] in ("setup.py", "conftest.py", "noxfile.py", "tasks.py", "__init__.py")


def _aside(package: str) -> bool:
    parts = package.split("/")
    return (
        is_test_path(package if package.endswith(".py") else f"{package}/x.py") or parts[0] in _NOT_PACKAGES
    )


def _configured(texts: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    tables = _tool_tables(texts.get("pyproject.toml", ""))
    for tool in ("pytest", "coverage", "ruff", "mypy", "bandit"):
        if tool in tables:
            found[tool] = "pyproject.toml"
    sections = {name: _sections(texts[name]) for name in ("setup.cfg", "tox.ini") if name in texts}
    marks = {
        ("setup.cfg", "pytest"): "tool:pytest",
        ("tox.ini", "pytest"): "pytest",
        ("setup.cfg", "mypy"): "mypy",
        ("setup.cfg", "coverage"): "coverage:",
        ("tox.ini", "coverage"): "coverage:",
    }
    for (file, tool), mark in marks.items():
        if any(
            section == mark or (mark[-1] == ":" and section.startswith(mark))
            for section in sections.get(file, ())
        ):
            found[tool] = file
    own = {
        "pytest": ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"),
        "coverage": (".coveragerc",),
        "ruff": ("ruff.toml", ".ruff.toml"),
        "mypy": ("mypy.ini", ".mypy.ini"),
        "bandit": (".bandit",),
    }
    found |= {tool: name for tool, names in own.items() for name in names if name in texts}
    return found


def _mypy_names_files(texts: Mapping[str, str]) -> bool:
    keys = ("files", "packages", "modules")
    table = _tool_tables(texts.get("pyproject.toml", "")).get("mypy", {})
    if any(key in table for key in keys):
        return True
    own = [_parsed(texts[name]) for name in ("mypy.ini", ".mypy.ini", "setup.cfg") if name in texts]
    return any(parser.has_option("mypy", key) for parser in own for key in keys)


def _tool_tables(text: str) -> Mapping[str, Any]:
    try:
        tables = tomllib.loads(text).get("tool", {})
    except tomllib.TOMLDecodeError:
        return {}  # the project's tools will say so themselves, as errors
    return tables if isinstance(tables, dict) else {}


def _sections(text: str) -> list[str]:
    return _parsed(text).sections()


def _parsed(text: str) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return configparser.RawConfigParser()  # as above
    return parser
