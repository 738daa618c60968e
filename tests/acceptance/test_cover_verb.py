"""`setpoint cover` as a user calls it: R1's example, with the built-in generator and with an agent."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from acceptance.test_crash_matrix import recorded, wait

SAMPLE = '''"""A sample with functions and a class."""


def add(a, b):
    return a + b


def subtract(a, b):
    return a - b


def greet(name):
    return f"Hello, {name}!"


def farewell(name, formal=False):
    if formal:
        return f"Farewell, {name}."
    return f"Bye, {name}!"


class Calculator:
    def __init__(self):
        self.history = []

    def multiply(self, a, b):
        self.history.append(a * b)
        return a * b

    def divide(self, a, b):
        if b == 0:
            raise ZeroDivisionError("cannot divide by zero")
        return a / b
'''
BASIC = """import sample


def test_add():
    assert sample.add(1, 2) == 3


def test_greet():
    assert sample.greet("Ann") == "Hello, Ann!"
"""
STARTED = (
    BASIC
    + """

def test_subtract():
    assert sample.subtract(3, 1) == 2


def test_multiply():
    assert sample.Calculator().multiply(2, 3) == 6
"""
)
MORE = """import pytest
import sample


def test_subtract():
    assert sample.subtract(3, 1) == 2


def test_farewell():
    assert sample.farewell("Ann") == "Bye, Ann!"
    assert sample.farewell("Ann", formal=True) == "Farewell, Ann."


def test_multiply():
    calculator = sample.Calculator()
    assert calculator.multiply(2, 3) == 6
    assert calculator.history == [6]


def test_divide():
    assert sample.Calculator().divide(6, 3) == 2
    with pytest.raises(ZeroDivisionError):
        sample.Calculator().divide(1, 0)
"""
PART = """import sample


def test_farewell():
    assert sample.farewell("Ann") == "Farewell, Ann!"
"""
LESS = PART.replace("Farewell", "Bye")
QUICKLY = {"SETPOINT_COVER__MUTATION_S": "0"}
pytestmark = pytest.mark.timeout(600)  # whole runs, each measured by a dozen processes


@pytest.fixture
def sample(repository):
    """Give R1's example: a module of which tests reach a bit more than half."""
    (repository.root / "tests" / "test_calc.py").unlink()
    repository.write("sample.py", SAMPLE)
    repository.write("tests/test_sample.py", STARTED)
    repository.commit()
    return repository


def cover(repository, *words, **environment):
    done = repository.setpoint(
        "cover", "sample.py", "--json", *words, timeout=400, **{**QUICKLY, **environment}
    )
    assert done.stdout.startswith("{"), done.stderr
    outcome = json.loads(done.stdout)
    told = json.loads((Path(outcome["folder"]) / "cover.json").read_text())
    return done.returncode, outcome, told


@pytest.mark.slow
def test_the_generator_takes_r1s_example_from_57_percent_over_85_in_three_iterations(sample):
    code, outcome, told = cover(sample, "--budget", "10")

    before, *_, after = told["steps"]
    assert 0.5 < before["coverage"] < 0.65
    assert after["coverage"] >= 0.85
    assert (code, outcome["mark"]) == (0, "IMPLEMENTATION_VERIFIED")
    assert outcome["iterations"] <= 3
    changed = sample.git("diff", "--name-only", "main", outcome["branch"]).splitlines()
    assert changed == ["tests/test_sample_pinned.py"]
    assert [each["run"] for each in told["trend"]] == [outcome["trace_id"]]
    for name in ("cover.md", "cover.html"):
        assert "pin how the code behaves at present" in (Path(outcome["folder"]) / name).read_text()


NEVER = """

def ported(n):
    import sys

    if sys.platform == "a system that is not built yet":
        first = n + 1
        second = first * 2
        return second - first
    return n
"""
"""Code that no test can reach here."""


@pytest.mark.slow
def test_what_is_gained_is_delivered_where_a_goal_stays_missed(sample):
    sample.write("sample.py", SAMPLE + NEVER)
    sample.commit()
    code, outcome, told = cover(sample, "--budget", "10", "--coverage", "0.95")

    before, *_, after = told["steps"]
    assert (code, outcome["ending"]) == (11, "stopped")
    assert before["coverage"] < after["coverage"] < 0.95
    assert outcome["branch"].startswith("unverified/")
    assert told["gain"].startswith("coverage ")
    assert "asked 95%" in told["gain"]
    assert told["trend"][-1]["coverage"] > told["trend"][-1]["before"]


@pytest.mark.slow
def test_goals_that_are_met_already_end_at_once(sample):
    sample.write("tests/test_sample.py", BASIC)
    sample.commit()
    code, outcome, told = cover(sample, "--coverage", "0.1", "--quality", "0.1")

    assert (code, outcome["ending"], outcome["iterations"], outcome["branch"]) == (0, "met", 0, "")
    assert [each["iteration"] for each in told["steps"]] == [0]


@pytest.mark.slow
def test_a_mutation_goal_is_measured_and_reached(sample):
    timed = {"SETPOINT_COVER__MUTATION_S": "60"}
    code, outcome, told = cover(sample, "--budget", "10", "--mutation", "0.6", **timed)

    before, *_, after = told["steps"]
    assert (code, outcome["mark"]) == (0, "IMPLEMENTATION_VERIFIED")
    assert before["mutation"] is None
    assert after["mutation"] >= 0.6
    assert after["mutants"]["killed"] > 0


def test_a_mutation_goal_that_is_never_measured_is_refused(sample):
    done = sample.setpoint("cover", "sample.py", "--mutation", "0.6", **QUICKLY)

    assert done.returncode == 2
    assert "cover.mutation_s is 0" in done.stderr


@pytest.mark.slow
def test_an_agent_is_told_what_no_test_calls_and_reaches_it_in_the_second_iteration(repository):
    (repository.root / "tests" / "test_calc.py").unlink()
    repository.write("sample.py", SAMPLE)
    repository.commit()
    first = [{"write": "tests/test_sample.py", "text": BASIC}]
    second = [
        {"expect": "functions that no test calls: subtract, farewell"},
        {"expect": "methods that no test calls: Calculator.__init__"},
        {"write": "tests/test_more.py", "text": MORE},
    ]
    repository.agent(first, second)

    code, outcome, told = cover(repository, "--agent", "actor")

    shares = [round(step["coverage"], 2) for step in told["steps"]]
    assert (code, outcome["iterations"], outcome["bounces"]) == (0, 2, 1)
    assert shares[1] < 0.8 <= shares[2]
    assert told["steps"][2]["functions"] == told["steps"][2]["methods"] == 1.0


def test_changed_code_is_sent_back_where_tests_are_asked_for(sample):
    easier = "def add(a, b):\n    return a + b\n\n\ndef greet(name):\n    return f'Hello, {name}!'\n"
    sample.agent(
        [{"write": "sample.py", "text": easier}],
        [{"expect": "was changed where only tests are asked for"}, {"say": "so be it"}],
    )

    code, outcome, _ = cover(sample, "--agent", "actor", "--max-iterations", "2")

    assert code == 11
    assert outcome["ending"] == "stopped"
    assert outcome["branch"] == "" or "sample.py" not in sample.git(
        "diff", "--name-only", "main", outcome["branch"]
    )


def test_a_project_without_any_test_is_verified_too(repository):
    (repository.root / "tests" / "test_calc.py").unlink()
    repository.write("pyproject.toml", '[project]\nname = "calc"\nversion = "1"\n')
    repository.commit()

    done = repository.setpoint("cover", "calc.py", "--json", "--budget", "6", timeout=400, **QUICKLY)

    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["mark"], outcome["iterations"]) == (0, "IMPLEMENTATION_VERIFIED", 1)


def test_what_is_no_source_is_wrong_use(repository):
    done = repository.setpoint("cover", "no/such/file.py")

    assert done.returncode == 2
    assert "no committed Python source" in done.stderr


def test_without_pytest_in_the_projects_interpreter_it_says_so_at_once(sample, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)

    done = sample.setpoint("cover", "sample.py", SETPOINT_CHECKS__PYTHON=str(tmp_path / "bare/bin/python"))

    assert done.returncode == 2
    assert "holds no pytest" in done.stderr


@pytest.mark.slow
def test_two_write_at_once_and_what_is_good_of_both_is_delivered(sample):
    sample.agent(
        [{"expect": "Piece 1 of 1: sample.py"}, {"write": "tests/test_more.py", "text": PART}],
        [{"expect": "test_farewell: failed when run alone"}, {"write": "tests/test_more.py", "text": LESS}],
    )

    code, outcome, told = cover(sample, "--agent", "actor", "--with", "generator", "--budget", "8")

    assert (code, outcome["mark"]) == (0, "IMPLEMENTATION_VERIFIED")
    changed = sample.git("diff", "--name-only", "main", outcome["branch"]).splitlines()
    assert changed == ["tests/test_more.py", "tests/test_sample_pinned.py"]
    assert "farewell" in sample.git("show", f"{outcome['branch']}:tests/test_more.py")
    assert told["steps"][-1]["coverage"] >= 0.85


def test_who_cannot_write_tests_is_told_before_anything_is_begun(sample):
    nobody = sample.setpoint("cover", "sample.py", "--with", "nobody")
    pynguin = sample.setpoint("cover", "sample.py", "--with", "pynguin")

    assert (nobody.returncode, pynguin.returncode) == (2, 2)
    assert "'nobody' cannot write tests here: not known" in nobody.stderr
    assert "cover.pynguin names no interpreter" in pynguin.stderr


@pytest.mark.slow
def test_killed_in_the_middle_it_is_resumed_to_the_same_end_with_its_report(sample):
    words = [sys.executable, "-m", "setpoint", "cover", "sample.py", "--budget", "20", "--json"]
    running = subprocess.Popen(
        words,
        cwd=sample.root,
        env=sample.environment(**QUICKLY),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait(running, lambda: "tool.executed" in recorded(sample), 200)
    assert running.poll() is None  # the generator has measured what is missing, and searches
    running.kill()
    running.wait()

    done = sample.setpoint("resume", "--json", timeout=400, **QUICKLY)

    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["mark"]) == (0, "IMPLEMENTATION_VERIFIED")
    told = json.loads((Path(outcome["folder"]) / "cover.json").read_text())
    assert told["steps"][-1]["coverage"] >= 0.85
    assert [each["run"] for each in told["trend"]] == [outcome["trace_id"]]
