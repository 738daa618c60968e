"""Says what an interpreter is, and where it would import packages from.

`python -I probe.py interpreter` and `python probe.py packages [PACKAGE ...]`; the answer is a Python literal
in ASCII. All that is measured waits for it, so it imports no more than it must: `json` alone would take
longer than the answer.
"""

from __future__ import annotations

import os
import sys


def interpreter() -> dict[str, object]:
    """Return version, place, prefix and all that is imported from."""
    return {
        "version": ".".join(str(part) for part in sys.version_info[:3]),
        "build": sys.version,
        "executable": sys.executable or "",
        "prefix": sys.prefix,
        "path": tuple(dict.fromkeys(path for path in sys.path if os.path.exists(path))),  # noqa: PTH110 - see above
    }


def packages(*names: str) -> dict[str, object]:
    """Return the file or folder that each package would come from; none where it cannot be found."""
    from importlib import util  # noqa: PLC0415 - see above

    places: dict[str, object] = {}
    for name in names:
        try:
            spec = util.find_spec(name)
        except (ImportError, ValueError, AttributeError):
            spec = None
        if spec is None:
            places[name] = None
        else:
            places[name] = spec.origin or next(iter(spec.submodule_search_locations or ()), None)
    return places


if __name__ == "__main__":
    asked = {"interpreter": interpreter, "packages": packages}[sys.argv[1]]
    sys.stdout.write(ascii(asked(*sys.argv[2:])))
