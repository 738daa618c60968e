"""From a real Alertmanager to a fix: bad deployment, alert, suspected commit, story, run."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from acceptance.conftest import BUG, QUICK, RIGHT, TESTS, Repository
from setpoint.model.ending import Ending
from setpoint.wiring.project import open_project, run_list

ALERTMANAGER = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
PATIENCE_S = 90.0

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(
        ALERTMANAGER is None and not os.environ.get("CI"),
        reason="no Alertmanager on PATH (Debian: prometheus-alertmanager)",
    ),
]


@pytest.fixture
def shop(tmp_path):
    """A repository with two deployments, the second of which brought a bug, and something harmless."""
    made = Repository(tmp_path / "shop")
    made.root.mkdir()
    made.git("init", "-q", "-b", "main")
    made.write("calc.py", RIGHT)
    made.write("test_calc.py", TESTS)
    made.write("setpoint.toml", '[agents]\nmaker = "mechanic"\n')
    made.commit("begin")
    setpoint(made, "ci", "deploy", "record", "--release", "v1", "--at", hours_ago(2))
    made.write("README.md", "# Shop\n")
    made.commit("say what it is")
    made.write("calc.py", BUG)
    made.commit("faster adding")
    setpoint(made, "ci", "deploy", "record", "--release", "v2", "--at", hours_ago(1))
    return made


def hours_ago(count):
    return (datetime.now(UTC) - timedelta(hours=count)).strftime("%Y-%m-%dT%H:%M:%S")


def setpoint(repository, *words, expect=0):
    done = subprocess.run(
        [sys.executable, "-m", "setpoint", *words],
        cwd=repository.root,
        env={**os.environ, **QUICK},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def served(shop):
    """Where `setpoint serve` listens."""
    serving = subprocess.Popen(
        [sys.executable, "-m", "setpoint", "serve", "--port", "0"],
        cwd=shop.root,
        env={**os.environ, **QUICK, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    yield serving.stdout.readline().partition("/login")[0]
    serving.terminate()
    serving.communicate(timeout=30)


@pytest.fixture
def alertmanager(served, shop, tmp_path):
    """Where a real Alertmanager listens that sends on what it is told."""
    (tmp_path / "token").write_text(setpoint(shop, "ci", "signal", "token"), "utf-8")
    hook = {
        "url": f"{served}/hooks/alertmanager",
        "send_resolved": True,
        "http_config": {"authorization": {"credentials_file": str(tmp_path / "token")}},
    }
    route = {"receiver": "setpoint", "group_wait": "0s", "group_interval": "1s", "repeat_interval": "1h"}
    told = {"route": route, "receivers": [{"name": "setpoint", "webhook_configs": [hook]}]}
    (tmp_path / "alertmanager.yml").write_text(yaml.safe_dump(told), "utf-8")
    running = subprocess.Popen(
        [
            ALERTMANAGER,
            f"--config.file={tmp_path / 'alertmanager.yml'}",
            f"--storage.path={tmp_path / 'alerts'}",
            "--web.listen-address=127.0.0.1:0",
            "--cluster.listen-address=",
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in running.stderr:
        if found := re.search(r"(?:address|Address)=(127\.0\.0\.1:\d+)", line):
            break
    else:
        pytest.fail("Alertmanager does not say where it listens")
    yield f"http://{found[1]}"
    running.terminate()
    running.communicate(timeout=30)


def post(place, body, **headers):
    request = urllib.request.Request(
        place, json.dumps(body).encode(), {"content-type": "application/json", **headers}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.status


def problems(repository):
    return json.loads(setpoint(repository, "ci", "signal", "list", "--json"))


def until(repository, holds):
    end = time.monotonic() + PATIENCE_S
    while not ((found := problems(repository)) and holds(found[0])):
        assert time.monotonic() < end, found
        time.sleep(0.5)
    return found


def test_an_alert_leads_to_the_commit_to_a_story_and_to_the_fix(shop, alertmanager):
    alert = {
        "labels": {"alertname": "WrongSums", "severity": "critical", "instance": "a:80", "version": "v2"},
        "annotations": {
            "summary": "sums are wrong",
            "stacktrace": 'File "/srv/shop/calc.py", line 2, in add\nAssertionError',
        },
        "startsAt": datetime.now(UTC).isoformat(),
    }
    for instance in ("a:80", "b:80"):
        alert["labels"]["instance"] = instance
        assert post(f"{alertmanager}/api/v2/alerts", [alert]) == 200
    (problem,) = until(shop, lambda each: each["stage"] == "waits" and each["times"] == 2)
    made = problem["newest"]["hypothesis"]
    assert (made["deployment"]["release"], made["previous"]["release"], made["brought"]) == ("v2", "v1", 2)
    first, second = made["suspects"]
    assert (first["title"], second["title"]) == ("faster adding", "say what it is")
    assert first["score"] > second["score"]
    assert first["reasons"][0] == "last changed calc.py:2 (the innermost frame of the stack)"

    story = problem["story"]
    assert "no stories" not in setpoint(shop, "story", "list", "--all")
    setpoint(shop, "ci", "signal", "approve", story, "--reason", "customers see it")
    assert json.loads(setpoint(shop, "story", "next", "--json"))["id"] == story
    setpoint(shop, "run", "--auto")
    project = open_project(Path(shop.root))
    (run,) = run_list(project, 9)
    project.store.close()
    assert (run.story_id, run.ending) == (story, Ending.VERIFIED)
    assert shop.git("show", f"{run.branch}:calc.py") == RIGHT.strip()
    assert problems(shop)[0]["stage"] == "done"

    for instance in ("a:80", "b:80"):
        alert["labels"]["instance"] = instance
        alert["endsAt"] = datetime.now(UTC).isoformat()
        post(f"{alertmanager}/api/v2/alerts", [alert])
    assert until(shop, lambda each: each["over"])[0]["times"] == 2


CRASHING = """import sentry_sdk
from calc import add

sentry_sdk.init({dsn!r}, release="v2", environment="production", default_integrations=False)
try:
    [][add(1, 1)]
except IndexError as error:
    sentry_sdk.capture_exception(error)
sentry_sdk.flush(20)
"""


def test_an_application_with_a_sentry_sdk_tells_of_its_own_errors(shop, served, tmp_path):
    token = setpoint(shop, "ci", "signal", "token").strip()
    dsn = served.replace("http://", f"http://{token}@") + "/1"
    shop.write("calc.py", BUG.replace("def add", "def sub") + BUG.replace("return a - b", "return [][a - b]"))
    shop.commit("index by the difference")
    setpoint(shop, "ci", "deploy", "record", "--release", "v2")
    shop.write("serving.py", CRASHING.format(dsn=dsn))
    done = subprocess.run(
        [sys.executable, "serving.py"], cwd=shop.root, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    (problem,) = until(shop, lambda each: each["stage"] == "waits")
    assert problem["title"] == "IndexError: list index out of range"
    innermost = problem["newest"]["signal"]["frames"][0]
    assert (innermost["function"], innermost["line"]) == ("add", 4)
    assert problem["newest"]["hypothesis"]["suspects"][0]["title"] == "index by the difference"


TRACING = """from calc import add
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

resource = Resource({{"service.name": "shop", "service.version": "v2"}})
provider = TracerProvider(resource=resource)
headers = {{"authorization": "Bearer {token}"}}
exporter = OTLPSpanExporter(endpoint="{served}/hooks/otlp/v1/traces", headers=headers)
provider.add_span_processor(SimpleSpanProcessor(exporter))
try:
    with provider.get_tracer("shop").start_as_current_span("adding"):
        add(1, "2")
except TypeError:
    pass
provider.shutdown()
"""


def test_an_application_with_an_opentelemetry_sdk_tells_of_its_own_errors(shop, served):
    token = setpoint(shop, "ci", "signal", "token").strip()
    shop.write("serving.py", TRACING.format(token=token, served=served))
    done = subprocess.run(
        [sys.executable, "serving.py"], cwd=shop.root, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    (problem,) = until(shop, lambda each: each["stage"] == "waits")
    assert problem["title"].startswith("TypeError: unsupported operand")
    first = problem["newest"]["hypothesis"]["suspects"][0]
    assert (first["title"], first["reasons"][0][:22]) == ("faster adding", "last changed calc.py:2")
