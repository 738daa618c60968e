"""Objects that are built again as tests made them: by the constructor, and by the calls that followed."""

from __future__ import annotations

import inspect
import io
import itertools
import pickle
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .neighbours import near
from .written import FILE, Written

Step = tuple[str, dict[str, Any]]
"""The name of a recorded function (empty: the constructor), and its arguments by name."""
_MOST_OF_STEP, _MOST_MORE = 3, 8


class Unfit(Exception):
    """A call cannot be made here."""


@dataclass(frozen=True)
class Built:
    """How an object is made."""

    name: str
    """Its class, as it was recorded."""
    module: str
    steps: tuple[Step, ...]

    def __repr__(self) -> str:
        """Return the calls as a reader would write them."""
        return f"{_last(self.name)}" + ".".join(_shown(*each) for each in self.steps)

    def with_steps(self, steps: Iterable[Step]) -> Built:
        """Return another object of the class."""
        return Built(self.name, self.module, tuple(steps))


def _last(name: str) -> str:
    return name.rpartition("::")[2].rpartition(".")[2]


def _shown(name: str, arguments: dict[str, Any]) -> str:
    return f"{_last(name)}({', '.join(repr(each) for each in arguments.values())})"


class _Pickler(pickle.Pickler):
    def persistent_id(self, value: object) -> object:
        if isinstance(value, Written):
            return value.pid
        if not isinstance(value, Built):
            return None
        return value.name, value.module, [(name, dumped(given)) for name, given in value.steps]


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, make: Callable[[Any], Any], loose: Collection[str]) -> None:
        super().__init__(io.BytesIO(data))
        self._make, self._loose = make, loose

    def persistent_load(self, pid: Any) -> Any:  # noqa: ANN401 - any object
        if pid[0] == FILE:
            return self._make(Written(*pid[1:]))
        name, module, steps = pid
        held = tuple((each, loaded(data, self._make, self._loose)) for each, data in steps)
        return self._make(Built(name, module, held))

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401 - any class at all
        if name in self._loose:
            raise Unfit(f"how the tests make {name} could not be followed")
        return super().find_class(module, name)


def signature_of(function: Any) -> inspect.Signature:  # noqa: ANN401 - a function or class
    """Return what a function takes; of a class, what its constructor takes, without the object."""
    if not isinstance(function, type):
        return inspect.signature(function)
    found = inspect.signature(function.__init__)  # type: ignore[misc]  # it is only read
    return found.replace(parameters=list(found.parameters.values())[1:])


def dumped(value: object) -> bytes:
    """Pickle a value, with objects that are built."""
    file = io.BytesIO()
    _Pickler(file, protocol=4).dump(value)
    return file.getvalue()


def loaded(data: bytes, make: Callable[[Any], Any], loose: Collection[str]) -> Any:  # noqa: ANN401 - any value at all
    """Return a value; `make` gives what stands for an object that is built, or for a file.

    Objects of loose classes, which differ on the other side, raise `Unfit` where they are not built.
    """
    return _Unpickler(data, make, loose).load()


def near_objects(value: Built, pool: Iterable[Step]) -> Iterator[Built]:
    """Yield objects that were asked for a little more, less, or other things."""
    steps = value.steps
    ways: list[Iterator[tuple[Step, ...]]] = [_others(steps, place) for place in range(len(steps))]
    ways.append((*steps, each) for each in itertools.islice(pool, _MOST_MORE))
    ways.append((*steps[:place], *steps[place + 1 :]) for place in range(len(steps) - 1, 0, -1))
    for group in itertools.zip_longest(*reversed(ways)):
        yield from (value.with_steps(each) for each in group if each is not None)


def _others(steps: tuple[Step, ...], place: int) -> Iterator[tuple[Step, ...]]:
    """Yield the steps with one of them made with other arguments: once more behind it, and in its place."""
    name, arguments = steps[place]
    if name:
        yield (*steps[: place + 1], *steps[place:])
    for key, each in arguments.items():
        for other in itertools.islice(near(each), _MOST_OF_STEP):
            varied = (name, {**arguments, key: other})
            if name:
                yield (*steps[: place + 1], varied, *steps[place + 1 :])
            yield (*steps[:place], varied, *steps[place + 1 :])
