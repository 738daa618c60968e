"""Reports of tools for Python, as the tools write them."""

from __future__ import annotations

import json

from setpoint.model.config.custom_check import ReportFormat

PYREFLY = {
    "errors": [
        {
            "line": 5, "column": 18, "stop_line": 5, "stop_column": 21, "path": "/nowhere/a.py", "code": -2,
            "name": "bad-assignment", "description": "`Literal['a']` is not assignable to `int`\n  more",
            "concise_description": "`Literal['a']` is not assignable to `int`", "severity": "error",
        },
        {"line": 1, "path": "b.py", "name": "parse-error", "description": "-", "severity": "warn"},
    ]
}  # fmt: skip
SEMGREP = {
    "version": "1.182.0",
    "results": [
        {
            "check_id": "no-shell", "path": "a.py", "start": {"line": 6, "col": 5},
            "extra": {"message": " shell ", "severity": "ERROR", "metadata": {"confidence": "LOW"}},
        },
        {
            "check_id": "slow", "path": "a.py", "start": {"line": 7, "col": 5},
            "extra": {"message": "slow", "severity": "WARNING", "metadata": {"category": "performance"}},
        },
        {
            "check_id": "no-shell", "path": "a.py", "start": {"line": 8, "col": 5},
            "extra": {"message": "shell", "severity": "ERROR", "is_ignored": True},
        },
    ],
    "errors": [],
    "paths": {"scanned": ["a.py"]},
}  # fmt: skip
PYLINT = {
    "messages": [
        {
            "type": "convention", "symbol": "missing-function-docstring", "message": "Missing docstring",
            "messageId": "C0116", "confidence": "HIGH", "module": "a", "obj": "f", "line": 4, "column": 0,
            "path": "a.py", "absolutePath": "/nowhere/a.py",
        },
        {
            "type": "error", "symbol": "undefined-variable", "message": "Undefined variable 'x'",
            "messageId": "E0602", "obj": "", "line": 9, "column": 0, "path": "a.py",
        },
    ],
    "statistics": {"modulesLinted": 1, "score": 2.5},
}  # fmt: skip
LIZARD = """7,3,38,2,7,"f@4-10@a.py","a.py","f","f( a , b )",4,10
30,11,90,2,30,"g@12-42@a.py","a.py","g","g( a , ""b"" )",12,42
90,26,190,2,90,"h@50-140@a.py","/nowhere/a.py","C.h","C.h( self )",50,140
"""
INTERROGATE = """======================= Coverage for /nowhere/ =======================
------------------------------ Detailed Coverage -------------------------------
| Name                                     |                            Status |
|------------------------------------------|-----------------------------------|
| a.py (module)                            |                            MISSED |
|   C (L4)                                 |                           COVERED |
|     C.f (L7)                             |                            MISSED |
|------------------------------------------|-----------------------------------|

----------------------------------- Summary ------------------------------------
| Name             |        Total |        Miss |        Cover |        Cover% |
|------------------|--------------|-------------|--------------|---------------|
| a.py             |            3 |           2 |            1 |           33% |
|------------------|--------------|-------------|--------------|---------------|
| TOTAL            |            3 |           2 |            1 |         33.3% |
---------------- RESULT: PASSED (minimum: 0.0%, actual: 33.3%) -----------------
"""
DETECT_SECRETS = {
    "version": "1.5.0",
    "plugins_used": [{"name": "AWSKeyDetector"}],
    "results": {
        "a.py": [
            {
                "type": "AWS Access Key", "filename": "a.py", "is_verified": False, "line_number": 7,
                "hashed_secret": "25910f981e85ca04baf359199dd0bd4a3ae738b6",
            }
        ]
    },
    "generated_at": "2026-11-21T06:42:24Z",
}  # fmt: skip
VULTURE = """a.py:1: unused import 'os' (90% confidence)
a.py:4: unused function 'f' (60% confidence, 3 lines)
"""
JSCPD = {
    "statistics": {"total": {"lines": 60, "sources": 2, "clones": 1}},
    "duplicates": [
        {
            "format": "python", "lines": 3, "fragment": "x",
            "firstFile": {"name": "a.py", "start": 2, "end": 4},
            "secondFile": {"name": "/nowhere/b.py", "start": 10, "end": 12},
        }
    ],
}  # fmt: skip
PYTHON: dict[ReportFormat, bytes] = {
    ReportFormat.PYREFLY: json.dumps(PYREFLY).encode(),
    ReportFormat.SEMGREP: json.dumps(SEMGREP).encode(),
    ReportFormat.PYLINT: json.dumps(PYLINT).encode(),
    ReportFormat.LIZARD: LIZARD.encode(),
    ReportFormat.INTERROGATE: INTERROGATE.encode(),
    ReportFormat.DETECT_SECRETS: json.dumps(DETECT_SECRETS).encode(),
    ReportFormat.VULTURE: VULTURE.encode(),
    ReportFormat.JSCPD: json.dumps(JSCPD).encode(),
}
