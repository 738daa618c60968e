"""Which paths are protected, and what kind of thing each is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from enum import StrEnum
from fnmatch import translate

from setpoint.checks.integrity.paths.startup_paths import folded, preempts
from setpoint.checks.integrity.text_insertions import SCRIPTS
from setpoint.model.changes.test_paths import is_test_path


class Kind(StrEnum):
    """Why a path is protected; decides what may still change in it."""

    TEST = "test"
    """A file of tests, or code beside them: may gain tests where the mode is append-only."""
    DATA = "test data"
    """Anything else among the tests: expected output, fixtures, snapshots."""
    TABLES = "tool settings"
    """A file that holds more than tool settings (`pyproject.toml`, `setup.cfg`): only these are protected."""
    CONFIGURATION = "configuration"
    """Configuration of the runner, of quality tools or of the CI."""
    NAMED = "named path"
    """Named by the story or the settings."""


_TABLES = frozenset({"pyproject.toml", "setup.cfg"})
_CONFIGURATION = frozenset(
    folded(name)
    for name in (
        "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "tox.toml",
        "noxfile.py", ".coveragerc", "ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini", "pyrightconfig.json",
        ".bandit", ".flake8", ".pylintrc", "pylintrc", ".pre-commit-config.yaml", "setpoint.toml", "Makefile",
        "makefile", "GNUmakefile", "justfile", ".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml",
        "build.xml",
        "Jenkinsfile", "codecov.yml", ".codecov.yml", "sitecustomize.py", "usercustomize.py", "ty.toml",
        "pyrefly.toml", ".pylintrc.toml", "pylintrc.toml", ".semgrep.yml", ".semgrep.yaml", ".semgrepignore",
        ".secrets.baseline", ".jscpd.json", ".npmrc", ".yarnrc.yml", ".pnpmfile.cjs",
    )
)  # fmt: skip
_OF_CARGO = (".cargo/config", ".cargo/config.toml", "rust-toolchain", "rust-toolchain.toml")
_CI_FOLDERS = (".github/workflows/", ".circleci/", ".buildkite/")
STEERING = frozenset(
    {
        "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "setup.cfg", "pyproject.toml",
        ".coveragerc", "ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini", ".bandit", "setpoint.toml",
        "pyrightconfig.json", "ty.toml", "pyrefly.toml", ".pylintrc", "pylintrc", ".pylintrc.toml",
        "pylintrc.toml", ".semgrep.yml", ".semgrep.yaml", ".semgrepignore", ".jscpd.json",
    }
)  # fmt: skip
"""Configuration that, where it is new at the root, replaces that of the base."""
NEAREST = frozenset({"ruff.toml", ".ruff.toml", "pyproject.toml"})
"""Settings that a tool takes from the folder nearest to a file: new ones reach all code below them."""
_STEERS_SCRIPTS = re.compile(
    r"(?:vitest|jest|eslint|playwright|cypress|karma)\.(?:config|workspace|setup)\.\w+|\.eslintrc(?:\.\w+)?"
    r"|\.eslintignore|\.mocharc(?:\.\w+)?|biome\.jsonc?|\.oxlintrc\.json|tsconfig(?:\.\w+)?\.json"
    r"|\.golangci\.\w+|staticcheck\.conf|\.?clippy\.toml|nextest\.toml|\.npmrc|\.pnpmfile\.cjs|\.oxfmtrc\.jsonc?"
    r"|xo\.config\.\w+|mvnw(?:\.cmd)?|gradlew(?:\.bat)?|maven-wrapper\.(?:properties|jar)|(?:maven|jvm)\.config"
    r"|gradle-wrapper\.(?:properties|jar)",
    re.IGNORECASE,
)


def kind_of(path: str, named: tuple[str, ...], tests: Collection[str] = ()) -> Kind | None:
    """Say what a path of the base is protected as; none where it is not.

    `tests` are files from which tests were collected at the base, whatever they are called.
    """
    plain = folded(path)
    name = plain.rpartition("/")[2]
    if name in _TABLES:
        return Kind.TABLES
    if (
        name in _CONFIGURATION
        or steers_scripts(path)
        or plain.startswith(_CI_FOLDERS)
        or name.endswith(".pth")
        or preempts(path)
        or plain.endswith(_OF_CARGO)
    ):
        return Kind.CONFIGURATION
    if is_test_path(path) or path in tests:
        return Kind.TEST if name.endswith((".py", *SCRIPTS)) else Kind.DATA
    return Kind.NAMED if matches(path, named) else None


def collected(tests: Iterable[str]) -> frozenset[str]:
    """Return the Python files that hold these tests; examples in docstrings make no file one of tests."""
    found = set()
    for test in tests:
        path, _, rest = test.partition("::")
        first = rest.partition("::")[0].partition("[")[0]
        stem = path.rpartition("/")[2].removesuffix(".py")
        if path.endswith(".py") and first.isidentifier() and first != stem:
            found.add(path)
    return frozenset(found)


def steers_scripts(path: str) -> bool:
    """Whether a file configures the tests or the quality tools of JavaScript, Go, Rust or the JVM."""
    return _STEERS_SCRIPTS.fullmatch(path.rpartition("/")[2]) is not None


def matches(path: str, globs: tuple[str, ...]) -> bool:
    """Whether a path matches a glob, or lies in a folder that does; `*` does not stop at `/`."""
    parts = path.split("/")
    prefixes = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    patterns = [re.compile(translate(glob.rstrip("/"))) for glob in globs]
    return any(pattern.match(prefix) for pattern in patterns for prefix in prefixes)
