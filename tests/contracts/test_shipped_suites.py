"""The shipped contract suites on Setpoint's own parts, and on some that break the contract."""

import subprocess
import sys

import pytest

import setpoint.ports
from model.examples import OUTCOME
from phase.policy.rounds import a_past, a_round
from setpoint.agents.rules import RulesAgent
from setpoint.model.config.custom_check import CustomCheck, ReportFormat
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.events.run import RunFinished
from setpoint.model.finding import Category, Finding, Severity
from setpoint.phase.policy.loop_guards import max_iterations
from setpoint.ports.metric import PluggedMetric
from setpoint.testing import MemoryEventLog, ScriptedAgent, ScriptedToolkit, contracts
from setpoint.testing.contracts import (
    AgentContract,
    CheckContract,
    FormatContract,
    GuardContract,
    MetricContract,
)
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


def colons(text, tree):
    """Read lines of the form `file:line:message`."""
    found = []
    for file, number, message in (line.split(":") for line in text.decode().splitlines()):
        finding = Finding(source="", severity=Severity.ERROR, category=Category.STYLE, message=message)
        found.append(finding.model_copy(update={"file": file, "line": int(number)}))
    return found


class TestColons(FormatContract):
    reader = colons
    report = b"a.py:2:not so\n"
    files = {"a.py": "x = 1\ny = 2\n"}
    clean = b""
    broken = b"a.py:2\n"


def share_verified(events):
    """Give 1 for a run that was verified and 0 for another that finished."""
    ends = [each.body.outcome.ending for each in events if isinstance(each.body, RunFinished)]
    return float(ends[0] is Ending.VERIFIED) if ends else None


class TestShareVerified(MetricContract):
    metric = PluggedMetric(definition="Runs that were verified.", unit="share", of_run=share_verified)

    def measured(self):
        return MemoryEventLog().append(OUTCOME.trace_id, "end", (RunFinished(outcome=OUTCOME),))

    def unmeasured(self):
        return ()


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


@pytest.mark.parametrize("change", [{"reader": lambda text, tree: []}, {"files": {"a.py": ""}}])
def test_a_reader_that_is_blind_or_points_beside_the_code_breaks_the_contract(tmp_path, change):
    blind = type("Blind", (TestColons,), change)
    with pytest.raises(AssertionError):
        blind().test_it_finds_what_the_report_tells(tmp_path)


def test_a_reader_that_takes_half_a_report_for_a_clean_one_breaks_the_contract(tmp_path):
    class Lenient(TestColons):
        reader = lambda text, tree: []

    with pytest.raises(pytest.fail.Exception):
        Lenient().test_what_is_no_report_is_an_error(tmp_path)


def test_a_metric_that_makes_a_value_up_breaks_the_contract():
    class Eager(TestShareVerified):
        metric = TestShareVerified.metric.model_copy(update={"of_run": lambda events: 2.0})

    for test in (
        Eager().test_a_run_has_a_finite_value_in_its_unit,
        Eager().test_what_was_not_measured_is_none,
    ):
        with pytest.raises(AssertionError):
            test()


def test_the_fakes_need_no_pytest_and_the_suites_cover_every_public_port():
    program = "import setpoint.testing, sys; print('pytest' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    ports = {name for name, port in vars(setpoint.ports).items() if getattr(port, "_is_protocol", False)}
    suites = {name.removesuffix("Contract") for name in contracts.__all__}
    parts = {base.__name__ for base in setpoint.ports.RemoteForge.__mro__} - {"RemoteForge"}
    assert parts >= {"ForgeGit", "ForgeReader"}  # one suite covers the whole
    desks = {"FeedbackDesk", "ForgeDesk", "ResultDesk", "StoryDesk"}
    others = {
        "Board",
        "Clock",
        "DeliveryReader",
        "Evaluator",
        "Lineage",
        "Observer",
        "ShowsProduct",
        "TakesOut",
        "Workbench",
    }
    assert ports - suites - parts == desks | others
