"""Why the tests of a project with code are not run, in the words of its own files."""

import json

import pytest

from setpoint.checks.discovery.interpreter import own_interpreter
from setpoint.checks.discovery.layout import read_layout
from setpoint.checks.discovery.project import Interpreters, choose, without_tests
from setpoint.checks.discovery.unread_tests import why_no_tests
from setpoint.model.evidence import NO_SUITE
from setpoint.presets.check_settings import ChecksSettings


def manifest(command):
    return json.dumps({"scripts": {"test": command}})


@pytest.mark.parametrize(
    ("command", "runner"),
    [
        ("tap test/*.js", "tap"),
        ("c8 --all node_modules/.bin/uvu tests", "uvu"),
        ("cross-env NODE_ENV=test npx lab -v", "lab"),
        ("./scripts/test.sh", "test.sh"),
    ],
)
def test_a_script_names_its_runner(command, runner):
    said = why_no_tests(("index.js", "package.json"), {"package.json": manifest(command)})
    assert said == f"package.json calls `{runner}` (script 'test': `{command}`), which Setpoint cannot read"


@pytest.mark.parametrize(
    ("files", "texts", "word"),
    [
        (("a.js", "package.json"), {"package.json": manifest("echo no test specified")}, "npm init"),
        (("a.js", "package.json"), {"package.json": "{"}, "not JSON"),
        (("a.js", "package.json"), {"package.json": "{}"}, "no script 'test'"),
        (("pom.xml", "src/main/java/A.java"), {}, "no file of tests"),
        (("Makefile", "a.c", "tests/test_a.c"), {}, "tests/test_a.c"),
        (("a.rb", "test/test_a.rb"), {}, "nothing says what runs test/test_a.rb"),
        (("a.go", "go.mod"), {}, "no file of tests"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named(files, texts, word):
    assert word in why_no_tests(files, texts)


def test_without_code_no_tests_are_missing():
    assert not why_no_tests(("README.md", "docs/a.md", "LICENSE", "mkdocs.yml"), {})


async def test_it_stands_among_the_checks_only_where_no_suite_does():
    own = await own_interpreter()
    both = Interpreters(project=own, own=own)
    unread = read_layout(("a.js", "package.json"), {"package.json": manifest("docker compose run tests")})
    read = read_layout(("a.js", "package.json"), {"package.json": manifest("vitest run")})
    off = ChecksSettings(vitest=False)

    assert "docker" in without_tests(choose(ChecksSettings(), unread, both), unread)[NO_SUITE]
    assert without_tests(choose(ChecksSettings(), read, both), read) == {}
    assert "switch vitest off" in without_tests(choose(off, read, both), read)[NO_SUITE]
