# ruff: noqa: ANN401 - what is run and what is told of has any type
"""Runs what is not the project's where nothing traces it, and tells who wants it of what the process does.

Under coverage each step of Python that pytest or Setpoint takes costs two to three times as much, though
nobody asks about it. Python traces nothing within a hook of audits; so that is where such steps are taken.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Dict, Iterable, List  # noqa: UP035 - where Python 3.8 has them

_STEP = "setpoint.step"
_heard: Dict[str, Callable[[str, Any], None]] = {}  # noqa: UP006 - see above


def hear(events: Iterable[str], told: Callable[[str, Any], None]) -> None:
    """Have each audit of these names told, with what comes with it; for the rest of the process."""
    if not _heard:
        sys.addaudithook(_hook)
        _heard[_STEP] = _taken
    _heard.update(dict.fromkeys(events, told))


def untraced(step: Callable[..., Any], *args: Any) -> Any:
    """Give what a step gives, or raise what it raises."""
    __tracebackhide__ = True
    hear((), _taken)
    made: List[Any] = []  # noqa: UP006 - see above
    sys.audit(_STEP, made, step, args)
    return made[0]


def rewriting() -> None:
    """Let pytest rewrite assertions untraced: nothing of the project runs meanwhile."""
    module: Any = sys.modules.get("_pytest.assertion.rewrite")
    rewrite = getattr(module, "_rewrite_test", None)
    if rewrite is not None:
        module._rewrite_test = functools.partial(untraced, rewrite)  # noqa: SLF001 - it has no hook


def _hook(event: str, args: Any) -> None:
    # Not a method, and no more than this: some libraries raise a hundred thousand audits a minute.
    __tracebackhide__ = True
    told = _heard.get(event)
    if told is not None:
        told(event, args)


def _taken(event: str, told: Any) -> None:
    __tracebackhide__ = True
    del event
    made, step, args = told
    made.append(step(*args))
