"""All families of edits, by the syntax they look at."""

from __future__ import annotations

import ast

from . import (
    borrowed,
    calls,
    conditions,
    constants,
    names,
    operators,
    results,
    slices,
    statements,
)
from .scope import Draft, Scope, Template

__all__ = ["TEMPLATES", "Draft", "Scope", "Template", "by_node"]

TEMPLATES: tuple[Template, ...] = (
    *operators.TEMPLATES,
    *constants.TEMPLATES,
    *names.TEMPLATES,
    *calls.TEMPLATES,
    *conditions.TEMPLATES,
    *slices.TEMPLATES,
    *results.TEMPLATES,
    *statements.TEMPLATES,
    *borrowed.TEMPLATES,
)


def by_node() -> dict[type[ast.AST], tuple[Template, ...]]:
    """Return the templates that look at each kind of syntax."""
    found: dict[type[ast.AST], tuple[Template, ...]] = {}
    for template in TEMPLATES:
        for kind in template.nodes:
            found[kind] = (*found.get(kind, ()), template)
    return found
