"""Syntax trees of Python sources, made by one thread at a time.

Up to Python 3.12 the interpreter counts the depth of all trees that it makes in one place: two threads that
parse at once end in a `SystemError` (CPython issue 106905). Checks read sources beside the event loop, so
everything in this process parses here; what runs in processes of its own does not need to.
"""

from __future__ import annotations

import ast
import threading

_ALONE = threading.RLock()  # a finalizer that runs meanwhile, in the same thread, may parse too


def parse(source: str | bytes) -> ast.Module:
    """Return the syntax tree of a file; raises as `ast.parse` does."""
    with _ALONE:
        return ast.parse(source)


def literal(text: str) -> object:
    """Return the value of a literal that is written out; raises as `ast.literal_eval` does."""
    with _ALONE:
        return ast.literal_eval(text)
