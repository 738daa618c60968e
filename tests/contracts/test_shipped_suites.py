"""The shipped contract suites on Setpoint's own parts, and on some that break the contract."""

import pytest

from phase.policy.rounds import a_past, a_round
from setpoint.agents.rules import RulesAgent
from setpoint.model.config.custom_check import CustomCheck, ReportFormat
from setpoint.model.run import Limits
from setpoint.phase.policy.loop_guards import max_iterations
from setpoint.testing import ScriptedAgent, ScriptedToolkit
from setpoint.testing.contracts import AgentContract, CheckContract, GuardContract
from setpoint_mechanic.repair.agent import MechanicAgent


class TestScripted(AgentContract):
    name = "scripted"

    def make_agent(self, folder):
        return ScriptedAgent()


class TestRules(AgentContract):
    name = "rules"

    def make_agent(self, folder):
        return RulesAgent()


class TestMechanic(AgentContract):
    name = "mechanic"

    def make_agent(self, folder):
        return MechanicAgent(ScriptedToolkit(folder))


class TestRuff(CheckContract):
    faulty = {"work.py": "import os\n"}
    clean = {"work.py": "value = 1\n"}

    def make_check(self):
        command = ("{python}", "-m", "ruff", "check", "--isolated", "--no-cache", "--output-format=json", ".")
        return CustomCheck(command=command, format=ReportFormat.RUFF)


class TestMaxIterations(GuardContract):
    guard = max_iterations(Limits(max_iterations=2))

    def stopping(self):
        return a_past(a_round(1), a_round(2))

    def going_on(self):
        return a_past(a_round(1))


def test_an_agent_under_another_name_breaks_the_contract(tmp_path):
    class Renamed(TestScripted):
        name = "other"

    with pytest.raises(AssertionError):
        Renamed().test_it_has_the_name_of_its_entry_point(tmp_path)


async def test_an_agent_that_makes_the_work_copy_breaks_the_contract(tmp_path):
    class Making(ScriptedAgent):
        async def attempt(self, brief, observer):
            (tmp_path / "nowhere").mkdir()
            return await super().attempt(brief, observer)

    class Made(TestScripted):
        def make_agent(self, folder):
            return Making()

    with pytest.raises(AssertionError):
        await Made().test_breakage_is_told_and_not_raised(tmp_path)


def test_a_check_that_is_blind_breaks_the_contract(tmp_path):
    class Blind(TestRuff):
        faulty = TestRuff.clean

    with pytest.raises(AssertionError):
        Blind().test_it_finds_what_is_there(tmp_path)


def test_a_guard_that_always_stops_breaks_the_contract():
    class Strict(TestMaxIterations):
        guard = max_iterations(Limits(max_iterations=1))

    with pytest.raises(AssertionError):
        Strict().test_it_lets_others_continue()
