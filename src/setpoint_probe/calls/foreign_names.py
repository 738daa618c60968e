"""What code of the project changes outside of it: builtins, and functions and classes of other modules."""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Iterator
from typing import Any

from ..foreign_code import Raised, attempt

_CALLED = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
)
_NO_LIBRARY = frozenset({"__main__", "__mp_main__"})


class ForeignNames:
    """The functions and classes that modules outside the project hold."""

    def __init__(self, tree: str) -> None:
        """Remember what the loaded modules hold now."""
        self._tree = os.path.realpath(tree) + os.sep
        self._known = dict(self._held())

    def altered(self) -> list[str]:
        """Return the names that hold something else now, or something of the project's own."""
        found = []
        for name, (owner, value) in self._held():
            known = self._known.get(name)
            if known is None or known[0] is not owner:
                if self._is_own(value):
                    found.append(name)
            elif known[1] is not value:
                found.append(name)
        return found

    def _held(self) -> Iterator[tuple[str, tuple[Any, Any]]]:
        for module_name, module in list(sys.modules.items()):
            if self._is_left_out(module_name, module):
                continue
            for name, value in list(vars(module).items()):
                if isinstance(value, (*_CALLED, type)):
                    yield f"{module_name}.{name}", (module, value)
                if isinstance(value, type) and value.__module__ == module_name:
                    for own, held in list(vars(value).items()):
                        if isinstance(held, _CALLED):
                            yield f"{module_name}.{name}.{own}", (value, held)

    def _is_left_out(self, name: str, module: Any) -> bool:  # noqa: ANN401 - programs put anything there
        """Whether a module belongs to the project, or to Setpoint."""
        file = getattr(module, "__file__", None)
        own = isinstance(file, str) and os.path.realpath(file).startswith(self._tree)
        return (
            own
            or not isinstance(module, types.ModuleType)
            or name in _NO_LIBRARY
            or name.partition(".")[0].startswith("setpoint")
        )

    def _is_own(self, value: Any) -> bool:  # noqa: ANN401 - a function or class
        """Whether the project defines a function or class."""
        code = getattr(value, "__code__", None)
        if code is not None and not code.co_filename.startswith("<"):  # as frozen modules and `exec` call it
            return str(os.path.realpath(code.co_filename)).startswith(self._tree)
        module = sys.modules.get(str(getattr(value, "__module__", None)))
        file = attempt(lambda: os.path.realpath(str(getattr(module, "__file__", ""))))
        return not isinstance(file, Raised) and file.startswith(self._tree)
