"""A whole run in which models by API plan, make and review, over loopback, as a user starts it."""

import json

from acceptance.conftest import RIGHT, WISH
from agents.model_api.apis import serving

OBJECTS = {
    "decision": "request_changes",
    "findings": [
        {"severity": "error", "category": "correctness", "message": "say what it is for", "file": "calc.py"}
    ],
}
APPROVES = {"decision": "approve", "findings": [], "feedback": "right"}
DOCUMENTED = RIGHT.replace(":\n", ":\n    # the sum\n", 1)


def role(name, dialect, url):
    base = f"{url}/v1" if dialect == "openai" else url
    return f'[agent.{name}]\nprotocol = "model"\nmodel = "{dialect}:x"\nbase_url = "{base}"\n'


def test_models_of_three_dialects_plan_make_and_review(repository):
    edit = ("replace_text", {"path": "calc.py", "old": "a - b", "new": "a + b"})
    hint = ("write_file", {"path": "calc.py", "content": DOCUMENTED})
    with (
        serving(edit, "Done.", hint, "Now it says so.") as makes,
        serving(("read_file", {"path": "calc.py"}), "Mend add().") as plans,
        serving("Not quite!", ("answer", OBJECTS), ("answer", APPROVES)) as reviews,
    ):
        repository.write(
            "setpoint.toml",
            '[agents]\nmaker = "hand"\nplanner = "head"\nreviewer = "critic"\n'
            + role("hand", "anthropic", makes.url)
            + role("head", "google", plans.url)
            + role("critic", "openai", reviews.url),
        )
        repository.commit("settings")
        done = repository.setpoint("run", WISH, "--json")
    outcome = json.loads(done.stdout)
    assert (outcome["ending"], outcome["iterations"], outcome["bounces"]) == ("verified", 2, 1), done.stderr
    assert repository.git("show", f"{outcome['branch']}:calc.py") == DOCUMENTED.strip()
    assert outcome["cost_known"] is False  # nobody knows what a model costs at an address of one's own

    bodies = [event["body"] for event in json.loads(repository.setpoint("show", "--json").stdout)]
    calls = [body["call"]["name"] for body in bodies if body["kind"] == "tool.executed"]
    assert calls == ["read_file", "replace_text", "write_file"]
    (rejected,) = [body for body in bodies if body["kind"] == "answer.rejected"]
    assert (rejected["agent"], rejected["asked_again"]) == ("critic", True)
    assert "Mend add()." in json.dumps(makes.asked[0][1])
    assert "say what it is for" in json.dumps(makes.asked[2][1])


def test_a_model_that_cannot_be_asked_ends_the_run_before_it_begins(repository):
    done = repository.setpoint("run", WISH, "--agent", "mechanic", "--reviewer", "model:anthropic:some")
    assert done.returncode == 3
    assert "ANTHROPIC_API_KEY is not set" in done.stderr
    assert not (repository.root / ".setpoint" / "snapshots").exists()
