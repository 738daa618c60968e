"""Says what an interpreter is, what it holds, and where it would import packages from.

`python -I probe.py interpreter [DISTRIBUTION ...]` and `python probe.py packages [PACKAGE ...]`; the answer
is JSON.
"""

from __future__ import annotations

import json
import sys
from importlib import util
from pathlib import Path
from typing import Any


def interpreter(distributions: list[str]) -> dict[str, Any]:
    """Give version, prefix, the versions of the named distributions, and a fingerprint of all installed."""
    from importlib import metadata  # noqa: PLC0415 - takes longer than all else, and `packages` has no need of it

    found = {}
    for name in distributions:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "version": ".".join(str(part) for part in sys.version_info[:3]),
        "prefix": sys.prefix,
        "modules": found,
        "fingerprint": _fingerprint(),
        "folders": sorted({path for path in sys.path if Path(path).is_dir()}),
    }


def packages(names: list[str]) -> dict[str, Any]:
    """Give the file or folder that each package would come from; none where it cannot be found."""
    places: dict[str, Any] = {}
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


def _fingerprint() -> str:
    import hashlib  # noqa: PLC0415 - as above

    digest = hashlib.sha256(sys.version.encode())
    for folder in sorted({path for path in sys.path if Path(path).is_dir()}):
        for entry in sorted(Path(folder).iterdir()):
            if entry.name.endswith((".dist-info", ".egg-info", ".pth", ".egg-link")):
                digest.update(f"{entry}:{entry.stat().st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    answer = {"interpreter": interpreter, "packages": packages}[sys.argv[1]](sys.argv[2:])
    json.dump(answer, sys.stdout)
