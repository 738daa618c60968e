"""What a change of one protected file means: is it allowed, and if not, does it weaken the tests."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from setpoint.checks.integrity.additions import lines_added, repeats_lines
from setpoint.checks.integrity.paths.commands import MAKEFILES, names, steers_package
from setpoint.checks.integrity.paths.protected_paths import (
    NEAREST,
    STEERING,
    Kind,
    kind_of,
    matches,
    steers_scripts,
)
from setpoint.checks.integrity.paths.redirections import of_cargo, redirection, steers_vitest, workspace
from setpoint.checks.integrity.paths.startup_paths import (
    folded,
    injects,
    only_programs,
    preempts,
    shadows_source,
    shadows_standard,
    steers_agents,
)
from setpoint.checks.integrity.paths.version_lists import tries_no_less
from setpoint.checks.integrity.syntax_comparison import Change, bodies, changes
from setpoint.checks.integrity.text_insertions import SCRIPTS, changes_of_text
from setpoint.checks.integrity.thresholds import lowered, tool_settings
from setpoint.model import syntax
from setpoint.model.changes.work_kind import is_program
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.stories.story import IntegrityMode

_MEASURES = ", and belongs to the measure: tests refer to it, and the product does not"
_PROSE = (".md", ".rst")
_INSTRUCTS = "{}, and coding agents read it as instructions, also those that review"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A protected path that may not stay as the maker left it."""

    path: str
    findings: tuple[Finding, ...]

    @property
    def weakens(self) -> bool:
        """Whether the tests of the base may prove less by it."""
        return any(finding.blocking for finding in self.findings)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The protected files of the base beside what the maker made of them."""

    mode: IntegrityMode
    named: tuple[str, ...]
    """Globs of the story and the settings."""
    base: Mapping[str, bytes]
    """What changed, as it was at the base; files that are new are missing."""
    now: Mapping[str, bytes]
    """What changed, as it is now; files that were deleted are missing."""
    base_files: frozenset[str]
    """Every path of the base."""
    tests: frozenset[str] = frozenset()
    """Files from which tests were collected at the base, whatever they are called."""
    measure: frozenset[str] = frozenset()
    """Files that belong to the measure by what refers to them."""
    granted: tuple[str, ...] = ()
    """Globs of what a person released."""
    run: frozenset[str] = frozenset()
    """Files that the commands of the story run."""
    commands: tuple[str, ...] = ()
    """These commands."""
    wish: str = ""
    """What the story asks for; files of its commands and of agents that it names may change."""
    files: frozenset[str] = frozenset()
    """Every path of the tree as it is now."""
    manifests: Mapping[str, str] = field(default_factory=dict)
    """What the modules of Go require and are called, by path, where a `go.work` changed."""
    outside: tuple[str, ...] = ()
    """New links that leave the tree."""
    via: Mapping[str, str] = field(default_factory=dict)
    """Paths above under which a link shows a file, and what is restored for each: the link, or the file."""

    def judged(self) -> tuple[Judged, ...]:
        """Return every path that has to be restored, with the message about it."""
        out = ("is new and is a link that leads out of the tree", "", True)
        found: list[Judged | None] = [_judged(path, [out]) for path in self.outside]
        found += [self._of_measure(path) for path in sorted(self.measure)]
        found += [self._changed(path) for path in sorted(self.base) if self.base[path] != self.now.get(path)]
        found += [self._added(path) for path in sorted(self.now.keys() - self.base.keys())]
        kept: dict[str, Judged] = {}
        for each in found:
            if each is not None:
                path = self.via.get(each.path, each.path)
                kept.setdefault(path, replace(each, path=path))
        return tuple(each for path, each in kept.items() if not matches(path, self.granted))

    def _changed(self, path: str) -> Judged | None:
        kind = kind_of(path, self.named, self.tests)
        before, after = self.base[path], self.now.get(path)
        if kind is None:
            return self._unprotected(path, _text(before), _text(after or b""))
        if kind is Kind.TEST:
            return self._test(path, before, after)
        if after is None:
            weakens = kind in (Kind.DATA, Kind.NAMED) or bool(lowered(path, _text(before), ""))
            return _judged(path, [("was deleted", "", weakens)])
        if kind in (Kind.TABLES, Kind.CONFIGURATION):
            return self._settings(path, kind, _text(before), _text(after))
        if kind is Kind.DATA:
            return self._data(path, before, after)
        return _judged(path, [("was edited, though the story protects it", "", False)])

    def _of_measure(self, path: str) -> Judged | None:
        """Judge a file to which only tests refer; what is new is removed without blame."""
        before, after = self.base.get(path), self.now.get(path)
        if before is None and self.wish and names(self.wish, path):
            return None
        if before is None or after is None:
            said = "is new" if before is None else "was deleted"
            return _judged(path, [(f"{said}{_MEASURES}", "", before is not None)])
        if path.endswith((".py", *SCRIPTS)):
            return self._test(path, before, after)
        if before == after or (is_program(path) and repeats_lines(_text(before), _text(after))):
            return None
        return _judged(path, [(f"was edited{_MEASURES}", "", True)])

    def _unprotected(self, path: str, before: str, after: str) -> Judged | None:
        """Judge a file that only the commands of the story, or agents, protect."""
        if self.wish and names(self.wish, path):
            return None
        if path in self.run:
            return _judged(path, [("was edited, and a command of the story runs it", "", False)])
        if steers_agents(path):
            return _for_agents(path, "was edited")
        if path.rpartition("/")[2] == "package.json" and steers_package(before, after, self.commands):
            return _judged(path, [("changes scripts or settings by which it is tested", "", False)])
        return self._redirected(path, before, after)

    def _redirected(self, path: str, before: str, after: str) -> Judged | None:
        """Judge a manifest by which tests meet other code than at the base, or no harness."""
        said = redirection(path, before, after, self.files)
        if path.rpartition("/")[2] == "go.work":
            said = workspace(after, self.manifests)
        if steers_vitest(path, before, after):
            said = "changes how vitest finds or loads what it tests"
        return _judged(path, [(said, "", False)]) if said else None

    def _data(self, path: str, before: bytes, after: bytes) -> Judged | None:
        grows = self._runs_apart and self.mode is IntegrityMode.APPEND_ONLY
        if grows and lines_added(_text(before), _text(after)):
            return None
        return _judged(path, [("was edited", "", not path.endswith(_PROSE))])

    def _test(self, path: str, before: bytes, after: bytes | None) -> Judged | None:
        if self.mode is IntegrityMode.READ_ONLY and after is not None:
            said = [
                (each.what, each.symbol, each.weakens) for each in _changes(path, _text(before), _text(after))
            ]
            return _judged(path, said or [("was edited, and is read-only", "", False)])
        if after is None:
            return None if self._moved(_text(before)) else _judged(path, [("was deleted", "", True)])
        found = _changes(path, _text(before), _text(after), may_grow=self._runs_apart)
        said = [(each.what, each.symbol, each.weakens) for each in found]
        return _judged(path, said) if said else None

    @property
    def _runs_apart(self) -> bool:
        """Whether the tests of the base run apart from the maker's files, so that additions are harmless."""
        return bool(self.tests)

    def _moved(self, before: str) -> bool:
        """Whether all tests of a deleted file are in one new file, under whatever names."""
        if self.mode is IntegrityMode.READ_ONLY:
            return False
        wanted = set(bodies(before).values())
        new = [
            content for path, content in self.now.items() if path not in self.base and path.endswith(".py")
        ]
        return bool(wanted) and any(not changes(before, _text(content)) for content in new)

    def _settings(self, path: str, kind: Kind, before: str, after: str) -> Judged | None:
        if kind is Kind.TABLES and tool_settings(path, before) == tool_settings(path, after):
            return None
        weaker = (
            lowered(path, before, after) if path.endswith((".toml", ".ini", ".cfg", ".coveragerc")) else ()
        )
        if weaker:
            return _judged(path, [(f"demands less ({each})", each.key, True) for each in weaker])
        if path.rpartition("/")[2] == "conftest.py":
            said = [(each.what, each.symbol, each.weakens) for each in changes(before, after)]
            fixtures_only = not said and self.mode is IntegrityMode.APPEND_ONLY
            return None if fixtures_only else _judged(path, said or [("was edited", "", False)])
        if path not in self.run and tries_no_less(path, before, after, self.wish):
            return None
        return _judged(path, [("was edited", "", False)])

    def _added(self, path: str) -> Judged | None:
        folder, _, name = path.rpartition("/")
        content = _text(self.now[path])
        said = self._in_place_of(path, content) or self._steers_build(path, content)
        if said is not None:
            return _judged(path, [said])
        if steers_agents(path) and not names(self.wish, path):
            return _for_agents(path, "is new")
        name = folded(name)
        if name == "conftest.py":
            return self._new_conftest(path, folder, content)
        marks_tests = name == "__init__.py" and (not folder or kind_of(path, ()) is Kind.TEST)
        if marks_tests and self._reaches(folder) and _acts(content):
            return _judged(path, [("is new and runs before the tests of the base that lie below", "", True)])
        above = not folder or any(
            each.startswith(f"{folder}/") and kind_of(each, ()) is Kind.TEST for each in self.base_files
        )
        scripts = steers_scripts(path) and any(each.endswith("package.json") for each in self.base_files)
        nearest = name in NEAREST and self._holds_code(folder)
        if scripts or nearest or (name in STEERING and above):
            return self._new_settings(path, content)
        return None

    def _steers_build(self, path: str, content: str) -> tuple[str, str, bool] | None:
        """Say what new files do that the tools of Go and Rust read before they build anything."""
        if self.wish and names(self.wish, path):
            return None
        if of_cargo(path) and any(folded(each).endswith("cargo.toml") for each in self.base_files):
            return "is new and steers how cargo builds and runs tests", "", False
        if steers_vitest(path, "", content) and any(
            each.endswith("package.json") for each in self.base_files
        ):
            return "is new and says how vitest finds or loads what it tests", "", False
        work = path.rpartition("/")[2] == "go.work"
        said = workspace(content, self.manifests) if work else ""
        return (f"is new and {said}", "", False) if said else None

    def _in_place_of(self, path: str, content: str) -> tuple[str, str, bool] | None:
        """Say what a new file is taken for by its name alone."""
        if injects(path):
            return "is new and is loaded in place of, or before, the test runner", "", True
        if preempts(path) and not only_programs(path, content):
            return "is new and takes the place of a source, or adds a plug-in", "", True
        kept = self.base_files - (self.base.keys() - self.now.keys())
        if (standard := shadows_standard(path, self.base_files)) or shadows_source(path, kept):
            shadowed = "Python itself" if standard else "the base in another folder"
            return f"is new and is imported in place of a module of {shadowed}", "", True
        folder, slash, name = path.rpartition("/")
        if name in MAKEFILES and any(f"{folder}{slash}{each}" in self.base_files for each in MAKEFILES):
            return "is new and is taken in place of the Makefile", "", True
        same = self._protected_names.get(folded(path))
        if same is not None:
            return f"is new and is {same} where names differ in case alone", "", True
        return None

    @cached_property
    def _protected_names(self) -> Mapping[str, str]:
        """Return the protected files of the base, by what a file system that ignores case calls them."""
        return {folded(each): each for each in self.base_files if kind_of(each, self.named, self.tests)}

    def _holds_code(self, folder: str) -> bool:
        return any(each.startswith(f"{folder}/") and each.endswith(".py") for each in self.base_files)

    def _new_conftest(self, path: str, folder: str, content: str) -> Judged | None:
        hooks = hooks_of(content)
        if not self._reaches(folder) and not hooks:
            return None
        if hooks:
            return _judged(path, [(f"is new and changes how tests run ({', '.join(hooks)})", "", True)])
        said = "is new and reaches tests of the base; put fixtures beside the tests that use them"
        return _judged(path, [(said, "", False)])

    def _reaches(self, folder: str) -> bool:
        """Whether tests of the base lie in a folder, however deep."""
        inside = f"{folder}/" if folder else ""
        return any(kind_of(each, ()) is Kind.TEST and each.startswith(inside) for each in self.base_files)

    def _new_settings(self, path: str, content: str) -> Judged | None:
        if steers_scripts(path):
            return _judged(path, [("is new and takes the place of the project's settings", "", False)])
        settings = tool_settings(path, content)
        if settings is not None and not settings:
            return None
        weaker = lowered(path, "", content)
        if weaker or settings is None:
            what = "; ".join(str(each) for each in weaker) or "not readable"
            return _judged(path, [(f"is new and demands less ({what})", "", True)])
        return _judged(path, [("is new and takes the place of the project's settings", "", False)])


def _changes(path: str, before: str, after: str, *, may_grow: bool = False) -> Iterable[Change]:
    if path.endswith(".py"):
        return changes(before, after, may_grow=may_grow)
    return changes_of_text(path, before, after)


def _for_agents(path: str, what: str) -> Judged:
    """Judge a file that agents read; what an agent keeps for its own machine is removed without a word."""
    kept = ".local." in path.rpartition("/")[2]
    return _judged(path, [] if kept else [(_INSTRUCTS.format(what), "", False)])


def _acts(source: str) -> bool:
    """Whether a file that marks a package holds more than a docstring; what it imports may act as well."""
    try:
        body = syntax.parse(source).body
    except (SyntaxError, ValueError):
        return True
    return any(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in body)


def hooks_of(source: str) -> tuple[str, ...]:
    """Name what in a conftest reaches tests that did not ask: hooks, automatic fixtures, steering names."""
    try:
        module = syntax.parse(source)
    except (SyntaxError, ValueError):
        return ("it does not parse",)
    found: list[str] = []
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            automatic = any("autouse" in ast.unparse(each) for each in node.decorator_list)
            found += [node.name] if automatic or node.name.startswith("pytest_") else []
        elif isinstance(node, ast.Name) and node.id in (
            "collect_ignore",
            "collect_ignore_glob",
            "pytest_plugins",
        ):
            found.append(node.id)
    return tuple(dict.fromkeys(found))


def _judged(path: str, said: Iterable[tuple[str, str, bool]]) -> Judged:
    """Say what was restored; only what weakens the tests blocks."""
    findings = tuple(
        Finding(
            source="integrity",
            rule="protected",
            severity=Severity.CRITICAL if weakens else Severity.WARNING,
            category=Category.INTEGRITY,
            message=f"{path}: {what}; judged as it was at the base",
            file=path,
            symbol=symbol,
            detail=(
                "Protected tests and settings are restored before the work is judged. Fix the code instead; "
                "put new tests into new functions or files. If the wanted behaviour makes a protected test "
                "wrong, say so and why, and leave the test as it is."
            ),
        )
        for what, symbol, weakens in said
    )
    return Judged(path=path, findings=findings)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
