"""Says what an interpreter is, what it holds, and where it would import packages from.

`python -I probe.py interpreter [MODULE ...]` and `python probe.py packages [PACKAGE ...]`; the answer is JSON.
"""

import hashlib
import json
import os
import sys
from importlib import metadata, util


def interpreter(modules):
    """Version, prefix, versions of the named distributions and a fingerprint of all that is installed."""
    found = {}
    for name in modules:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "version": ".".join(str(part) for part in sys.version_info[:3]),
        "executable": sys.executable,
        "prefix": sys.prefix,
        "modules": found,
        "fingerprint": _fingerprint(),
    }


def packages(names):
    """Give the file or folder that each package would come from; none where it cannot be found."""
    places = {}
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


def _fingerprint():
    digest = hashlib.sha256(sys.version.encode())
    for folder in sorted({path for path in sys.path if os.path.isdir(path)}):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.name.endswith((".dist-info", ".egg-info", ".pth", ".egg-link")):
                digest.update("{}/{}:{}\n".format(folder, entry.name, entry.stat().st_mtime_ns).encode())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    answer = {"interpreter": interpreter, "packages": packages}[sys.argv[1]](sys.argv[2:])
    json.dump(answer, sys.stdout)
