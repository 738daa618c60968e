"""Parses files with the interpreter it runs in and names those that do not parse.

`python -I parse.py` reads a JSON list of paths from standard input and answers with a JSON object: how many
were `parsed`, and for each of the `errors` its file, line, message and the line of code.
"""

from __future__ import annotations

import ast
import json
import sys
import warnings
from pathlib import Path
from typing import Any


def problem(path: str) -> dict[str, Any] | None:
    """Return what is wrong with a file; none where it parses."""
    try:
        ast.parse(Path(path).read_bytes(), filename=path)
    except SyntaxError as error:
        text = f"{type(error).__name__}: {error.msg}"
        return {"file": path, "line": error.lineno or 0, "text": (error.text or "").strip(), "message": text}
    except (ValueError, RecursionError, MemoryError) as error:
        return {"file": path, "line": 0, "text": "", "message": f"{type(error).__name__}: {error}"}
    return None


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    paths = json.load(sys.stdin)
    found = [wrong for wrong in map(problem, paths) if wrong is not None]
    json.dump({"parsed": len(paths) - len(found), "errors": found}, sys.stdout)
