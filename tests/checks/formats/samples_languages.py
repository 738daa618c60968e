"""A small report of each format that tools of JavaScript, Go and Rust write, cut from real ones."""

from __future__ import annotations

import json

from setpoint.model.config.custom_check import ReportFormat

ESLINT = [
    {
        "filePath": "/nowhere/src/calc.ts",
        "messages": [
            {
                "ruleId": "no-var",
                "severity": 2,
                "message": "Unexpected var.",
                "line": 2,
                "column": 3,
                "fix": {"range": [22, 25], "text": "let"},
            },
            {"ruleId": "eqeqeq", "severity": 1, "message": "Expected '==='.", "line": 3, "column": 1},
            {"ruleId": None, "fatal": True, "severity": 2, "message": "Parsing error: x", "line": 9},
        ],
        "suppressedMessages": [{"ruleId": "no-eval", "severity": 2, "message": "m", "line": 1}],
        "errorCount": 2,
    },
    {"filePath": "/nowhere/ok.js", "messages": [], "suppressedMessages": []},
]
TSC = """src/calc.ts(5,14): error TS2322: Type 'number' is not assignable to type 'string'.
  Types are not the same.
src/b.ts(1,2): error TS1005: ';' expected.
"""
PYRIGHT = {
    "version": "1.1.400",
    "generalDiagnostics": [
        {
            "file": "/nowhere/a.py",
            "severity": "error",
            "message": '"x" is\u00a0wrong',
            "range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}},
            "rule": "reportArgumentType",
        },
        {"file": "/nowhere/a.py", "severity": "information", "message": "m"},
    ],
    "summary": {"filesAnalyzed": 1, "errorCount": 1, "warningCount": 0, "informationCount": 1},
}


def _biome(rule: str, level: str) -> dict:
    place = {"physicalLocation": {"artifactLocation": {"uri": "/nowhere/a.js"}, "region": {"startLine": 2}}}
    return {"ruleId": rule, "level": level, "message": {"text": "m"}, "locations": [place]}


BIOME = {
    "version": "2.1.0",
    "runs": [
        {
            "tool": {"driver": {"name": "Biome"}},
            "results": [_biome("lint/suspicious/noDebugger", "error"), _biome("fs/cantRead", "error")],
        }
    ],
}
GO_VET = """# example.com/calc/nt
{}
# example.com/calc
{
\t"example.com/calc": {
\t\t"printf": [
\t\t\t{
\t\t\t\t"posn": "/nowhere/calc.go:5:26",
\t\t\t\t"message": "wrong type"
\t\t\t}
\t\t]
\t}
}
# example.com/calc/pkg
vet: pkg/p.go:2:23: cannot use "x"
"""


def _span(line: int, text: str | None, start: int, end: int) -> dict:
    return {
        "file_name": "src/lib.rs",
        "line_start": line,
        "line_end": line,
        "column_start": start,
        "column_end": end,
        "is_primary": True,
        "suggested_replacement": text,
        "suggestion_applicability": "MachineApplicable" if text is not None else None,
    }


_UNUSED = {
    "reason": "compiler-message",
    "message": {
        "message": "unused variable: `x`",
        "level": "warning",
        "code": {"code": "unused_variables"},
        "spans": [_span(2, None, 9, 10)],
        "children": [{"message": "prefix it", "spans": [_span(2, "_x", 9, 10)]}],
    },
}
_STYLE = {
    "reason": "compiler-message",
    "message": {
        "message": "unneeded `return`",
        "level": "warning",
        "code": {"code": "clippy::needless_return"},
        "spans": [_span(3, None, 5, 9)],
        "children": [],
    },
}
_MADE = {
    "reason": "compiler-artifact",
    "target": {"name": "calc", "src_path": "/nowhere/src/lib.rs"},
    "executable": "/target/debug/deps/calc-1",
}
_SUMMED = {"reason": "compiler-message", "message": {"message": "1 warning emitted", "level": "warning"}}
CARGO = "\n".join(
    json.dumps(each)
    for each in (_UNUSED, _UNUSED, _STYLE, _MADE, _SUMMED, {"reason": "build-finished", "success": True})
)
SONARQUBE = {
    "total": 2,
    "p": 1,
    "ps": 100,
    "paging": {"pageIndex": 1, "pageSize": 100, "total": 2},
    "issues": [
        {
            "key": "A",
            "rule": "javascript:S1",
            "severity": "MAJOR",
            "component": "calc:src/a.js",
            "line": 3,
            "message": "one",
            "type": "VULNERABILITY",
            "status": "OPEN",
            "impacts": [{"softwareQuality": "SECURITY", "severity": "HIGH"}],
        },
        {
            "key": "B",
            "rule": "javascript:S2",
            "component": "calc:src/b.js",
            "message": "two",
            "status": "CLOSED",
            "impacts": [],
        },
    ],
    "components": [{"key": "calc:src/a.js", "path": "web/src/a.js"}, {"key": "calc"}],
}
_ASSERTION = """AssertionError: expected -1 to be 3 // Object.is equality
    at add (/nowhere/src/calc.ts:2:40)
    at /nowhere/test/calc.test.ts:4:40
    at file:///nowhere/node_modules/@vitest/runner/dist/chunk-hooks.js:155:11"""


def _test(title: str, status: str, *messages: str) -> dict:
    return {"ancestorTitles": ["calc"], "title": title, "status": status, "failureMessages": messages}


JEST = {
    "numTotalTests": 4,
    "numFailedTests": 1,
    "success": False,
    "testResults": [
        {
            "name": "/nowhere/test/calc.test.ts",
            "status": "failed",
            "message": "",
            "assertionResults": [
                _test("adds", "failed", _ASSERTION),
                _test("later", "todo"),
                _test("fine", "passed"),
            ],
        },
        {
            "name": "/nowhere/test/broken.test.ts",
            "status": "failed",
            "message": "  ● Test suite failed to run\n\nCannot find module './none' from 'broken.test.js'\n",
            "assertionResults": [_test("never", "skipped")],
        },
    ],
}


def _go(action: str, test: str = "", output: str = "", package: str = "example.com/calc") -> str:
    told = {"Time": "2026-01-01T00:00:00Z", "Action": action, "Package": package}
    return json.dumps(told | ({"Test": test} if test else {}) | ({"Output": output} if output else {}))


GO_TEST = "\n".join(
    [
        _go("run", "TestAdd"),
        _go("output", "TestAdd", "=== RUN   TestAdd\n"),
        _go("output", "TestAdd", "    calc_test.go:7: Add(1, 2) = -1, want 3\n"),
        _go("fail", "TestAdd"),
        _go("run", "TestFine"),
        _go("pass", "TestFine"),
        _go("run", "TestLater"),
        _go("skip", "TestLater"),
        _go("fail"),
        _go("run", "TestPanic", package="example.com/calc/pan"),
        _go("output", "TestPanic", "panic: boom\n", package="example.com/calc/pan"),
        "FAIL\texample.com/calc/pkg [build failed]",
        _go("fail", package="example.com/calc/pan"),
    ]
)
CARGO_TEST = """   Compiling calc v0.1.0 (/nowhere)
     Running unittests src/lib.rs (target/debug/deps/calc-c6626fb655a8d231)

running 4 tests
test tests::fine ... ok
test tests::panics - should panic ... ok
test tests::adds ... FAILED
test tests::slow ... ignored, slow

failures:

---- tests::adds stdout ----
test calc::fake ... ok

thread 'tests::adds' (23554) panicked at src/lib.rs:14:17:
assertion `left == right` failed
  left: -1
 right: 3


failures:
    tests::adds

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.13s

error: test failed, to rerun pass `--lib`
   Doc-tests calc

running 1 test
test src/lib.rs - add (line 3) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.19s
"""
LANGUAGES: dict[ReportFormat, bytes] = {
    ReportFormat.ESLINT: json.dumps(ESLINT).encode(),
    ReportFormat.TSC: TSC.encode(),
    ReportFormat.PYRIGHT: json.dumps(PYRIGHT).encode(),
    ReportFormat.BIOME: json.dumps(BIOME).encode(),
    ReportFormat.GO_VET: GO_VET.encode(),
    ReportFormat.CARGO: CARGO.encode(),
    ReportFormat.SONARQUBE: json.dumps(SONARQUBE).encode(),
    ReportFormat.JEST: json.dumps(JEST).encode(),
    ReportFormat.GO_TEST: GO_TEST.encode(),
    ReportFormat.CARGO_TEST: CARGO_TEST.encode(),
}
