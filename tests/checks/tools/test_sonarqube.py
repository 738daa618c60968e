"""A SonarQube server on loopback that answers in the real shapes, and a scanner that is a small program."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from setpoint.checks.discovery.interpreter import own_interpreter
from setpoint.checks.tools.sonarqube import SonarQube
from setpoint.model.config.sonarqube import SonarQubeServer
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.finding import Category, Severity
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.ports import Measured, WorkCopy
from setpoint.system.files.artifacts import Artifacts

SCANNER = """
import os, sys
folder = [word.partition("=")[2] for word in sys.argv if word.startswith("-Dsonar.working.directory=")][0]
assert os.environ["SONAR_TOKEN"] == "secret" and "-Dsonar.projectKey=calc" in sys.argv
open(os.path.join(folder, "report-task.txt"), "w").write("projectKey=calc\\nceTaskId=AX-1\\n")
"""


def issue(number: int) -> dict:
    return {
        "key": f"k{number}",
        "rule": "python:S1",
        "component": "calc:a.py",
        "line": number,
        "message": f"number {number}",
        "severity": "BLOCKER",
        "type": "BUG",
        "status": "OPEN",
    }


class Server(ThreadingHTTPServer):
    """Holds what it answers with."""

    statuses: list[str]
    issues: list[dict]
    asked: list[str]


class Answers(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        self.server.asked.append(parts.path)
        if self.headers["Authorization"] != "Bearer secret":
            self.answer(401, {"errors": [{"msg": "Not authorised"}]})
        elif parts.path == "/api/ce/task":
            assert query == {"id": "AX-1"}
            statuses = self.server.statuses
            self.answer(
                200, {"task": {"id": "AX-1", "status": statuses.pop(0) if len(statuses) > 1 else statuses[0]}}
            )
        else:
            size, page = int(query["ps"]), int(query["p"])
            total = len(self.server.issues)
            held = self.server.issues[(page - 1) * size : page * size]
            paging = {"pageIndex": page, "pageSize": size, "total": total}
            parts = [{"key": "calc:a.py", "path": "a.py"}]
            self.answer(200, {"paging": paging, "issues": held, "components": parts})

    def answer(self, code: int, body: dict) -> None:
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Answers) as made:
        made.statuses, made.issues, made.asked = ["SUCCESS"], [], []
        thread = threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONAR_TOKEN", "secret")


async def run(server: Server, folder: Path, scanner: str = SCANNER) -> CheckResult:
    (folder / "tree").mkdir()
    (folder / "tree" / "a.py").write_text("x = 1\n" * 3)
    (folder / "scanner.py").write_text(scanner)
    asked = SonarQubeServer(
        url=f"http://127.0.0.1:{server.server_port}/",
        project="calc",
        command=(sys.executable, str(folder / "scanner.py")),
    )
    check = SonarQube(asked=asked, project=await own_interpreter(), artifacts=Artifacts(folder / "artifacts"))
    copy = WorkCopy(trace_id=TraceId("r"), path=str(folder / "tree"), base=Commit("b"), base_tree=Tree("t"))
    return await check.run(Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.EVALUATE))


async def test_every_page_is_read(server: Server, tmp_path: Path) -> None:
    server.issues = [issue(number) for number in range(1, 702)]

    result = await run(server, tmp_path)

    assert (result.state, len(result.findings)) == (CheckState.FAIL, 701)
    first = result.findings[0]
    assert (first.file, first.line, first.text) == ("a.py", 1, "x = 1")
    assert (first.severity, first.category) == (Severity.CRITICAL, Category.CORRECTNESS)
    assert server.asked == ["/api/ce/task", "/api/issues/search", "/api/issues/search"]
    assert "secret" not in " ".join(result.evidence.argv)


async def test_nothing_found_is_a_pass(server: Server, tmp_path: Path) -> None:
    assert (await run(server, tmp_path)).state is CheckState.PASS


@pytest.mark.parametrize(
    ("scanner", "status", "issues", "said"),
    [
        (SCANNER, "FAILED", 0, "ended as FAILED"),
        (SCANNER, "ODD", 0, "at 'task.status'"),
        (SCANNER, "SUCCESS", 10_001, "gives no more than 10000"),
        ("", "SUCCESS", 0, "wrote no report-task.txt"),
        ("raise SystemExit(3)", "SUCCESS", 0, "the scanner broke: exit code 3"),
    ],
)
async def test_what_broke_is_an_error(
    server: Server, tmp_path: Path, scanner: str, status: str, issues: int, said: str
) -> None:
    server.statuses, server.issues = [status], [issue(number) for number in range(issues)]

    result = await run(server, tmp_path, scanner)

    assert result.state is CheckState.ERROR
    assert said in result.evidence.reason


async def test_a_wrong_or_missing_token_is_an_error(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wrong").mkdir()
    monkeypatch.setenv("SONAR_TOKEN", "other")
    wrong = await run(server, tmp_path / "wrong", SCANNER.replace('"secret"', '"other"'))
    monkeypatch.delenv("SONAR_TOKEN")
    missing = await run(server, tmp_path)

    assert (wrong.state, wrong.evidence.reason) == (
        CheckState.ERROR, "SonarQube refused api/ce/task: 401 Not authorised",
    )  # fmt: skip
    assert "SONAR_TOKEN (setting sonarqube.token_env) holds no token" in missing.evidence.reason


async def test_a_server_that_is_not_there_is_an_error(server: Server, tmp_path: Path) -> None:
    server.server_port = 1

    result = await run(server, tmp_path)

    assert result.state is CheckState.ERROR
    assert "does not answer at http://127.0.0.1:1" in result.evidence.reason
