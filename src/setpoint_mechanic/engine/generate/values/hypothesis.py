"""Values for annotated parameters, drawn by Hypothesis where the project's environment holds it.

Only for types that the engine's own pools do not know: classes of the project, unions, nested collections.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import inspect
import time
import typing
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Optional

from ..limits import TimeUp, limited

_EXAMPLES = 30
_MOST = 12
"""Values kept for one parameter, the shortest."""
_MOST_CHARACTERS = 100
_ONE_S, _ONE_WALL_S, _ALL_S = 1.0, 6.0, 3.0
"""CPU seconds and seconds for one parameter; CPU seconds after which no more is begun for a module."""
_LETTERS, _MOST_LETTERS = "abcdexyzABCXYZ 0123789-_.", 8
"""What texts are made of: words that people can read. All of Unicode would first have to be looked at."""
_PLAIN = (int, float, str, bytes, bool, complex, object, type(None), Any)

Express = Callable[[Any], Optional[str]]
"""Gives an expression that equals a value, or none."""


class Drawing:
    """Draws values for the parameters of one module's functions."""

    def __init__(self, express: Express, home: str) -> None:
        """Write values by `express`; whatever Hypothesis keeps goes to the folder `home`."""
        self._express, self._home = express, home
        self._known: dict[str, tuple[str, ...]] = {}
        self._until = time.process_time() + _ALL_S
        self._there = importlib.util.find_spec("hypothesis") is not None

    def of(self, thing: Any) -> Mapping[str, tuple[str, ...]]:  # noqa: ANN401 - whatever can be called
        """Return expressions by parameter, for those whose annotation asks for more than a plain value."""
        if not self._there:
            return {}
        hints: dict[str, Any] = {}
        with contextlib.suppress(Exception):  # annotations are the project's own and may name anything
            hints = typing.get_type_hints(thing.__init__ if inspect.isclass(thing) else thing)
        wanted = {name: hint for name, hint in hints.items() if name != "return" and not _is_plain(hint)}
        return {name: values for name, hint in wanted.items() if (values := self._values(hint))}

    def _values(self, hint: Any) -> tuple[str, ...]:  # noqa: ANN401 - any annotation
        key = repr(hint)
        if key not in self._known and time.process_time() < self._until:
            texts = {text for value in self._draw(hint) if (text := self._express(value)) is not None}
            short = sorted(
                (text for text in texts if len(text) <= _MOST_CHARACTERS), key=lambda each: (len(each), each)
            )
            self._known[key] = tuple(short[:_MOST])
        return self._known.get(key, ())

    def _draw(self, hint: Any) -> list[Any]:  # noqa: ANN401 - any annotation
        found: list[Any] = []

        def keep(value: Any) -> None:  # noqa: ANN401 - any value at all
            found.append(value)

        hooks = list(gc.callbacks)
        try:
            draw = self._drawer()
            with limited(_ONE_S, _ONE_WALL_S), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                draw(hint, keep)
        except (Exception, TimeUp):  # noqa: BLE001 - types that cannot be drawn, and constructors that object
            return found
        finally:
            gc.callbacks[:] = hooks  # one that times them would make each call seem to ask the clock
        return found

    def _drawer(self) -> Callable[[Any, Callable[[Any], None]], None]:
        """Load Hypothesis; gives what hands values for an annotation to a function."""
        import hypothesis  # noqa: PLC0415 - the project may have none
        from hypothesis import strategies  # noqa: PLC0415 - the same
        from hypothesis.configuration import set_hypothesis_home_dir  # noqa: PLC0415 - the same

        set_hypothesis_home_dir(self._home)
        strategies.register_type_strategy(str, strategies.text(_LETTERS, max_size=_MOST_LETTERS))
        bounds = hypothesis.settings(
            max_examples=_EXAMPLES,
            database=None,
            deadline=None,
            derandomize=True,
            phases=(hypothesis.Phase.generate,),
            suppress_health_check=list(hypothesis.HealthCheck),
        )

        def draw(hint: Any, keep: Callable[[Any], None]) -> None:  # noqa: ANN401 - any annotation
            bounds(hypothesis.given(strategies.from_type(hint))(keep))()

        return draw


def _is_plain(hint: Any) -> bool:  # noqa: ANN401 - any annotation
    return any(hint is each for each in _PLAIN) or isinstance(hint, typing.TypeVar)
