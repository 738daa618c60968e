"""Whole runs with a test designer and a reviewer, as a user starts them: whose tests prove the work."""

import json

import pytest

from acceptance.conftest import RIGHT

WISH = "add a function double(n) to calc that doubles a number"
HIDDEN = "import calc\n\n\ndef test_hidden_double():\n    assert calc.double(4) == 8\n"
DESIGN = {"tests": [{"path": "tests/test_hidden.py", "text": HIDDEN, "behaviour": "double(4) is 8"}]}
DESIGNED = {"SETPOINT_AGENTS__TEST_DESIGNER": "designer"}
APPROVES = {"decision": "approve", "findings": [], "feedback": "right", "tests_express_request": True}


def code(result):
    return f"{RIGHT}\n\ndef double(n):\n    return {result}\n"


def its_test(result):
    return f"import calc\n\n\ndef test_double():\n    n = 4\n    assert calc.double(n) == {result}\n"


def made(result, *steps):
    """Let a maker write the function, and a test that agrees with it."""
    return [
        *steps,
        {"write": "calc.py", "text": code(result)},
        {"write": "tests/test_double.py", "text": its_test(result)},
    ]


def cast(repository, settings, *prompts):
    """Give the repository a maker, a test designer and a reviewer."""
    roles = '[agents]\nmaker = "actor"\nreviewer = "critic"\n'
    repository.write("calc.py", RIGHT)
    repository.players(
        f"{roles}{settings}",
        designer=[{"write": "tests/test_left.py", "text": HIDDEN}, {"say": json.dumps(DESIGN)}],
        critic=[{"say": json.dumps(APPROVES)}],
        actor=[],
    )
    script = {"prompts": list(prompts), "counter": "played/actor"}
    (repository.root.parent / "actor.json").write_text(json.dumps(script), encoding="utf-8")


def gates(repository):
    bodies = [event["body"] for event in json.loads(repository.setpoint("show", "--json").stdout)]
    decided = [body for body in bodies if body["kind"] == "halting.decided"][-1]
    return {each["name"]: each for each in decided["gates"]}


def test_a_hidden_test_sends_wrong_work_back_and_proves_right_work(repository):
    cast(
        repository,
        '[proof]\nleast = "hidden"\n',
        made("n + n + 1"),
        made("n + n", {"expect": "expected: double(4) is 8"}),
    )

    done = repository.setpoint("run", WISH, "--json", **DESIGNED)
    outcome = json.loads(done.stdout)

    assert (outcome["ending"], outcome["iterations"], outcome["bounces"]) == ("verified", 2, 1), done.stderr
    proved = gates(repository)
    assert proved["hidden tests"]["state"] == "pass"
    assert outcome["verdict"].startswith("IMPLEMENTATION_VERIFIED by 1 test of designer, not hidden")
    assert [each["examiner"] for each in outcome["by"]] == ["hidden_tests"]
    files = repository.git("ls-tree", "-r", "--name-only", outcome["branch"]).splitlines()
    assert "tests/test_double.py" in files
    assert not [each for each in files if "hidden" in each or "left" in each]
    folder = repository.root / ".setpoint" / "runs" / outcome["trace_id"]
    assert (folder / "hidden" / "tests" / "test_hidden.py").read_text() == HIDDEN
    assert "hidden/tests/test_hidden.py" in (folder / "report.md").read_text()
    assert outcome["verdict"] in repository.git("log", "-1", "--format=%B", outcome["branch"])
    assert "test_hidden_double" not in "".join(_prompts(repository))


def _prompts(repository):
    """Return all prompts that the maker was given."""
    events = json.loads(repository.setpoint("show", "--json").stdout)
    started = [event["body"] for event in events if event["body"]["kind"] == "agent.started"]
    kept = repository.root / ".setpoint" / "artifacts"
    return [(kept / body["prompt"][:2] / body["prompt"][2:]).read_text() for body in started]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("least", "express", "ending", "exit_code"),
    [("others", True, "verified", 0), ("hidden", True, "verified", 13), ("others", False, "self_tested", 13)],
)
def test_a_reviewer_who_confirms_the_makers_tests_vouches_for_the_work(
    repository, least, express, ending, exit_code
):
    cast(repository, f'[proof]\nleast = "{least}"\n', *[made("n + n")] * 3)
    said = {**APPROVES, "tests_express_request": express}
    script = {"prompts": [[{"say": json.dumps(said)}]] * 9, "counter": "played/critic"}
    (repository.root.parent / "critic.json").write_text(json.dumps(script), encoding="utf-8")
    done = repository.setpoint("run", WISH, "--json", "--on-limit", "error")
    outcome = json.loads(done.stdout)

    assert (outcome["ending"], done.returncode) == (ending, exit_code), done.stderr
    assert (
        "by reviewer critic" if express else "; critic approved the change and did not vouch for these tests"
    ) in outcome["verdict"]
    assert outcome["branch"].startswith("unverified/") is (exit_code == 13)


@pytest.mark.slow
def test_a_persons_hidden_test_judges_and_a_tracked_one_is_refused(repository, tmp_path):
    cast(repository, "", made("n + n + 1"), made("n + n"))
    repository.write("tests/test_known.py", "def test_known():\n    assert True\n")
    repository.commit("a test that everybody reads")
    mine = tmp_path / "test_mine.py"
    mine.write_text(HIDDEN)

    refused = repository.setpoint("run", WISH, "--hidden", "tests/test_known.py")
    done = repository.setpoint("run", WISH, "--json", "--hidden", str(mine))
    outcome = json.loads(done.stdout)

    assert refused.returncode == 2
    assert "so the maker would read it" in refused.stderr
    assert (outcome["ending"], outcome["bounces"]) == ("verified", 1), done.stderr
    assert outcome["verdict"].startswith("IMPLEMENTATION_VERIFIED by your hidden test")


@pytest.mark.slow
def test_a_hidden_test_that_stays_red_leaves_the_decision_to_a_person(repository):
    wrong = [made(f"n + n + {number}") for number in range(1, 5)]
    cast(repository, "", *wrong)

    done = repository.setpoint("run", WISH, "--json", "--on-limit", "error", **DESIGNED)
    outcome = json.loads(done.stdout)

    assert (outcome["ending"], outcome["bounces"], done.returncode) == ("unproven", 1, 13), done.stderr
    assert "the work and a hidden test disagree" in outcome["reason"]


@pytest.mark.slow
def test_hidden_tests_get_the_ignored_files_that_the_projects_tests_need(repository, tmp_path):
    cast(repository, '[copy]\nfiles = ["_version.py"]\n', made("n + n"))
    repository.write(".gitignore", "_version.py\n")
    repository.write("calc.py", f"from _version import VERSION\n\n{RIGHT}")
    repository.commit("a version that a build writes")
    (repository.root / "_version.py").write_text('VERSION = "1"\n')
    mine = tmp_path / "test_mine.py"
    mine.write_text(HIDDEN)
    maker = {"write": "calc.py", "text": f"from _version import VERSION\n\n{code('n + n')}"}
    script = {"prompts": [[maker, {"write": "tests/test_double.py", "text": its_test("n + n")}]]}
    (repository.root.parent / "actor.json").write_text(json.dumps(script), encoding="utf-8")

    done = repository.setpoint("run", WISH, "--json", "--hidden", str(mine))
    outcome = json.loads(done.stdout)

    assert (outcome["ending"], outcome["bounces"]) == ("verified", 0), done.stderr
    assert outcome["verdict"].startswith("IMPLEMENTATION_VERIFIED by your hidden test")
