"""Where everything that is raised may be caught, and why there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from house.source import python_files, shown, tree_of

BROAD = {"Exception", "BaseException"}

BOUNDARIES = {
    "src/setpoint/cli/app.py": "the command line: what is left is a fault of Setpoint's own, and is reported",
    "src/setpoint/mcp/server.py": "a fault is the result of one call, and the session of the agent continues",
    "src/setpoint/web/hooks.py": "the worker on signals: a fault with one is logged and ends no other",
    "src/setpoint/app/views/export.py": "behind the end of a run, which a collector never changes",
    "src/setpoint/app/runs/notices.py": "beside a run, which a receiver of notices never changes",
    "src/setpoint/app/hooks/stop.py": "the user's agent waits: no fault of Setpoint keeps it from stopping",
    "src/setpoint/app/hooks/before_git.py": "git waits: no fault of Setpoint keeps a commit or a push back",
    "src/setpoint_probe/plugin/setpoint_report.py": "runs `__str__` of the project's own exceptions",
    "src/setpoint_probe/plugin/setpoint_unittest_runner.py": "as above, and imports the project's tests",
    "src/setpoint_probe/foreign_code.py": "calls code under work, shows, copies and compares its values",
    "src/setpoint_probe/wire/exchange.py": "the edge of every engine: the caller reads the reason",
    "src/setpoint_probe/process/children.py": "the edge of a forked child: what it was goes to the parent",
    "src/setpoint_probe/session/session.py": "calls the project's tests",
    "src/setpoint_mechanic/engine/generate/values/hypothesis.py": "evaluates the annotations of the project",
    "src/setpoint_probe/calls/answers.py": "calls functions of the project with values of its own types",
    "src/setpoint_probe/calls/driven.py": "takes what generators of the project give, and what they raise",
    "src/setpoint_probe/calls/recorder.py": "pickles values of the project, inside its tests",
    "src/setpoint_mechanic/engine/generate/trial.py": "makes and compares values of the project",
    "src/setpoint/plugins.py": "loads code of other packages; the run goes on without it",
    "src/setpoint/phase/plugin_decisions.py": "calls guards of other packages; the run goes on without them",
}
"""Files that catch everything and go on: code not ours runs there, or it is the last place to say it."""


def test_everything_is_caught_only_at_named_boundaries():
    found = {shown(path) for path in python_files("src") if any(caught(tree_of(path)))}
    assert found - set(BOUNDARIES) == set()
    assert set(BOUNDARIES) - found == set(), "no longer needed"


def test_what_is_raised_on_is_not_counted():
    text = "try:\n  pass\nexcept {}:\n  clean()\n{}"
    assert any(caught(ast.parse(text.format("Exception", ""))))
    assert any(caught(ast.parse(text.format("(OSError, BaseException)", ""))))
    assert any(caught(ast.parse("with suppress(ValueError, Exception): pass")))
    assert any(caught(ast.parse(text.format("", "  if some:\n    raise\n"))))
    assert not any(caught(ast.parse(text.format("BaseException", "  raise\n"))))
    assert not any(caught(ast.parse(text.format("Exception as error", "  raise Known() from error\n"))))
    assert not any(caught(ast.parse(text.format("OSError", ""))))


def caught(tree: ast.AST) -> Iterator[ast.AST]:
    """Give the places that catch everything and do not raise it on in the end."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and not isinstance(node.body[-1], ast.Raise):
            if node.type is None or is_broad(node.type):
                yield node
        elif isinstance(node, ast.Call) and named(node.func) == "suppress" and any(map(is_broad, node.args)):
            yield node


def is_broad(node: ast.expr) -> bool:
    return any(map(is_broad, node.elts)) if isinstance(node, ast.Tuple) else named(node) in BROAD


def named(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
