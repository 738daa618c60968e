"""Hot swap: puts the code of an edited function into the function objects that live already.

Nothing of the module is run again. The edited function is compiled alone, in a wrapper that keeps line
numbers, the class for `super()` and private names; every live function object made from the old code,
wherever decorators, classes or registries keep it, gets the new code. Where that may differ from a fresh
import, it is refused.
"""

from __future__ import annotations
import __future__

import ast
import functools
import gc
import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from ..foreign_code import Raised, attempt
from .source import Edits, FunctionNode, Source, Unit, splice

_CACHED = type(functools.lru_cache(lambda: None))
_NOTHING = object()
"""Stands for a name that was not bound before."""


class NotSwappable(Exception):
    """This edit needs a fresh import, with the reason."""


class Compiled(NamedTuple):
    """What `compile_unit` makes of a function."""

    old: CodeType
    new: CodeType
    """With an edit."""


class _Old(NamedTuple):
    function: FunctionType
    code: CodeType
    defaults: tuple[Any, ...] | None


class _Bound(NamedTuple):
    owner: Any
    name: str
    value: object


class Swapper:
    """Finds live functions and names, and changes them in place."""

    def __init__(self, files: Iterable[str]) -> None:
        """Index the live functions of some files; do it after everything is imported."""
        wanted = frozenset(files)
        self._live: dict[tuple[str, int, str], list[FunctionType]] = {}
        self._caches: list[Any] = []
        for thing in gc.get_objects():
            kind = type(thing)
            if kind is FunctionType and thing.__code__.co_filename in wanted:
                code = thing.__code__
                self._live.setdefault((code.co_filename, code.co_firstlineno, code.co_name), []).append(thing)
            elif kind is _CACHED and _is_empty_cache(thing, wanted):
                self._caches.append(thing)
        self._modules = _modules_by_file(wanted)
        self._undo: list[_Old | _Bound] = []
        self._compiled: dict[tuple[str, int], CodeType] = {}

    def apply(self, source: Source, unit: Unit, edits: Edits, compiled: Compiled | None = None) -> None:
        """Make an edit live; raises `NotSwappable`, or `SyntaxError` when it does not compile.

        `compiled` is what the function compiles to, where that is known.
        """
        if not unit.is_function:
            if all(edit.start == edit.end and edit.text.startswith(("import ", "from ")) for edit in edits):
                self._import(source, edits)
            else:
                self._rebind(source, unit, edits)
            return
        signature = _signature_end(source, unit)
        if any(edit.start < signature for edit in edits):
            self._default(source, unit, edits)
            return
        new = _function_code(compiled.new if compiled else compile_unit(source, unit, edits), unit)
        key = (source.path, unit.first_line)
        if key not in self._compiled:
            old = compiled.old if compiled else compile_unit(source, unit, ())
            self._compiled[key] = _function_code(old, unit)
        self._replace(source.path, self._compiled[key], new)

    def live(self, function: tuple[str, int], name: str) -> FunctionType | None:
        """Return a live function by its file, first line and name; none where none was seen."""
        found = self._live.get((*function, name))
        return found[0] if found else None

    def undo(self) -> None:
        """Put everything back as it was before the last `apply`."""
        for step in reversed(self._undo):
            if isinstance(step, _Bound) and step.value is _NOTHING:
                delattr(step.owner, step.name)
            elif isinstance(step, _Bound):
                setattr(step.owner, step.name, step.value)
            else:
                function: FunctionType = step.function
                function.__code__ = step.code
                function.__defaults__ = step.defaults
        self._undo.clear()
        for cache in self._caches:
            cache.cache_clear()

    def _replace(self, path: str, old: CodeType, new: CodeType) -> None:
        if not self._live.get((path, old.co_firstlineno, old.co_name)):
            raise NotSwappable("no live function holds this code")
        for before, after in list(_pairs(old, new)):
            functions = self._live.get((path, before.co_firstlineno, before.co_name), [])
            if not functions:
                continue
            if after is None or len({function.__code__ for function in functions}) > 1:
                raise NotSwappable("inner functions of one name cannot be told apart")
            if functions[0].__code__.co_freevars != after.co_freevars:
                raise NotSwappable("the edit changes which outer names the function holds on to")
            for function in functions:
                self._undo.append(_Old(function, function.__code__, function.__defaults__))
                function.__code__ = after

    def _default(self, source: Source, unit: Unit, edits: Edits) -> None:
        """Change the default of a parameter on the live functions."""
        node = unit.node
        assert isinstance(node, FunctionNode)  # noqa: S101 - for the type checker; callers ask is_function first
        functions = self._live.get((source.path, unit.first_line, node.name), [])
        if not functions or len(edits) != 1:
            raise NotSwappable("the edit changes a signature or decorator")
        edit = edits[0]
        for place, default in enumerate(node.args.defaults):
            start, end = source.span(default)
            if start <= edit.start and edit.end <= end:
                text = splice(
                    source.data[start:end], (edit._replace(start=edit.start - start, end=edit.end - start),)
                )
                for function in functions:
                    self._set_default(function, place - len(node.args.defaults), text.decode())
                return
        raise NotSwappable("the edit changes a signature or decorator")

    def _set_default(self, function: FunctionType, place: int, text: str) -> None:
        values = list(function.__defaults__ or ())
        if len(values) < -place:
            raise NotSwappable("a decorator changed the defaults")
        values[place] = _evaluated(text, function.__globals__)
        self._undo.append(_Old(function, function.__code__, function.__defaults__))
        function.__defaults__ = tuple(values)

    def _rebind(self, source: Source, unit: Unit, edits: Edits) -> None:
        """Evaluate an edited assignment outside functions again and bind the name anew."""
        node = unit.node
        module = self._modules.get(source.path)
        if module is None or not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
            raise NotSwappable("the statement runs at import only")
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        start, end = source.span(node.value)
        inside = all(start <= edit.start and edit.end <= end for edit in edits)
        if len(targets) != 1 or not isinstance(targets[0], ast.Name) or not inside:
            raise NotSwappable("the statement runs at import only")
        name = targets[0].id
        if _used_at_import(source, unit, name):
            raise NotSwappable(f"{name} is used by other statements that run at import")
        owner = _owner(module, source, unit)
        if name not in vars(owner):
            raise NotSwappable(f"{name} is not where it was defined")
        shifted = tuple(edit._replace(start=edit.start - start, end=edit.end - start) for edit in edits)
        value = _evaluated(splice(source.data[start:end], shifted).decode("utf-8"), vars(module))
        self._bind(owner, name, value)

    def _import(self, source: Source, edits: Edits) -> None:
        """Do what added imports do, in the module as it is."""
        module = self._modules.get(source.path)
        if module is None:
            raise NotSwappable("the module is not imported")
        names: dict[str, Any] = {"__name__": module.__name__, "__package__": module.__package__}
        for edit in edits:
            # An import, which a fresh process would do as well.
            done = attempt(functools.partial(exec, edit.text, names))
            if isinstance(done, Raised):
                raise NotSwappable(f"it cannot be imported here: {done.error}") from done.error
        for name, value in names.items():
            if not name.startswith("__"):
                self._undo.append(_Bound(module, name, vars(module).get(name, _NOTHING)))
                setattr(module, name, value)

    def _bind(self, owner: Any, name: str, value: object) -> None:  # noqa: ANN401 - a module or a class
        old = vars(owner)[name]
        holders = [owner]
        if isinstance(owner, ModuleType):
            holders += [
                each for each in list(sys.modules.values()) if each is not owner and _holds(each, name, old)
            ]
        for holder in holders:
            try:
                setattr(holder, name, value)
            except (AttributeError, TypeError) as error:
                raise NotSwappable(f"{name} cannot be set again: {error}") from error
            self._undo.append(_Bound(holder, name, old))


def _is_empty_cache(thing: Any, files: frozenset[str]) -> bool:  # noqa: ANN401 - an `lru_cache`, whose type has no name
    """Whether it keeps results of a function, and has none so far: a cache outlives an edit."""
    code = getattr(thing.__wrapped__, "__code__", None)
    return getattr(code, "co_filename", "") in files and not thing.cache_info().currsize


def compile_unit(source: Source, unit: Unit, edits: Edits) -> CodeType:
    """Compile one function alone, under its own file name and line numbers; raises `SyntaxError`."""
    start, end = source.lines_span(unit.first_line, unit.last_line)
    shifted = tuple(edit._replace(start=edit.start - start, end=edit.end - start) for edit in edits)
    try:
        segment = splice(source.data[start:end], shifted).decode("utf-8")
    except ValueError as error:
        raise SyntaxError(str(error)) from error
    indented = segment[:1] in (" ", "\t")
    wrapper = (f"class {unit.owner}:\n" if unit.owner else "if 1:\n") if indented else ""
    text = "\n" * max(0, unit.first_line - 1 - bool(wrapper)) + wrapper + segment
    try:
        code: CodeType = compile(text, source.path, "exec", future_flags(source), dont_inherit=True)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from error
    return code


def future_flags(source: Source) -> int:
    """Return what `compile` is told of a file's imports from `__future__`."""
    flags = 0
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                flags |= int(getattr(__future__, alias.name).compiler_flag)
    return flags


def _function_code(module: CodeType, unit: Unit) -> CodeType:
    name = unit.node.name if isinstance(unit.node, FunctionNode) else ""
    for code in _codes(module):
        if code.co_name == name:
            return code
    raise NotSwappable("the edit takes the function away")


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _pairs(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType | None]]:
    """Pair inner code objects by name and place; those that cannot be paired for certain have no partner."""
    yield old, new
    inner_old = [each for each in old.co_consts if isinstance(each, CodeType)]
    inner_new = [each for each in new.co_consts if isinstance(each, CodeType)]
    for name in dict.fromkeys(code.co_name for code in inner_old):
        before = [code for code in inner_old if code.co_name == name]
        after = [code for code in inner_new if code.co_name == name]
        for place, code in enumerate(before):
            if len(before) == len(after):
                yield from _pairs(code, after[place])
            else:
                yield code, None


def _signature_end(source: Source, unit: Unit) -> int:
    node = unit.node
    assert isinstance(node, FunctionNode)  # noqa: S101 - for the type checker; callers ask is_function first
    return (
        source.span(node.body[0])[0]
        if node.body[0].lineno == node.lineno
        else source.offsets[node.body[0].lineno - 1]
    )


def _evaluated(text: str, names: dict[str, Any]) -> object:
    def computed() -> object:
        code = compile(f"(\n{text}\n)", "<edited>", "eval", dont_inherit=True)
        return eval(code, dict(names))  # noqa: S307 - the project's own code, which its import would run as well

    value = attempt(computed)
    if isinstance(value, Raised):
        if isinstance(value.error, SyntaxError):
            raise value.error
        raise NotSwappable(f"the new value cannot be computed here: {value.error}") from value.error
    return value


def _used_at_import(source: Source, unit: Unit, name: str) -> bool:
    """Whether another statement outside functions, a default or a decorator reads the name."""
    for other in source.units:
        if other is unit:
            continue
        node = other.node
        parts: list[ast.AST] = [node]
        if isinstance(node, FunctionNode):
            parts = [
                *node.decorator_list,
                *node.args.defaults,
                *(each for each in node.args.kw_defaults if each),
            ]
        for part in parts:
            if any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(part)):
                return True
    return False


def _owner(module: ModuleType, source: Source, unit: Unit) -> Any:  # noqa: ANN401 - a module or a class
    """Find the module or class that an assignment binds its name in."""
    names: list[str] = []
    node = source.parents.get(unit.node)
    while node is not None:
        if isinstance(node, ast.ClassDef):
            names.append(node.name)
        node = source.parents.get(node)
    owner: Any = module
    for name in reversed(names):
        owner = getattr(owner, name, None)
    if names and (type(owner) is not type or _derived(owner)):
        raise NotSwappable("a class attribute that its metaclass or decorator has read")
    return owner


def _derived(owner: type) -> bool:
    return hasattr(owner, "__dataclass_fields__") or hasattr(owner, "__slots__") or hasattr(owner, "_fields")


def _holds(thing: object, name: str, value: object) -> bool:
    return isinstance(thing, ModuleType) and vars(thing).get(name, thing) is value


def _modules_by_file(files: frozenset[str]) -> dict[str, ModuleType]:
    found: dict[str, ModuleType] = {}
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and path in files:
            found[path] = module
    return found
