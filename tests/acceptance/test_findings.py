"""What a reviewer suggests can be taken: listed, shown, and applied by git."""

import json
import subprocess

from acceptance.conftest import BUG, RIGHT, SUGGESTION


def test_a_suggested_fix_is_a_patch_that_git_applies(repository):
    answer = json.dumps({"decision": "approve", "findings": [SUGGESTION]})
    repository.crew([{"write": "calc.py", "text": RIGHT}], critic=[[{"say": answer}]])

    code, outcome = repository.run()
    assert (code, outcome["ending"]) == (0, "verified")

    (found,) = json.loads(repository.setpoint("finding", "list", "--json").stdout)
    assert (found["source"], found["message"]) == ("review:code", SUGGESTION["message"])
    shown = repository.setpoint("finding", "show", found["id"][:6]).stdout
    assert "write a docstring" in shown
    assert "warning documentation, by review:code at calc.py:1" in shown

    repository.git("checkout", "-q", outcome["branch"])
    patch = repository.setpoint("finding", "patch", found["id"])
    subprocess.run(["git", "apply"], cwd=repository.root, input=patch.stdout, text=True, check=True)
    assert (repository.root / "calc.py").read_text() == RIGHT.replace(
        ":\n", ':\n    """Add two numbers."""\n', 1
    )


def test_a_finding_that_is_not_there_is_a_wrong_use(repository):
    repository.agent([{"write": "calc.py", "text": BUG.replace("-", "+")}])
    repository.run("--agent", "actor")
    done = repository.setpoint("finding", "patch", "abc")
    assert (done.returncode, "0 findings" in done.stderr) == (2, True)
