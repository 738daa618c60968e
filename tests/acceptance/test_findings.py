"""What a reviewer suggests can be taken: listed, shown, and applied by git."""

import json
import subprocess

from acceptance.conftest import BUG, RIGHT

SUGGESTION = {
    "severity": "warning",
    "category": "documentation",
    "message": "add says nothing about itself",
    "file": "calc.py",
    "line": 1,
    "suggested_fix": "write a docstring",
    "suggested_edits": [
        {"start_line": 1, "end_line": 1, "replacement": 'def add(a, b):\n    """Add two numbers."""'}
    ],
}


def test_a_suggested_fix_is_a_patch_that_git_applies(repository):
    answer = json.dumps({"decision": "approve", "findings": [SUGGESTION]})
    repository.agent(
        [{"write": "calc.py", "text": RIGHT}], settings='[agents]\nreviewer = "critic"\nmaker = "actor"\n'
    )
    script = repository.root.parent / "critic.json"
    script.write_text(json.dumps({"prompts": [[{"say": answer}]]}))
    settings = (repository.root / "setpoint.toml").read_text()
    actor = settings[settings.index("[agent.actor]") :]
    critic = actor.replace("[agent.actor]", "[agent.critic]").replace("actor.json", "critic.json")
    repository.write("setpoint.toml", settings + critic)
    repository.commit("a reviewer")

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
