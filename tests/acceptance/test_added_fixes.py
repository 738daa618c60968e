"""Accepted fixes add up: each begins from what those before it made, and all are on one branch."""

import json

import pytest

from acceptance.conftest import QUICK, SUGGESTION
from setpoint.app.people import fixes
from setpoint.app.people.findings import find_finding, passage_of
from setpoint.errors import UsageError
from setpoint.history.replay import history
from setpoint.model.ids import TraceId
from setpoint.wiring.project import open_project

ONE_DOCSTRING = (
    "def test_one_docstring():\n    import calc\n    assert not (calc.add.__doc__ and calc.sub.__doc__)\n"
)
CALC = "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"


def suggests(message, line, replacement):
    edit = {"start_line": line, "end_line": line, "replacement": replacement}
    return {**SUGGESTION, "message": message, "line": line, "suggested_edits": [edit]}


FINDINGS = (
    suggests("add says nothing", 1, 'def add(a, b):\n    """Add."""'),
    suggests("sub says nothing", 5, 'def sub(a, b):\n    """Take away."""'),
    suggests("put the second first", 2, "    return b + a"),
    suggests("add has a sum", 2, "    return sum((a, b))"),
)


@pytest.fixture
def reviewed(repository, monkeypatch):
    """Give a project with a finished run, the run, and the ids of its findings by their first word."""
    for name, value in QUICK.items():
        monkeypatch.setenv(name, value)
    repository.write("test_docs.py", ONE_DOCSTRING)
    repository.write("calc.py", CALC.replace("a + b", "a - b"))
    answer = json.dumps({"decision": "approve", "findings": FINDINGS})
    repository.crew([{"write": "calc.py", "text": CALC}], critic=[[{"say": answer}]])
    code, outcome = repository.run()
    assert (code, outcome["ending"]) == (0, "verified")
    project = open_project(repository.root)
    found = json.loads(repository.setpoint("finding", "list", "--json").stdout)
    ids = {each["message"]: each["id"] for each in found}
    yield repository, project, TraceId(outcome["trace_id"]), [ids[each["message"]] for each in FINDINGS]
    project.store.close()


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_fixes_add_up_on_one_branch_and_those_that_do_not_fit_are_refused(reviewed):
    repository, project, run, (says, also, turned, summed) = reviewed
    result = history(project.log.replay(run)).outcome.branch
    branch = f"{result}-fixes"

    done = repository.setpoint("finding", "apply", says, also, turned, summed, timeout=300)

    assert done.returncode == 1, done.stderr
    _, red, last, conflict, words = [each for each in done.stdout.splitlines() if "hint" not in each]
    assert "not kept: 1 tests fail with it, first test_docs.py::test_one_docstring" in red
    assert f"(measured with the fixes of {says[:8]})" in red
    held = f"the fixes of {says[:8]} and {turned[:8]}"
    assert f"not kept: it does not fit {branch}, which has {held}: patch failed: calc.py" in conflict
    assert f"kept, on {branch}" in last
    assert words == f"{branch} has 2 accepted fixes: {says[:8]} in calc.py, {turned[:8]} in calc.py"
    text = repository.git("show", f"{branch}:calc.py")
    assert text.startswith('def add(a, b):\n    """Add."""\n    return b + a\n')
    assert repository.git("log", "--format=%s", f"{result}..{branch}").splitlines() == [
        "Fix: put the second first",
        "Fix: add says nothing",
    ]
    for shown in (repository.setpoint("show").stdout, (project.run_folder(run) / "report.md").read_text()):
        assert "2 accepted fixes" in " ".join(shown.split())
    assert repository.git("branch", "--list", "--format=%(refname:short)", f"{result}*").splitlines() == [
        result,
        branch,
    ]
    assert '"""Add."""' in passage_of(project, run, find_finding(project, run, also)).text

    events = len(project.log.replay(run))
    repository.git("branch", "-D", branch)
    assert fixes.apply_fix(project, run, says).body.kept  # nothing is measured or recorded again
    assert len(project.log.replay(run)) == events
    assert repository.git("show", f"{branch}:calc.py") == text

    repository.git("switch", "-q", branch)
    with pytest.raises(UsageError, match="is checked out in"):
        fixes.apply_fix(project, run, summed)
