# a reviewer who approves, and suggests an edit
cat <<'END'
{"decision": "approve", "feedback": "It does what was asked.", "tests_express_request": true,
 "expressing_tests": ["tests/test_login.py::test_ada_alone_may_enter"],
 "findings": [{"severity": "warning", "category": "maintainability", "file": "src/corner_shop/login.py", "line": 4,
   "message": "the argument has no type", "suggested_fix": "say that it is a text",
   "suggested_edits": [{"start_line": 4, "end_line": 4, "replacement": "def login(name: str) -> bool:"}]}]}
END
