"""`setpoint admin attest` and `setpoint verify`: evidence that others can read and make again."""

import json
import subprocess

import pytest

from acceptance.conftest import BUG, GIT, RIGHT, TESTS, Repository

FIX = {"write": "calc.py", "text": RIGHT}


@pytest.fixture(scope="module")
def delivered(tmp_path_factory):
    """Give a repository with a verified run whose story names a command; no test changes it for good."""
    root = tmp_path_factory.mktemp("attested") / "project"
    root.mkdir()
    made = Repository(root)
    made.git("init", "-q", "-b", "main")
    made.write("calc.py", BUG)
    made.write("tests/test_calc.py", TESTS)
    made.write("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["."]\n')
    made.agent([FIX])
    code, outcome = made.run("--agent", "actor", "--accept", "test -f calc.py")
    assert code == 0
    return made, outcome


def attested(repository, *words):
    done = repository.setpoint("admin", "attest", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def cloned(repository):
    target = repository.root.parent / "clone"
    subprocess.run([*GIT, "clone", "-q", str(repository.root), str(target)], check=True)
    return Repository(target)


def verified(repository, *words):
    done = repository.setpoint("verify", "--json", *words)
    assert done.stdout.startswith("{"), done.stderr
    told = json.loads(done.stdout)
    return done.returncode, {each["check"]: each for each in told["checks"]}, told["notes"]


def test_a_statement_is_made_again_in_a_clone(delivered):
    repository, outcome = delivered
    file = repository.root.parent / "evidence.json"
    assert attested(repository, "--output", str(file)) == ""
    plain = json.loads(file.read_text())
    commit = repository.git("rev-parse", outcome["branch"])
    assert plain["subject"][0] == {"name": outcome["branch"], "digest": {"gitCommit": commit}}
    clone = cloned(repository)

    code, checks, notes = verified(clone, "--statement", str(file))

    assert (code, notes) == (1, [])
    assert [name for name, each in checks.items() if not each["agrees"]] == ["acceptance:1"]
    assert "--trust-commands" in checks["acceptance:1"]["notes"][0]
    assert checks["pytest"]["now_counts"]["passed"] == 2

    code, checks, notes = verified(clone, "--statement", str(file), "--trust-commands")

    assert code == 0
    assert checks["acceptance:1"]["now"] == "pass"
    assert clone.git("status", "--porcelain") == ""
    assert not [*(clone.root / ".setpoint" / "snapshots").iterdir()]


def test_a_statement_that_says_more_than_is_true_does_not_hold(delivered):
    repository, _ = delivered
    plain = json.loads(attested(repository))
    (tests,) = [each for each in plain["predicate"]["checks"] if each["name"] == "pytest"]
    tests["counts"]["passed"] = 3
    file = repository.root.parent / "evidence.json"
    file.write_text(json.dumps(plain))

    code, checks, _ = verified(repository, "--statement", str(file), "--trust-commands")

    assert (code, [name for name, each in checks.items() if not each["agrees"]]) == (1, ["pytest"])


def test_a_statement_about_another_commit_is_refused(delivered):
    repository, _ = delivered
    plain = json.loads(attested(repository))
    base = plain["predicate"]["base"]["digest"]["gitCommit"]
    file = repository.root.parent / "evidence.json"
    for digest, said in ((base, "contradicts itself"), ("0" * 40, "")):
        plain["subject"][0]["digest"]["gitCommit"] = digest
        file.write_text(json.dumps(plain))
        done = repository.setpoint("verify", "--statement", str(file))
        assert (said in done.stderr, done.returncode) == (True, 2 if said else 1)  # else by its tree
    plain["subject"][1]["digest"]["gitTree"] = "1" * 40
    file.write_text(json.dumps(plain))
    done = repository.setpoint("verify", "--statement", str(file))
    assert (done.returncode, "holds neither the commit" in done.stderr) == (2, True)


def test_both_predicates_one_a_line(delivered):
    repository, _ = delivered
    evidence, tests = [json.loads(line) for line in attested(repository, "--predicate", "all").splitlines()]
    assert evidence["predicateType"] == "urn:setpoint:predicate:evidence:v1"
    assert tests["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert tests["predicate"]["passedTests"] == [
        "tests/test_calc.py::test_add",
        "tests/test_calc.py::test_zero",
    ]
    named = [each["name"] for each in tests["predicate"]["configuration"]]
    assert named == ["command", "pyproject.toml", "setpoint.toml"]


def test_a_run_is_verified_after_its_work_copy_was_removed(delivered):
    repository, outcome = delivered
    work, kept = repository.root / ".setpoint" / "snapshots", repository.root.parent / "kept"
    commit = repository.git("rev-parse", outcome["branch"])
    work.rename(kept)

    code, checks, _ = verified(repository)

    assert (code, checks["branch"]["agrees"], checks["pytest"]["agrees"]) == (0, True, True)
    repository.git("branch", "-q", "-D", outcome["branch"])
    work.rename(repository.root.parent / "second")
    gone = repository.setpoint("verify")
    kept.rename(work)
    repository.git("branch", "-q", outcome["branch"], commit)
    assert (gone.returncode, "the run's work copy was removed" in gone.stderr) == (2, True)
