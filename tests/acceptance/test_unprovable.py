"""A project whose tests nothing reads: `run` pays nobody, and `check` is not green."""

import json

from acceptance.conftest import new_repository

MANIFEST = json.dumps({"name": "x", "scripts": {"start": "node src/add.js"}})
WISH = "Add a function sub"


def a_project(tmp_path, *prompts):
    repository = new_repository(tmp_path / "project")
    repository.git("rm", "-q", "-r", "calc.py", "tests", "pyproject.toml")
    repository.write("package.json", MANIFEST)
    repository.write("src/add.js", "exports.add = (a, b) => a + b\n")
    repository.agent(*prompts, counter="calls")
    return repository


def test_a_run_ends_before_an_agent_is_paid(tmp_path):
    repository = a_project(tmp_path, [])

    done = repository.setpoint("run", WISH, "--agent", "actor", "--json")

    assert (done.returncode, json.loads(done.stdout)["ending"]) == (14, "unprovable")
    assert "package.json has no script 'test'" in json.loads(done.stdout)["reason"]
    assert not (tmp_path / "played" / "calls").exists()


def test_a_check_that_measured_nothing_is_not_green(tmp_path):
    repository = a_project(tmp_path, [])

    shown = repository.setpoint("check")
    told = json.loads(repository.setpoint("check", "--json").stdout)

    assert shown.returncode == 14
    assert "nothing was measured that can prove what the code does: package.json has no" in shown.stdout
    assert "hint: " in told["untested"]


def test_a_check_that_only_a_formatter_made_is_not_green(tmp_path):
    repository = new_repository(tmp_path / "project")
    repository.git("rm", "-q", "-r", "tests", "pyproject.toml")
    repository.write("ruff.toml", "[format]\nquote-style = 'double'\n")
    repository.write("setpoint.toml", "[checks]\nruff = false\nruff_format = true\npytest = false\n")
    repository.commit()

    done = repository.setpoint("check")

    assert done.returncode == 14, done.stdout
    assert "no type checker and no linter ran either, only ruff_format; hint: add tests" in done.stdout


def test_a_check_that_a_linter_made_passes_and_names_the_lack(tmp_path):
    repository = new_repository(tmp_path / "project")
    repository.git("rm", "-q", "-r", "tests", "pyproject.toml")
    repository.write("setpoint.toml", "[checks]\nruff = true\npytest = false\n")
    repository.commit()

    done = repository.setpoint("check")

    assert done.returncode == 0, done.stdout
    assert "nothing was measured that can prove what the code does" in done.stdout
    assert "no linter ran" not in done.stdout


def test_a_check_of_documents_alone_passes(tmp_path):
    repository = new_repository(tmp_path / "project")
    repository.git("rm", "-q", "-r", "calc.py", "tests", "pyproject.toml")
    repository.write("README.md", "# Hello\n")
    repository.commit()

    done = repository.setpoint("check")

    assert done.returncode == 0
    assert "nothing was measured" not in done.stdout


def test_documents_alone_are_verified_by_reading(tmp_path):
    repository = new_repository(tmp_path / "project")
    repository.git("rm", "-q", "-r", "calc.py", "tests", "pyproject.toml")
    repository.write("README.md", "# Hello\n")
    repository.agent([{"write": "README.md", "text": "# Hello\n\nInstall it with pip.\n"}])

    done = repository.setpoint("run", "docs: say how to install it", "--agent", "actor", "--json")

    assert (done.returncode, json.loads(done.stdout)["mark"]) == (0, "IMPLEMENTATION_VERIFIED"), done.stderr


def test_the_first_tests_of_a_python_project_prove_its_work(tmp_path):
    repository = new_repository(tmp_path / "project")
    repository.git("rm", "-q", "-r", "tests", "pyproject.toml")
    slug = "def slug(text):\n    return text.strip().lower().replace(' ', '-')\n"
    tests = "from slug import slug\n\n\ndef test_slug():\n    assert slug(' A b') == 'a-b'\n"
    repository.agent([{"write": "slug.py", "text": slug}, {"write": "tests/test_slug.py", "text": tests}])

    done = repository.setpoint("run", "Add slug(text)", "--agent", "actor", "--json")

    assert (done.returncode, json.loads(done.stdout)["mark"]) == (0, "IMPLEMENTATION_VERIFIED"), done.stderr


PYTHON_AND_SCRIPTS = json.dumps({"name": "x", "scripts": {"test": "node --test tests/"}})
OTHER_TEST = "require('node:test')('adds', () => { if (1 + 1 !== 2) throw new Error('wrong') })\n"
LOADING_TEST = """const { execFileSync } = require('node:child_process')
require('node:test')('adds', () => { execFileSync('python3', ['calc.py']) })
"""


def a_project_of_two_languages(tmp_path, test):
    repository = new_repository(tmp_path / "project")
    repository.git("rm", "-q", "-r", "tests", "pyproject.toml")
    repository.write("package.json", PYTHON_AND_SCRIPTS)
    repository.write("tests/other.test.js", test)
    repository.agent([], counter="calls")
    return repository


def test_tests_in_another_language_that_do_not_reach_the_code_pay_nobody(tmp_path):
    repository = a_project_of_two_languages(tmp_path, OTHER_TEST)

    done = repository.setpoint("run", WISH, "--agent", "actor", "--json")

    assert (done.returncode, json.loads(done.stdout)["ending"]) == (14, "unprovable"), done.stderr
    assert "(node_test) pass where every file in Python fails" in json.loads(done.stdout)["reason"]
    assert not (tmp_path / "played" / "calls").exists()


def test_tests_in_another_language_that_start_the_code_let_a_run_begin(tmp_path):
    repository = a_project_of_two_languages(tmp_path, LOADING_TEST)

    done = repository.setpoint("run", WISH, "--agent", "actor", "--json")

    assert json.loads(done.stdout)["ending"] != "unprovable"
    assert (tmp_path / "played" / "calls").exists()
