"""Which paths a list of globs names."""

from __future__ import annotations

import re
from fnmatch import translate


def matches(path: str, globs: tuple[str, ...]) -> bool:
    """Whether a path matches a glob, or lies in a folder that does; `*` does not stop at `/`."""
    parts = path.split("/")
    prefixes = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    patterns = [re.compile(translate(glob.rstrip("/"))) for glob in globs]
    return any(pattern.match(prefix) for pattern in patterns for prefix in prefixes)
