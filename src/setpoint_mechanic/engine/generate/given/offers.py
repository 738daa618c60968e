"""Finds what the project's tests give for the tests of one module, and tries each once."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from setpoint_probe.foreign_code import Raised, attempt

from ..limits import TimeUp, limited
from ..stand_ins import FUNCTIONS as DOUBLES
from ..values.kinds import MODULES
from ..values.values import MOST_CHARACTERS
from . import fixtures as fixtures_of
from .fixtures import FOLDER, Fixture, Supply
from .given import Given, Offers
from .sources import OURS, Spot, TestSource, Unresolved, spots

_MOST_TRIED, _MOST_S, _ONE_S = 120, 4.0, 1.0
_MOST_OF_ONE, _MOST_ASKED = 5, 12
"""Expressions for one parameter or class, and how many are looked at."""
_MOST_CHARACTERS = 1500
_NUMBERS = itertools.count()
_RESERVED = frozenset(
    (*MODULES, *DOUBLES, "pytest", "unittest", "mock", "result", "entered", "scenario", FOLDER)
)


class Subject(NamedTuple):
    """The module under test, as tests see it."""

    module: ModuleType
    alias: str
    own_import: str
    """How a file of tests imports it."""
    signatures: Mapping[str, Sequence[str]]
    """The parameters of its functions, and of its classes, by bare name."""
    words: frozenset[str]
    """All names in its source."""


class Place(NamedTuple):
    """The tests of the project."""

    tree: str
    target: str
    """The file of tests to be written, from the tree's root."""
    tests: tuple[str, ...]
    style: str
    refusals: list[str]
    """What was refused since it was emptied last."""


def offered(subject: Subject, place: Place) -> tuple[Offers, Supply]:
    """Return what the tests give that works, and what makes it."""
    texts = {
        file: Path(place.tree, file).read_text(encoding="utf-8", errors="replace") for file in place.tests
    }
    sources = _sources(texts, subject.module.__name__.rpartition(".")[2], subject.signatures)
    fixtures_of.paths_of(place.tree, place.tests)
    found = _Finder(subject, place)
    if place.style == "pytest":
        found.take_fixtures(sources)
    found.take_pieces(sources)
    return found.offers(), found.supply()


def _sources(texts: Mapping[str, str], module: str, names: Collection[str]) -> list[TestSource]:
    """Return the files of tests that name the module or something in it, those called after it first."""
    found = []
    for file, text in sorted(texts.items(), key=lambda each: (module not in each[0], module not in each[1])):
        concerns = re.search(rf"\b{re.escape(module)}\b", text) or any(name in text for name in names)
        if concerns and OURS not in text:
            tree = attempt(partial(ast.parse, text))
            if not isinstance(tree, Raised):
                found.append(TestSource(file, tree))
    return found


class _Finder:
    def __init__(self, subject: Subject, place: Place) -> None:
        self._subject, self._place = subject, place
        self._names: dict[str, Any] = {subject.alias: subject.module, "pytest": pytest}
        self._fixtures: dict[str, Fixture] = {}
        self._functions: dict[str, Any] = {}
        self._given: dict[str, Given] = {}
        self._of_class: dict[str, dict[str, None]] = {}
        self._of_param: dict[str, dict[str, None]] = {}
        self._bound: dict[str, str] = {}
        """Definition of each name that given things bring into a file of tests."""
        self._known: dict[str, str] = {}
        """Expressions by what is inside the function that they call."""
        self._until = time.monotonic() + _MOST_S
        self._tried = 0
        self._asked: dict[str, int] = {}
        """How many expressions there were for a parameter, or a kind of object."""

    def offers(self) -> Offers:
        return Offers(
            self._given,
            {name: tuple(found)[:_MOST_OF_ONE] for name, found in self._of_class.items()},
            {name: tuple(found)[:_MOST_OF_ONE] for name, found in self._of_param.items()},
        )

    def supply(self) -> Supply:
        return Supply(
            self._functions, {name: self._fixtures[name] for name in self._fixtures if name in self._given}
        )

    def take_fixtures(self, sources: Iterable[TestSource]) -> None:
        """Try each fixture that a new file can use, or define again."""
        visible = fixtures_of.conftests(self._place.tree, self._place.target)
        self._fixtures = fixtures_of.of_conftests(self._place.tree, visible)
        for source in sources:
            for each in fixtures_of.of_tests(source, self._names):
                if each.given.name not in self._fixtures and self._fits(each.given):
                    self._fixtures[each.given.name] = each
        everything = Supply({}, self._fixtures)
        for name, each in self._fixtures.items():
            if name == self._subject.alias or name in _RESERVED:
                continue
            value = self._trial(everything, partial(everything.one, name))
            if not isinstance(value, Raised):
                self._given[name] = each.given
                self._offer(name, value)
        for name in list(self._given):
            self._keep_closed(name)

    def _keep_closed(self, name: str) -> None:
        """Leave a fixture out that takes one which is none of ours."""
        takes = self._given[name].takes if name in self._given else ()
        if any(each != FOLDER and each not in self._given for each in takes):
            del self._given[name]

    def take_pieces(self, sources: Sequence[TestSource]) -> None:
        """Try what tests give to functions of the module, then objects that they make or use."""
        for find in (self._arguments, self._objects):
            for source in sources:
                for spot in spots(source):
                    for label, node in find(spot):
                        self._take(source, spot, label, node)

    def _arguments(self, spot: Spot) -> Iterator[tuple[str, ast.expr]]:
        """Yield what a call gives to a function of the module, each with the parameter that it is for."""
        call = spot.node
        name = _name_of(call.func)
        named = self._class_of(call.func, spot) if isinstance(call.func, ast.Name) else ""
        params = self._subject.signatures.get(f"{named}.__call__" if named else name, ())
        given = [*zip(params, call.args), *((each.arg, each.value) for each in call.keywords if params)]
        for param, node in given:
            if param and not isinstance(node, (ast.Starred, ast.Lambda)):
                yield f"{'__call__' if named else name}.{param}", node

    def _objects(self, spot: Spot) -> Iterator[tuple[str, ast.expr]]:
        """Yield objects that a call makes or asks, with a label of their kind."""
        call = spot.node
        name = _name_of(call.func)
        if isinstance(call.func, ast.Attribute) and name in self._subject.signatures:
            yield f" {name}", call.func.value
        elif isinstance(call.func, ast.Name) and self._class_of(call.func, spot):
            yield " __call__", call.func
        plain = all(map(_is_plain, (*call.args, *(each.value for each in call.keywords))))
        if (
            name[:1].isupper()
            and name in self._subject.words
            and not (plain and name in self._subject.signatures)
        ):
            yield f" {name}", call

    def _class_of(self, node: ast.Name, spot: Spot) -> str:
        """Return the class of the module whose object a variable holds, that is called."""
        for step in reversed(spot.before):
            if isinstance(step, ast.Assign) and any(
                isinstance(each, ast.Name) and each.id == node.id for each in step.targets
            ):
                made = step.value.func if isinstance(step.value, ast.Call) else step.value
                held = vars(self._subject.module).get(_name_of(made))
                named = getattr(held, "__name__", "")
                return named if f"{named}.__call__" in self._subject.signatures else ""
        return ""

    def _take(self, source: TestSource, spot: Spot, key: str, node: ast.expr) -> None:
        if self._is_needless(source, key, node):
            return
        try:
            piece = source.piece(node, spot.before, spot.params)
        except Unresolved:
            return
        if any(each != FOLDER and each not in self._given for each in piece.takes):
            return
        if isinstance(node, ast.Name) and not piece.steps and node.id in self._given:
            self._for_param(key, node.id)
            return
        body = _body(piece.steps, node)
        if body in self._known:
            self._for_param(key, self._known[body])
        elif len(body) <= _MOST_CHARACTERS and (piece.steps or piece.imports or piece.texts):
            self._known[body] = ""
            self._make(piece, body, source.path, key)

    def _is_needless(self, source: TestSource, key: str, node: ast.expr) -> bool:
        """Whether there is enough already, or an expression is a literal, a class or a module."""
        if self._tried >= _MOST_TRIED or time.monotonic() > self._until or _is_plain(node):
            return True
        if isinstance(node, ast.Name) and node.id in source.names and node.id not in self._given:
            return True
        self._asked[key] = self._asked.get(key, 0) + 1
        return self._asked[key] > _MOST_ASKED or len(self._of_param.get(key, ())) >= _MOST_OF_ONE

    def _make(self, piece: Any, body: str, path: str, key: str) -> None:  # noqa: ANN401 - a piece of a test
        """Try a function that makes a value, and offer it."""
        self._tried += 1
        imports = tuple(each for each in piece.imports if each != self._subject.own_import)
        probe = Given("", "", piece.takes, imports=imports, texts=piece.texts)
        if not self._fits(probe):
            return
        space = dict(self._names)
        function = _function_of("made", piece.takes, body, path)
        supply = self.supply()

        def run(have: dict[str, Any]) -> Any:  # noqa: ANN401 - any value at all
            fixtures_of.run_texts(piece.imports, (*piece.texts, function), space)
            have.update(supply.made(piece.takes, have))
            return space["made"](*(have[name] for name in piece.takes))

        value = self._trial(supply, run)
        if isinstance(value, Raised) or not self._is_worth(value, key):
            return
        if text := _as_literal(value):
            self._known[body] = text
            self._for_param(key, text)
            return
        name = self._name_of(value)
        text = _function_of(name, piece.takes, body, path)
        fixtures_of.run_texts((), (text,), space)
        self._functions[name] = space[name]
        call = f"{name}({', '.join(piece.takes)})"
        self._given[name] = Given(name, call, piece.takes, imports=imports, texts=(*piece.texts, text))
        self._known[body] = call
        self._offer(call, value)
        self._for_param(key, call)

    def _trial(self, supply: Supply, run: Callable[[dict[str, Any]], Any]) -> Any:  # noqa: ANN401 - any value at all
        """Make a value once; what raises, takes long, or touches what tests may not, is none."""
        self._place.refusals.clear()
        folder = Path(tempfile.gettempdir(), f"given-{next(_NUMBERS)}")
        folder.mkdir(parents=True)
        try:
            with limited(_ONE_S):
                value = attempt(lambda: run({FOLDER: folder}))
                supply.close()
        except TimeUp:
            return Raised(TimeoutError())
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if inspect.iscoroutine(value):
            value.close()
            return Raised(TypeError())
        return Raised(PermissionError()) if self._place.refusals else value

    def _fits(self, given: Given) -> bool:
        """Whether definitions can stand beside all others in one file; from then on they do."""
        wanted: dict[str, str] = {}
        for text in (*given.imports, *given.texts):
            for name in _names_of(text):
                wanted[name] = text
        for name, text in wanted.items():
            reserved = name in _RESERVED or name == self._subject.alias or name in self._given
            if (reserved and text != f"import {name}") or self._bound.get(name, text) != text:
                return False
        self._bound.update(wanted)
        return True

    def _is_worth(self, value: Any, key: str) -> bool:  # noqa: ANN401 - any value at all
        """Whether a value is more than a literal could be, and the module has to do with it."""
        plain = (int, float, str, bytes, bool, complex, type(None))
        if isinstance(value, plain) or inspect.isclass(value) or inspect.ismodule(value):
            return False
        return not key.startswith(" ") or any(
            kind.__name__ in self._subject.words
            for kind in type(value).__mro__
            if kind.__module__ != "builtins"
        )

    def _offer(self, call: str, value: Any) -> None:  # noqa: ANN401 - any value at all
        for kind in type(value).__mro__:
            if kind.__module__ != "builtins":
                self._of_class.setdefault(kind.__name__, {})[call] = None

    def _for_param(self, key: str, call: str) -> None:
        if call and not key.startswith(" "):
            self._of_param.setdefault(key, {})[call] = None

    def _name_of(self, value: Any) -> str:  # noqa: ANN401 - any value at all
        kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(value).__name__.strip("_")).lower() or "value"
        stem = f"{'an' if kind[:1] in 'aeiou' else 'a'}_{kind}"
        number, name = 2, stem
        while name in self._given or name in self._bound or name == self._subject.alias:
            name, number = f"{stem}_{number}", number + 1
        return name


def _body(steps: Sequence[ast.stmt], value: ast.expr) -> str:
    """Write statements and the value that they lead to, without a variable for that alone."""
    last = steps[-1] if steps else None
    if (
        isinstance(last, ast.Assign)
        and ast.unparse(last.targets[0]) == ast.unparse(value)
        and len(last.targets) == 1
    ):
        steps, value = steps[:-1], last.value
    return "\n".join([*map(ast.unparse, steps), f"return {ast.unparse(value)}"])


def _function_of(name: str, takes: Iterable[str], body: str, path: str) -> str:
    inside = "\n".join(f"    {line}" for line in body.split("\n"))
    return f'def {name}({", ".join(takes)}):\n    """Makes it as a test in `{path}` does."""\n{inside}'


def _name_of(node: ast.expr | None) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _is_plain(node: ast.expr) -> bool:
    """Whether an expression is a literal, which tests can write down as it is."""
    return not isinstance(attempt(lambda: ast.literal_eval(node)), Raised)


def _as_literal(value: Any) -> str:  # noqa: ANN401 - any value at all
    """Write a plain collection down; empty for all else."""
    if type(value) not in (list, tuple, dict, set):
        return ""
    text = attempt(lambda: repr(value) if ast.literal_eval(repr(value)) == value else "")
    return "" if isinstance(text, Raised) or len(text) > MOST_CHARACTERS else text


def _names_of(text: str) -> Iterator[str]:
    for node in ast.parse(text).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (each.asname or each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        else:
            yield from (
                each.id
                for each in ast.walk(node)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            )
