"""How tests call and import the module under test."""

from __future__ import annotations

from collections.abc import Collection

from .values.kinds import MODULES

_OTHERS = ("pytest", "unittest", "result", "__init__", "__main__")


def import_of(module: str, alias: str) -> str:
    """Write how a file of tests imports the module under test."""
    package, _, name = module.rpartition(".")
    shown = f" as {alias}" if alias != name else ""
    return f"from {package} import {name}{shown}" if package else f"import {name}{shown}"


def alias_of(module: str, fixtures: Collection[str] = ()) -> str:
    """Return the name by which tests call a module; another than those of fixtures."""
    name = module.rpartition(".")[2]
    taken = name in MODULES or name in fixtures
    return f"{name}_module" if taken or name in _OTHERS else name
