"""Parses files with the interpreter it runs in and names those that do not parse.

`python -I parse.py` reads a JSON list of paths from standard input and answers with a JSON object: how many were
`parsed`, and for each of the `errors` its file, line, column, message and the line of code.
"""

import ast
import json
import sys
import warnings


def problem(path):
    """Give what is wrong with a file; none where it parses."""
    try:
        with open(path, "rb") as file:
            source = file.read()
        ast.parse(source, filename=path)
    except SyntaxError as error:
        place = {"line": error.lineno or 0, "column": error.offset or 0, "text": (error.text or "").strip()}
        return dict(place, file=path, message="{}: {}".format(type(error).__name__, error.msg))
    except (ValueError, RecursionError, MemoryError) as error:
        return {
            "file": path,
            "line": 0,
            "column": 0,
            "text": "",
            "message": "{}: {}".format(type(error).__name__, error),
        }
    return None


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    paths = json.load(sys.stdin)
    found = [wrong for wrong in map(problem, paths) if wrong is not None]
    json.dump({"parsed": len(paths) - len(found), "errors": found}, sys.stdout)
