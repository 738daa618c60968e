"""`setpoint lab halting` as a user calls it."""

import json

import pytest
from typer.testing import CliRunner

from checks.conftest import git, write
from setpoint.app.views.halting import halting_status, logged_runs, plugged_policies, replay_tables
from setpoint.cli.app import commands
from setpoint.errors import UsageError
from setpoint.model.halting import Economics
from setpoint.model.run import Action, Decision
from setpoint.plugins import Group, Plugin

HEAD = "run,agent,group,turn,gates,repeated,cost_usd,verified,full\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    root = tmp_path / "project"
    write(root, {"a.py": "x = 1\n"})
    git(root, "init", "-q")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def logs(place):
    rows = []
    for task in range(20):
        rows += [f"r{task},pi,t{task},1,0,0,0.3,0,", f"r{task},pi,t{task},2,1,0,0.3,1,"]
    rows += [f"s{task},other,t{task},1,1,0,0.3,,1" for task in range(3)]
    (place / "logs.csv").write_text(HEAD + "\n".join(rows) + "\n", "utf-8")
    return place / "logs.csv"


def call(*words):
    done = CliRunner().invoke(commands(), ["lab", "halting", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_each_agent_has_a_table_or_the_reason_why_not(logs):
    shown = call("replay", str(logs))
    assert "pi: 20 runs, 20 of them labelled" in shown
    row = next(line for line in shown.splitlines() if line.startswith("first-pass"))
    assert row.split()[1] == "1.000"
    assert "fixed-3: not replayed: the log covers 0% of 20 runs" in shown
    assert "3 of 3 runs passed the gates, and whether the work was right is not known" in shown


def test_one_policy_is_shown_beside_the_one_that_decides(logs):
    (table,) = json.loads(call("replay", str(logs), "--policy", "fixed-1", "--agent", "pi", "--json"))
    decides, fixed = table["figures"]
    assert (decides["policy"], fixed["policy"]) == ("rules-v1", "fixed-1")
    assert fixed["success"]["value"] == 0
    assert fixed["gain_at_least_usd"] == pytest.approx(-9.7)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--policy", "best"), "no halting policy is named 'best'"),
        (("--agent", "none"), "no run of the agent 'none'"),
    ],
)
def test_an_unknown_name_is_refused_with_those_that_exist(logs, words, said):
    with pytest.raises(UsageError, match=said) as raised:
        call("replay", str(logs), *words)
    assert "one of" in raised.value.hint


def test_a_project_without_runs_says_so(place):
    assert "no finished run yet" in call("status")
    with pytest.raises(UsageError, match="nothing can be replayed"):
        call("replay")


def test_the_plugin_in_place_of_the_rules_is_named(place):
    assert halting_status(place).decides == "rules-v1"
    (place / "setpoint.toml").write_text('plugins = ["calm"]\n')
    calm = Plugin(group=Group.HALTING, name="calm", distribution="aviary", version="1.2", target="math:sqrt")
    assert halting_status(place, [calm]).decides == "plug-in 'calm' (aviary 1.2)"


def test_the_comparison_is_written_as_a_page(logs, tmp_path):
    shown = call("replay", str(logs), "--html", str(tmp_path / "page.html"))
    assert "success over cost" in shown
    assert "P(verified) by the priors in 20 runs" in shown
    assert (tmp_path / "page.html").read_text().count("<svg") == 2


def test_a_page_that_cannot_be_written_is_refused(logs, tmp_path):
    with pytest.raises(UsageError, match=r"page\.html cannot be written"):
        call("replay", str(logs), "--html", str(tmp_path / "none" / "page.html"))


@pytest.fixture
def late(place):
    """Runs that pass after their problems have repeated four times, where rules-v1 asks a person."""
    rows = [
        f"r{task},pi 1,t{task},{turn},{int(turn == 5)},{int(1 < turn < 5)},0.3,{int(turn == 5) or ''},"
        for task in range(300)
        for turn in range(1, 6)
    ]
    (place / "late.csv").write_text(HEAD + "\n".join(rows) + "\n", "utf-8")
    return place / "late.csv"


class TwoTurns:
    """Stops after two turns that fail."""

    def over_turns(self, turns):
        if turns[-1].gates:
            return Action.HALT
        return Action.ESCALATE if len(turns) >= 2 else Action.CONTINUE

    def __call__(self, past):
        return Decision(policy="two-turns-v1", action=Action.CONTINUE, reason="two turns"), None


class Broken(TwoTurns):
    def over_turns(self, turns):
        raise ValueError("no idea")


two_turns = TwoTurns()
broken = Broken()


def plugged(name):
    target = f"{__name__}:{name.replace('-', '_')}"
    return Plugin(group=Group.HALTING, name=name, distribution="aviary", version="1.2", target=target)


def test_a_policy_of_an_enabled_plugin_is_in_the_table_beside_the_others(late, place):
    assert plugged_policies(place, [plugged("two-turns")]) == {}
    (place / "setpoint.toml").write_text('plugins = ["two-turns"]\n')
    mine = plugged_policies(place, [plugged("two-turns")])
    (table,) = replay_tables(logged_runs([late], place), ["two-turns"], Economics(), plugged=mine)
    figures = {each.policy: each for each in table.figures}
    assert figures["two-turns"].turns.value == 2
    assert figures["rules-v1"].turns.value == 3


def test_a_policy_of_a_plugin_that_breaks_in_a_replay_is_named(late, place):
    (place / "setpoint.toml").write_text('plugins = ["broken"]\n')
    mine = plugged_policies(place, [plugged("broken")])
    with pytest.raises(UsageError, match="'broken' of a plug-in broke in a replay: ValueError: no idea"):
        replay_tables(logged_runs([late], place), [], Economics(), plugged=mine)
