"""Plug-ins are found in Setpoint's environment, enabled by name, and left out where they break."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from setpoint.model.cover import CoverGoals
from setpoint.plugins import AgentOptions, Group, Plugin, installed, load_agents, missing
from setpoint.testing import ScriptedAgent, ScriptedToolkit

AGENT = """
class Parrot:
    def why_not(self, options):
        return "" if options.pytest_args else "no words"

    def agent(self, toolkit, options):
        return "parrot"

class Half:
    def why_not(self, options):
        return ""

class Broken:
    def __init__(self):
        raise RuntimeError("out of seed")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of installed packages with one that brings agents."""
    (tmp_path / "aviary_for_tests.py").write_text(AGENT)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("aviary_for_tests", None)


def package(folder: Path, name: str, entries: str, version: str = "1.2") -> None:
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(entries)


def agents(**targets: str) -> str:
    lines = "\n".join(f"{name} = aviary_for_tests:{target}" for name, target in targets.items())
    return f"[setpoint.agents]\n{lines}\n[console_scripts]\nx = y:z\n"


def test_those_of_setpoint_are_installed_and_on():
    found = {plugin.name: plugin for plugin in installed() if plugin.group is Group.AGENTS}
    assert (found["mechanic"].built_in, found["mechanic"].adds) == (True, "agents: mechanic")
    loaded = load_agents(())
    assert {"generator", "mechanic"} <= set(loaded.usable)
    assert loaded.failures == ()


def test_one_of_another_package_is_used_only_where_it_is_named(folder):
    package(folder, "aviary", agents(parrot="Parrot"))
    (plugin,) = found = installed([str(folder)])
    assert plugin == Plugin(
        group=Group.AGENTS,
        name="parrot",
        distribution="aviary",
        version="1.2",
        target="aviary_for_tests:Parrot",
    )
    assert load_agents((), found).usable == {}
    assert "aviary_for_tests" not in sys.modules
    assert load_agents(("parrot",), found).usable["parrot"].why_not(AgentOptions()) == "no words"


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("Broken", "aviary_for_tests:Broken of aviary 1.2 cannot be loaded: RuntimeError: out of seed"),
        ("Gone", "aviary_for_tests:Gone of aviary 1.2 cannot be loaded: AttributeError"),
        ("Half", "aviary_for_tests:Half of aviary 1.2 is no AgentPlugin"),
    ],
)
def test_one_that_breaks_is_named_and_left_out(folder, target, reason):
    package(folder, "aviary", agents(parrot="Parrot", bad=target))
    loaded = load_agents(("bad", "parrot"), installed([str(folder)]))
    assert set(loaded.usable) == {"parrot"}
    (failure,) = loaded.failures
    assert (failure.name, failure.reason.startswith(reason)) == ("bad", True)
    assert str(failure).startswith(f"plug-in 'bad' is left out: {reason}")
    assert "; hint: " in str(failure)


def test_a_name_that_is_taken_stays_with_setpoint(folder):
    package(folder, "aviary", agents(mechanic="Parrot"))
    loaded = load_agents(("mechanic",), (*installed(), *installed([str(folder)])))
    assert type(loaded.usable["mechanic"]).__name__ == "MechanicPlugin"
    assert [failure.name for failure in loaded.failures] == ["mechanic"]


def test_a_name_that_nothing_has_is_told():
    (failure,) = missing(("parrot", "parrot"))
    assert (failure.name, "install its package" in failure.hint) == ("parrot", True)
    assert missing(("mechanic",)) == ()


def test_packages_of_the_working_directory_and_of_pythonpath_add_nothing(folder, monkeypatch):
    package(folder, "aviary", agents(parrot="Parrot"))
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend("")
    assert "parrot" not in {plugin.name for plugin in installed()}


def test_the_generator_directs_others_in_the_order_of_the_strategies(tmp_path):
    plugin = load_agents(()).usable["generator"]
    toolkit = ScriptedToolkit(tmp_path)
    assert plugin.agent(toolkit, AgentOptions()).name == "generator"
    goals = CoverGoals(strategies=("pynguin", "rules"))
    others = {name: ScriptedAgent(name=name) for name in ("claude", "rules")}
    team = plugin.agent(toolkit, AgentOptions(cover=goals, others=others))
    assert (team.name, list(team._agents)) == ("claude", ["claude", "pynguin", "rules"])
    assert team._agents["rules"] is others["rules"]
    assert team._agents["claude"] is not others["claude"]
    assert "cover.pynguin names no interpreter" in plugin.why_not(AgentOptions(cover=goals))
