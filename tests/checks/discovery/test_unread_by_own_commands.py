"""What the files of own commands say that is not read is named; what is read is not."""

from __future__ import annotations

import pytest

from setpoint.checks.discovery.layout import read_layout
from setpoint.checks.discovery.own_commands.found import own_commands
from setpoint.checks.discovery.own_commands.unread import unread

WORKFLOW = ".github/workflows/test.yml"
JOB = "jobs:\n  t:\n    strategy:\n      matrix:\n        mode: [a, b]\n    steps:\n      - run: pytest -q\n"
NOX = (
    "import nox\n@nox.session\n@nox.parametrize('mode', ['a'])\n"
    "def tests(session, mode):\n    session.run('pytest')\n"
)
HATCH = (
    "[tool.hatch.envs.test.scripts]\ntest = 'pytest'\n[[tool.hatch.envs.test.matrix]]\nmode = ['a']\n"
    "[tool.hatch.envs.test.overrides]\nmatrix.mode.env-vars = 'MODE'\n"
)
SWITCH = "[tool.poe.tasks.test]\ncontrol.expr = '1'\nswitch = [{case = '1', cmd = 'pytest'}]\n"
SAID = [
    (WORKFLOW, JOB, "jobs.t.strategy.matrix is not read: the command is run once without it"),
    ("noxfile.py", NOX, "@nox.parametrize of tests is not read: the command is run once without it"),
    (
        "pyproject.toml",
        HATCH,
        "tool.hatch.envs.test.overrides is not read: the command is run once without it",
    ),
    (
        "hatch.toml",
        HATCH.replace("tool.hatch.", ""),
        "envs.test.matrix is not read: the command is run once without it",
    ),
    ("pyproject.toml", SWITCH, "tool.poe.tasks.test.switch is not read: which case holds is not known"),
    (
        "pyproject.toml",
        "[tool.poe]\nenvfile = '.env'\ntasks.test = 'pytest'\n",
        "tool.poe.envfile is not read: variables of a file are not known",
    ),
    (
        "pyproject.toml",
        "[tool.pdm.scripts]\ntest = {cmd = 'pytest', env_file = '.env'}\n",
        "tool.pdm.scripts.test.env_file is not read: variables of a file are not known",
    ),
    (
        "justfile",
        "set dotenv-load\ntest:\n    pytest\n",
        "`set dotenv-load` is not read: variables of a file are not known",
    ),
    (
        "Makefile",
        "-include .env\ntest:\n\tpytest\n",
        "`include .env` is not read: variables of a file are not known",
    ),
    ("Makefile", "test:\n\tgo test -run Fast ./...\n", "`-run` of `go test` is not read: all tests run"),
]
READ = [
    (WORKFLOW, JOB.replace("matrix", "fail-fast").replace("mode: [a, b]", "x: 1")),
    (WORKFLOW, JOB.replace("pytest -q", "ruff check")),
    ("noxfile.py", NOX.replace("def tests", "def docs")),
    ("pyproject.toml", "[tool.poe.tasks]\ntest = 'pytest'\nbuild.switch = []\n"),
    ("justfile", "set dotenv-load := false\ntest:\n    pytest\n"),
    ("Makefile", "test:\n\tgo test -race ./...\n"),
    ("pyproject.toml", "["),
]


@pytest.mark.parametrize(("file", "text", "line"), SAID)
def test_what_is_not_read_is_named_with_its_place(file, text, line):
    assert f"{file}: {line}" in unread({file: text}, own_commands({file: text}))


@pytest.mark.parametrize(("file", "text"), READ)
def test_nothing_is_named_where_all_is_read_or_nothing_tests(file, text):
    assert unread({file: text}, own_commands({file: text})) == ()


def test_the_layout_holds_it():
    assert (
        read_layout((WORKFLOW,), {WORKFLOW: JOB}).unread[0].startswith(f"{WORKFLOW}: jobs.t.strategy.matrix")
    )


def below(run="PYTHONPATH=lib:$PWD/gen MODE=1 pytest -m quick --ignore=old -c x.ini", more=()):
    text = f"jobs:\n  t:\n    steps:\n      - run: {run}\n        working-directory: ./back\n"
    return read_layout((WORKFLOW, "back/tests/test_a.py", *more), {WORKFLOW: text}).python_call


def test_a_folder_that_holds_all_tests_gives_its_call():
    call = below()

    assert call.options == ("-m", "quick", "--ignore=back/old", "-c", "back/x.ini")
    assert dict(call.variables) == {"MODE": "1", "PYTHONPATH": "back/lib:$PWD/back/gen"}
    assert below("python -m unittest discover -s tests").start == "back/tests"


def test_a_folder_beside_other_tests_gives_none():
    assert below(more=("tests/test_b.py",)) is None


def test_a_recipe_gets_the_arguments_of_the_one_that_needs_it():
    text = "test: (gen 'fast' kind) (gen \"x\") && (end 'y')\n    pytest\nkind := 'k'\n"
    text += "gen mode='slow' of='all':\n    python gen.py {{mode}} {{of}}\nend z:\n    echo {{z}}\n"
    (found,) = own_commands({"justfile": text})

    assert found.script == "python gen.py fast k && python gen.py x all && pytest && echo y"


def test_a_negated_factor_of_tox_is_read():
    text = "[testenv]\nset_env =\n    ci: MODE=ci\n    !ci: MODE=own\n"
    text += "commands =\n    !ci: pytest -m own\n    ci: pytest\n"
    (found,) = own_commands({"tox.ini": text})

    assert found.script == "MODE=own pytest -m own"
