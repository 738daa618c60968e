"""Which places are opened to an agent: never where a link leads that it laid, nor code that is run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import setpoint
from setpoint.agents.command.agent import CommandAgent
from setpoint.agents.launch import Launch
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.checks.discovery.interpreter import environments, own_code
from setpoint.errors import SettingsError
from setpoint.model.attempt import Brief
from setpoint.model.config.sandbox import Means, SandboxSettings
from setpoint.presets.check_settings import ChecksSettings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes.writable_paths import Places
from setpoint.testing import SilentObserver


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for folder in (".cache/agent", ".cache/uv", ".own", ".ssh", "project/.setpoint", "project/.git/hooks"):
        (home / folder).mkdir(parents=True)
    return home


def _opened(home: Path, *own: str, given: tuple[str, ...] = (), **keys: object) -> list[str]:
    project = home / "project"
    environment = {"HOME": str(home), **keys.pop("environment", {})}
    places = Places(environment, (project, project / ".setpoint"), keys.pop("code", ()))
    found = places.opened(given, own, caches=keys.pop("caches", True))
    return [str(Path(each).relative_to(home)) for each in found]


def _linked(link: Path, target: Path) -> None:
    if link.exists():
        link.rmdir()
    link.symlink_to(target)


TARGETS = ["project/.setpoint", "project/.git/hooks", "project", ".ssh", "missing"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("caches", [True, False])
def test_a_link_in_a_place_that_agents_write_to_is_not_followed(
    home: Path, target: str, *, caches: bool
) -> None:
    _linked(home / ".cache/agent", home / target)
    _linked(home / ".own/inner", home / target)
    own = (".own/inner/", ".cache/agent/", ".own/", ".cache/agent/deeper/")
    assert _opened(home, *(f"~/{each}" for each in own), caches=caches) == [".own"]
    assert not (home / "missing").exists()
    assert not (home / target / "deeper").exists()


@pytest.mark.parametrize("target", ["project/.setpoint", "project/.git/hooks", "project"])
def test_a_link_of_the_user_to_a_protected_place_opens_nothing(home: Path, target: str) -> None:
    _linked(home / ".mine", home / target)
    assert _opened(home, "~/.mine/", caches=False) == []
    with pytest.raises(SettingsError, match=r"sandbox.writes: .*repository"):
        _opened(home, given=("~/.mine",))


def test_a_link_of_the_user_elsewhere_is_followed(home: Path) -> None:
    (home / "dotfiles/agent").mkdir(parents=True)
    _linked(home / ".own", home / "dotfiles/agent")
    _linked(home / "way", Path("dotfiles/../dotfiles"))
    assert _opened(home, "~/.own/", caches=False) == ["dotfiles/agent"]
    assert _opened(home, "~/way/made/", given=("~/.own",), caches=False) == [
        "dotfiles/agent",
        "dotfiles/made",
    ]


def test_a_place_of_the_user_behind_a_link_in_a_cache_is_an_error(home: Path) -> None:
    _linked(home / ".cache/agent", home / ".ssh")
    with pytest.raises(SettingsError, match="leads through a link in a folder that agents write to"):
        _opened(home, given=("~/.cache/agent",))


def test_a_circle_of_links_is_no_place(home: Path) -> None:
    _linked(home / "a", home / "b")
    _linked(home / "b", home / "a")
    assert _opened(home, "~/a/x/", "~/a/", caches=False) == []


def test_within_an_open_place_nothing_is_opened_again(home: Path) -> None:
    (home / ".own/deep").mkdir()
    assert _opened(home, "~/.own/deep/", given=("~/.own",), caches=False) == [".own"]


def test_of_caches_what_programs_are_run_from_stays_shut(home: Path) -> None:
    for folder in (
        "pip",
        "pypoetry/cache",
        "pypoetry/virtualenvs/x",
        "pre-commit",
        "tools/env/bin",
        "tools/else",
    ):
        (home / ".cache" / folder).mkdir(parents=True)
    code = (home / ".cache/tools/env",)
    wanted = [".cache/agent", ".cache/pip", ".cache/pypoetry/cache", ".cache/tools/else"]
    assert _opened(home, code=code) == wanted
    assert _opened(home, "~/.cache/", code=code, caches=False) == wanted  # an agent's own entry no less
    assert _opened(home, given=("~/.cache/uv",), caches=False) == [
        ".cache/uv"
    ]  # what a person names is opened
    with pytest.raises(SettingsError, match="or code"):
        _opened(home, given=("~/.cache/tools/env/bin",), code=code)


def test_a_cache_that_is_the_home_itself_is_none(home: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(home)}
    assert _opened(home, environment=environment) == [".cache/agent"]


def test_caches_that_stay_shut_are_replaced(home: Path, tmp_path: Path) -> None:
    def apart(**more: str) -> dict[str, str]:
        return Places({"HOME": str(home), **more}, (), ()).apart(tmp_path)

    assert apart()["UV_CACHE_DIR"] == str(tmp_path / "uv")
    assert apart()["GOCACHE"] == str(tmp_path / "go-build")
    assert "UV_CACHE_DIR" not in apart(UV_CACHE_DIR="/set")
    (home / ".cache/go-build").mkdir()
    assert "GOCACHE" not in apart()


def test_the_code_that_setpoint_and_the_tests_run_is_known(tmp_path: Path) -> None:
    assert Path(setpoint.__file__).parent in own_code()
    assert any(Path(sys.executable).is_relative_to(each) for each in own_code())
    for name in (".venv", "apart"):
        (tmp_path / name / "bin").mkdir(parents=True)
        (tmp_path / name / "bin/python").touch()
        (tmp_path / name / "pyvenv.cfg").touch()
    found = environments(tmp_path, ChecksSettings(python="apart/bin/python"))
    assert found[:2] == (tmp_path / "apart", tmp_path / ".venv")


LAY = "rm -rf ~/.wide/agent && ln -s {target} ~/.wide/agent; echo laid"
USE = "echo x > {target}/planted; rm -rf {target}/kept; echo tried"


@pytest.mark.parametrize("target", ["project/.setpoint", "project/.git/hooks", ".ssh"])
async def test_an_attempt_gets_nowhere_by_a_link_that_an_earlier_one_laid(
    home: Path, brief: Callable[..., Brief], artifacts: Artifacts, means: Means, target: str
) -> None:
    place = home / target
    (place / "kept").write_text("kept\n")
    (home / ".wide/agent").mkdir(parents=True)
    project = home / "project"
    sandbox = Sandbox(SandboxSettings(agents=means, caches=False), protected=(project, project / ".setpoint"))
    for step, writes in ((LAY, ("~/.wide/agent/", "~/.wide/")), (USE, ("~/.wide/agent/", "~/.wide/"))):
        launch = Launch(
            name="own",
            argv=("sh", "-c", step.format(target=place)),
            protocol="command",
            environment={"HOME": str(home)},
            writes=writes,
        )
        attempt = await CommandAgent(launch, artifacts=artifacts, sandbox=sandbox).attempt(
            brief(), SilentObserver()
        )
        assert (attempt.breakage, attempt.sandbox) == (None, means.value)
    assert (home / ".wide/agent").is_symlink()
    assert [each.name for each in place.iterdir() if each.name in {"kept", "planted"}] == ["kept"]
