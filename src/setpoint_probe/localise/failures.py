"""What tests fail for that run none of the project's code: something is missing, or was made at import."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterable, Iterator
from types import FrameType, FunctionType, ModuleType, TracebackType

from ..session.session import Suite

_RUNNERS = frozenset(("_pytest", "pluggy", "pytest", "unittest"))
_ATOMS = (int, float, str, bytes, type(None), type(...))
"""Of these, equal ones are often one and the same object: to be the project's it needs the name as well."""


def lacks(suite: Suite, test: str, error: BaseException | None) -> bool:
    """Return whether a test failed for a name that its class or file lacks: a test before it may make it."""
    if isinstance(error, AttributeError):
        owner, asked = getattr(suite.items[test], "cls", None), getattr(error, "obj", None)
        return isinstance(owner, type) and (asked is owner or issubclass(type(asked), owner))
    if isinstance(error, NameError) and not isinstance(error, UnboundLocalError):
        last = [step.tb_frame.f_code.co_filename for step in _steps(error.__traceback__)][-1:]
        return last == [suite.path_of(test)]
    return False


def of_import(error: BaseException | None, wanted: Callable[[str], bool]) -> bool:
    """Return whether a test may have failed for what the project made when it was imported.

    So it may where it compares, or where it held something of the project in its hands before it failed.
    """
    if isinstance(error, AssertionError):
        return True
    if error is None:
        return False
    loaded: list[object] = [*sys.modules.values()]
    modules = [
        each for each in loaded if isinstance(each, ModuleType) and wanted(str(vars(each).get("__file__")))
    ]
    return any(
        _made_by(modules, name, value)
        for step in _steps(error.__traceback__)
        for name, value in _at_hand(step.tb_frame, step.tb_lasti)
    )


def _steps(step: TracebackType | None) -> Iterator[TracebackType]:
    while step is not None:
        yield step
        step = step.tb_next


def _at_hand(frame: FrameType, end: int) -> Iterable[tuple[str, object]]:
    """Yield what a frame of a test holds: locals, and globals that it names up to an instruction."""
    if str(frame.f_globals.get("__name__")).partition(".")[0] in _RUNNERS:
        return
    yield from tuple(frame.f_locals.items())
    for step in dis.get_instructions(frame.f_code):
        if step.offset > end:
            return
        if step.opname in {"LOAD_GLOBAL", "LOAD_NAME"} and step.argval in frame.f_globals:
            yield step.argval, frame.f_globals[step.argval]


def _made_by(modules: list[ModuleType], name: str, value: object) -> bool:
    """Return whether some modules made a value; functions that did not run do not count."""
    if isinstance(value, FunctionType):
        return False
    if isinstance(value, ModuleType):
        return value in modules
    names = {each.__name__ for each in modules}
    if type(value).__module__ in names or (isinstance(value, type) and value.__module__ in names):
        return True
    if isinstance(value, _ATOMS):
        return any(vars(each).get(name, ...) is value for each in modules) and value is not ...
    return any(value is held for each in modules for held in tuple(vars(each).values()))
