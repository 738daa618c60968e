"""Put a statement at the end of a file of tests."""

from __future__ import annotations

import re

ENDS = re.compile(
    r"^\s*(?:if\b.*)?(?:process\.exit|Deno\.exit|(?:sys\.|os\._?)?exit|quit)\b.*$|\braise SystemExit\b.*$",
    re.MULTILINE,
)
"""How a file of tests ends its process itself."""
_AFTER = re.compile(r"[\s;})\]]*")


def with_last(text: str, statement: str) -> str:
    """Add a statement at the end of a file, before the one that ends the process where that is the last."""
    before, end = at_its_end(text)
    return f"{before}{statement}\n{end}" if end else f"{text}\n{statement}\n"


def at_its_end(text: str) -> tuple[str, str]:
    """Part the last statement from a file, if it ends the process; else the second is empty."""
    last = next(iter(reversed([*ENDS.finditer(text)])), None)
    if last is None or not _AFTER.fullmatch(text[last.end() :]) or last[0].startswith((" ", "\t")):
        return text, ""
    return text[: last.start()], text[last.start() :]
