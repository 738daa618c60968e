"""Which commands the project's own people type, where they come from, and what is never run."""

from __future__ import annotations

import json

import pytest

from setpoint.checks.discovery.own_commands.command import Kind
from setpoint.checks.discovery.own_commands.excluded import scripts_named, why_excluded
from setpoint.checks.discovery.own_commands.found import own_commands
from setpoint.checks.discovery.own_commands.python_call import PythonCall, python_call

STEPS = "jobs:\n  a:\n    steps:\n    - run: |\n        go vet ./...\n        go test -race ./...\n"


def package(**scripts: str) -> str:
    return json.dumps({"scripts": scripts})


def command(texts: dict[str, str], kind: Kind = Kind.TEST):
    return next((each for each in own_commands(texts) if each.kind is kind), None)


@pytest.mark.parametrize(
    ("texts", "shown", "script"),
    [
        ({"package.json": package(test="uvu -r esm test")}, "npm test", "uvu -r esm test"),
        ({"package.json": package(test='echo "Error: no test specified" && exit 1')}, None, None),
        (
            {"package.json": package(test="npm run build && tap", build="tsc", pretest="rimraf out")},
            "npm test",
            "rimraf out && tsc && tap",
        ),
        ({"package.json": package(test="run-s t:*", **{"t:a": "ava", "t:b": "tape x.js"})}, "npm test",
         "ava && tape x.js"),
        ({"Makefile": "PY ?= python\ntest: build\n\t@$(PY) -m pytest\n"}, "make test", "python -m pytest"),
        ({"justfile": "test args='':\n    pytest tests\n"}, "just test", "pytest tests"),
        ({"build.xml": "<project>\n<target name='jar'/><target\n depends='jar' name='junit'/></project>"},
         "ant junit", "ant junit"),
        ({"build.xml": "<project><target name='jar'/><!-- <target name='test'/> --></project>"}, None, None),
        ({"CONTRIBUTING.md": "```sh\nant clean test\n```\n"}, "ant clean test", "ant clean test"),
        ({"tox.ini": "[testenv]\nsetenv = MODE=1\ncommands = pytest {posargs:tests}\n"}, "tox",
         "MODE=1 pytest tests"),
        ({"noxfile.py": "def tests(it):\n    it.run('pytest', '-q')\n"}, "nox -s tests", "pytest -q"),
        (
            {"pyproject.toml": "[tool.hatch.envs.default.scripts]\ntest = 'pytest {args:tests}'\n"},
            "hatch run test",
            "pytest tests",
        ),
        (
            {".github/workflows/ci.yml": STEPS},
            "go test -race ./...",
            "go test -race ./...",
        ),
        ({"CONTRIBUTING.md": "Run\n```sh\n$ cargo test --all-features\n```\n"}, "cargo test --all-features",
         "cargo test --all-features"),
        ({"package.json": "{", "Makefile": "\x00", "tox.ini": "[", "noxfile.py": "def"}, None, None),
    ],
)  # fmt: skip
def test_the_test_command_is_found_where_people_wrote_it(texts, shown, script):
    found = command(texts)
    assert (found.shown if found else None, found.script if found else None) == (shown, script)


def test_lint_types_and_build_are_found_too():
    texts = {"package.json": package(test="ava", lint="xo", typecheck="tsc --noEmit", build="tsc")}
    assert {each.kind: each.script for each in own_commands(texts)} == {
        Kind.TEST: "ava", Kind.LINT: "xo", Kind.TYPES: "tsc --noEmit", Kind.BUILD: "tsc",
    }  # fmt: skip


@pytest.mark.parametrize(
    "script",
    [
        "docker compose up --exit-code-from app",
        "npm publish",
        "ava && npx semantic-release",
        "make deploy",
        "API_TOKEN=$API_TOKEN ava",
        "jest && git push",
        "mocha --watch",
        "sh -c 'kubectl apply -f x'",
    ],
)
def test_what_deploys_publishes_composes_watches_or_wants_secrets_is_never_run(script):
    found = command({"package.json": package(test=script)})
    assert found.excluded
    assert found.calls() == {}


def test_steps_of_ci_that_want_secrets_are_left_out():
    step = "jobs:\n  a:\n    steps:\n    - run: pytest\n      env: {TOKEN: '${{ secrets.TOKEN }}'}\n"
    assert command({".github/workflows/ci.yml": step}) is None


@pytest.mark.parametrize(
    ("script", "runner", "line"),
    [
        ("node --import=tsx/esm --test test/*.ts", "node_test", "RUN --import=tsx/esm test/*.ts"),
        ("tsx --test test/a.ts", "node_test", "RUN --import=tsx test/a.ts"),
        ("eslint . && vitest run --typecheck --coverage", "vitest", "RUN --typecheck"),
        ("tsc && node --test dist", "node_test", "tsc && RUN dist"),
        ("c8 --reporter=lcov mocha -r ts-node/register 'test/**/*.ts' --reporter dot", "mocha",
         "RUN -r ts-node/register 'test/**/*.ts'"),
        ("cross-env TZ=UTC npx jest --ci src", "jest", "TZ=UTC RUN src"),
        ("node --experimental-vm-modules node_modules/jest/bin/jest.js", "jest",
         'NODE_OPTIONS="--experimental-vm-modules" RUN'),
    ],
)  # fmt: skip
def test_arguments_variables_and_builds_stay_with_our_reader(script, runner, line):
    calls = command({"package.json": package(test=script)}).calls()
    assert list(calls) == [runner]
    assert calls[runner][0].line(["RUN"]) == line


def test_files_of_a_selection_take_the_place_of_the_commands_own():
    call = command({"package.json": package(test="mocha -r esm test/*.js")}).calls()["mocha"][0]
    assert call.line(["mocha", "--reporter=x"], ["test/a b.js"]) == "mocha --reporter=x -r esm 'test/a b.js'"


def test_a_command_with_more_than_a_list_is_run_whole():
    found = command({"package.json": package(test="(cd a && ava) || exit 1")})
    assert (found.opaque, found.script, found.calls()) == (True, "(cd a && ava) || exit 1", {})


def test_options_of_the_program_that_sets_variables_stay_with_it():
    assert command({"Makefile": "test:\n\tenv -u HOME pytest -q\n"}).testing == "env -u HOME pytest -q"


def test_linters_and_launchers_are_left_out_of_what_is_run_for_tests():
    found = command({"package.json": package(test="xo && pnpm exec ava && npx npm audit")})
    assert found.testing == "ava"


@pytest.mark.parametrize(
    ("script", "call"),
    [
        (
            "pytest --doctest-modules pkg tests -n auto --cov",
            ("pytest", ("--doctest-modules",), ("pkg", "tests")),
        ),
        ("coverage run -m pytest -p no:randomly tests", ("pytest", ("-p", "no:randomly"), ())),
        ("python -m pytest -m 'not network' -x", ("pytest", ("-m", "not network"), ())),
        ("python run_tests.py", None),
    ],
)
def test_arguments_of_pytest_that_change_what_runs_are_kept(script, call):
    made = python_call(own_commands({"Makefile": f"test:\n\t{script}\n"}))
    assert (made and (made.runner, made.options, made.targets)) == call


def test_unittest_looks_where_the_own_command_looks():
    made = python_call(
        own_commands({"Makefile": "test:\n\tpython -m unittest discover -s lib -p '*_test.py'\n"})
    )
    assert made == PythonCall(runner="unittest", pattern="*_test.py", start="lib", shown="make test")
    assert [made.takes(file) for file in ("lib/a_test.py", "lib/test_a.py", "b_test.py")] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("X=kube; X=${X}ctl; $X apply -f prod.yml", "it calls kubectl"),
        ("rm -rf $HOME/x && node --test", "it removes $HOME/x, outside the project"),
        ("rm -rf ../other && node --test", "it removes ../other, outside the project"),
        ("rm -rf dist && node --test", ""),
        ("mocha --ui tdd", ""),
        ("vitest --ui", "it watches and does not end"),
    ],
)
def test_variables_are_read_and_nothing_outside_is_removed(script: str, why: str) -> None:
    assert why_excluded(script) == why


def test_the_shell_scripts_of_a_command_are_named() -> None:
    files = ("scripts/ci.sh", "t.sh", "bin/run", "a.js")

    assert list(scripts_named("sh scripts/ci.sh && ./t.sh && bin/run && node a.js", files)) == [
        "scripts/ci.sh",
        "t.sh",
        "bin/run",
    ]
