"""Fixtures of the project that a new file of tests can use by name, or take over."""

from __future__ import annotations

import ast
import contextlib
import importlib
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from setpoint_probe.foreign_code import Raised, attempt
from setpoint_probe.source.import_roots import import_root

from .given import Given
from .sources import TestSource, Unresolved, params_of, stripped, words_of

FOLDER = "tmp_path"
_DEEPEST, _MOST_LOOKED = 5, 500
"""How deep, and how many values inside of a shared one are looked at."""
CONFTEST = "conftest.py"
_FIXTURE = re.compile(r"^@(?:pytest\.)?fixture\b.*\n(?:async )?def (\w+)", re.MULTILINE)


class Fixture(NamedTuple):
    """A fixture as it can be run: without pytest, from its own function."""

    given: Given
    make: Callable[..., Any]


def conftests(tree: str, target: str) -> list[str]:
    """Return the files of fixtures that pytest reads for a file of tests, the outermost first."""
    folders = [Path(target).parent, *Path(target).parent.parents]
    found = [(folder / CONFTEST).as_posix() for folder in reversed(folders)]
    return [file for file in found if (Path(tree) / file).is_file()]


def fixture_names(tree: str, target: str, tests: Iterable[str]) -> frozenset[str]:
    """Return the names of all fixtures that conftests for a file of tests, or other tests, define."""
    found: list[str] = []
    for file in (*conftests(tree, target), *tests):
        found += _FIXTURE.findall(Path(tree, file).read_text(encoding="utf-8", errors="replace"))
    return frozenset(found)


def of_conftests(tree: str, files: Iterable[str]) -> dict[str, Fixture]:
    """Return the fixtures of some conftests by name; of two the last counts, as for pytest."""
    found: dict[str, Fixture] = {}
    for file in files:
        text = Path(tree, file).read_text(encoding="utf-8", errors="replace")
        source = attempt(partial(TestSource.read, file, text))
        module = attempt(partial(_loaded, tree, file))
        if isinstance(source, Raised) or isinstance(module, Raised):
            continue
        for node in source.fixtures.values():
            name, shared = _called(node)
            found.pop(name, None)
            if _is_plain(node):
                takes = params_of(node)
                given = Given(name, name, takes, fixture=True, shared=shared)
                found[name] = Fixture(given, _function(stripped(node), vars(module)))
    return found


def of_tests(source: TestSource, names: Mapping[str, Any]) -> Iterator[Fixture]:
    """Yield the fixtures of a file of tests, each as one that another file can define again."""
    for node in source.fixtures.values():
        name, _ = _called(node)
        if not _is_plain(node) or name != node.name or name.startswith("test"):
            continue
        takes = params_of(node)
        with contextlib.suppress(Unresolved):
            piece = source.definition(node, takes)
            bare = stripped(node)
            text = f"@pytest.fixture\n{ast.unparse(bare)}"
            given = Given(name, name, takes, fixture=True, imports=piece.imports, texts=(*piece.texts, text))
            space = dict(names)
            made = attempt(partial(run_texts, piece.imports, piece.texts, space))
            if not isinstance(made, Raised):
                yield Fixture(given, _function(bare, space))


def run_texts(imports: Iterable[str], texts: Iterable[str], space: dict[str, Any]) -> None:
    """Run imports and definitions in some names."""
    for text in (*imports, *texts):
        exec(compile(text, "<given>", "exec"), space)  # noqa: S102 - definitions of the project's tests


def _called(node: Any) -> tuple[str, bool]:  # noqa: ANN401 - a function's definition
    """Return the name that tests use, and whether several tests share one value."""
    words = words_of(node)
    named = words.get("name")
    scope = words.get("scope")
    name = str(named.value) if isinstance(named, ast.Constant) else node.name
    return name, scope is not None and not (isinstance(scope, ast.Constant) and scope.value == "function")


def _is_plain(node: ast.FunctionDef) -> bool:
    """Whether a fixture gives one value, whatever the test."""
    return "params" not in words_of(node) and not node.args.vararg and "request" not in params_of(node)


def _function(node: Any, names: Mapping[str, Any]) -> Callable[..., Any]:  # noqa: ANN401 - a function's definition
    space = dict(names)
    tree = ast.fix_missing_locations(ast.Module([node], []))
    exec(compile(tree, "<fixture>", "exec"), space)  # noqa: S102 - a fixture of the project
    made: Callable[..., Any] = space[node.name]
    return made


def _loaded(tree: str, file: str) -> ModuleType:
    """Import a conftest as pytest does: below its package, or else from its own folder."""
    folder = Path(tree, file).parent
    if not (folder / "__init__.py").is_file():
        _first_in_path(str(folder))
        sys.modules.pop("conftest", None)
        return importlib.import_module("conftest")
    root = Path(tree)
    own = folder
    while own != root and (own / "__init__.py").is_file():
        own = own.parent
    _first_in_path(str(own))
    return importlib.import_module(".".join([*folder.relative_to(own).parts, "conftest"]))


def _first_in_path(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def paths_of(tree: str, tests: Iterable[str]) -> None:
    """Let modules beside tests be imported, as pytest does."""
    for file in tests:
        folder = Path(tree, file).parent
        _first_in_path(str(import_root(Path(tree), file) if (folder / "__init__.py").is_file() else folder))


class Supply:
    """Makes what is given, anew for each run."""

    def __init__(self, functions: Mapping[str, Any], fixtures: Mapping[str, Fixture]) -> None:
        """Take the functions that make objects, and the fixtures, by name."""
        self.functions, self._fixtures = dict(functions), dict(fixtures)
        self._open: list[Iterator[Any]] = []
        self._shared: list[tuple[Any, object]] = []
        """Values that several tests share, and what they looked like at first."""

    def asks_folder(self, names: Iterable[str]) -> bool:
        """Whether any of some fixtures needs a temporary folder."""
        return any(
            FOLDER in each.given.takes or self.asks_folder(each.given.takes) for each in self._known(names)
        )

    def _known(self, names: Iterable[str]) -> list[Fixture]:
        return [self._fixtures[name] for name in names if name in self._fixtures]

    def made(self, names: Iterable[str], have: dict[str, Any]) -> dict[str, Any]:
        """Return the values of fixtures by name; `have` holds the folder, and takes what they rest on."""
        return {each.given.name: self._made(each.given.name, have, ()) for each in self._known(names)}

    def one(self, name: str, have: dict[str, Any]) -> Any:  # noqa: ANN401 - any value at all
        """Return the value of one fixture."""
        return self._made(name, have, ())

    def _made(self, name: str, have: dict[str, Any], below: tuple[str, ...]) -> Any:  # noqa: ANN401 - any value at all
        if name in have:
            return have[name]
        fixture = self._fixtures.get(name)
        if fixture is None or name in below:
            raise LookupError(name)
        words = {each: self._made(each, have, (*below, name)) for each in fixture.given.takes}
        value = fixture.make(**words)
        if hasattr(value, "__next__") and hasattr(value, "gi_frame"):
            self._open.append(value)
            value = next(value)
        have[name] = value
        if fixture.given.shared:
            self._shared.append((value, looks(value)))
        return value

    def is_changed(self) -> bool:
        """Whether a value that several tests share is another now."""
        return any(looks(value) != before for value, before in self._shared)

    def close(self) -> None:
        """Let fixtures clean up, the last one first."""
        self._shared.clear()
        while self._open:
            steps = self._open.pop()
            attempt(partial(next, steps, None))


def looks(value: Any) -> object:  # noqa: ANN401 - any value at all
    """Return what can be seen of a value from outside, to tell whether it changes."""
    return _looks(value, 0, [_MOST_LOOKED])


def _looks(value: Any, depth: int, left: list[int]) -> object:  # noqa: ANN401 - any value at all
    left[0] -= 1
    if depth > _DEEPEST or left[0] < 0:
        return None
    if isinstance(value, (int, float, str, bytes, type(None))):
        return value
    if isinstance(value, dict):
        return [(repr(key), _looks(held, depth + 1, left)) for key, held in list(value.items())]
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return [_looks(held, depth + 1, left) for held in list(value)]
    fields = getattr(value, "__dict__", None)
    own = list(fields.items()) if isinstance(fields, dict) else []
    return [type(value).__name__, [(name, _looks(held, depth + 1, left)) for name, held in own]]


NO_SUPPLY = Supply({}, {})
