"""The metrics as text for Prometheus and as one HTML page."""

import re
import shutil
import subprocess
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from prometheus_client.parser import text_string_to_metric_families

from setpoint.history.metrics.definitions import measures
from setpoint.history.metrics.metrics import DayFigure, Metric, MetricsReport, Part, amount
from setpoint.history.metrics.prometheus import name_of, prometheus
from setpoint.history.reports.metrics_page import day_plot, page
from setpoint.model.loop_metric import Loop

NOW = datetime(2026, 3, 20, 9, 30, tzinfo=UTC)
HOSTILE = 'ba"sh\\n<script>alert(1)</script>\n'
DAYS = tuple(
    DayFigure(day=date(2026, 3, 17 + place), value=value, n=1)
    for place, value in enumerate((0.5, None, 0.25, 1.0))
)
MEASURED = Metric(
    name="tool_success_rate",
    loop=Loop.INNER,
    definition="Tool calls that succeeded.",
    unit="share",
    better="higher",
    value=0.5,
    n=4,
    previous=0.25,
    previous_n=8,
    trend="up",
    split="tool",
    parts=(Part(label=HOSTILE, value=0.5, n=4),),
    by_day=DAYS,
)
UNMEASURED = Metric(
    name="tool_cost", loop=Loop.INNER, definition="Mean cost.", unit="USD", reason="agents do not tell"
)


def a_report(days=7):
    since = NOW.date() - timedelta(days=days - 1)
    return MetricsReport(at=NOW, days=days, since=since, until=NOW.date(), metrics=(MEASURED, UNMEASURED))


def test_prometheus_gets_a_sample_for_what_was_measured_and_none_for_what_was_not():
    text = prometheus((a_report(7), a_report(30)), {"verified": 3, "running": 1}, {7: Decimal("4.1")})
    lines = text.splitlines()
    assert text.endswith("\n")
    assert 'setpoint_runs{state="verified"} 3' in lines
    assert 'setpoint_spent_usd{window_days="7"} 4.1' in lines
    assert 'setpoint_tool_success_ratio{window_days="7"} 0.5' in lines
    assert 'setpoint_tool_success_ratio{window_days="30"} 0.5' in lines
    assert 'setpoint_tool_success_ratio_samples{window_days="7"} 4' in lines
    assert 'setpoint_tool_cost_usd_samples{window_days="7"} 0' in lines
    assert not [line for line in lines if line.startswith("setpoint_tool_cost_usd{")]
    assert "# TYPE setpoint_tool_success_ratio gauge" in lines


def test_what_an_agent_calls_its_tools_stays_inside_its_label():
    lines = prometheus((a_report(),), {}, {}).splitlines()
    sample = re.compile(r'(#.*)|([a-z_]+\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)*\} [0-9.e+-]+)')
    assert all(sample.fullmatch(line) for line in lines), lines
    assert any(r'part="ba\"sh\\n<script>' in line for line in lines)


def test_a_scraper_reads_back_what_was_written():
    text = prometheus((a_report(7), a_report(30)), {"verified": 3, "running": 1}, {7: Decimal("4.1")})
    families = {family.name: family for family in text_string_to_metric_families(text)}
    ratio = families["setpoint_tool_success_ratio"]
    assert {sample.labels["window_days"]: sample.value for sample in ratio.samples} == {"7": 0.5, "30": 0.5}
    (part, _) = families["setpoint_tool_success_ratio_by"].samples
    assert part.labels["part"] == HOSTILE
    assert {sample.labels["state"]: sample.value for sample in families["setpoint_runs"].samples} == {
        "verified": 3,
        "running": 1,
    }
    assert ratio.type == "gauge"


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool (Debian's package prometheus) is not here")
def test_the_scrapers_own_tool_finds_nothing_wrong():
    text = prometheus((a_report(7), a_report(30)), {"verified": 3}, {})
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_metric_has_a_family_name_of_its_own_that_prometheus_takes():
    names = [
        name_of(UNMEASURED.model_copy(update={"name": each.name, "unit": each.unit})) for each in measures()
    ]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"setpoint_[a-z_]+", name) for name in names)


def test_the_page_shows_values_reasons_and_definitions_without_scripts():
    html = page((a_report(7), a_report(30)))
    assert html.count("50.0%") >= 2
    assert "agents do not tell" in html
    assert "Tool calls that succeeded." in html
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "default-src &#39;none&#39;" in html or "default-src 'none'" in html


def test_a_plot_is_interrupted_on_days_without_a_value():
    svg = str(day_plot(MEASURED))
    assert svg.count("<circle") == 3
    assert svg.count("<line") == 1, "only two measured days lie side by side"
    assert day_plot(UNMEASURED) == ""


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (None, "USD", "-"),
        (0.123, "share", "12.3%"),
        (0.0123, "USD", "$0.0123"),
        (12.3, "USD", "$12.30"),
        (4.5, "s", "4.50 s"),
        (90000, "s", "25 h 00 min"),
        (1.5, "per run", "1.50"),
    ],
)
def test_amounts_are_written_in_their_unit(value, unit, shown):
    assert amount(value, unit) == shown
