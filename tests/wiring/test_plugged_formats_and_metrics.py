"""Report formats and metrics of plug-ins: used by name like Setpoint's own, and named where they break."""

import asyncio
import sys
from datetime import UTC, datetime

import pytest

from checks.conftest import git, write
from model.examples import ORDER, OUTCOME
from setpoint.app.views.metrics import metrics_exposition, metrics_report, store_due_metrics, store_metrics
from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.errors import SettingsError
from setpoint.history.event_log import SqlEventLog
from setpoint.model.events.run import RunFinished, RunStarted
from setpoint.model.evidence import CheckState
from setpoint.model.ids import TraceId
from setpoint.plugins import Group
from setpoint.settings import Settings, load
from setpoint.wiring.project import open_project

MODULE = """
from setpoint.model.events.run import RunFinished
from setpoint.model.finding import Category, Finding, Severity
from setpoint.ports.metric import PluggedMetric

def colons(text, tree):
    findings = []
    for line in text.decode().splitlines():
        file, _, rest = line.partition(":")
        number, found, message = rest.partition(":")
        if not found:
            raise ValueError(f"no colons in {line!r}")
        findings.append(Finding(source="", severity=Severity.ERROR, category=Category.STYLE, message=message,
                                file=file, line=int(number)))
    return findings

def texts(text, tree):
    return [text.decode()]

def iterations(events):
    return next((each.body.outcome.iterations for each in events if isinstance(each.body, RunFinished)), None)

def broken(events):
    raise KeyError("outcome")

def endless(events):
    return float("inf")

def metric(of_run):
    return PluggedMetric(definition="Rounds of a run.", unit="per run", of_run=of_run, better="lower")

ROUNDS, BROKEN, ENDLESS = metric(iterations), metric(broken), metric(endless)
"""
ENTRIES = {
    Group.FORMATS: {"colons": "colons", "texts": "texts", "gone": "nowhere"},
    Group.METRICS: {
        "rounds": "ROUNDS", "broken": "BROKEN", "endless": "ENDLESS", "success_rate": "ROUNDS",
        "Not-a-name": "ROUNDS", "missing": "nowhere",
    },
}  # fmt: skip
OFF = "pytest = false\nruff = false\nmypy = false\nbandit = false\ncoverage = false\n"


@pytest.fixture
def kit(install):
    return install("kit_for_formats", MODULE, ENTRIES)


def project_with(tmp_path, settings):
    root = tmp_path / "project"
    write(root, {"a.py": "x = 1\ny = 2\n", "setpoint.toml": settings})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    return open_project(root)


def measured(tmp_path, form, printed):
    script = f"print({printed!r}, end=''); raise SystemExit({int(bool(printed))})"
    settings = f"plugins = ['{form}']\n[checks]\npython = '{sys.executable}'\n{OFF}"
    settings += f"[check.mine]\ncommand = ['{{python}}', '-c', \"{script}\"]\nformat = '{form}'\n"
    project = project_with(tmp_path, settings)
    evaluator = TreeEvaluator(project.settings, project.artifacts, project.folders)
    evaluation = asyncio.run(evaluator.measure(project.root))
    project.store.close()
    (evidence,) = [each for each in evaluation.evidence if each.check == "mine"]
    return evidence, [each for each in evaluation.findings if each.source == "mine"]


def test_a_tool_of_ones_own_is_read_by_the_plug_in_that_it_names(kit, tmp_path):
    evidence, (finding,) = measured(tmp_path, "colons", "a.py:2:not so")
    assert evidence.state is CheckState.FAIL
    assert (finding.file, finding.line, finding.message, finding.text) == ("a.py", 2, "not so", "y = 2")


def test_an_empty_report_of_a_plug_ins_format_is_a_pass(kit, tmp_path):
    evidence, found = measured(tmp_path, "colons", "")
    assert (evidence.state, found) == (CheckState.PASS, [])


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ("colons", "plug-in 'colons' cannot read it: ValueError: no colons in 'half'"),
        ("texts", "plug-in 'texts' read a str, not a Finding"),
        ("gone", "plug-in 'gone' is left out: kit_for_formats:nowhere of kit 1.2 cannot be loaded"),
        ("nobody", "plug-in 'nobody' is left out: no package of Setpoint's environment brings it"),
    ],
)
def test_what_a_plug_in_cannot_read_is_an_error_that_names_it(kit, tmp_path, form, reason):
    evidence, found = measured(tmp_path, form, "half")
    assert (evidence.state, found) == (CheckState.ERROR, [])
    assert reason in evidence.reason


def test_a_format_that_no_plug_in_of_the_settings_has_is_refused(tmp_path):
    (tmp_path / "setpoint.toml").write_text("[check.mine]\ncommand = ['x']\nformat = 'colons'\n")
    with pytest.raises(SettingsError, match="no format is called 'colons'; there are sarif, "):
        load(tmp_path, environment={})


def test_settings_with_formats_of_both_kinds_read_back_as_they_were():
    tables = {"one": {"command": ["x"], "format": "colons"}, "two": {"command": ["x"], "format": "sarif"}}
    settings = Settings(plugins=("colons",), check=tables)
    assert Settings.model_validate_json(settings.model_dump_json()).check == settings.check
    assert settings.check["two"].runs_code is False


NAMES = ("rounds", "broken", "endless", "success_rate", "Not-a-name", "missing")


@pytest.fixture
def counted(kit, tmp_path):
    """A project with every metric of the kit, and two runs that finished: after 3 rounds and after 1."""
    project = project_with(tmp_path, f"plugins = {list(NAMES)}\n")
    for number, iterations in enumerate((3, 1)):
        name = TraceId(f"run-{number}")
        log = SqlEventLog(project.store, now=lambda: datetime.now(UTC))
        log.append(
            name, "start", [RunStarted(order=ORDER.model_copy(update={"trace_id": name}), workdir="/w")]
        )
        outcome = OUTCOME.model_copy(update={"trace_id": name, "iterations": iterations})
        log.append(name, "end", [RunFinished(outcome=outcome)])
    yield project
    project.store.close()


def test_a_metric_of_a_plug_in_stands_beside_those_of_setpoint(counted):
    made = metrics_report(counted, 7)
    by_name = {each.name: each for each in made.metrics}
    assert (by_name["rounds"].value, by_name["rounds"].n) == (2.0, 2)
    assert (by_name["rounds"].source, by_name["rounds"].unit) == ("kit 1.2", "per run")
    assert [each.value for each in by_name["rounds"].by_day if each.n] == [2.0]
    assert 'setpoint_rounds_per_run{window_days="30"} 2.0' in metrics_exposition(counted).splitlines()
    assert store_metrics(counted, made).startswith("met")
    assert store_due_metrics(counted) == ()


def test_a_metric_that_breaks_is_named_and_all_others_are_measured(counted):
    made = metrics_report(counted, 7)
    by_name = {each.name: each for each in made.metrics}
    assert by_name["broken"].value is by_name["endless"].value is None
    broke = "plug-in 'broken' is left out: kit_for_formats:BROKEN of kit 1.2 broke while it measured run-0: "
    assert by_name["broken"].reason.startswith(f"{broke}KeyError: 'outcome'")
    assert "it gave inf" in by_name["endless"].reason
    assert by_name["iterations_per_run"].value == 2.0
    odd, missing, taken = sorted(made.left_out)
    assert "no metric of a plug-in can be called 'Not-a-name'" in odd
    assert "plug-in 'missing' is left out: kit_for_formats:nowhere of kit 1.2 cannot be loaded" in missing
    assert "no metric of a plug-in can be called 'success_rate'" in taken


def test_without_plug_ins_there_are_none(kit, tmp_path):
    project = project_with(tmp_path, "")
    made = metrics_report(project, 7)
    project.store.close()
    assert "rounds" not in {each.name for each in made.metrics}
    assert made.left_out == ()
    assert "kit_for_formats" not in sys.modules
