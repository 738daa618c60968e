"""A small report of each format."""

from __future__ import annotations

import json

from checks.formats.samples_languages import LANGUAGES
from checks.formats.samples_python import PYTHON
from setpoint.model.config.custom_check import ReportFormat

SARIF = {
    "version": "2.1.0",
    "runs": [
        {
            "tool": {
                "driver": {
                    "name": "t",
                    "rules": [
                        {"id": "R1", "defaultConfiguration": {"level": "error"}, "helpUri": "https://r/1"},
                        {
                            "id": "R2",
                            "messageStrings": {"default": {"text": "uses {0}"}},
                            "properties": {
                                "security-severity": "9.8",
                                "precision": "medium",
                                "tags": ["security"],
                            },
                        },
                    ],
                }
            },
            "originalUriBaseIds": {
                "SRC": {"uri": "file:///nowhere/"},
                "PKG": {"uri": "p%20q/", "uriBaseId": "SRC"},
            },
            "artifacts": [{"location": {"uri": "c.py"}}],
            "invocations": [{"executionSuccessful": True}],
            "results": [
                {
                    "ruleId": "R1",
                    "message": {"text": "one"},
                    "locations": [
                        {
                            "physicalLocation": {
                                "artifactLocation": {"uri": "a.py", "uriBaseId": "PKG"},
                                "region": {"startLine": 3},
                            },
                            "logicalLocations": [{"fullyQualifiedName": "m.f"}],
                        }
                    ],
                },
                {
                    "ruleIndex": 1,
                    "message": {"id": "default", "arguments": ["eval"]},
                    "locations": [
                        {"physicalLocation": {"artifactLocation": {"uri": "file:///nowhere/b.py"}}}
                    ],
                },
                {
                    "ruleId": "R9/sub",
                    "message": {"text": "three"},
                    "locations": [{"physicalLocation": {"artifactLocation": {"index": 0}}}],
                },
                {"ruleId": "R1", "message": {"text": "passed over"}, "suppressions": [{"kind": "inSource"}]},
                {
                    "ruleId": "R1",
                    "level": "note",
                    "message": {"text": "asked"},
                    "suppressions": [{"kind": "external", "status": "rejected"}],
                },
                {"ruleId": "R1", "kind": "pass", "message": {"text": "well"}},
            ],
        }
    ],
}  # fmt: skip
GITLAB = [
    {
        "description": "bad",
        "check_name": "X",
        "severity": "blocker",
        "fingerprint": "1",
        "categories": ["Security"],
        "location": {"path": "/nowhere/a.py", "lines": {"begin": 4}},
    },
    {"description": "so", "location": {"path": "b.py", "positions": {"begin": {"line": 2, "column": 1}}}},
]
DIAGNOSTIC = {
    "message": "bad",
    "severity": "ERROR",
    "code": {"value": "X"},
    "location": {"path": "a.py", "range": {"start": {"line": 2, "column": 1}}},
}
RDJSON = {
    "source": {"name": "t"},
    "severity": "INFO",
    "diagnostics": [DIAGNOSTIC, {"message": "m", "location": {"path": "b"}}],
}
CHECKSTYLE = """<?xml version="1.0"?><checkstyle version="1"><file name="/nowhere/a.py">
<error line="2" column="1" severity="warning" message="bad &amp; ugly" source="X"/>
<error line="3" severity="ignore" message="no" source="X"/></file></checkstyle>"""
JUNIT = """<?xml version="1.0"?><testsuites><testsuite name="s" tests="5" failures="1" errors="1" file="t.js">
<testcase classname="c" name="good"/><testcase classname="c" name="good"/>
<testcase classname="c" name="bad" line="7"><failure message="1 != 2">trace</failure></testcase>
<testcase classname="c" name="broken" file="u.js"><error>boom
more</error></testcase>
<testcase name="later"><skipped/></testcase></testsuite></testsuites>"""
CTRF = {
    "results": {
        "tool": {"name": "t"},
        "summary": {"tests": 3, "passed": 1, "failed": 1, "pending": 0, "skipped": 0, "other": 1},
        "tests": [
            {"name": "a", "status": "passed", "duration": 1, "flaky": True},
            {
                "name": "b",
                "status": "failed",
                "suite": "s",
                "message": "no",
                "filePath": "/nowhere/t.js",
                "line": 3,
            },
            {"name": "c", "status": "other"},
        ],
    }
}
COBERTURA = """<?xml version="1.0"?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage><sources><source>/nowhere</source></sources><packages><package><classes>
<class filename="a.py"><lines><line number="1" hits="2"/><line number="2" hits="0"/>
<line number="3" hits="1" branch="true" condition-coverage="50% (1/2)"/></lines></class>
</classes></package></packages></coverage>"""
LCOV = """TN:
SF:/nowhere/a.js
DA:1,2
DA:2,0
DA:3,1,hash
BRDA:3,0,0,1
BRDA:3,0,1,-
LF:3
LH:2
end_of_record
"""
COVERAGE = {
    "meta": {"version": "7"},
    "files": {"a.py": {"executed_lines": [1, 3], "missing_lines": [2]}},
    "totals": {"covered_lines": 2, "num_statements": 3},
}
SAMPLES: dict[ReportFormat, bytes] = {
    ReportFormat.SARIF: json.dumps(SARIF).encode(),
    ReportFormat.GITLAB: json.dumps(GITLAB).encode(),
    ReportFormat.RDJSON: json.dumps(RDJSON).encode(),
    ReportFormat.RDJSONL: (json.dumps(DIAGNOSTIC) + "\n").encode() * 2,
    ReportFormat.FILE_LIST: b"src/calc.go\n/nowhere/calc_test.go\n",
    ReportFormat.CHECKSTYLE: CHECKSTYLE.encode(),
    ReportFormat.JUNIT: JUNIT.encode(),
    ReportFormat.CTRF: json.dumps(CTRF).encode(),
    ReportFormat.COBERTURA: COBERTURA.encode(),
    ReportFormat.LCOV: LCOV.encode(),
    ReportFormat.COVERAGE_JSON: json.dumps(COVERAGE).encode(),
    **LANGUAGES,
    **PYTHON,
}
