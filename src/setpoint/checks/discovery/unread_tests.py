"""Why a project with code has no tests that Setpoint runs, in the words of the project's own files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import is_program

MEND = "a run then needs a command that proves its work (--accept 'COMMAND')"
_NO_TEST = "no test specified"
"""What `npm init` writes where a project has no tests."""
_MOST_COMMAND = 80
_WRAPPERS = re.compile(
    r"^(?:\s*(?:cross-env|env|npx|pnpm|yarn|exec|dlx|run|c8|nyc|node_modules/\.bin/|--?[\w-]+|[A-Z_]\w*=\S*)\s+)*"
)
_BUILDERS = (
    ("build.sbt", "sbt"),
    ("deno.json", "Deno"),
    ("deno.jsonc", "Deno"),
    ("Gemfile", "Ruby"),
    ("Rakefile", "Rake"),
    ("composer.json", "PHP"),
    ("mix.exs", "Mix"),
    ("Package.swift", "Swift"),
    ("CMakeLists.txt", "CMake"),
    ("meson.build", "Meson"),
    ("Makefile", "make"),
    ("justfile", "just"),
)
"""Files that say by what a project is built and tested, with its name; what says most comes first."""


def why_no_tests(files: Iterable[str], texts: Mapping[str, str], off: Iterable[str] = ()) -> str:
    """Say why no tests of a tree are run; empty where it holds no code, so that none are missing.

    `off` are runners that the project uses and the settings switch off.
    """
    known = tuple(files)
    if not any(map(is_program, known)):
        return ""
    if switched := sorted(off):
        return f"the settings switch {' and '.join(switched)} off (checks.{switched[0]} = false)"
    packages = sorted((file for file in texts if _name(file) == "package.json"), key=_depth)
    said = filter(None, (_of_script(file, texts[file]) for file in packages))
    return next(said, "") or _of_builder(known) or _of_files(known, packages)


def _of_builder(files: tuple[str, ...]) -> str:
    """Name what builds and tests a project, where it is nothing that Setpoint reads."""
    for name, builder in _BUILDERS:
        if name in files:
            tests = next(filter(_is_test, files), "")
            there = f" (tests: {tests})" if tests else ""
            return f"{name}{there}: Setpoint reads no tests that {builder} runs"
    return ""


def _of_files(files: tuple[str, ...], packages: list[str]) -> str:
    """Say what is missing where nothing names a runner."""
    if packages:
        return f"{packages[0]} has no script 'test', and no runner is configured"
    tests = next(filter(_is_test, files), "")
    return f"nothing says what runs {tests}" if tests else "there is code, and no file of tests"


def _name(file: str) -> str:
    return file.rpartition("/")[2]


def _depth(file: str) -> tuple[int, str]:
    return file.count("/"), file


def _is_test(path: str) -> bool:
    """Whether a file holds tests, and is code by its ending."""
    code = re.search(r"\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|swift|c|cc|cpp)$", path)
    return code is not None and is_test_path(path)


def _of_script(file: str, text: str) -> str:
    """Say what the script `test` of a package runs; empty where there is none."""
    try:
        manifest = json.loads(text)
    except ValueError:
        return f"{file} is not JSON, so its script 'test' cannot be read"
    scripts = manifest.get("scripts") if isinstance(manifest, dict) else None
    command = scripts.get("test") if isinstance(scripts, dict) else None
    if not isinstance(command, str) or not command.strip():
        return ""
    if _NO_TEST in command:
        return f"{file} names no tests: its script 'test' is the one that `npm init` writes"
    runner = _WRAPPERS.sub("", command).split() or command.split()
    shown = command if len(command) <= _MOST_COMMAND else f"{command[:_MOST_COMMAND]}..."
    return f"{file} calls `{_name(runner[0])}` (script 'test': `{shown}`), which Setpoint cannot read"
