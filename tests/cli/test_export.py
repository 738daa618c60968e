"""`setpoint admin export`: a run as one page and as a trace, as a user calls it."""

import re
import sys

import pytest
from typer.testing import CliRunner

from history.traces.test_otlp import listening
from setpoint.app.views.export import send_finished
from setpoint.cli.app import commands
from setpoint.errors import UsageError
from web.conftest import HOSTILE, VERIFIED, make_project


@pytest.fixture
def project(tmp_path, monkeypatch):
    place = tmp_path / "project"
    made = make_project(place)
    monkeypatch.chdir(place)
    yield made
    made.store.close()


def called(*words):
    return CliRunner().invoke(
        commands(), ["admin", "export", *words], standalone_mode=False, catch_exceptions=False
    )


def test_a_run_is_one_file_that_needs_nothing_else(project, tmp_path):
    file = tmp_path / "out" / "run.html"
    done = called(VERIFIED, "--html", str(file))
    assert done.exit_code == 0
    assert str(file) in done.stderr
    page = file.read_text("utf-8")
    assert "Totals must be right" in page
    assert "<script" not in page
    assert "IMPLEMENTATION_VERIFIED" in page
    # Nothing is fetched from anywhere.
    assert re.findall(r"""(?:src|href|action)\s*=\s*["']?(?:https?:)?//""", page) == []
    assert re.findall(r"@import|url\(", page) == []
    assert "<style" in page


def test_hostile_text_stays_text(project, tmp_path):
    file = tmp_path / "run.html"
    called(HOSTILE, "--html", str(file))
    assert "<script" not in file.read_text("utf-8")


def test_a_file_that_cannot_be_written_is_named(project, tmp_path):
    (tmp_path / "taken").write_text("", "utf-8")
    with pytest.raises(UsageError, match="taken"):
        called(VERIFIED, "--html", str(tmp_path / "taken" / "run.html"))


def test_nothing_asked_for_is_wrong_use(project):
    with pytest.raises(UsageError) as raised:
        called(VERIFIED)
    assert raised.value.hint == "give --html FILE, --otlp URL or both"


def test_a_run_is_sent_to_a_collector_with_the_headers_of_the_environment(project, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc")
    with listening() as collector:
        done = called(VERIFIED, "--otlp", collector.url)
    assert done.exit_code == 0
    assert f"{len(collector.spans)} spans sent to {collector.url}" in done.stderr
    assert len(collector.spans) > 10
    assert collector.headers[0]["authorization"] == "Bearer abc"


def test_without_the_extra_it_says_how_to_install_it(project, monkeypatch):
    name = "opentelemetry.proto.collector.trace.v1.trace_service_pb2"
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError) as raised:
        called(VERIFIED, "--otlp", "http://127.0.0.1:1")
    assert "setpoint[otel]" in raised.value.hint


def test_finished_runs_are_sent_where_the_settings_say_and_a_fault_there_is_only_told(project, caplog):
    send_finished(project, VERIFIED)
    with listening() as collector:
        send_finished(asking_for(project, collector.url), VERIFIED)
    assert len(collector.spans) > 10
    assert caplog.text == ""
    send_finished(asking_for(project, collector.url), VERIFIED)
    assert "the run was not sent" in caplog.text
    assert f"setpoint admin export {VERIFIED} --otlp {collector.url}" in caplog.text


def test_whatever_goes_wrong_at_a_collector_changes_no_outcome(project, caplog, monkeypatch):
    with listening() as collector:
        monkeypatch.setattr(type(collector), "body", b"\xff\xff\xff no protobuf", raising=False)
        with pytest.raises(UsageError, match="does not speak OTLP"):
            called(VERIFIED, "--otlp", collector.url)
        send_finished(asking_for(project, collector.url), VERIFIED)
    send_finished(asking_for(project, "http://xn--\N{SNOWMAN}-.example"), VERIFIED)
    monkeypatch.setenv("ALL_PROXY", "nonsense://nowhere")
    send_finished(asking_for(project, "http://127.0.0.1:1"), VERIFIED)
    assert caplog.text.count("the run was not sent") == 3


def asking_for(project, url):
    wanted = project.settings.telemetry.model_copy(update={"otlp": url})
    return project._replace(settings=project.settings.model_copy(update={"telemetry": wanted}))
