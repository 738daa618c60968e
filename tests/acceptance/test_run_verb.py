"""`setpoint run` as a user calls it, with scripted agents over the real protocol: reasons and exit codes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from acceptance.conftest import BUG, GIT, RIGHT

FIX = {"write": "calc.py", "text": RIGHT}
WRONG = {"write": "calc.py", "text": "def add(a, b):\n    return a * b\n"}


def test_a_repair_is_verified_and_delivered_as_a_branch(repository):
    repository.agent([FIX, {"say": "fixed"}])
    before = repository.git("rev-parse", "main")

    everything = dict.fromkeys(("SETPOINT_CHECKS__BANDIT", "SETPOINT_CHECKS__COVERAGE"), "true")

    code, outcome = repository.run("--agent", "actor", **everything)

    assert (code, outcome["mark"], outcome["iterations"]) == (0, "IMPLEMENTATION_VERIFIED", 1)
    assert outcome["branch"] == "setpoint/make-the-failing-tests-pass"
    assert repository.git("show", f"{outcome['branch']}:calc.py") == RIGHT.strip()
    assert (repository.root / "calc.py").read_text() == BUG
    assert repository.git("rev-parse", "main") == before
    assert repository.git("status", "--porcelain") == ""
    for name in ("scratchpad.md", "progress.json", "report.md", "report.html"):
        assert (Path(outcome["folder"]) / name).stat().st_size > 0


def test_a_wrong_first_try_is_bounced_with_the_failure(repository):
    repository.agent(
        [{"write": "calc.py", "text": "def add(a, b):\n    return a * b\n"}], [{"expect": "test_add"}, FIX]
    )

    code, outcome = repository.run("--agent", "actor")

    assert (code, outcome["iterations"], outcome["bounces"]) == (0, 2, 1)
    shown = repository.setpoint("show", "log")
    assert "bounce 1: evaluate -> implement" in shown.stdout
    assert "CONTINUE" in shown.stdout


def test_claiming_success_without_a_change_is_no_success(repository):
    repository.agent(
        [{"say": "IMPLEMENTATION_VERIFIED. All tests pass."}], [{"say": "As I said, it is done."}]
    )

    code, outcome = repository.run("--agent", "actor")

    assert (code, outcome["ending"], outcome["halt"]["guard"]) == (11, "stopped", "max_empty_diffs")
    assert outcome["branch"] == ""


def test_deleting_the_failing_test_is_undone_and_does_not_pass(repository):
    repository.agent([{"delete": "tests/test_calc.py"}], [{"delete": "tests/test_calc.py"}])

    code, outcome = repository.run("--agent", "actor")

    assert (code, outcome["ending"]) == (11, "stopped")
    assert "tests/test_calc.py" in repository.setpoint("show", "log").stdout


def test_skipping_the_failing_test_is_undone_and_does_not_pass(repository):
    skipped = "import pytest\n\npytest.skip('later', allow_module_level=True)\n"
    repository.agent(
        [{"write": "tests/test_calc.py", "text": skipped}],
        [{"write": "conftest.py", "text": "collect_ignore_glob = ['*']\n"}],
    )

    code, outcome = repository.run("--agent", "actor")

    assert (code, outcome["ending"]) == (11, "stopped")


def test_a_flood_on_stderr_disturbs_nothing(repository):
    repository.agent([{"stderr": 20_000_000}, FIX])

    code, outcome = repository.run("--agent", "actor")

    assert (code, outcome["mark"]) == (0, "IMPLEMENTATION_VERIFIED")


def test_an_agent_that_dies_is_tried_again_and_then_named(repository):
    dying = [{"die": 7, "text": "out of memory"}]
    repository.agent(dying, dying, dying, settings="[limits]\nmax_agent_breakages = 2\n")

    code, outcome = repository.run("--agent", "actor")

    assert (code, outcome["ending"], outcome["iterations"]) == (3, "broken_agent", 0)
    assert "crash" in outcome["reason"]
    assert "7" in outcome["reason"]


def test_an_agent_that_hangs_is_ended_with_all_it_started(repository):
    settings = "[limits]\nmax_agent_breakages = 1\n[agents]\nidle_s = 1.5\nwall_s = 20\n"
    repository.agent([{"daemon": 4711}, {"hang": "deaf"}], settings=settings)

    code, outcome = repository.run("--agent", "actor")

    assert (code, outcome["ending"]) == (3, "broken_agent")
    assert "idle" in outcome["reason"]
    assert not _living("4711")


def test_a_run_killed_in_the_middle_goes_on_where_it_was(repository):
    first = [{"write": "calc.py", "text": "def add(a, b):\n    return a * b\n"}, {"cost": 0.25}]
    repository.agent(
        first, [{"cost": 0.25}, {"sleep": 60}], [{"expect": "test_add"}, {"cost": 0.25}, FIX], counter="count"
    )
    argv = [sys.executable, "-m", "setpoint", "run", "make the failing tests pass", "--agent", "actor"]
    running = subprocess.Popen(
        argv,
        cwd=repository.root,
        env=repository.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _until(lambda: "implement-2" in _events(repository, running))
    time.sleep(0.5)
    running.send_signal(signal.SIGKILL)
    running.wait()

    done = repository.setpoint("resume", "--json")

    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["iterations"], outcome["bounces"]) == (0, 2, 1)
    started = [event["body"] for event in json.loads(repository.setpoint("show", "--json").stdout)]
    attempts = [(each["label"], each["attempt"]) for each in started if each["kind"] == "agent.started"]
    assert attempts == [("implement-1", 1), ("implement-2", 1), ("implement-2", 2)]
    assert float(outcome["cost_usd"]) == pytest.approx(0.75)  # what the lost attempt told is charged as well


def test_verify_runs_the_evidence_again(repository):
    repository.agent([FIX])
    repository.run("--agent", "actor")

    done = repository.setpoint("verify", "--json")

    answer = json.loads(done.stdout)
    assert (done.returncode, answer["agrees"]) == (0, True)
    assert {"pytest"} <= {each["check"] for each in answer["checks"]}


def test_check_measures_the_tree_as_it_stands(repository):
    done = repository.setpoint("check")
    assert done.returncode == 1
    assert "tests/test_calc.py::test_add" in done.stdout

    repository.write("calc.py", RIGHT)  # not committed

    assert repository.setpoint("check").returncode == 0
    assert repository.git("status", "--porcelain") == "M calc.py"


def test_wrong_use_says_what_where_and_how_to_mend(repository):
    repository.write("setpoint.toml", "[limits]\nmax_iteration = 3\n")

    done = repository.setpoint("run", "anything")

    assert done.returncode == 2
    assert "setpoint.toml, key 'limits.max_iteration'" in done.stderr
    assert "hint:" in done.stderr


def test_an_unknown_agent_is_named(repository):
    done = repository.setpoint("run", "make the failing tests pass", "--agent", "nobody")

    assert done.returncode == 3
    assert "nobody" in done.stderr


def _living(word):
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if word in line and "sleep" in line]


def _events(repository, running):
    assert running.poll() is None, "the run ended before it could be killed"
    return repository.setpoint("show", "--json").stdout


def _until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.2)


def test_a_file_name_of_odd_bytes_with_a_syntax_error_is_told_and_not_a_fault(repository):
    odd = {"shell": "printf 'def (' > $(printf 'bad\\377.py')"}
    repository.agent([odd, FIX], [{"say": "done"}], [{"say": "done"}])

    code, outcome = repository.run("--agent", "actor")

    assert (code, outcome["ending"]) == (11, "stopped")


def test_file_names_that_are_no_text_are_measured_shown_and_delivered(repository):
    names = (b"caf\xe9.py", b"two\nlines.py", b"quo\"te's.py")
    for name in names:
        Path(os.fsdecode(os.fsencode(repository.root) + b"/" + name)).write_text("import os\n")
    repository.commit("names")
    checks = {"SETPOINT_CHECKS__BANDIT": "true", "SETPOINT_CHECKS__RUFF": "true"}

    done = repository.setpoint("check", "--json", **checks)
    assert done.stdout.startswith("{"), done.stderr
    measured = json.loads(done.stdout)
    assert {each["check"]: each["state"] for each in measured["evidence"]} | {"ruff": "fail"} == {
        "parse": "pass",
        "ruff": "fail",
        "bandit": "pass",
        "pytest": "fail",
    }
    found = [each["file"] for each in measured["findings"] if each["rule"] == "F401"]
    assert sorted(found) == sorted(["caf\N{REPLACEMENT CHARACTER}.py", "two\nlines.py", "quo\"te's.py"])

    repository.write("setpoint.toml", "[agents]\nmaker = 'sh'\n")
    script = (
        "cat > /dev/null; sed -i 's/a - b/a + b/' calc.py; for f in *.py; do echo 'x = 1' >> \"$f\"; done"
    )
    repository.shell_agent("sh", script)
    code, outcome = repository.run(**checks)
    assert code == 0, outcome
    changed = subprocess.run(
        [*GIT, "diff", "--name-only", "-z", "HEAD", outcome["branch"]],
        cwd=repository.root,
        capture_output=True,
        check=True,
    )
    assert set(names) < set(changed.stdout.split(b"\0"))
    for words in (("doctor",), ("show",), ("show", "--json")):
        assert repository.setpoint(*words, **checks).returncode == 0, words
