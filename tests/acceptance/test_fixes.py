"""A person's fix of a finding is measured as it was given, held like any check, and in nobody's way."""

import json

import pytest

from acceptance.conftest import QUICK, RIGHT, SUGGESTION
from sandboxes import usable
from setpoint.app.people import fixes
from setpoint.errors import RunInUse
from setpoint.model.config.sandbox import Means
from setpoint.model.ids import TraceId
from setpoint.system.files.locks import RunLocks
from setpoint.wiring.project import open_project

BODY = "    return a + b\n"


def patch(line):
    return f"--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,3 @@\n def add(a, b):\n+    {line}\n {BODY}"


@pytest.fixture
def verified(repository, monkeypatch):
    """Give a project with a finished run that has a finding, and the run's id."""
    for name, value in QUICK.items():
        monkeypatch.setenv(name, value)
    answer = json.dumps({"decision": "approve", "findings": [SUGGESTION]})
    repository.crew([{"write": "calc.py", "text": RIGHT}], critic=[[{"say": answer}]])
    code, outcome = repository.run()
    assert (code, outcome["ending"]) == (0, "verified")
    (found,) = json.loads(repository.setpoint("finding", "list", "--json").stdout)
    project = open_project(repository.root)
    yield repository, project, TraceId(outcome["trace_id"]), found["id"]
    project.store.close()


def test_a_fix_after_an_interrupted_one_is_the_one_that_is_delivered(verified, monkeypatch):
    repository, project, run, found = verified

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(fixes, "record", interrupted)
        with pytest.raises(KeyboardInterrupt):
            fixes.rewrite_fix(project, run, found, patch("'''The first text.'''"))
    body = fixes.rewrite_fix(project, run, found, patch("'''The second text.'''")).body

    assert (body.kept, body.reason) == (True, "")
    assert "The second text." in repository.git("show", f"{body.branch}:calc.py")


def test_a_work_copy_in_use_is_left_alone(verified):
    _, project, run, found = verified
    with RunLocks(project.state).held(run), pytest.raises(RunInUse):
        fixes.rewrite_fix(project, run, found, patch("'''A text.'''"))


def test_code_of_a_fix_is_held_as_checks_are(repository, monkeypatch):
    means = usable(Means.LANDLOCK)
    answer = json.dumps({"decision": "approve", "findings": [SUGGESTION]})
    repository.crew([{"write": "calc.py", "text": RIGHT}], critic=[[{"say": answer}]])
    _, outcome = repository.run(SETPOINT_SANDBOX__CHECKS=str(means))
    (found,) = json.loads(repository.setpoint("finding", "list", "--json").stdout)
    trap = repository.root / "trap"
    writes = f"__import__('pathlib').Path({str(trap)!r}).touch()"
    (repository.root.parent / "fix.diff").write_text(patch(writes), "utf-8")

    done = repository.setpoint("finding", "rewrite", found["id"], "../fix.diff")

    assert outcome["ending"] == "verified"
    assert not trap.exists(), done.stdout + done.stderr
