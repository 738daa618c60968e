"""People are told that a run asks or has ended, and a receiver that fails changes nothing."""

from acceptance.conftest import ASKING, RIGHT, WISH

FIX = [{"write": "calc.py", "text": RIGHT}]

TOLD = """
[notify.mail]
form = "command"
command = ["sh", "-c", "cat >> told.txt"]

[notify.broken]
url = "http://127.0.0.1:9"
"""


def told(repository):
    return (repository.root / "told.txt").read_text(encoding="utf-8")


def test_a_verified_run_is_told_once_and_a_receiver_that_fails_is_a_warning(repository):
    repository.write(".gitignore", "told.txt\n")
    repository.agent(FIX, settings=TOLD)
    code, outcome = repository.run("--agent", "actor")
    assert code == 0
    text = told(repository)
    assert text.count("Verified: make the failing tests pass") == 1
    assert f"branch: {outcome['branch']}" in text
    assert f"details: setpoint show {outcome['trace_id']}" in text


def test_a_question_is_told_with_the_command_that_answers_it(repository):
    repository.write(".gitignore", "told.txt\n")
    repository.agent([], settings=TOLD)
    done = repository.setpoint("run", WISH, "--agent", "actor", **ASKING)
    assert done.returncode == 10
    assert "broken got no notice that the run asks: 127.0.0.1: plain HTTP is not used" in done.stderr
    assert "Setpoint asks: make the failing tests pass" in told(repository)
    assert "answer with: setpoint answer show run-" in told(repository)


def test_notify_tries_each_receiver(repository):
    repository.write("setpoint.toml", TOLD)
    done = repository.setpoint("admin", "notify")
    assert done.returncode == 1
    assert "mail: delivered" in done.stdout
    assert "broken: not delivered: 127.0.0.1: plain HTTP is not used" in done.stdout
    assert "A test of Setpoint" in told(repository)
    assert repository.setpoint("admin", "notify", "mail").returncode == 0
    wrong = repository.setpoint("admin", "notify", "nobody")
    assert (wrong.returncode, "there are broken, mail" in wrong.stderr) == (2, True)
    repository.write("setpoint.toml", "")
    assert "add [notify.NAME] to setpoint.toml" in repository.setpoint("admin", "notify").stderr
