# ruff: noqa: ANN401 - the objects of coverage have other types in each of the versions we meet
"""Writes what `coverage json` writes, having looked at the project's files while its tests still ran.

    python setpoint_covered.py WORD [OPTIONS OF `coverage run`] -- json -q -i -o FILE

What coverage has to know of a source file, its statements, branches and functions, does not depend on what
ran, and finding it out takes most of the time of a report. Until the file WORD appears, it is found out for
the files that coverage is likely to measure. Then coverage's own command line does the rest; it is given what
was found for a file of the same name, text and exclusions, and looks at every other file itself.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import io
import json
import os
import sys
import time
import warnings
from typing import Any, Callable, Iterator  # noqa: UP035 - where Python 3.8 has it

_LOOK_S = 0.01
_KNOWN = ((7, 17),)
"""Versions of coverage whose inside is as it is taken for here."""
_MOST_BYTES = 16 << 20
"""Of longer sources together, the rest is left to the report: what is found is held in memory."""
_SKIPPED = ("__pycache__", "node_modules")


class Ahead:
    """What was found out about source files, and coverage's own ways to find it out."""

    def __init__(self, coverage: Any) -> None:
        """Begin with nothing found; from here on coverage asks here first."""
        python = importlib.import_module("coverage.python")
        self._parsers: dict[tuple[str, str, Any], Any] = {}
        self._regions: dict[str, Any] = {}
        self._parse: Any = python.PythonParser
        self._find_regions: Any = python.code_regions
        self._reporter: Any = python.PythonFileReporter
        self._control = coverage.Coverage(messages=False)
        vars(python).update(PythonParser=self._parser_of, code_regions=self._regions_of)
        vars(importlib.import_module("coverage.jsonreport")).update(json=_Json)

    def files(self, options: list[str]) -> Iterator[str]:
        """Give the files that coverage is likely to measure, as it will name them."""
        likely = _likely(self._control.config, options)
        relative = self._control.config.relative_files
        for folder, below, names in os.walk("."):
            below[:] = sorted(name for name in below if name[0] != "." and name not in _SKIPPED)
            if "pyvenv.cfg" in names:
                below.clear()
                continue
            for name in sorted(names):
                path = os.path.normpath(os.path.join(folder, name))  # noqa: PTH118 - asked for often
                if name.endswith(".py") and likely(os.path.abspath(path)):  # noqa: PTH100 - as above
                    yield path if relative else os.path.abspath(path)  # noqa: PTH100 - as above

    def look(self, file: str, *, branches: bool) -> int:
        """Find out about a file what a report needs; gives how long its text is."""
        told = self._reporter(file, self._control)
        parser = told.parser  # an error is left to the report
        parser.parse_source = _nothing
        parser.lines_matching = functools.lru_cache(None)(parser.lines_matching)
        if branches:
            told.arcs()
            told.no_branch_lines()
        self._parsers[parser.filename, parser.text, parser.exclude] = parser
        text = told.source()
        self._regions[text] = told.code_regions()
        return len(text)

    def _parser_of(self, text: Any = None, filename: Any = None, exclude: Any = None) -> Any:
        made = self._parse(text, filename, exclude)
        return self._parsers.get((made.filename, made.text, made.exclude), made)

    def _regions_of(self, source: str) -> Any:
        found = self._regions.get(source)
        return self._find_regions(source) if found is None else found


class _Json:
    """Writes the same text as `json.dump`, in one piece."""

    @staticmethod
    def dump(value: Any, file: Any, **how: Any) -> None:
        """Write a value."""
        file.write(json.dumps(value, **how))


def _nothing() -> None:
    """Parse no second time."""


def _likely(config: Any, options: list[str]) -> Callable[[str], bool]:
    """Say of which files it is likely that coverage measures and reports them."""
    matching = importlib.import_module("coverage.files")

    def fits(patterns: Any) -> Callable[[str], bool]:
        matches: Callable[[str], bool] = matching.GlobMatcher(matching.prep_patterns(list(patterns))).match
        return matches

    sources = [*_listed(options, "--source="), *(config.source or ())]
    omitted = fits([*_listed(options, "--omit="), *(config.run_omit or ()), *(config.report_omit or ())])
    wanted = [fits(each) for each in (() if sources else config.run_include, config.report_include) if each]

    def likely(path: str) -> bool:
        if sources and not any(_below(path, source) for source in sources):
            return False
        return not omitted(path) and all(matches(path) for matches in wanted)

    return likely


def _listed(options: list[str], name: str) -> list[str]:
    return [each for word in options if word.startswith(name) for each in word[len(name) :].split(",")]


def _below(path: str, source: str) -> bool:
    """Whether a file lies in a folder, or in a package of this name wherever it is."""
    place = os.path.abspath(source)  # noqa: PTH100 - links are not to be followed
    package = os.sep + source.replace(".", os.sep)
    return (
        (path + os.sep).startswith(place + os.sep)
        or package + os.sep in path
        or path.endswith(package + ".py")
    )


def _look_ahead(coverage: Any, word: str, options: list[str]) -> None:
    """Find out about files until the word is given."""
    if os.path.exists(word) or coverage.version_info[:2] not in _KNOWN:  # noqa: PTH110 - asked for often
        return
    ahead, length = Ahead(coverage), 0
    branches = "--branch" in options or bool(coverage.Coverage(messages=False).config.branch)
    for file in ahead.files(options):
        if length > _MOST_BYTES or os.path.exists(word):  # noqa: PTH110 - as above
            return
        with contextlib.suppress(Exception):  # the report meets the same file, and says what is wrong with it
            length += ahead.look(file, branches=branches)


def main(argv: list[str]) -> Any:
    """Look ahead, wait for the word, and let coverage do what it is asked for; gives its exit code."""
    word, parent = argv[0], os.getppid()
    options, asked = argv[1 : argv.index("--")], argv[argv.index("--") + 1 :]
    sys.path[0] = os.getcwd()  # noqa: PTH109 - where `python -m coverage` looks first
    command_line = importlib.import_module("coverage.cmdline")
    with contextlib.suppress(Exception), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        # Whatever goes wrong, the report then finds out by itself, and says it.
        warnings.simplefilter("ignore")
        _look_ahead(sys.modules["coverage"], word, options)
    gc.freeze()
    while not os.path.exists(word):  # noqa: PTH110 - as above
        if os.getppid() != parent:  # nobody is left who would give the word
            return 1
        time.sleep(_LOOK_S)
    return command_line.main(asked)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
