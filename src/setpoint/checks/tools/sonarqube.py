"""An analysis by SonarQube: its scanner runs on the measured tree, its server is asked for what it found."""

from __future__ import annotations

import asyncio
import json
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from pydantic import TypeAdapter

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import Interpreter, environment
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.general import sonarqube
from setpoint.checks.formats.parsing import MOST_BYTES, Part, bad, from_json
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.config.sonarqube import SonarQubeServer
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.quality import Metric
from setpoint.ports import Measured
from setpoint.settings import inherited
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import NETWORK_KEEP, Command, run

_PAGE, _MOST = 500, 10_000
"""Issues of a page, and as many as the server gives of one search."""
_ASK_S, _REQUEST_S = 1.0, 30.0


class _Task(Part):
    status: Literal["PENDING", "IN_PROGRESS", "SUCCESS", "FAILED", "CANCELED"]


class _Answer(Part):
    task: _Task


_ANSWER = TypeAdapter(_Answer)


class _Refused(Exception):
    """The server did not answer as it should."""


@dataclass(frozen=True, kw_only=True)
class SonarQube:
    """Analyses a tree; what the server says of it counts as of any other tool."""

    asked: SonarQubeServer
    project: Interpreter
    artifacts: Artifacts
    name: str = field(default="sonarqube", init=False)

    async def run(self, measured: Measured) -> CheckResult:
        """Analyse a tree, wait for the server, and read every page of what it found."""
        token = inherited((self.asked.token_env,)).get(self.asked.token_env, "")
        if not token:
            reason = f"the variable {self.asked.token_env} (setting sonarqube.token_env) holds no token"
            return results.unmeasured(self.name, measured.tree, reason, state=CheckState.ERROR)
        tree = Path(measured.copy.path)
        with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
            done = await run(self._command(tree, Path(folder), token))
            ran = results.Ran(
                check=self.name, tree=measured.tree, done=done, artifacts=self.artifacts, tool=self.name
            )
            if not done.ok:
                return ran.gave(CheckState.ERROR, f"the scanner broke: {done.ending}{results.tail(done)}")
            try:
                task = _task_of(Path(folder) / "report-task.txt")
                await self._finished(task, token)
                report = await asyncio.to_thread(
                    self._issues, token, Sources(tree=tree, report="SonarQube's answer")
                )
            except (_Refused, BadReport) as error:
                return ran.gave(CheckState.ERROR, str(error))
        state = CheckState.FAIL if report.findings else CheckState.PASS
        result = ran.gave(state, findings=report.findings)
        evidence = result.evidence.model_copy(update={"feeds": (Metric.CODE_QUALITY, Metric.SECURITY)})
        return result.model_copy(update={"evidence": evidence})

    def _command(self, tree: Path, scratch: Path, token: str) -> Command:
        """Return the scanner's command: the token goes by the environment, which is kept nowhere."""
        variables = {**environment(self.project, tree, ()), **inherited(NETWORK_KEEP)}
        variables |= {"SONAR_TOKEN": token, "SONAR_HOST_URL": self.asked.url}
        options = (f"-Dsonar.projectKey={self.asked.project}", f"-Dsonar.working.directory={scratch}")
        return Command(
            argv=(*self.asked.command, *options, "-Dsonar.scm.disabled=true"),
            cwd=tree,
            environment=variables,
            timeout_s=self.asked.timeout_s,
            writes=(scratch,),
        )

    async def _finished(self, task: str, token: str) -> None:
        """Wait until the server has worked on the analysis."""
        sources = Sources(tree=Path(), report="SonarQube's answer on the analysis")
        for _ in range(max(1, int(self.asked.timeout_s / _ASK_S))):
            text = await asyncio.to_thread(self._get, token, "api/ce/task", (("id", task),))
            status = from_json(_ANSWER, text, sources).task.status
            if status == "SUCCESS":
                return
            if status in ("FAILED", "CANCELED"):
                raise _Refused(f"SonarQube's work on the analysis ended as {status}; see {self.asked.url}")
            await asyncio.sleep(_ASK_S)
        raise _Refused(f"SonarQube did not finish the analysis within {self.asked.timeout_s:g} s")

    def _issues(self, token: str, sources: Sources) -> ToolReport:
        texts = [text.decode("utf-8", "replace") for text in self._pages(token, sources)]
        return sonarqube.read(f"[{','.join(texts)}]".encode(), sources)

    def _pages(self, token: str, sources: Sources) -> Iterator[bytes]:
        held, number = 0, 0
        while True:
            number += 1
            project, size = self.asked.project, str(_PAGE)
            query = (("componentKeys", project), ("resolved", "false"), ("ps", size), ("p", str(number)))
            text = self._get(token, "api/issues/search", query)
            page = sonarqube.page(text, sources)
            if page.paging.total > _MOST:
                raise bad(sources, f"it counts {page.paging.total} issues, and gives no more than {_MOST}")
            yield text
            held += len(page.issues)
            if held >= page.paging.total or not page.issues:
                return

    def _get(self, token: str, path: str, query: Sequence[tuple[str, str]]) -> bytes:
        address = f"{self.asked.url.rstrip('/')}/{path}?{urlencode(query)}"
        request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})  # noqa: S310 - the settings take http and https only
        try:
            with urllib.request.urlopen(request, timeout=_REQUEST_S) as answer:  # noqa: S310 - as above
                text: bytes = answer.read(MOST_BYTES + 1)
        except urllib.error.HTTPError as error:
            raise _Refused(f"SonarQube refused {path}: {error.code} {_said(error)}") from None
        except OSError as error:  # no connection, none in time, or one that broke off
            raise _Refused(f"SonarQube does not answer at {self.asked.url}: {error}") from None
        return text


def _said(error: urllib.error.HTTPError) -> str:
    """Return what the server wrote about a refusal."""
    try:
        return "; ".join(each["msg"] for each in json.loads(error.read(10_000))["errors"])
    except (OSError, ValueError, LookupError, TypeError):  # a page of a proxy, or nothing
        return str(error.reason)


def _task_of(report: Path) -> str:
    """Read which task the server made of the analysis; the scanner writes it in lines of `key=value`."""
    try:
        lines = report.read_text("utf-8", "replace").splitlines()
    except OSError as error:
        raise _Refused(f"the scanner wrote no report-task.txt: {error.strerror}") from None
    values = dict(line.partition("=")[::2] for line in lines if "=" in line)
    if not values.get("ceTaskId"):
        raise _Refused("the scanner's report-task.txt names no ceTaskId")
    return values["ceTaskId"]
