from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from setpoint.checks.discovery.interpreter import (
    Interpreter,
    environment,
    find_interpreter,
    own_interpreter,
    probe,
)
from setpoint.checks.discovery.layout import read_layout
from setpoint.checks.discovery.project import Interpreters, choose, found_leak, without_switched_off
from setpoint.errors import SettingsError
from setpoint.settings import ChecksSettings

LIB = ("lib/thing/__init__.py", "tests/test_thing.py")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a project with an environment of its own and a checkout of it in `place`."""
    root = tmp_path / "root"
    for folder in (root, root / ".setpoint" / "place"):
        (folder / "lib" / "thing").mkdir(parents=True)
        (folder / "lib" / "thing" / "__init__.py").write_text("")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root / ".venv")], check=True)
    return root


def site(root: Path) -> Path:
    return next((root / ".venv" / "lib").glob("python*/site-packages"))


def program(place: Path, text: str) -> Path:
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)
    return place


async def test_versions_are_those_that_an_import_would_find_first(root: Path, tmp_path: Path) -> None:
    for name, text in (
        ("pytest-9.1.0", "Metadata-Version: 2.1\nName: pytest\nVersion: 9.1.0\n"),
        ("coverage-7.0", "Metadata-Version: 2.1\nName: coverage\n"),
        ("Pytest_Cov-6.0", "Metadata-Version: 2.1\nName: Pytest_Cov\nVersion: 6.0\n"),
    ):
        (site(root) / f"{name}.dist-info").mkdir()
        (site(root) / f"{name}.dist-info" / "METADATA").write_text(text)
    later = tmp_path / "later" / "pytest-8.0.0.dist-info"
    later.mkdir(parents=True)
    (later / "METADATA").write_text("Metadata-Version: 2.1\nName: pytest\nVersion: 8.0.0\n")
    (site(root) / "a.pth").write_text(f"{tmp_path / 'later'}\n")

    found = await probe(str(root / ".venv" / "bin" / "python"), "")

    assert isinstance(found, Interpreter)
    assert found.modules == {"pytest": "9.1.0", "pytest-cov": "6.0"}
    assert str(tmp_path / "later") in found.folders
    shutil.rmtree(later)
    again = await probe(found.path, "")
    assert isinstance(again, Interpreter)
    assert again.fingerprint != found.fingerprint


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ("exit 3", "exit code 3"),
        ("echo hello there", "not readable"),
        ("echo '{1: '", "not readable"),
        ('echo \'{"version": "3"}\'', "not readable"),
        ("printf '\\377'", "not readable"),
        (":", "not readable"),
    ],
)
async def test_what_does_not_answer_as_an_interpreter_is_none(tmp_path: Path, says: str, why: str) -> None:
    found = await probe(str(program(tmp_path / "python", says)), "")

    assert isinstance(found, str)
    assert why in found


async def test_the_environment_in_the_project_is_taken(root: Path) -> None:
    found = await find_interpreter(root, ChecksSettings())

    assert found.path == str(root / ".venv" / "bin" / "python")
    assert found.reason == ".venv in the project"
    assert found.prefix == str(root / ".venv")
    assert not found.has("pytest")


async def test_an_interpreter_of_the_settings_that_does_not_work_is_an_error(root: Path) -> None:
    with pytest.raises(SettingsError, match=r"checks\.python"):
        await find_interpreter(root, ChecksSettings(python="no/such/python"))


async def test_packages_installed_from_the_users_tree_are_taken_from_the_measured_one(root: Path) -> None:
    (site(root) / "thing.pth").write_text(f"{root / 'lib'}\n")
    interpreter = await find_interpreter(root, ChecksSettings())

    layout, leak = await found_leak(root, root / ".setpoint" / "place", interpreter, read_layout(LIB, {}))

    assert (layout.imports, leak) == (("lib", ""), "")


async def test_an_import_hook_into_the_users_tree_is_told_with_its_mend(root: Path) -> None:
    hook = (
        "import sys\nfrom importlib.machinery import PathFinder\n"
        "class Finder:\n    @staticmethod\n    def find_spec(name, path=None, target=None):\n"
        f"        return PathFinder.find_spec(name, [{str(root / 'lib')!r}]) if name == 'thing' else None\n"
        "sys.meta_path.insert(0, Finder)\n"
    )
    (site(root) / "thing_hook.py").write_text(hook)
    (site(root) / "thing.pth").write_text("import thing_hook\n")
    interpreter = await find_interpreter(root, ChecksSettings())

    _, leak = await found_leak(root, root / ".setpoint" / "place", interpreter, read_layout(LIB, {}))

    assert "your own tree" in leak
    assert "uninstall it" in leak


async def test_our_environment_is_not_on_the_projects_path(root: Path) -> None:
    interpreter = await find_interpreter(root, ChecksSettings())

    variables = environment(interpreter, root, ("src", ""))

    path = variables["PATH"].split(":")
    assert path[0] == str(root / ".venv" / "bin")
    assert str(Path(sys.executable).parent) not in path
    assert variables["VIRTUAL_ENV"] == str(root / ".venv")
    assert variables["PYTHONPATH"].split(":")[:2] == [str(root / "src"), str(root)]


def test_a_layout_is_read_from_files_and_settings() -> None:
    files = (
        "src/pkg/__init__.py", "src/pkg/core.py", "src/one.py", "tests/__init__.py", "tests/test_a.py",
        "docs/conf.py", "setup.py", "examples/x/__init__.py", "conftest.py",
    )  # fmt: skip
    texts = {
        "pyproject.toml": "[tool.ruff]\n[tool.coverage.run]\n",
        "setup.cfg": "[tool:pytest]\n[mypy]\nfiles = src\n",
        "tox.ini": "[tox\n",
    }

    layout = read_layout(files, texts)

    assert layout.packages == ("src/one.py", "src/pkg")
    assert layout.imports == ("src", "")
    assert layout.tests == ("tests/__init__.py", "tests/test_a.py")
    assert dict(layout.configured) == {
        "ruff": "pyproject.toml", "coverage": "pyproject.toml", "pytest": "setup.cfg", "mypy": "setup.cfg",
    }  # fmt: skip
    assert "mypy" in layout.names_files
    assert layout.owns("pkg")
    assert layout.owns("test_a")
    assert not layout.owns("numpy")


async def test_checks_are_chosen_with_a_reason() -> None:
    own = await own_interpreter()
    both = Interpreters(project=own, own=own)
    plain = read_layout(("a.py",), {})

    automatic = choose(ChecksSettings(), plain, both)
    forced = choose(
        ChecksSettings(pytest=True, coverage=True, ruff=True, mypy=True, bandit=False), plain, both
    )

    assert set(automatic) == {"parse", "integrity", "bandit", "pytest", "coverage"}
    assert automatic["pytest"] == "pytest is installed, and no test is there yet"
    assert set(forced) == {"parse", "integrity", "pytest", "coverage", "ruff", "mypy"}
    assert forced["mypy"] == "setting checks.mypy"


async def test_a_build_that_is_switched_off_leaves_its_folder_to_the_own_command() -> None:
    texts = {"pom.xml": "<project/>", "build.xml": "<project><target name='test'/></project>"}
    layout = read_layout((*texts, "src/test/java/ShopTest.java"), texts)
    changed = without_switched_off(layout, ChecksSettings(maven=False))

    assert without_switched_off(layout, ChecksSettings()) == layout
    assert ({*layout.suites}, {*changed.suites}) == ({"maven"}, {"own_tests"})
    assert changed.suites["own_tests"].reason == "`ant test` of build.xml: ant test"


async def test_tests_with_names_of_their_own_are_judged_by_the_own_command() -> None:
    own = await own_interpreter()
    both = Interpreters(project=own, own=own)
    texts = {
        "Makefile": "test:\n\tpython3 -m unittest discover -p '*_check.py'\n",
        "pytest.ini": "[pytest]\n",
    }
    files = ("Makefile", "pytest.ini", "shop_check.py", "shop.py")

    named = choose(ChecksSettings(), read_layout(files, texts), both)
    usual = choose(ChecksSettings(), read_layout((*files, "test_shop.py"), {**texts, "Makefile": ""}), both)

    assert ("own_tests" in named, "own_tests" in usual) == (True, False)


OWN_TESTS = ChecksSettings(own_tests=True)


async def test_an_own_test_command_that_is_asked_for_and_missing_is_refused():
    both = Interpreters(project=await own_interpreter(), own=await own_interpreter())
    layout = read_layout(("src/a.js",), {})

    with pytest.raises(
        SettingsError, match=r"checks.own_tests = true: no file of the project names"
    ) as raised:
        choose(OWN_TESTS, layout, both)

    assert "script 'test' of package.json" in raised.value.hint


async def test_an_own_test_command_that_is_read_test_by_test_is_not_run_whole():
    both = Interpreters(project=await own_interpreter(), own=await own_interpreter())
    files = ("package.json", "test/a.test.js")
    layout = read_layout(files, {"package.json": '{"scripts": {"test": "node --test test/"}}'})

    with pytest.raises(SettingsError, match="is read test by test: node_test") as raised:
        choose(OWN_TESTS, layout, both)

    assert "switch that runner off" in raised.value.hint
