"""Chooses among recorded calls, and varies them."""

from __future__ import annotations

import ast
import base64
import contextlib
import importlib
import inspect
import itertools
import json
import sys
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..foreign_code import Raised, attempt
from ..source.constants import constants
from ..wire.calls import Call, CallsRequest
from .built import Built, Step, Unfit, dumped, loaded, near_objects, signature_of
from .neighbours import is_boundary, leaves, near
from .told import Teller

_MOST_OF_FUNCTION, _MOST_NEAR, _MOST_CALLS = 16, 40, 3000
_END = object()
_FEWEST = 200
"""Calls of one function that are tried in any case."""
_MOST_SHOWN, _MOST_LEAVES, _MOST_CONSTANTS, _MOST_OF_POOL = 60, 40, 24, 4


class Held(NamedTuple):
    """One call that can be made again and again."""

    call: Call
    module: str
    arguments: bytes
    """Pickled, by name."""


def function_of(request: CallsRequest, name: str, recorded: str) -> Any:  # noqa: ANN401 - any function
    """Return the class of a name, or the plain function, without what decorates it."""
    module, qualified = request.functions.get(name, ("", ""))
    *owners, last = qualified.split(".")
    found: Any = importlib.import_module(module or recorded)
    for each in owners:
        found = getattr(found, each)
    raw: Any = vars(found).get(last)
    if isinstance(raw, type) or (name in request.lost and callable(raw)):
        return raw
    for _ in range(8):
        inner = getattr(raw, "__func__", None) or getattr(raw, "fget", None) or getattr(raw, "func", None)
        inner = inner or getattr(raw, "__wrapped__", None)
        if inner is None:
            break
        raw = inner
    if not inspect.isfunction(raw) or raw.__code__.co_name != last:
        raise Unfit(f"{qualified} is no plain function")
    return raw


class Recorded(NamedTuple):
    """One recorded call, ready to be varied."""

    entry: dict[str, Any]
    arguments: dict[str, Any]
    """By name, without those that are the default."""
    defaults: dict[str, Any]

    @property
    def told(self) -> str:
        """Tell the arguments; equal ones are told alike."""
        return Teller().tell(self.arguments)


def chosen(
    request: CallsRequest, beat: Callable[[], object] = lambda: None
) -> tuple[list[Held], dict[str, str]]:
    """Choose among the recorded calls: those of the first tests first, then small ones; then vary each.

    Return with them why there are none of a function, by its name. `beat` is called before each function.
    """
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for file in sorted(Path(request.recorded).glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            with contextlib.suppress(ValueError, TypeError, KeyError):  # tests can write there, too
                entry = json.loads(line)
                groups[str(entry["name"])].append({**entry, "module": str(entry["module"])})
    found: list[Held] = []
    left: dict[str, str] = {}
    pools = _pools(groups)
    names = [each for each in request.functions if each in groups and groups[each][0]["module"] != "__main__"]
    for name in names:
        beat()
        entries = sorted(groups[name], key=partial(_rank, frozenset(request.first)))
        for entry in entries:
            sys.path.extend(each for each in entry["path"] if each not in sys.path)
        tried = [attempt(partial(_recorded, request, name, entry)) for entry in entries]
        made = [each for each in tried if not isinstance(each, Raised)]
        if not made:
            left[name] = next(_reason(each.error) for each in tried if isinstance(each, Raised))
        else:
            own = _of_function(request, name, made, (len(found), pools))
            found += itertools.islice(own, max(_FEWEST, _MOST_CALLS // len(names)))
    return found[:_MOST_CALLS], left


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, Unfit) else "its arguments cannot be made again"


def _pools(groups: dict[str, list[dict[str, Any]]]) -> dict[str, list[tuple[str, str]]]:
    """Return recorded calls of methods, by the class that they are called on."""
    pools: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, entries in groups.items():
        owner = name.rpartition(".")[0]
        if owner in groups:
            pools[owner] += [(name, each["arguments"]) for each in entries[:_MOST_OF_POOL]]
    return pools


def _of_function(
    request: CallsRequest,
    name: str,
    made: list[Recorded],
    rest: tuple[int, dict[str, list[tuple[str, str]]]],
) -> Iterator[Held]:
    known = {each.told for each in made}
    near_code = _constants(request, name, made[0].entry["module"])
    start, pools = rest
    numbers = itertools.count(start)
    for each in made[:_MOST_OF_FUNCTION]:
        data = attempt(partial(dumped, each.arguments))
        if isinstance(data, Raised):
            continue
        pool = list(_steps(request, pools, each.arguments.get("self")))
        of = next(numbers)
        outer, module = each.entry["outer"], each.entry["module"]
        call = Call(
            of,
            name,
            _shown(name, each.arguments),
            outer=outer,
            boundary=all(is_boundary(value) for key, value in each.arguments.items() if key != "self"),
            leaves=tuple(
                str(leaf) for leaf in itertools.islice(leaves([*each.arguments.values()]), _MOST_LEAVES)
            ),
            test=each.entry["test"],
        )
        yield Held(call, module, data)
        others = itertools.islice(_varied(each, near_code, known, pool), _MOST_NEAR)
        bare = _bare(each, known) if name in request.guarded else ()
        for other in itertools.chain(others, bare):
            data = attempt(partial(dumped, other))
            if not isinstance(data, Raised):
                odd = any(other[key] is None and value is not None for key, value in each.arguments.items())
                varied = Call(next(numbers), name, _shown(name, other), of, outer=outer, odd=odd)
                yield Held(varied, module, data)


def _bare(recorded: Recorded, known: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the arguments with one of them empty, zero, negative or nothing."""
    teller = Teller()
    for key, each in recorded.arguments.items():
        bare: list[Any] = [0, -1] if isinstance(each, (int, float)) else []
        bare += [type(each)()] if type(each) in (str, bytes, list, dict, tuple, set, frozenset) else []
        for other in (*bare, None):
            varied = {**recorded.arguments, key: other}
            if key not in ("self", "cls") and (text := teller.tell(varied)) not in known:
                known.add(text)
                yield varied


def _steps(request: CallsRequest, pools: dict[str, list[tuple[str, str]]], subject: object) -> Iterator[Step]:
    """Yield what tests ask other objects of the class of an object."""
    for name, data in pools.get(subject.name, ()) if isinstance(subject, Built) else ():
        given = attempt(partial(loaded, base64.b64decode(data), _as_it_is, request.loose))
        if not isinstance(given, Raised) and isinstance(given.pop(next(iter(given), ""), None), Built):
            yield name, given


def _as_it_is(value: Any) -> Any:  # noqa: ANN401 - an object that is built, or a file
    return value


def _rank(first: frozenset[str], entry: dict[str, Any]) -> tuple[bool, bool, int]:
    return not entry["outer"], entry["test"] not in first, len(entry["arguments"])


def _recorded(request: CallsRequest, name: str, entry: dict[str, Any]) -> Recorded:
    arguments: dict[str, Any] = loaded(base64.b64decode(entry["arguments"]), _as_it_is, request.loose)
    function = function_of(request, name, entry["module"])
    parameters = signature_of(function).parameters
    teller = Teller()
    defaults = {each.name: each.default for each in parameters.values() if each.default is not each.empty}
    empty: dict[Any, Any] = {inspect.Parameter.VAR_POSITIONAL: "()", inspect.Parameter.VAR_KEYWORD: "{}"}
    kept = {
        key: each
        for key, each in arguments.items()
        if not (key in defaults and teller.tell(each) == teller.tell(defaults[key]))
        and teller.tell(each) != empty.get(parameters[key].kind if key in parameters else None)
    }
    return Recorded(entry, kept, defaults)


def _varied(
    recorded: Recorded, near_code: list[Any], known: set[str], pool: list[Step]
) -> Iterator[dict[str, Any]]:
    """Yield the arguments with one of them varied, each in turn; none that a test passes itself."""
    arguments, defaults = recorded.arguments, recorded.defaults
    ways: list[Iterator[tuple[str, Any]]] = []
    for key, each in arguments.items():
        fitting = [value for value in near_code if type(value) is type(each)]
        ways += [
            zip(itertools.repeat(key), _while_it_can(_near(each, pool))),
            zip(itertools.repeat(key), iter(fitting)),
        ]
    ways.append((key, None) for key in arguments if key in defaults and defaults[key] is None)
    ways.append((key, not each) for key, each in defaults.items() if isinstance(each, bool))
    told, teller = set(known), Teller()
    for group in itertools.zip_longest(*ways):
        for key, other in filter(None, group):
            varied = {**arguments, key: other}
            if (text := teller.tell(varied)) not in told:
                told.add(text)
                yield varied


def _near(value: Any, pool: list[Step]) -> Iterator[Any]:  # noqa: ANN401 - any value at all
    return near_objects(value, pool) if isinstance(value, Built) else near(value)


def _while_it_can(values: Iterator[Any]) -> Iterator[Any]:
    """Yield values until the project's own types refuse to be varied."""
    while not isinstance(other := attempt(partial(next, values, _END)), Raised) and other is not _END:
        yield other


def _constants(request: CallsRequest, name: str, module: str) -> list[Any]:
    """Return the numbers and texts that the function names on either side, and numbers next to them."""
    found: dict[str, Any] = {}
    named: list[str] = []
    for text in request.texts.get(name, ()):
        with contextlib.suppress(SyntaxError, ValueError):
            tree = ast.parse(textwrap.dedent(text))
            found.update((each, ast.literal_eval(each)) for each in constants(tree))
            named += [each.id for each in ast.walk(tree) if isinstance(each, ast.Name)]
    function = attempt(partial(function_of, request, name, module))
    if inspect.isfunction(function):
        held = [function.__globals__.get(each) for each in (*function.__code__.co_names, *named)]
        held += [each + step for each in held if type(each) is int for step in (1, -1)]
        found.update((repr(each), each) for each in held if type(each) in (int, float, str))
    return list(found.values())[:_MOST_CONSTANTS]


def _shown(name: str, arguments: dict[str, Any]) -> str:
    last = name.rpartition("::")[2]
    if isinstance(subject := arguments.get("self"), Built):
        last = f"{shortened(subject)}.{last.rpartition('.')[2]}"
    given = [shortened(each) for key, each in arguments.items() if key not in ("self", "cls")]
    return f"{last}({', '.join(given)})"


def shortened(value: Any) -> str:  # noqa: ANN401 - any value at all
    """Return the repr of a value on one line, cut where it is long."""
    shown: object = attempt(lambda: " ".join(repr(value).split()))
    text = shown if isinstance(shown, str) else type(value).__name__
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."
