"""What the own command of a Python project sets and runs before its tests, read from each kind of file."""

from __future__ import annotations

from pathlib import Path

import pytest

from setpoint.checks.discovery.own_commands.command import Kind
from setpoint.checks.discovery.own_commands.elsewhere import files_elsewhere, scripts_elsewhere
from setpoint.checks.discovery.own_commands.excluded import why_excluded
from setpoint.checks.discovery.own_commands.found import own_commands
from setpoint.checks.discovery.own_commands.python_call import python_call
from setpoint.checks.discovery.own_commands.variables import with_own

TOX = "[testenv]\nsetenv =\n    MODE=1\n    PYTHONPATH={toxinidir}/src\ncommands_pre = python gen.py\n"
FACTORS = (
    "[base]\ncommands = pytest -m quick\n[testenv]\nset_env = py311: MODE=1\ncommands = {[base]commands}\n"
)
TOX_TOML = (
    '[env_run_base]\nset_env = {MODE = "1"}\ncommands_pre = [["python", "gen.py"]]\n'
    'commands = [["pytest", {replace = "posargs", default = ["-m", "quick"], extend = true}]]\n'
)
NOX = (
    "import nox\n@nox.session(name='tests')\ndef run(session):\n    session.install('.')\n"
    "    session.env['MODE'] = '1'\n    session.run('python', 'gen.py')\n"
    "    session.run('pytest', *session.posargs, env={'TZ': 'UTC'})\n"
)
HATCH = (
    "[tool.hatch.envs.default.env-vars]\nMODE = '1'\nHOME_OF = '{root}/x'\n"
    "[tool.hatch.envs.default.scripts]\ngen = 'python gen.py'\ntest = ['gen', 'pytest {args:tests}']\n"
)
PDM = (
    "[tool.pdm.scripts]\n_.env = {MODE = '1'}\ngen = 'python gen.py'\n"
    "run-tests = {cmd = ['pytest', '-m', 'quick and not slow'], env = {TZ = 'UTC'}}\n"
    "test = {composite = ['gen', 'run-tests']}\n"
)
POE = (
    "[tool.poe.env]\nMODE = '1'\n[tool.poe.tasks]\ngen = 'python gen.py'\n"
    "[tool.poe.tasks.test]\nsequence = ['gen', {cmd = 'pytest -m quick'}]\n"
)
TASKIPY = (
    "[tool.taskipy.variables]\nwhere = 'quick'\n[tool.taskipy.tasks]\n"
    "pre_test = 'python gen.py'\ntest = {cmd = 'MODE=1 pytest -m {where}', use_vars = true}\n"
)
JUST = (
    'export MODE := "1"\nmark := "quick"\ngen:\n    python gen.py\n'
    "test *args: gen\n    pytest -m {{mark}} {{args}}\n"
)
MAKE = (
    "include common.mk\n.RECIPEPREFIX = >\nexport MODE := 1\nMARK ?= quick\ntest: export TZ = UTC\n"
    "test: gen\n> @pytest -m $(MARK)\n"
)
WORKFLOW = (
    "env: {MODE: 1}\njobs:\n  t:\n    env: {TZ: UTC}\n    steps:\n"
    "    - run: |\n        pip install .\n        pytest -m quick\n      env: {KEY: '${{ matrix.x }}'}\n"
)
SERVICES = "jobs:\n  t:\n    env: {DB: x}\n    services: {db: {}}\n    steps:\n    - run: A=1 pytest\n"
GITLAB = "variables: {MODE: '1'}\nt:\n  script:\n  - export TZ=UTC\n  - pytest -m quick\n"
README = (
    "# x\n```sh\nA=1 pytest\n```\n"
    "## Running tests\n```sh\n$ export MODE=1\n$ env TZ=UTC pytest -m quick\n```\n"
)
BOTH = {"MODE": "1", "TZ": "UTC"}
ONE = {"MODE": "1"}


@pytest.mark.parametrize(
    ("texts", "variables", "before", "options"),
    [
        ({"tox.ini": TOX + "commands = pytest {posargs}\n"}, {**ONE, "PYTHONPATH": "$PWD/src"}, "gen", ""),
        ({"tox.ini": FACTORS}, ONE, "", "-m quick"),
        ({"tox.toml": TOX_TOML}, ONE, "gen", "-m quick"),
        ({"noxfile.py": NOX}, BOTH, "gen", ""),
        ({"pyproject.toml": HATCH}, {**ONE, "HOME_OF": "$PWD/x"}, "gen", ""),
        ({"hatch.toml": HATCH.replace("tool.hatch.", "")}, {**ONE, "HOME_OF": "$PWD/x"}, "gen", ""),
        ({"pyproject.toml": PDM}, BOTH, "gen", "-m|quick and not slow"),
        ({"pyproject.toml": POE}, ONE, "gen", "-m quick"),
        ({"pyproject.toml": TASKIPY}, ONE, "gen", "-m quick"),
        ({"justfile": JUST}, ONE, "gen", "-m quick"),
        ({"Makefile": MAKE, "common.mk": "gen:\n\tpython gen.py\n"}, BOTH, "gen", "-m quick"),
        ({"Makefile": "test: ; MODE=1 pytest -m quick\n"}, ONE, "", "-m quick"),
        ({"Makefile": "test:\n\tPYTHONPATH=$(CURDIR)/lib:$$PYTHONPATH pytest\n"},
         {"PYTHONPATH": "$PWD/lib:"}, "", ""),
        ({"Makefile": "test: venv\n\t$(MAKE) unit\nunit:\n\tpytest -m quick\nvenv:\n\tpip install -e .\n"},
         {}, "", "-m quick"),
        ({".github/workflows/ci.yml": WORKFLOW}, BOTH, "", "-m quick"),
        ({".github/workflows/ci.yml": SERVICES}, {"A": "1"}, "", ""),
        ({".gitlab-ci.yml": GITLAB}, BOTH, "", "-m quick"),
        ({"CONTRIBUTING.md": "```sh\nMODE=1 PYTEST_ADDOPTS='-m quick' pytest\n```\n"}, ONE, "", "-m quick"),
        ({"CONTRIBUTING.md": "```sh\nuv run --group dev env MODE=1 pytest -m quick\n```\n"}, ONE, "",
         "-m quick"),
        ({"README.md": README}, BOTH, "", "-m quick"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) and value else None,
)  # fmt: skip
def test_pytest_gets_what_the_own_command_sets(texts, variables, before, options) -> None:
    call = python_call(own_commands(texts))
    assert call is not None
    assert dict(call.variables) == variables
    assert before in call.before
    assert bool(before) == bool(call.before)
    assert list(call.options) == options.split("|" if "|" in options else None)


@pytest.mark.parametrize(
    "script", ["PYTHONOPTIMIZE=1 pytest", "PATH=/x:$PATH pytest", "A=$(date) pytest", "A=$UNKNOWN pytest"]
)
def test_what_switches_assertions_off_or_is_not_written_out_is_not_taken(script: str) -> None:
    call = python_call(own_commands({"CONTRIBUTING.md": f"```sh\n{script}\n```\n"}))
    assert call is None or not call.variables


def test_a_recipe_that_make_has_to_compute_is_run_by_make() -> None:
    texts = {"Makefile": "test:\n\tfor each in $(wildcard t/*.sh); do sh $$each; done\n"}
    found = next(each for each in own_commands(texts) if each.kind is Kind.TEST)
    assert (found.opaque, found.testing) == (True, "make test")


def test_a_command_that_installs_and_cannot_be_parted_is_never_run() -> None:
    texts = {"Makefile": "test:\n\tpip install -e . || true; for t in *.py; do python $$t; done\n"}
    found = next(each for each in own_commands(texts) if each.kind is Kind.TEST)
    assert "it installs packages" in found.excluded


def test_files_that_are_there_are_not_made_again() -> None:
    texts = {"Makefile": "test: gen.txt\n\tpytest\ngen.txt: gen.in\n\tpython gen.py\n"}
    assert python_call(own_commands(texts)).before == "python gen.py"
    assert python_call(own_commands(texts, ("gen.txt",))).before == ""


def test_folders_of_the_own_pythonpath_come_after_those_of_the_check(tmp_path: Path) -> None:
    found = with_own([("PYTHONPATH", "lib:$PWD/x"), ("A", "$PWD")], {"PYTHONPATH": "/ours"}, tmp_path)
    assert found == {"PYTHONPATH": f"/ours:{tmp_path}/lib:{tmp_path}/x", "A": str(tmp_path)}


def test_a_script_that_a_readme_names_for_tests_is_found_outside_of_usage() -> None:
    usage = "# tool\n```\nscript/test\n```\n"
    texts = {"README.md": f"{usage}## Development\n\n```sh\n./run_tests.sh --all\n```\n"}
    assert [each.script for each in own_commands(texts)] == ["./run_tests.sh --all"]


def test_runners_that_are_called_in_our_way_get_the_variables_too() -> None:
    texts = {"Makefile": "export CGO_ENABLED = 0\ntest:\n\tTZ=UTC go test -race ./...\n"}
    test = next(each for each in own_commands(texts) if each.kind is Kind.TEST)
    (call,) = test.calls()["go_test"]
    assert dict(call.variables) == {"CGO_ENABLED": "0", "TZ": "UTC"}


SIMPLE = (
    '#!/bin/sh\nset -e\ncd "$(dirname "$0")/.."\nexport MODE=1\npython gen.py\nexec pytest -m quick "$@"\n'
)
BEHIND = "[testenv]\nsetenv = MODE=1\ncommands = pytest -m quick\n"
BRANCHED = "#!/bin/sh\nif [ -d venv ]; then\n  export A=b\nfi\nexport MODE=1\n${X}python -m pytest -m quick\n"


@pytest.mark.parametrize(
    ("texts", "before"),
    [
        ({"CONTRIBUTING.md": "```\n./scripts/test\n```\n", "scripts/test": SIMPLE}, "python gen.py"),
        ({"CONTRIBUTING.md": "```\nscripts/test\n```\n", "scripts/test": BRANCHED}, ""),
        (
            {
                "Makefile": "test:\n\ttox\n",
                "tox.ini": "[testenv]\nsetenv = MODE=1\ncommands = pytest -m quick\n",
            },
            "",
        ),
        (
            {
                "Makefile": "test:\n\tMODE=1 pytest -m quick $(wildcard t/*.py)\n",
            },
            "",
        ),
    ],
    ids=["script", "script with branches", "tox behind make", "functions of make"],
)
def test_what_another_file_says_is_followed(texts, before) -> None:
    call = python_call(own_commands(texts))
    assert call is not None
    assert (dict(call.variables)["MODE"], call.options, call.before) == ("1", ("-m", "quick"), before)


@pytest.mark.parametrize(
    ("makefile", "whole", "excluded"),
    [
        ("define STEP\nexit 7\nendef\ntest:\n\t$(STEP)\n\tpytest\n", "make test", ""),
        ("define STEP\nkubectl apply\nendef\ntest:\n\t$(STEP)\n\tpytest\n", "make test", "it calls kubectl"),
        ("test: test-unit\n\tpytest\ntest-%:\n\tflyctl deploy $*\n", "make test", "it calls flyctl"),
        ("test: a.txt\n\tpytest\na.txt: b.txt\n\tcat $< > $@\n", "", ""),
    ],
)
def test_what_only_make_puts_together_is_run_by_make(makefile, whole, excluded) -> None:
    found = next(each for each in own_commands({"Makefile": makefile}) if each.kind is Kind.TEST)
    assert (found.whole, found.excluded) == (whole, excluded)


SHIP = '{"scripts": {"ship": "npm publish"}}'


@pytest.mark.parametrize(
    ("script", "texts", "why"),
    [
        ("make -C infra all", {"infra/Makefile": "all:\n\tterraform apply\n"}, "it calls terraform"),
        ("cd infra && make", {"infra/Makefile": "all:\n\tterraform apply\n"}, "it calls terraform"),
        (
            "npm --prefix web run ship",
            {"web/package.json": '{"scripts": {"ship": "npm publish"}}'},
            "it calls `npm",
        ),
        ("make -C docs html", {"docs/Makefile": "html:\n\techo\nall:\n\tterraform apply\n"}, ""),
    ],
)
def test_what_runs_in_other_folders_is_read(script, texts, why) -> None:
    assert [*files_elsewhere(script, texts)] == [*texts]
    found = [why_excluded(text) for _, text in scripts_elsewhere(script, texts)]
    assert found
    assert found[0].startswith(why)


@pytest.mark.parametrize(
    ("script", "excluded"),
    [
        ("pytest -k deploy", False),
        ("pytest -m 'publish or release'", False),
        ("echo now deploy it", False),
        ("SECRET_KEY=${SECRET_KEY:-test} pytest", False),
        ("A=$API_TOKEN pytest", True),
        ("npm run deploy", True),
        ("git -C x push", True),
        ("find / -name '*.pyc' -delete", True),
    ],
)
def test_words_that_look_alike_are_parted(script: str, excluded: bool) -> None:
    assert bool(why_excluded(script)) is excluded


def test_steps_that_write_a_file_come_first() -> None:
    call = python_call(own_commands({"Makefile": "test:\n\techo 1 > stamp.txt\n\techo hello\n\tpytest\n"}))
    assert call.before == "echo 1 > stamp.txt"


def test_tox_may_test_what_it_has_installed() -> None:
    line = "pytest --doctest-modules {env_site_packages_dir}/pkg {tox_root}/tests"
    tox = f"[testenv]\nchangedir = .tox\ncommands = {line}\n"
    call = python_call(own_commands({"tox.ini": tox}))
    assert (call.options, call.targets) == (("--doctest-modules",), ("pkg", "tests"))
