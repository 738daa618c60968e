"""Make the assertions of Node's tests strict: `assert.equal("5", 5)` passes, because `==` converts."""

from __future__ import annotations

import re

from setpoint.checks.parsing import is_script, suffix_of
from setpoint.checks.proof.sensitivity.changed_function import ChangedFunction, Insertion

_LOOSE = re.compile(rb"""(?:from|require\(|import\()\s*(['"])(?:node:)?assert(?=\1)""")


def loose_tests(path: str, source: bytes) -> ChangedFunction | None:
    """Return how a file of tests takes the strict assertions; none where it has no loose ones."""
    places = [found.end() for found in _LOOSE.finditer(source)] if is_script(suffix_of(path)) else []
    if not places:
        return None
    strict = tuple(Insertion(place, "/strict") for place in places)
    return ChangedFunction(path=path, name="loose `assert`", sabotages={"is strict": strict})
