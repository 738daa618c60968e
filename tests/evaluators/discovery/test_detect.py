from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from setpoint.errors import SettingsError
from setpoint.evaluators.discovery.detect import Interpreters, choose, found_leak
from setpoint.evaluators.discovery.interpreter import environment, find_interpreter, own_interpreter
from setpoint.evaluators.discovery.layout import read_layout
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

    assert set(automatic) == {"parse", "integrity", "bandit"}
    assert set(forced) == {"parse", "integrity", "pytest", "coverage", "ruff", "mypy"}
    assert forced["mypy"] == "setting checks.mypy"
