"""`setpoint run` on a project that knows nothing of pytest, and says in a hook that it uses mypy."""

import venv

from acceptance.conftest import BUG, RIGHT, new_repository

TESTS = """import unittest

from calc import add


class Adds(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)

    def test_zero(self):
        self.assertEqual(add(0, 0), 0)
"""
HOOKS = "repos:\n- repo: local\n  hooks:\n  - {id: mypy, entry: mypy, language: system}\n"


def test_a_wrong_try_is_bounced_and_a_right_one_verified(tmp_path):
    repository = new_repository(tmp_path / "project")
    repository.git("rm", "-q", "pyproject.toml")
    repository.write("tests/test_calc.py", TESTS)
    repository.write(".pre-commit-config.yaml", HOOKS)
    repository.write(".gitignore", ".venv/\n")
    venv.create(repository.root / ".venv", with_pip=False)
    repository.agent(
        [{"write": "calc.py", "text": BUG.replace("-", "*")}],
        [
            {"expect": "tests/test_calc.py::Adds::test_add"},
            {"expect": "6 != 5"},
            {"write": "calc.py", "text": RIGHT},
        ],
    )

    code, outcome = repository.run("--agent", "actor", SETPOINT_CHECKS__PYTHON="")
    shown = repository.setpoint("show", "log").stdout

    assert (code, outcome["mark"], outcome["iterations"], outcome["bounces"]) == (
        0, "IMPLEMENTATION_VERIFIED", 2, 1,
    )  # fmt: skip
    assert "unittest: 1 file of tests, for example tests/test_calc.py" in shown
    assert "mypy: .pre-commit-config.yaml has the hook mypy" in shown
    assert "type coverage 0.00" in shown


def test_leaving_a_test_out_does_not_pass(tmp_path):
    repository = new_repository(tmp_path / "project")
    repository.git("rm", "-q", "pyproject.toml")
    repository.write("tests/test_calc.py", TESTS)
    skipped = TESTS.replace("    def test_add", '    @unittest.skip("later")\n    def test_add')
    repository.agent(
        [{"write": "tests/test_calc.py", "text": skipped}], [{"delete": "tests/test_calc.py"}], [], [],
        settings="[checks]\nunittest = true\n",
    )  # fmt: skip

    code, outcome = repository.run("--agent", "actor")

    assert (code, outcome["ending"]) == (11, "stopped")
