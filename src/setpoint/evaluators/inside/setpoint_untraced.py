# ruff: noqa: ANN401 - what is run and what is told of has any type
"""Runs what is not the project's where nothing traces it, and tells who wants it of what the process does.

Under coverage each step of Python that pytest or Setpoint takes costs two to three times as much, though
nobody asks about it. Python traces nothing within a hook of audits; so that is where such steps are taken.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
from typing import Any, Callable, Dict, Iterable, List, Tuple  # noqa: UP035 - where Python 3.8 has them

_STEP = "setpoint.step"
_heard: Dict[str, Callable[[str, Any], None]] = {}  # noqa: UP006 - see above
_replaced: List[Tuple[Any, str, Any, Any]] = []  # noqa: UP006 - see above


def hear(events: Iterable[str], told: Callable[[str, Any], None]) -> None:
    """Have each audit of these names told, with what comes with it, until it is ignored."""
    if not _heard:
        sys.addaudithook(_hook)
        _heard[_STEP] = _taken
    _heard.update(dict.fromkeys(events, told))


def ignore(events: Iterable[str]) -> None:
    """Tell nobody of these audits any more; whoever is told of any lives as long as the process."""
    for event in events:
        _heard.pop(event, None)


def untraced(step: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Give what a step gives, or raise what it raises; nothing of the project is collected meanwhile."""
    __tracebackhide__ = True
    hear((), _taken)
    made: List[Any] = []  # noqa: UP006 - see above
    collects = gc.isenabled()
    gc.disable()
    try:
        sys.audit(_STEP, made, functools.partial(step, *args, **named))
    finally:
        if collects:
            gc.enable()
    return made[0] if made else step(*args, **named)  # a hook of the project may have kept ours out


def collecting() -> None:
    """Let pytest rewrite assertions and sort tests untraced: neither runs the project's code.

    For as long as it lives, it finds untraced which lines of the source a traceback shows.
    """
    _replace("_pytest._code.code", "getstatementrange_ast", untraced)
    _replaced.clear()
    _replace("_pytest.assertion.rewrite", "_rewrite_test", untraced)
    _replace("_pytest.fixtures", "reorder_items", _sorted)


def collected() -> None:
    """Let pytest be as it was, but for its tracebacks."""
    while _replaced:
        module, name, function, by = _replaced.pop()
        if getattr(module, name) is by:
            setattr(module, name, function)


def _replace(module: str, name: str, by: Callable[..., Any]) -> None:
    found: Any = sys.modules.get(module)
    function = getattr(found, name, None)
    if function is not None and not found.__file__.startswith(os.getcwd() + os.sep):  # noqa: PTH109 - as asked for
        _replaced.append((found, name, function, functools.partial(by, function)))
        setattr(found, name, _replaced[-1][-1])  # where pytest itself is the project, it is traced


def _sorted(reorder: Callable[[Any], Any], items: Any) -> Any:
    """Sort tests; parameters of a scope wider than a test are compared, by the project's own code perhaps."""
    return untraced(reorder, items) if untraced(_narrow, items) else reorder(items)


def _narrow(items: Any) -> bool:
    # Before pytest 7, with neither scopes nor `_arg2scope`, indices of parameters were compared instead.
    test = getattr(getattr(sys.modules.get("_pytest.scope"), "Scope", None), "Function", None)
    specs = [getattr(item, "callspec", None) for item in items]
    return all(scope is test for spec in specs if spec for scope in _scopes(spec))


def _scopes(spec: Any) -> Any:
    return getattr(spec, "_arg2scope", {None: None}).values()


def _hook(event: str, args: Any, heard: Callable[[str], Any] = _heard.get) -> None:
    # Not a method, and no more than this: some libraries raise a hundred thousand audits a minute, and some
    # when the names of this module are gone.
    __tracebackhide__ = True
    told = heard(event)
    if told is not None:
        told(event, args)


def _taken(event: str, told: Any) -> None:
    __tracebackhide__ = True
    del event
    made, step = told
    if not made:
        made.append(step())
