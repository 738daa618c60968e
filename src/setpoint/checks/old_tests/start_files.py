"""Files from which test runners start: they decide which tests run, and how, whatever the tests hold."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Mapping
from typing import Any

_NAMES = frozenset(
    {
        "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", ".coveragerc",
        "sitecustomize.py", "usercustomize.py", ".mocharc", "nextest.toml",
    }
)  # fmt: skip
_PATTERNS = re.compile(
    r".+\.pth|(?:vitest|jest|karma|playwright|cypress)\.(?:config|workspace|setup)\.\w+|\.mocharc\.\w+",
    re.IGNORECASE,
)
_SHARED = frozenset({"pyproject.toml", "setup.cfg"})
"""Files that hold the settings of a runner among others."""
_TABLES = ("pytest", "coverage", "unittest")
_CI = re.compile(
    r"(?:.*/)?(?:\.github/workflows/.*|\.circleci/.*|\.buildkite/.*|\.gitlab-ci\.yml|\.travis\.yml"
    r"|azure-pipelines\.yml|Jenkinsfile)"
)


def is_start_file(path: str) -> bool:
    """Whether a test runner, or the interpreter before it, reads a file of this name as it starts."""
    name = path.rpartition("/")[2]
    return name.lower() in _NAMES or _PATTERNS.fullmatch(name) is not None


def steers_ci(path: str) -> bool:
    """Whether a file says what a CI server runs."""
    return _CI.fullmatch(path) is not None


def shares_settings(path: str) -> bool:
    """Whether a file may hold a runner's settings among others."""
    return path.rpartition("/")[2] in _SHARED


def same_settings(path: str, before: bytes | None, after: bytes | None) -> bool:
    """Whether two texts of such a file hold the same settings of runners and coverage.

    A text that cannot be read holds none.
    """
    return _settings(path, before) == _settings(path, after)


def _settings(path: str, text: bytes | None) -> Mapping[str, Any]:
    said = (text or b"").decode("utf-8", "replace")
    if path.endswith(".toml"):
        try:
            tables = tomllib.loads(said).get("tool", {})
        except tomllib.TOMLDecodeError:
            return {}
        return {name: tables[name] for name in _TABLES if name in tables} if isinstance(tables, dict) else {}
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(said)
    except configparser.Error:
        return {}
    wanted = (each for each in parser.sections() if each.removeprefix("tool:").partition(":")[0] in _TABLES)
    return {each: dict(parser.items(each)) for each in wanted}
