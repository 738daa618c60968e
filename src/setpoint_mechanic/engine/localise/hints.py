"""What the exception itself says about the place of a bug, beyond the lines that ran."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping

from setpoint_probe.localise.ochiai import Line, Spectra
from setpoint_probe.source.source import Source, bound_names

_UNBOUND = re.compile(r"UnboundLocalError: .*?'(\w+)'|NameError: free variable '(\w+)'")
_HINTED = 0.7


def hinted_lines(
    sources: Mapping[str, Source], spectra: Spectra, failing: Collection[str]
) -> dict[Line, float]:
    """Score the lines that bind a local name which was read before: they need not have run to be wrong."""
    found: dict[Line, float] = {}
    for test in failing:
        reached = spectra.tests[test]
        match = _UNBOUND.match(reached.error)
        if match is None or not reached.traceback:
            continue
        name = match.group(1) or match.group(2)
        path, line = reached.traceback[-1]
        for unit in sources[path].units if path in sources else ():
            if unit.first_line <= line <= unit.last_line:
                for node in ast.walk(unit.node):
                    if name in bound_names(node):
                        found[path, getattr(node, "lineno", line)] = _HINTED
    return found
